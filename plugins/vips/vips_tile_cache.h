/* SPDX-License-Identifier: BSD-2-Clause */
/* A cache of tiles that never passes off a tile that could not be computed as an image. */
#ifndef COF_VIPS_TILE_CACHE_H
#define COF_VIPS_TILE_CACHE_H

#include <vips/vips.h>

/* Makes an image of the same pixels, of which so many tiles are kept in memory. Several threads may
 * compute tiles at the same time. */
int tile_cache(VipsImage *in, int tile_width, int tile_height, int max_tiles, VipsImage **out);

#endif
