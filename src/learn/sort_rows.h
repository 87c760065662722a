/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorts rows of values. */
#ifndef COF_SORT_ROWS_H
#define COF_SORT_ROWS_H

#include <stddef.h>
#include <stdint.h>

/* Writes n rows of `bands` finite values in lexicographic order. Needs memory for 2 n keys. */
void cofi_sort_rows(const float *rows, size_t n, int bands, float *sorted, uint64_t *keys);

int cofi_compare_rows(const float *a, const float *b, int bands);

#endif
