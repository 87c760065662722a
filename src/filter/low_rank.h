/* SPDX-License-Identifier: BSD-2-Clause */
/* M as a short sum of products: M(a, b) = sum_j out_j(a) in_j(b), nearly. */
#ifndef COF_LOW_RANK_H
#define COF_LOW_RANK_H

#include <stdbool.h>

#include "cof/cof.h"
#include "kernels/kernels.h"
#include "learn/model.h"

/* As many as there can be. More than MANY pay only where the exact filter takes long. */
#define COFI_MAX_RANKS COFI_FEW_LABELS
#define COFI_MANY_RANKS 24

typedef struct CofiLowRank {
    int ranks;                                 /* terms; 0: no short sum is good enough */
    float in[COFI_MAX_RANKS][COFI_FEW_LABELS]; /* of label b */
    float out[COFI_MAX_RANKS][COFI_FEW_LABELS];
    float trust_threshold[COFI_FEW_LABELS]; /* what the weights of a pixel of this label must exceed
                                             * to be trusted; infinite where the sum is wrong */
    float max_trust_threshold;              /* the largest of those */
} CofiLowRank;

/* What is asked of the sum. */
typedef struct CofiLowRankRequest {
    double accuracy; /* in dB to the exact filter: as few terms as keep within it */
    bool all;        /* rather all terms: none of their weights is below 0 */
    int batch;       /* terms are computed in batches of so many */
    double mass;     /* the sum of the window's Gaussian, whose centre is 1 */
} CofiLowRankRequest;

void cofi_low_rank_of(CofiLowRank *low_rank, const CofModel *model,
                      const CofiLowRankRequest *request);

#endif
