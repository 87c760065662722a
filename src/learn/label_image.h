/* SPDX-License-Identifier: BSD-2-Clause */
/* Labels the pixels of an image. */
#ifndef COF_LABEL_IMAGE_H
#define COF_LABEL_IMAGE_H

#include "cof/cof.h"
#include "call/call.h"
#include "image/colour.h"
#include "learn/early_features.h"
#include "learn/palette.h"

/* Palettes, and where the labels of each are written. */
typedef struct CofiLabelRows {
    int n;
    const CofiPalette *palettes[COF_MAX_PALETTES];
    uint8_t *labels[COF_MAX_PALETTES];
    const CofiPackedLab *packed; /* Lab that is needed later; NULL: it is not */
    ptrdiff_t stride;
    const CofiEarlyFeatures *early; /* of the same rectangle; NULL: none */
} CofiLabelRows;

/* Fixed. Labels the pixels of `rect` (coordinates of the view) with all palettes; labels of pixels
 * without data are arbitrary. */
CofStatus cofi_label_image(CofiCall *call, const CofiLabelRows *rows, const CofImage *image,
                           CofRect rect, double units);

#endif
