/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of weights, by label and by distance, as the kernels read them. */
#ifndef COF_WEIGHTS_H
#define COF_WEIGHTS_H

#include "cof/cof.h"
#include "call/call.h"
#include "kernels/kernels.h"
#include "learn/model.h"

/* matrix, gauss and bytes are as in CofiTaps. */
typedef struct CofiWeights {
    float *matrix, *gauss;
    uint8_t *bytes;
    float *window; /* gauss x gauss, with COFI_WEIGHT_MARGIN zeros before the first of each row */
    ptrdiff_t stride;
    int radius;
    double largest[COF_MAX_COLOURS]; /* the entry of each row of M that was scaled to 1 */
} CofiWeights;

/* Takes memory for any model, and fills in the weights by distance. */
CofStatus cofi_weights_take(CofiWeights *weights, CofiCall *call, int radius, double sigma);

/* Takes memory for another model, with the same weights by distance. */
CofStatus cofi_weights_take_other(CofiWeights *weights, CofiCall *call, const CofiWeights *same);

/* Fills in the weights by label, from a k x k matrix. */
void cofi_weights_fill(CofiWeights *weights, const double *matrix, int k);

/* Fills in the weights of 256 values, each of which has one of k labels. */
void cofi_weights_fill_values(CofiWeights *weights, const double *matrix, int k,
                              const uint8_t labels[256]);

#endif
