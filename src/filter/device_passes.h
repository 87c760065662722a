/* SPDX-License-Identifier: BSD-2-Clause */
/* The passes of the filter on a device, what lies between them, and the result. */
#ifndef COF_DEVICE_PASSES_H
#define COF_DEVICE_PASSES_H

#include "filter/filter.h"
#include "learn/model.h"

/* One pass over `rect` of the full image. *change becomes the mean squared change in 8-bit units,
 * if it is measured. */
CofStatus cofi_device_filter_pass(CofiFilter *filter, const CofModel *model, CofRect rect,
                                  bool is_fast, double *change);

/* Keeps the result so far, for a residual correction. */
CofStatus cofi_device_filter_keep(CofiFilter *filter);

/* Adds the result of the member in work to the mean of all. */
CofStatus cofi_device_filter_add_to_mean(CofiFilter *filter);

/* Writes the part. */
CofStatus cofi_device_filter_store(CofiFilter *filter);

#endif
