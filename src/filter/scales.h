/* SPDX-License-Identifier: BSD-2-Clause */
/* Filtering with refinement, of the image as it is or downscaled. */
#ifndef COF_SCALES_H
#define COF_SCALES_H

#include "cof/cof.h"
#include "call/call.h"
#include "filter/passes.h"
#include "filter/refine.h"
#include "learn/part.h"

/* What cofi_refine() needs. */
void cofi_plan_refinement(const CofiCall *call, const CofModel *model, const CofImage *small,
                          const CofImage *guide, const CofImage *filtered,
                          CofiRefinement *refinement);

/* Runs all passes, without strength and detail. `whole` is needed for its model, its guide and, at
 * full size, for all but its output. `small` is its input at the scale of the filter; `labelled`
 * has its labels, NULL: they are found. Then *refinement is what cofi_refine() needs. */
CofStatus cofi_filter_small(CofiCall *call, const CofiFilterImages *whole, const CofImage *small,
                            const CofPart *labelled, const CofImage *filtered,
                            CofiRefinement *refinement);

/* Filters `part` of the full image; with a downscale factor above 1, all of it. `downscaled` is the
 * downscaled input, with its labels unless it has none; NULL: it is made. */
CofStatus cofi_filter_refined(CofiCall *call, const CofiFilterImages *whole, CofRect part,
                              const CofPart *downscaled);

/* Units of progress of filtering with a model that was learned with that factor; with downscaling
 * the input and the guide, if there is one. */
double cofi_filter_units(const CofOptions *options, int members, int learned, bool guided);

#endif
