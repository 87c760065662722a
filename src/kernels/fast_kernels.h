/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernels of the fast filter. */
#ifndef COF_FAST_KERNELS_H
#define COF_FAST_KERNELS_H

#include <stddef.h>
#include <stdint.h>

/* Cells of the fast filter have `size` sums each. Sum e adds factor e of a pixel's label times
 * value e % spread of the pixel. A pixel has `spread` values, a power of two, of which the
 * first `planes` may differ from 0. `size` is a multiple of the level's `cell`, which divides
 * COFI_CELL. There are at most COFI_FAST_LABELS labels. */
#define COFI_FAST_LABELS 128
#define COFI_CELL 16
#define COFI_MAX_STEP 16

/* Splats pixels to a row of cells. */
typedef struct CofiSplat {
    const float *factors; /* `size` factors of each label; NULL: label a has sums of its own, from
                             a x spread on */
    int size, spread, planes;
    int step, n;                  /* side of a cell in pixels; number of cells */
    const uint8_t *const *labels; /* `step` rows of step x n pixels */
    const float *const *values;   /* `step` rows; their planes are `stride` apart */
    ptrdiff_t stride;
    float *pixels; /* scratch: step x step x n pixels of `spread` values */
    float *sums;   /* the result: n cells of `size` sums */
} CofiSplat;
typedef void CofiSplatRow(const CofiSplat *splat);

/* Blurs across rows, for COFI_BLURS results at once: blurred[j][x] is the sum of
 * taps[|i|] rows[j + radius + i][x] for i from -radius to radius. taps[0] is 1. x takes the first n
 * values, a multiple of the level's `cell`, of each of some parts. */
#define COFI_BLURS 4
typedef struct CofiBlur {
    const float *taps;
    int radius, n, parts;
    ptrdiff_t part_stride;
    const float *const *rows; /* 2 x radius + COFI_BLURS */
    float *const *blurred;
} CofiBlur;
typedef void CofiBlurRows(const CofiBlur *blur);

/* Slices rows of pixels between two rows of cells: each value is a sum over factors times the
 * bilinear interpolation of the four cells around the pixel. */
typedef struct CofiSlice {
    const float *factors; /* `size` factors of each label */
    /* Of each label, the factors that may differ from 0, in parts of the level's `cell`: where they
     * begin, in size / cell numbers, and how many there are. NULL: all may. */
    const uint16_t *parts, *n_parts;
    int size, spread;
    int step, n;               /* side of a cell in pixels; number of pixels in a row */
    int rows;                  /* of pixels, at most `step` */
    int first;                 /* offset of the first pixel from the first cell */
    const float *shares;       /* for each of `step` pixels, the weight of the right cells, < 1 */
    const float *lower_shares; /* for each row, the weight of the lower cells, below 1 */
    const float *upper, *lower;
    const uint8_t *const *labels;
    float *corners;   /* scratch: COFI_FAST_LABELS x 4 pixels */
    float *pixels;    /* the result: `rows` rows of n pixels of `spread` values */
    ptrdiff_t stride; /* floats from one of these rows to the next */
} CofiSlice;
typedef void CofiSliceRows(const CofiSlice *slice);

/* Takes a row of pixels of `spread` values apart: the first is the weight, by which the others, up
 * to `planes`, are divided. low[i] is 1 if a weight is not above the limit, else 0. */
typedef struct CofiDivide {
    const float *pixels;
    int spread, planes, n;
    float limit;
    float *weights, *const *means;
    uint8_t *low;
} CofiDivide;
typedef void CofiDivideRow(const CofiDivide *divide);

#endif
