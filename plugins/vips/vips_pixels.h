/* SPDX-License-Identifier: BSD-2-Clause */
/* Images of libvips as libcof reads them, and back. */
#ifndef COF_VIPS_PIXELS_H
#define COF_VIPS_PIXELS_H

#include <stdbool.h>
#include <vips/vips.h>

#include "cof/cof.h"

typedef struct Pixels {
    VipsImage *image; /* decoded; bytes, 16 bits or floats */
    CofKind kind;
    CofSample sample;
    bool linear;         /* colour was linear light, and is encoded now */
    double white, alpha; /* floats of colour and of alpha were divided by this */
} Pixels;

/* Takes a look at an image; its reference is the caller's. 0, or -1 with libvips' error set. */
int pixels_open(Pixels *pixels, VipsImage *in, const char *operation);
void pixels_close(Pixels *pixels);

/* What pixels_open() did to `in`, undone: *out has its format and interpretation. */
int pixels_restore(const Pixels *pixels, VipsImage *in, VipsImage *filtered, VipsImage **out);

/* One band of bytes: 255 where the image is not black, else 0. */
int pixels_mask(VipsImage *in, VipsImage **out);

/* Views of what a region holds, or of an image in memory. */
CofImage pixels_view(const Pixels *pixels, VipsRegion *region);
CofImage pixels_whole(const Pixels *pixels, VipsImage *image);

#endif
