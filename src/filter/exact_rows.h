/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of a pass that are filtered exactly. */
#ifndef COF_EXACT_ROWS_H
#define COF_EXACT_ROWS_H

#include "filter/filter.h"

typedef struct CofiExact {
    const CofiFilter *filter;
    int k;
    bool gaps; /* alphas may differ from 1 */
    bool grey; /* in fixed point, where that is exact enough */
} CofiExact;

/* Fills in the weights of a model for the next pass. */
CofiExact cofi_exact_start(CofiFilter *filter, const CofModel *model);

/* Filters row y of the tile of a worker's line buffer. */
void cofi_exact_row(const CofiExact *exact, CofiFilterWorker *worker, int y, float *const *values);

/* Filters pixels first..first+n-1 of a row of the fast filter, whose line buffer is larger. */
void cofi_exact_pixels(const CofiExact *exact, CofiFilterWorker *worker, int first, int n,
                       float *const *values);

#endif
