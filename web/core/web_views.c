/* SPDX-License-Identifier: BSD-2-Clause */
/* Images and regions of interest as JavaScript writes them. */
#include "web_views.h"

static void *address(int32_t word)
{
    return (void *)(uintptr_t)(uint32_t)word;
}

void web_rgba_to_rgb(uint8_t *pixels, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint8_t red = pixels[4 * i], green = pixels[4 * i + 1], blue = pixels[4 * i + 2];
        pixels[3 * i] = red;
        pixels[3 * i + 1] = green;
        pixels[3 * i + 2] = blue;
    }
}

void web_rgb_to_rgba(uint8_t *pixels, size_t n)
{
    for (size_t i = n; i-- > 0;) {
        uint8_t red = pixels[3 * i], green = pixels[3 * i + 1], blue = pixels[3 * i + 2];
        pixels[4 * i] = red;
        pixels[4 * i + 1] = green;
        pixels[4 * i + 2] = blue;
        pixels[4 * i + 3] = 255;
    }
}

const CofImage *web_view(const WebImage *image, CofImage *view)
{
    if (!image)
        return NULL;
    *view = (CofImage){.data = address(image->data),
                       .valid = address(image->valid),
                       .width = image->width,
                       .height = image->height,
                       .channels = image->channels,
                       .kind = (CofKind)image->kind,
                       .sample = (CofSample)image->sample,
                       .x = image->x,
                       .y = image->y,
                       .full_width = image->full_width,
                       .full_height = image->full_height};
    return view;
}

const CofRoi *web_roi(const WebRoi *words, CofRoi *roi, CofImage *mask)
{
    if (!words)
        return NULL;
    *roi = (CofRoi){.region = words->region,
                    .part = words->part,
                    .mask = web_view(address(words->mask), mask),
                    .downscaled = words->downscaled};
    return roi;
}
