/* SPDX-License-Identifier: BSD-2-Clause */
/* One pass of the filter. */
#ifndef COF_FILTER_PASS_H
#define COF_FILTER_PASS_H

#include "filter/filter.h"
#include "learn/model.h"

/* One pass with a model; `left` passes follow. *change becomes the mean squared change in 8-bit
 * units, if there is a report or a tolerance. */
CofStatus cofi_filter_pass(CofiFilter *filter, const CofModel *model, int left, double *change);

#endif
