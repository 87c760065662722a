/* SPDX-License-Identifier: BSD-2-Clause */
/* How high the tiles of a pass are. */
#include "filter/tile_rows.h"

#include <stdint.h>

/* Few enough to cancel soon. With large windows, a tile has at most MAX_TILE_TAPS, which take less
 * than a tenth of a second. */
#define TILE_ROWS 16
#define MAX_TILE_TAPS 2e8

/* In small images, and with many threads, tiles are lower, so that all threads end at about the
 * same time. */
#define TILES_PER_THREAD 48

/* A thread that starts at another place fills a line buffer, and the fast filter also sums the
 * cells of a window. That takes about as long as filtering so many rows. */
#define EXACT_START_ROWS 2
#define FAST_START_ROWS 4

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
    rows = rows < 1 ? 1 : rows;
    return rows < most ? (int)rows : most;
}

int cofi_tile_start_cost(const CofiTiles *tiles)
{
    int rows = tiles->window > 0 ? EXACT_START_ROWS : FAST_START_ROWS;
    int tile_rows = cofi_tile_rows(tiles);
    return (rows + tile_rows / 2) / tile_rows;
}
