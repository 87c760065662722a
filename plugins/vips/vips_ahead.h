/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of tiles that are computed ahead of those who read them. */
#ifndef COF_VIPS_AHEAD_H
#define COF_VIPS_AHEAD_H

#include <vips/vips.h>

/* Makes an image of the same pixels as `tiles`, which caches tiles of this size. Whoever reads it
 * in strips as wide as the image, downwards, gets them while the row of tiles below is computed by
 * threads of its own. The cache must hold two rows of tiles. */
int ahead_of_strips(VipsImage *tiles, int tile_width, int tile_height, VipsImage **out);

#endif
