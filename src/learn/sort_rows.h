/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorts rows of values. */
#ifndef COF_SORT_ROWS_H
#define COF_SORT_ROWS_H

#include <stddef.h>
#include <stdint.h>

/* Sorts n rows of `bands` finite values lexicographically. Needs memory for a copy of the rows and
 * for 2 n keys. */
void cofi_sort_rows(float *rows, size_t n, int bands, float *copy, uint64_t *keys);

int cofi_compare_rows(const float *a, const float *b, int bands);

#endif
