/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorts the samples of a palette with all threads. */
#ifndef COF_SORT_SAMPLES_H
#define COF_SORT_SAMPLES_H

#include "cof/cof.h"
#include "call/call.h"

/* Writes n rows of `bands` finite values in lexicographic order, as cofi_sort_rows() does. */
CofStatus cofi_sort_samples(CofiCall *call, const float *rows, size_t n, int bands, float *sorted);

#endif
