/* SPDX-License-Identifier: BSD-2-Clause */
/* Features and labels of rows of pixels. */
#ifndef COF_LABEL_ROW_H
#define COF_LABEL_ROW_H

#include "cof/cof.h"
#include "image/colour.h"
#include "kernels/kernels.h"
#include "learn/palette.h"

/* Fixed. The features that pixels are compared by: Lab for RGB, else the samples. */
void cofi_features_row(const CofiColour *colour, const CofImage *image, int x, int y, int n,
                       float *const *features);

/* Fixed. Labels of n pixels, from their features. */
void cofi_label_row(const CofiPalette *palette, const CofiKernels *kernels,
                    const float *const *features, int n, uint8_t *labels);

/* Fixed. The same for rows of n pixels, whose features are `stride` apart. */
void cofi_label_rows(const CofiPalette *palette, const CofiKernels *kernels,
                     const float *const *features, ptrdiff_t stride, int rows, int n,
                     uint8_t *labels, ptrdiff_t label_stride);

#endif
