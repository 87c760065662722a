/* SPDX-License-Identifier: BSD-2-Clause */
/* Weights of 8-bit grey in fixed point, as the kernels read them. */
#ifndef COF_GREY_WEIGHTS_H
#define COF_GREY_WEIGHTS_H

#include <stdbool.h>

#include "call/call.h"
#include "filter/weights.h"
#include "kernels/kernels.h"

/* As in CofiGreyTaps. */
typedef struct CofiGreyWeights {
    CofiGreyEntries *matrix; /* NULL: not used */
    float error;
    unsigned char *scratch; /* COFI_GREY_SCRATCH bytes for each thread */
} CofiGreyWeights;

/* Takes memory, if the image is 8-bit grey and the window is not too large. `weights` has those by
 * distance. */
CofStatus cofi_grey_weights_take(CofiGreyWeights *grey, CofiCall *call, const CofiWeights *weights,
                                 const CofImage *image);

/* Fills in the weights by label, from those of 256 labels. */
void cofi_grey_weights_fill(CofiGreyWeights *grey, const CofiWeights *weights);

#endif
