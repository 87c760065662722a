/* SPDX-License-Identifier: BSD-2-Clause */
/* One pass of the filter. */
#ifndef COF_FILTER_PASS_H
#define COF_FILTER_PASS_H

#include "filter/filter.h"
#include "learn/model.h"

/* One pass with the model of the member in work, or with those of all that are filtered together;
 * `left` passes follow. *change becomes the mean squared change in 8-bit units, summed over these
 * members, if there is a report or a tolerance. */
CofStatus cofi_filter_pass(CofiFilter *filter, const CofModel *const *models, int left,
                           double *change);

#endif
