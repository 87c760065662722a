/* SPDX-License-Identifier: BSD-2-Clause */
/* Filtering at two scales, with a filter_downscale above 1. */
#ifndef COF_TWO_SCALE_H
#define COF_TWO_SCALE_H

#include "cof/cof.h"
#include "call/call.h"
#include "filter/passes.h"

/* Filters a whole image: all passes but the last at the lower resolution, the last one at full
 * resolution. `downscaled` is the downscaled input, which is overwritten; NULL: it is made. */
CofStatus cofi_filter_two_scale(CofiCall *call, const CofiFilterImages *whole,
                                const CofImage *downscaled);

/* Units of progress of filtering with a model that was learned with that factor, at one scale or
 * two; with downscaling the input and the guide, if there is one. */
double cofi_filter_units(const CofOptions *options, int learned, bool guided);

#endif
