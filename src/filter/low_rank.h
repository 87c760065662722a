/* SPDX-License-Identifier: BSD-2-Clause */
/* A low-rank approximation: M(a, b) = sum_j out_j(a) in_j(b), nearly. */
#ifndef COF_LOW_RANK_H
#define COF_LOW_RANK_H

#include <stdbool.h>

#include "cof/cof.h"
#include "kernels/kernels.h"
#include "learn/model.h"

/* The largest number of terms. */
#define COFI_MAX_RANKS COFI_FAST_LABELS

typedef struct CofiLowRank {
    int ranks; /* number of terms; 0: no approximation is good enough */
    bool each; /* each label is a term of its own: in_j(b) is 1 if j = b, else 0 */
    float in[COFI_FEW_LABELS][COFI_FEW_LABELS]; /* of label b; not used if `each` */
    float out[COFI_MAX_RANKS][COFI_FAST_LABELS];
    float trust_threshold[COFI_FAST_LABELS]; /* smallest trusted weight sum */
    float max_trust_threshold; /* the largest that is finite; where it is not, `out` is 0 */
    double *scratch;           /* COFI_LOW_RANK_SCRATCH */
} CofiLowRank;

/* Scratch: four square matrices, and twice the weight and the bands of each label. */
#define COFI_LOW_RANK_SCRATCH (COFI_FEW_LABELS * (4 * COFI_FEW_LABELS + 2 * (1 + COF_MAX_BANDS)))

/* What is asked of the approximation. */
typedef struct CofiLowRankRequest {
    double accuracy; /* PSNR against the exact filter, in dB */
    bool each;       /* make each label a term of its own, so that no weight is negative; also done
                        if a truncated sum needs many terms */
    int batch;       /* terms that cost as much as one */
    double mass;     /* the sum of the window's Gaussian, whose centre is 1 */
} CofiLowRankRequest;

/* Fills in the terms that there are; the scratch is the caller's. */
void cofi_low_rank_of(CofiLowRank *low_rank, const CofModel *model,
                      const CofiLowRankRequest *request);

#endif
