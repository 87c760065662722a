/* SPDX-License-Identifier: BSD-2-Clause */
/* Filtering at two scales, with a filter_downscale above 1. */
#ifndef COF_TWO_SCALE_H
#define COF_TWO_SCALE_H

#include "cof/cof.h"
#include "call/call.h"
#include "filter/passes.h"
#include "learn/part.h"

/* The downscaled image after all passes but the last, which is the mean of all members. */
typedef struct CofiCoarse {
    const CofModel *model;
    int n;          /* the downscale factor */
    CofImage small; /* whole */
    uint8_t label_remaps[COF_MAX_PALETTES][COF_MAX_COLOURS];
} CofiCoarse;

/* Runs these passes on the downscaled input, in place. `whole` is needed for its model; for its
 * guide; and if the model was learned with another factor, for its input. `labelled` has the labels
 * of `small`, which the palettes of the model have found; NULL: they are found. */
CofStatus cofi_coarse_make(CofiCall *call, const CofiFilterImages *whole, const CofImage *small,
                           const CofPart *labelled, CofiCoarse *coarse);

/* The last pass. `in` and `guide` (NULL: `in`) must extend the margin beyond `out`. */
CofStatus cofi_coarse_filter(CofiCall *call, const CofiCoarse *coarse, const CofImage *guide,
                             const CofImage *in, const CofImage *out);
int cofi_coarse_margin(const CofModel *model, const CofOptions *options);

/* Filters a whole image: all passes but the last at the lower resolution, the last one at full
 * resolution. `downscaled` is the downscaled input, which is overwritten, with its labels unless it
 * has none; NULL: it is made. */
CofStatus cofi_filter_two_scale(CofiCall *call, const CofiFilterImages *whole,
                                const CofPart *downscaled);

/* Units of progress of the passes over the downscaled image, in its pixels, and of the last one,
 * with a model of so many members. */
double cofi_coarse_units(const CofOptions *options, int members);
double cofi_last_units(const CofOptions *options, int members);

/* Units of progress of filtering with a model that was learned with that factor, at one scale or
 * two; with downscaling the input and the guide, if there is one. */
double cofi_filter_units(const CofOptions *options, int members, int learned, bool guided);

#endif
