/* SPDX-License-Identifier: BSD-2-Clause */
/* Weights of 8-bit grey in fixed point. */
#include "filter/grey_weights.h"

#include <assert.h>

/* The unit of entries of the matrix is 1 / UNITS. */
#define UNITS 32767

/* The largest error of a mean, as an upper bound. Errors of many weights cancel out: those of means
 * are far smaller. Means that might have a larger error are computed in floats instead. */
#define TOLERANCE 0.05

static double sum_of(const CofiWeights *weights)
{
    double sum = 0;
    for (int i = 0; i <= 2 * weights->radius; i++)
        sum += (double)weights->gauss[i];
    return sum;
}

/* An entry of the matrix is rounded to half a unit, so that the error of the sum of the weights is
 * at most half of the sum of the Gaussian. The error of a mean is at most that error, times the
 * difference between the extremes of the values, divided by the sum of the weights. */
CofStatus cofi_grey_weights_take(CofiGreyWeights *grey, CofiCall *call, const CofiWeights *weights,
                                 const CofImage *image)
{
    *grey = (CofiGreyWeights){0};
    if (!image || image->kind != COF_KIND_GREY || image->sample != COF_SAMPLE_U8 ||
        2 * weights->radius + 1 > COFI_GREY_SIDE)
        return COF_OK;
    double largest_error = sum_of(weights) * sum_of(weights) / 2;
    grey->error = (float)(largest_error / TOLERANCE);
    grey->matrix = cofi_call_take_raw(call, 256, sizeof *grey->matrix);
    grey->scratch = cofi_call_take_raw(call, (size_t)call->threads, COFI_GREY_SCRATCH);
    return grey->matrix && grey->scratch ? COF_OK : COF_ERR_MEMORY;
}

void cofi_grey_weights_fill(CofiGreyWeights *grey, const CofiWeights *weights)
{
    assert(grey->matrix);
    for (int a = 0; a < 256; a++) {
        const float *row = weights->matrix + a * cofi_matrix_stride(256);
        CofiGreyEntries *entries = &grey->matrix[a];
        for (int b = 0; b < 256; b++)
            entries->words[b] = (int16_t)(row[b] * UNITS + 0.5f);
        for (int b = 0; b < 256; b++) {
            entries->low[b] = (uint8_t)entries->words[b];
            entries->high[b] = (uint8_t)(entries->words[b] >> 8);
        }
    }
}
