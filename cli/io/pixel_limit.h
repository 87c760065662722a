/* SPDX-License-Identifier: BSD-2-Clause */
/* The limit on the pixels of an input, against small files that ask for much memory or time. */
#ifndef COF_PIXEL_LIMIT_H
#define COF_PIXEL_LIMIT_H

#include <stdbool.h>
#include <stdint.h>
#include <vips/vips.h>

/* Limits of formats that are read in strips or tiles, and of those that are decoded as a whole. */
#define MAX_PIXELS_STREAMED 4000000000
#define MAX_PIXELS_WHOLE 400000000

/* Replaces both limits; 0 keeps them. To be called once, by the main thread, before the others. */
void pixel_limit_init(int64_t max_pixels);

/* Whether an image, of which only the header was read, is within the limit; `is_streamed`: its
 * format is decoded line by line or tile by tile. Sets libvips' error if not. */
bool pixel_limit_check(VipsImage *image, bool is_streamed);

/* The same for the frames of a video. */
bool pixel_limit_check_frame(int width, int height);

#endif
