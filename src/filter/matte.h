/* SPDX-License-Identifier: BSD-2-Clause */
/* The matte: how much of each pixel is foreground. */
#ifndef COF_MATTE_H
#define COF_MATTE_H

#include "cof/cof.h"
#include "filter/filter.h"
#include "learn/model.h"

/* Fills `matte` wherever the passes need it. `prior` is complete and as large as the input; NULL:
 * 1/2 everywhere. */
CofStatus cofi_filter_matte(CofiFilter *filter, const CofModel *foreground,
                            const CofModel *background, const CofImage *prior,
                            CofLikelihood likelihood);

/* Writes the part of the matte to `out`, which is grey. Cannot be cancelled: the output is either
 * untouched or whole. */
void cofi_filter_store_matte(CofiFilter *filter);

#endif
