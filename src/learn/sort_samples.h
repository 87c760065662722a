/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorts the samples of a palette with all threads. */
#ifndef COF_SORT_SAMPLES_H
#define COF_SORT_SAMPLES_H

#include "cof/cof.h"
#include "call/call.h"

/* Sorts n rows of `bands` finite values lexicographically, as cofi_sort_rows() does. */
CofStatus cofi_sort_samples(CofiCall *call, float *rows, size_t n, int bands);

#endif
