/* SPDX-License-Identifier: BSD-2-Clause */
/* Downscaled images, for learning and filtering with a factor above 1. */
#ifndef COF_VIPS_SMALL_H
#define COF_VIPS_SMALL_H

#include "vips_pixels.h"

/* The image that was downscaled last, since learning and filtering need the same. */
typedef struct SmallImage {
    VipsImage *image;    /* in memory; NULL: none yet */
    uint8_t *valid;      /* 0: a pixel holds no data; NULL: all hold data */
    const VipsImage *of; /* the image before pixels_open(), which outlives this */
    int factor;
} SmallImage;

/* Whether an image is downscaled while it is read, and filtered in parts, because that takes less
 * memory. Others are processed by one call of the library. */
bool small_image_is_streamed(const Pixels *pixels);

/* Finds or makes the downscaled image; the cache keeps it. *view shows it. Returns 0, or -1 with
 * the libvips error set. */
int small_image_get(SmallImage *small, const Pixels *pixels, VipsImage *of, int factor,
                    const Argument *argument, CofImage *view);
void small_image_clear(SmallImage *small);

#endif
