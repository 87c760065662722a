/* SPDX-License-Identifier: BSD-2-Clause */
/* What pixels weigh for each other, by their labels and by their distance, as kernels read it. */
#ifndef COF_WEIGHTS_H
#define COF_WEIGHTS_H

#include "cof/cof.h"
#include "call/call.h"
#include "kernels/kernels.h"
#include "learn/model.h"

/* The members of CofiTaps that have these names, and: */
typedef struct CofiWeights {
    float *matrix, *gauss;
    uint8_t *bytes, *halves;
    float *window; /* gauss x gauss, COFI_WEIGHT_MARGIN before the first */
    ptrdiff_t stride;
    int radius;
    double largest[COF_MAX_COLOURS]; /* entry of each row, which the matrix is relative to */
} CofiWeights;

/* Takes memory for any model, and fills in what depends on distance. */
CofStatus cofi_weights_take(CofiWeights *weights, CofiCall *call, int radius, double sigma);

/* Fills in what depends on labels: k x k. */
void cofi_weights_fill(CofiWeights *weights, const double *matrix, int k);

#endif
