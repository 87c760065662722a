/* SPDX-License-Identifier: BSD-2-Clause */
/* How high the tiles of a pass are. */
#include "filter/tile_rows.h"

#include <stdint.h>

/* Few enough to cancel soon. With large windows, a tile has at most MAX_TILE_TAPS, which take less
 * than a tenth of a second. */
#define TILE_ROWS 16
#define MAX_TILE_TAPS 2e8

/* With many threads tiles are lower, down to MIN_TILE_ROWS, so that each gets several of them. */
#define MIN_TILE_ROWS 4
#define TILES_PER_THREAD 12

static int max_rows(const CofiTiles *tiles)
{
    double taps = (double)tiles->window * tiles->window * tiles->values * tiles->width;
    return taps * TILE_ROWS <= MAX_TILE_TAPS ? TILE_ROWS
           : taps < MAX_TILE_TAPS            ? (int)(MAX_TILE_TAPS / taps)
                                             : 1;
}

int cofi_tile_rows(const CofiTiles *tiles)
{
    int most = max_rows(tiles);
    int64_t wanted = (int64_t)tiles->threads * TILES_PER_THREAD;
    int64_t rows = (int64_t)tiles->height * tiles->columns / wanted;
    rows = rows < MIN_TILE_ROWS ? MIN_TILE_ROWS : rows;
    return rows < most ? (int)rows : most;
}
