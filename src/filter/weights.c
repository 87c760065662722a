/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of weights, by label and by distance. */
#include "filter/weights.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Weights below this, relative to the largest of an axis or of a row of M, become 0. */
#define MIN_WEIGHT 0x1p-60

/* All weights are scaled by this, so that 255 of the largest floats can be added. */
#define WEIGHT_SCALE 0x1p-8

static void fill_gauss(CofiWeights *w, double sigma)
{
    int side = 2 * w->radius + 1;
    for (int d = -w->radius; d <= w->radius; d++) {
        double weight = exp(-d * d / (2 * sigma * sigma));
        w->gauss[d + w->radius] = weight < MIN_WEIGHT ? 0 : (float)(weight * WEIGHT_SCALE);
    }
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++)
            w->window[y * w->stride + COFI_WEIGHT_MARGIN + x] = w->gauss[y] * w->gauss[x];
}

CofStatus cofi_weights_take(CofiWeights *w, CofiCall *call, int radius, double sigma)
{
    assert(radius >= 0 && sigma > 0);
    size_t side = 2 * (size_t)radius + 1;
    *w = (CofiWeights){.radius = radius};
    w->stride = ((ptrdiff_t)side + 2 * COFI_WEIGHT_MARGIN + 15) / 16 * 16;
    w->matrix = cofi_call_take_raw(call, COF_MAX_COLOURS * COF_MAX_COLOURS, sizeof *w->matrix);
    w->bytes = cofi_call_take_raw(call, COF_MAX_COLOURS, COFI_MATRIX_BYTES);
    w->gauss = cofi_call_take(call, side + COFI_WEIGHT_MARGIN, sizeof *w->gauss);
    w->window = cofi_call_take(call, side, (size_t)w->stride * sizeof *w->window);
    if (!w->matrix || !w->bytes || !w->gauss || !w->window)
        return COF_ERR_MEMORY;
    fill_gauss(w, sigma);
    return COF_OK;
}

/* Splits the n floats of a row into planes of bytes. */
static void split_row(const float *row, int n, int plane, uint8_t *bytes)
{
    uint32_t bits[COF_MAX_COLOURS];
    memcpy(bits, row, (size_t)n * sizeof *bits);
    for (int i = 0; i < 4; i++)
        for (int b = 0; b < n; b++)
            bytes[i * plane + b] = (uint8_t)(bits[b] >> (8 * i));
}

/* Rows are scaled to a maximum of 1, which cancels out, since the filter divides by the weight sum.
 */
void cofi_weights_fill(CofiWeights *w, const double *matrix, int k)
{
    assert(k >= 1 && k <= COF_MAX_COLOURS);
    int stride = cofi_matrix_stride(k), plane = cofi_byte_plane(k);
    for (int a = 0; a < k; a++) {
        const double *row = matrix + (ptrdiff_t)a * k;
        double largest = 0;
        for (int b = 0; b < k; b++)
            largest = fmax(largest, row[b]);
        w->largest[a] = largest;
        for (int b = 0; b < k; b++) {
            double weight = largest > 0 ? row[b] / largest : 0;
            w->matrix[a * stride + b] = weight < MIN_WEIGHT ? 0 : (float)weight;
        }
        for (int b = k; b < stride; b++)
            w->matrix[a * stride + b] = 0;
        split_row(w->matrix + a * stride, stride, plane, w->bytes + a * 4 * plane);
    }
}
