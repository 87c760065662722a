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

static CofStatus take_labels(CofiWeights *w, CofiCall *call)
{
    w->matrix = cofi_call_take_raw(call, COF_MAX_COLOURS * COF_MAX_COLOURS, sizeof *w->matrix);
    w->bytes = cofi_call_take_raw(call, COF_MAX_COLOURS, COFI_MATRIX_BYTES);
    return w->matrix && w->bytes ? COF_OK : COF_ERR_MEMORY;
}

CofStatus cofi_weights_take(CofiWeights *w, CofiCall *call, int radius, double sigma)
{
    assert(radius >= 0 && sigma > 0);
    size_t side = 2 * (size_t)radius + 1;
    *w = (CofiWeights){.radius = radius};
    w->stride = ((ptrdiff_t)side + 2 * COFI_WEIGHT_MARGIN + 15) / 16 * 16;
    w->gauss = cofi_call_take(call, side + COFI_WEIGHT_MARGIN, sizeof *w->gauss);
    w->window = cofi_call_take(call, side, (size_t)w->stride * sizeof *w->window);
    if (!w->gauss || !w->window)
        return COF_ERR_MEMORY;
    fill_gauss(w, sigma);
    return take_labels(w, call);
}

CofStatus cofi_weights_take_other(CofiWeights *w, CofiCall *call, const CofiWeights *same)
{
    *w = (CofiWeights){.gauss = same->gauss,
                       .window = same->window,
                       .stride = same->stride,
                       .radius = same->radius};
    return take_labels(w, call);
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

/* A row is scaled to a maximum of 1, which cancels out, since the filter divides by the weight sum.
 */
static void fill_row(CofiWeights *w, int a, const double *row, int k)
{
    int stride = cofi_matrix_stride(k), plane = cofi_byte_plane(k);
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

void cofi_weights_fill(CofiWeights *w, const double *matrix, int k)
{
    assert(k >= 1 && k <= COF_MAX_COLOURS);
    for (int a = 0; a < k; a++)
        fill_row(w, a, matrix + (ptrdiff_t)a * k, k);
}

void cofi_weights_fill_values(CofiWeights *w, const double *matrix, int k,
                              const uint8_t labels[256])
{
    assert(k >= 1 && COF_MAX_COLOURS == 256);
    for (int a = 0; a < 256; a++) {
        double row[256];
        for (int b = 0; b < 256; b++)
            row[b] = matrix[labels[a] * k + labels[b]];
        fill_row(w, a, row, 256);
    }
}
