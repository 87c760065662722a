/* SPDX-License-Identifier: BSD-2-Clause */
/* The exact filter in C: J_p = sum G M I_q / sum G M. If all taps are summed, a row of the window
 * is summed in single precision, and the rows are added in double precision. */
#include <assert.h>
#include <string.h>

#include "cof/cof.h"
#include "base/arithmetic.h"
#include "kernels/inline.h"
#include "kernels/kernels.h"

/* The number of pixels whose sums are computed at once, with few bands and with many: the sums fit
 * in the first-level cache and on a small stack. */
#define FEW_BANDS 15
#define BLOCK 32
#define SMALL_BLOCK 7
#define MAX_SUMS ((1 + FEW_BANDS) * BLOCK)
_Static_assert((1 + COF_MAX_BANDS) * SMALL_BLOCK <= MAX_SUMS, "the sums of all bands must fit");

/* The sum of the weights, then of each band; `block` of each. */
typedef struct Sums {
    double whole[MAX_SUMS]; /* of the window */
    float row[MAX_SUMS];    /* of one of its rows; short enough for single precision */
} Sums;

INLINE void add_tap(const CofiTaps *taps, int row, int x, int n, float gauss,
                    const float *const *matrix_rows, int block, Sums *sums)
{
    const uint8_t *labels = taps->labels[row] + x;
    float weights[BLOCK];
    for (int i = 0; i < n; i++)
        weights[i] = gauss * matrix_rows[i][labels[i]];
    for (int plane = 0; plane <= taps->n_bands; plane++) {
        const float *values = taps->alphas[row] + plane * taps->stride + x;
        float *sum = sums->row + plane * block;
        for (int i = 0; i < n; i++)
            sum[i] += weights[i] * values[i];
    }
}

INLINE void add_window(const CofiTaps *taps, int x, int n, int block, Sums *sums)
{
    const float *matrix_rows[BLOCK];
    const uint8_t *labels = taps->labels[taps->radius] + x + taps->radius;
    for (int i = 0; i < n; i++)
        matrix_rows[i] = taps->matrix + (ptrdiff_t)labels[i] * cofi_matrix_stride(taps->k);
    int side = 2 * taps->radius + 1, n_sums = 1 + taps->n_bands;
    memset(sums->whole, 0, (size_t)(n_sums * block) * sizeof *sums->whole);
    for (int row = 0; row < side; row++) {
        memset(sums->row, 0, (size_t)(n_sums * block) * sizeof *sums->row);
        for (int column = 0; column < side; column++)
            add_tap(taps, row, x + column, n, taps->gauss[column], matrix_rows, block, sums);
        double gauss = (double)taps->gauss[row];
        for (int sum = 0; sum < n_sums; sum++)
            for (int i = 0; i < n; i++)
                sums->whole[sum * block + i] += gauss * (double)sums->row[sum * block + i];
    }
}

INLINE void filter_blocks(const CofiTaps *taps, int x, int n, int block, float *const *values,
                          uint8_t *has_weight)
{
    Sums sums;
    for (int first = 0; first < n; first += block) {
        int count = n - first < block ? n - first : block;
        add_window(taps, x + first, count, block, &sums);
        const double *weights = sums.whole;
        for (int i = 0; i < count; i++)
            has_weight[first + i] = weights[i] > 0;
        for (int i = 0; i < count && taps->n_bands == 0; i++)
            values[0][first + i] = cofi_to_float(weights[i]);
        for (int band = 0; band < taps->n_bands; band++) {
            const double *whole = sums.whole + (1 + band) * block;
            for (int i = 0; i < count; i++)
                if (weights[i] > 0)
                    values[band][first + i] = cofi_to_float(whole[i] / weights[i]);
        }
    }
}

static void filter_all_taps(const CofiTaps *taps, int x, int n, float *const *values,
                            uint8_t *has_weight)
{
    if (taps->n_bands <= FEW_BANDS)
        filter_blocks(taps, x, n, BLOCK, values, has_weight);
    else
        filter_blocks(taps, x, n, SMALL_BLOCK, values, has_weight);
}

#include "kernels/vectors_c.h"

#define LEVEL(name) name##_c
#define COLUMN_ROWS 1
#define COLUMN_CHAINS 1

typedef const float *ColumnLookup; /* a row of the matrix */

INLINE ColumnLookup load_column_lookup(const CofiTaps *taps, int label)
{
    return taps->matrix + (ptrdiff_t)label * cofi_matrix_stride(taps->k);
}

INLINE void look_up_columns(const ColumnLookup *row, const uint8_t *const labels[1],
                            Vector found[1][4])
{
    for (int i = 0; i < 4; i++) {
        const uint8_t *at = labels[0] + i * LANES;
        enum { MASK = COFI_FEW_LABELS - 1 };
        found[0][i] = (Vector){(*row)[at[0] & MASK], (*row)[at[1] & MASK], (*row)[at[2] & MASK],
                               (*row)[at[3] & MASK]};
    }
}

INLINE void sum_lanes(const Vector v[8], float sums[8])
{
    for (int i = 0; i < 8; i++)
        sums[i] = (v[i][0] + v[i][1]) + (v[i][2] + v[i][3]);
}

#include "kernels/filter/filter_columns.h"
