/* SPDX-License-Identifier: BSD-2-Clause */
/* M as a short sum of products: M(a, b) = sum_j out_j(a) in_j(b), nearly. */
#ifndef COF_LOW_RANK_H
#define COF_LOW_RANK_H

#include <stdbool.h>

#include "cof/cof.h"
#include "kernels/kernels.h"
#include "learn/model.h"

/* As many as there can be. More than MANY pay only where the exact filter takes long. */
#define COFI_MOST_RANKS COFI_FEW_LABELS
#define COFI_MANY_RANKS 24

typedef struct CofiSpectrum {
    int ranks;                                  /* terms; 0: no short sum is good enough */
    float in[COFI_MOST_RANKS][COFI_FEW_LABELS]; /* of label b */
    float out[COFI_MOST_RANKS][COFI_FEW_LABELS];
    float least[COFI_FEW_LABELS]; /* what the weights of a pixel of this label must exceed to be
                                   * trusted; infinite where the sum is wrong */
    float most_least;             /* the largest of those */
} CofiSpectrum;

/* What is asked of the sum. */
typedef struct CofiShortness {
    double accuracy; /* in dB to the exact filter: as few terms as keep within it */
    bool all;        /* rather all terms: none of their weights is below 0 */
    int batch;       /* terms are computed in batches of so many */
    double mass;     /* the sum of the window's Gaussian, whose centre is 1 */
} CofiShortness;

void cofi_spectrum_of(CofiSpectrum *spectrum, const CofModel *model, const CofiShortness *asked);

#endif
