/* SPDX-License-Identifier: BSD-2-Clause */
/* T, the label of each pixel, on a device. */
#ifndef COF_DEVICE_LABELS_H
#define COF_DEVICE_LABELS_H

#include <stdbool.h>

#include "cof/cof.h"
#include "call/call.h"
#include "image/colour.h"
#include "learn/palette.h"

/* Can the device of the call find the labels of this palette, of samples of that type? */
bool cofi_device_can_label(const CofiCall *call, const CofiPalette *palette, CofSample sample);

/* Fixed. Labels the samples of an image on the device. */
CofStatus cofi_device_label(CofiCall *call, CofiDeviceImage *on_device, const CofiColour *colour,
                            const CofiPalette *palette);

/* Fixed. Labels n pixels of a view with each palette, as cofi_label_image() does, on the device.
 * COF_ERR_MEMORY if its memory is not sufficient. */
CofStatus cofi_device_label_image(CofiCall *call, const CofiColour *colour,
                                  const CofiPalette *const *palettes, uint8_t *const *labels,
                                  ptrdiff_t stride, int n, const CofImage *image, CofRect rect,
                                  double units);

#endif
