/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of an image that threads compute, with the mask of its valid pixels. */
#ifndef COF_VIPS_REGIONS_H
#define COF_VIPS_REGIONS_H

#include "vips_pixels.h"

typedef struct PixelRegion {
    const Pixels *source;
    VipsRegion *pixels, *valid; /* valid NULL: all pixels are */
} PixelRegion;

PixelRegion pixel_region_new(const Pixels *source);
void pixel_region_free(PixelRegion *region);

/* Computes a rectangle and its view. Returns 0, or -1 with the libvips error set. */
int pixel_region_prepare(PixelRegion *region, const VipsRect *rect, CofImage *view);

#endif
