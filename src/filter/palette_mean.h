/* SPDX-License-Identifier: BSD-2-Clause */
/* The mean of the results of several palettes, in working values. */
#ifndef COF_PALETTE_MEAN_H
#define COF_PALETTE_MEAN_H

#include "cof/cof.h"
#include "filter/filter.h"

/* Of one palette, the result is left as it is and nothing is allocated. */
typedef struct CofiPaletteMean {
    int members, added;
    float *sums[COF_MAX_BANDS]; /* as large as the part */
    uint8_t *counts;            /* members that have changed the pixel */
} CofiPaletteMean;

CofStatus cofi_palette_mean_take(CofiPaletteMean *mean, CofiFilter *filter);

/* Adds the result of a filter, which is the same for all members. The last one is replaced by the
 * mean. Members without weights for a pixel are left out of its mean. */
CofStatus cofi_palette_mean_add(CofiPaletteMean *mean, CofiFilter *filter);

#endif
