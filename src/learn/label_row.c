/* SPDX-License-Identifier: BSD-2-Clause */
/* Features and labels of rows of pixels. */
#include "learn/label_row.h"

#include <string.h>

#include "base/arithmetic.h"
#include "image/image.h"

void cofi_features_row(const CofiColour *colour, const CofImage *image, int x, int y, int n,
                       float *const *features)
{
    if (cofi_family(image->kind) == COF_KIND_RGB) {
        cofi_lab_row(colour, image, x, y, n, features);
        return;
    }
    for (int band = 0; band < cofi_bands(image); band++)
        cofi_load_row(image, band, x, y, n, features[band]);
}

void cofi_label_row(const CofiPalette *palette, const CofiKernels *kernels,
                    const float *const *features, int n, uint8_t *labels)
{
    const float *values = features[0];
    switch (palette->type) {
    case COFI_PALETTE_EXACT:
        for (int i = 0; i < n; i++)
            labels[i] = (uint8_t)(cofi_clamp((double)values[i], 255) + 0.5);
        break;
    case COFI_PALETTE_BINS:
        for (int i = 0; i < n && palette->k > 1; i++) {
            double bin = ((double)values[i] - palette->low) * palette->k;
            labels[i] = (uint8_t)cofi_clamp(bin / (palette->high - palette->low), palette->k - 1);
        }
        break;
    case COFI_PALETTE_CENTRES:
        kernels->nearest(features, n, palette->prepared, labels, NULL);
        break;
    case COFI_PALETTE_LABELS: /* ruled out by cofi_palette_fits() */
        break;
    }
    if (palette->k == 1)
        memset(labels, 0, (size_t)n);
}

void cofi_label_rows(const CofiPalette *palette, const CofiKernels *kernels,
                     const float *const *features, ptrdiff_t stride, int rows, int n,
                     uint8_t *labels, ptrdiff_t label_stride)
{
    if (palette->type == COFI_PALETTE_CENTRES && palette->k > 1) {
        kernels->nearest_rows(features, stride, rows, n, palette->prepared, labels, label_stride);
        return;
    }
    for (int row = 0; row < rows; row++) {
        const float *read[COF_MAX_BANDS];
        for (int band = 0; band < palette->bands || band == 0; band++)
            read[band] = features[band] + row * stride;
        cofi_label_row(palette, kernels, read, n, labels + row * label_stride);
    }
}
