/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of a pass that are filtered exactly. */
#ifndef COF_EXACT_ROWS_H
#define COF_EXACT_ROWS_H

#include "filter/filter.h"

typedef struct CofiExact {
    const CofiFilter *filter;
    const CofiFilterMember *member;
    int k;
    bool gaps; /* alphas may differ from 1 */
    bool grey; /* in fixed point, where that is exact enough */
} CofiExact;

/* Can bins of 8-bit grey be filtered as its 256 values, with the kernel for these? Fewer bins have
 * a faster one. */
bool cofi_exact_has_values(const CofiFilter *filter, const CofiFilterMember *member,
                           const CofModel *model);

/* Fills in the weights of a model for the next pass: of its labels, or of the values of 8-bit grey
 * if these are read instead of labels. */
CofiExact cofi_exact_start(const CofiFilter *filter, CofiFilterMember *member,
                           const CofModel *model, bool values);

/* Filters row y of the tile of a worker's line buffer, with the labels that it has chosen. */
void cofi_exact_row(const CofiExact *exact, CofiFilterWorker *worker, int y, float *const *values);

/* Filters pixels first..first+n-1 of row y of the fast filter. */
void cofi_exact_pixels(const CofiExact *exact, CofiFilterWorker *worker, int y, int first, int n,
                       float *const *values);

#endif
