/* SPDX-License-Identifier: BSD-2-Clause */
/* Images and regions of interest as JavaScript writes them: words of 32 bits. */
#ifndef COF_WEB_VIEWS_H
#define COF_WEB_VIEWS_H

#include "web_session.h"

/* The order of the fields is repeated in instance.js. */
typedef struct WebImage {
    int32_t data, valid; /* addresses; 0 = NULL */
    int32_t width, height, channels, kind, sample;
    int32_t x, y, full_width, full_height;
} WebImage;

typedef struct WebRoi {
    CofRect region, part;
    int32_t mask; /* address of a WebImage, or 0 */
    int32_t downscaled;
} WebRoi;

/* Removes the alpha of n pixels of 8 bits, in place, and puts back an opaque one. The library reads
 * packed pixels faster than those with gaps. The first returns 0, and leaves the pixels as they
 * are, if one of them is not opaque. */
int web_rgba_to_rgb(uint8_t *pixels, size_t n) WEB_EXPORT(rgba_to_rgb);
void web_rgb_to_rgba(uint8_t *pixels, size_t n) WEB_EXPORT(rgb_to_rgba);

/* The view of an image; NULL remains NULL. */
const CofImage *web_view(const WebImage *image, CofImage *view);

/* The region of interest, whose mask needs a view; NULL remains NULL. */
const CofRoi *web_roi(const WebRoi *words, CofRoi *roi, CofImage *mask);

#endif
