/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernels of refinement. */
#ifndef COF_REFINE_KERNELS_H
#define COF_REFINE_KERNELS_H

#include <stddef.h>

/* Of values whose range is 1: windows in which a guide varies less are taken for flat. */
#define COFI_RIDGE 0.001f

/* Guides of a model, at most, and the values that are fitted to them at a time. */
#define COFI_MAX_GUIDES 3
#define COFI_MAX_FITTED 3

/* Kernels of refinement round numbers of columns up to a multiple of this: all they read and write
 * has so many, and what they write beyond the last one is ignored. */
#define COFI_COLUMNS 16

/* The columns that are fitted at a time, in the first-level cache; and the floats of scratch. */
#define COFI_FIT_BLOCK 96
#define COFI_FIT_STRIDE (COFI_FIT_BLOCK + 2 * 16 + COFI_COLUMNS)
#define COFI_FIT_SCRATCH (22 * COFI_FIT_STRIDE)

/* Fixed. Fits each value as a linear function of 1 or 3 guides in the window around each of n
 * columns. A row of the window has planes that are `stride` apart, and begin `radius` columns
 * further left. The first is of weights, 0 or 1; where these are 0, all others are 0. */
typedef struct CofiFit {
    const float *const *rows;
    int n_rows;
    ptrdiff_t stride;
    int guide, guides; /* first plane; number of planes */
    int value, values;
    int radius, n;
    float *sums;   /* scratch */
    float *models; /* the result, for each value: a plane for each guide, and one of constants */
    ptrdiff_t model_stride;
    float *known; /* becomes 0, and the model, where all weights are 0 or sums are too large */
} CofiFit;
typedef void CofiFitRow(const CofiFit *fit);

/* Fixed. Interpolates planes of models between two rows: share 0 is the first. */
typedef void CofiMixRows(const float *above, const float *below, float share, ptrdiff_t stride,
                         int planes, int n, float *mixed, ptrdiff_t mixed_stride);

/* Fixed. Applies the model between columns i and i + 1 (share 0: the first) to guides i, for n
 * columns: values[i] = middle + range x (the sum of guides x coefficients, and the constant). */
typedef struct CofiApply {
    const float *models;
    ptrdiff_t model_stride;
    float share;
    const float *guide;
    ptrdiff_t stride;
    int guides, n;
    float middle, range;
    float *values;
} CofiApply;
typedef void CofiApplyRow(const CofiApply *apply);

#endif
