/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts libvips images to the samples that libcof reads, and back. */
#ifndef COF_VIPS_PIXELS_H
#define COF_VIPS_PIXELS_H

#include <stdbool.h>
#include <vips/vips.h>

#include "cof/cof.h"

typedef struct Pixels {
    VipsImage *image; /* decoded to 8-bit, 16-bit or float samples */
    CofKind kind;
    CofSample sample;
    bool linear;         /* the input was linear light; image is sRGB-encoded */
    double white, alpha; /* divisors of float colour and alpha */
} Pixels;

/* Prepares an image for libcof; the caller keeps its reference. Returns 0, or -1 with the libvips
 * error set. */
int pixels_open(Pixels *pixels, VipsImage *in, const char *operation);
void pixels_close(Pixels *pixels);

/* Reverses pixels_open(): *out has the format and interpretation of `in`. */
int pixels_restore(const Pixels *pixels, VipsImage *in, VipsImage *filtered, VipsImage **out);

/* One band of bytes: 255 where the image is not black, else 0. */
int pixels_mask(VipsImage *in, VipsImage **out);

/* Views of a region's pixels, or of an image in memory. */
CofImage pixels_view(const Pixels *pixels, VipsRegion *region);
CofImage pixels_whole(const Pixels *pixels, VipsImage *image);

#endif
