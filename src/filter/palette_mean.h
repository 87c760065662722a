/* SPDX-License-Identifier: BSD-2-Clause */
/* The mean of the results of several palettes, in working values. */
#ifndef COF_PALETTE_MEAN_H
#define COF_PALETTE_MEAN_H

#include "cof/cof.h"
#include "call/call.h"

/* Of one palette, the result is left as it is and nothing is allocated. */
typedef struct CofiPaletteMean {
    int members, member; /* palettes, and the one in work */
    int bands, width;
    float *sums[COF_MAX_BANDS]; /* as large as the part that is written */
    uint8_t *counts;            /* members that have changed the pixel */
} CofiPaletteMean;

CofStatus cofi_palette_mean_take(CofiPaletteMean *mean, CofiCall *call, int members, int bands,
                                 int width, int height);

/* Whether the member in work is the last one, whose rows become those of the mean. */
bool cofi_palette_mean_is_last(const CofiPaletteMean *mean);

/* Adds n pixels of row y of the part, from x on, of the member in work; in the last one, values and
 * `changed` are replaced by those of the mean. Members without weights for a pixel are left out of
 * its mean; if all are, the pixel keeps the values of the last one. */
void cofi_palette_mean_row(const CofiPaletteMean *mean, int x, int y, int n, float *const *values,
                           uint8_t *changed);

#endif
