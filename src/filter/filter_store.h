/* SPDX-License-Identifier: BSD-2-Clause */
/* Stores the result of the filter. */
#ifndef COF_FILTER_STORE_H
#define COF_FILTER_STORE_H

#include "filter/filter.h"

/* Stores n pixels of row y of the view, from x on, as samples of `to`; pixels that did not change
 * keep their bytes. Detail is added to `values` first. */
void cofi_filter_store_row(const CofiFilter *filter, const CofImage *to, int x, int y, int n,
                           float *const *values, const uint8_t *changed);

/* Writes the part, unless the last pass has written it. Cannot be cancelled: the output is either
 * untouched or whole. Only a device can fail. */
CofStatus cofi_filter_store(CofiFilter *filter);

#endif
