/* SPDX-License-Identifier: BSD-2-Clause */
/* Stores the result of the filter. */
#ifndef COF_FILTER_STORE_H
#define COF_FILTER_STORE_H

#include "filter/filter.h"

/* How working values become samples. */
typedef struct CofiStoring {
    const CofiColour *colour;
    const CofImage *in, *out;
    bool lab;
    double detail; /* share of what was removed that is added back */
} CofiStoring;

/* Stores n pixels of row y of the full image, from x on; pixels that did not change keep the bytes
 * of `in`. Detail is added to `values` first. */
void cofi_store_result(const CofiStoring *storing, int x, int y, int n, float *const *values,
                       const uint8_t *changed);

/* The same with row y and column x of the view of a filter, and samples of `to`. */
void cofi_filter_store_row(const CofiFilter *filter, const CofImage *to, int x, int y, int n,
                           float *const *values, const uint8_t *changed);

/* A complete image for a part of one like `like`; the call owns the memory. */
CofStatus cofi_take_result(CofiCall *call, const CofImage *like, CofRect part, CofImage *result);

/* Copies it to its place. It cannot be cancelled, and is worth `units` of progress. */
void cofi_copy_result(CofiCall *call, const CofImage *result, const CofImage *out, double units);

/* Writes the part, unless the last pass has written it. Cannot be cancelled: the output is either
 * untouched or whole. Only a device can fail. */
CofStatus cofi_filter_store(CofiFilter *filter);

#endif
