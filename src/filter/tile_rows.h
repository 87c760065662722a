/* SPDX-License-Identifier: BSD-2-Clause */
/* How high the tiles of a pass are. */
#ifndef COF_TILE_ROWS_H
#define COF_TILE_ROWS_H

typedef struct CofiTiles {
    int threads;
    int width;   /* of a tile */
    int columns; /* of tiles */
    int height;  /* of all tiles */
    int window;  /* of the exact filter; 0: the fast one, whose time does not depend on it */
    int values;  /* of each pixel that are summed */
} CofiTiles;

/* At least 1. A tile that follows the last one of its thread reuses the rows of its line buffer, so
 * that low tiles cost little. */
int cofi_tile_rows(const CofiTiles *tiles);

/* How much more a tile costs that does not follow the last one of its thread, in tiles. */
int cofi_tile_start_cost(const CofiTiles *tiles);

#endif
