/* SPDX-License-Identifier: BSD-2-Clause */
/* Measurements as images for display. */
#ifndef COF_DISPLAY_IMAGE_H
#define COF_DISPLAY_IMAGE_H

#include <stdbool.h>
#include <vips/vips.h>

/* How the values of an image are displayed, so that two images can be displayed alike. */
typedef struct DisplayRange {
    bool is_colour; /* the image is displayed as it is */
    int bands;      /* 1: grey; 3: the first three bands as red, green and blue */
    double low[3], high[3];
} DisplayRange;

/* Finds the range of most values that hold data. Returns false with libvips' error set on
 * failure. */
bool display_range_find(DisplayRange *range, VipsImage *image);

/* Returns NULL with libvips' error set on failure; unref'd by the caller. */
VipsImage *display_image(const DisplayRange *range, VipsImage *image);

#endif
