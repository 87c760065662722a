/* SPDX-License-Identifier: BSD-2-Clause */
/* Images of a call in the memory of its device. */
#ifndef COF_DEVICE_IMAGE_H
#define COF_DEVICE_IMAGE_H

#include "cof/cof.h"
#include "call/call.h"
#include "image/colour.h"

/* Why the device cannot hold such pixels; NULL: it can. */
const char *cofi_device_refuses(const CofiCall *call, const CofImage *image);

/* What a new image on the device is for. */
typedef struct CofiDeviceUse {
    bool filtered; /* otherwise it is only labelled, with one palette at a time */
    bool lab;
    bool keeps, refined;
    int members, alpha_bytes; /* as in CofiDeviceView */
} CofiDeviceUse;

/* The largest number of pixels for which the memory of the device is sufficient. */
int64_t cofi_device_max_pixels(const CofiCall *call, const CofImage *image, CofiDeviceUse use);

/* A new image on the device for a rectangle of a complete view, which is not sent yet. To be freed
 * with module->image_free(). `colour` has the tables for storing, if it is filtered. */
CofStatus cofi_device_image_new(CofiCall *call, const CofiColour *colour, const CofImage *image,
                                CofRect rect, CofiDeviceUse use, CofiDeviceImage **out);

/* Sends the pixels of the rectangle. */
CofStatus cofi_device_image_send(CofiCall *call, CofiDeviceImage *on_device, const CofImage *image,
                                 CofRect rect);

/* Fetches the bytes of the image, whose rows have `width` pixels, and writes those from (x, y) on
 * to the rectangle `part` of `out`; both in coordinates of their view. The output is untouched if
 * that fails. Worth `units` of progress. */
CofStatus cofi_device_image_fetch(CofiCall *call, CofiDeviceImage *on_device, int width, int x,
                                  int y, const CofImage *out, CofRect part, double units);

#endif
