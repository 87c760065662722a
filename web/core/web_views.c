/* SPDX-License-Identifier: BSD-2-Clause */
/* Images and regions of interest as JavaScript writes them. */
#include "web_views.h"

static void *address(int32_t word)
{
    return (void *)(uintptr_t)(uint32_t)word;
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
                       .pixel_stride = image->pixel_stride,
                       .x = image->x,
                       .y = image->y,
                       .full_width = image->full_width,
                       .full_height = image->full_height};
    view->row_stride = (ptrdiff_t)image->pixel_stride * image->width;
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
