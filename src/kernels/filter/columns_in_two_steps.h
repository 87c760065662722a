/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums of columns for levels with few registers. Included by filter_columns.h. COLUMN_ROWS is 1;
 * also needs
 *
 *     transpose(v)    transposes four vectors of four lanes
 *     find_rows(weights, labels, rows)
 *                     rows[i] is weights + 8 x labels[i], for 16 labels
 */
_Static_assert(LANES == 4, "a vector has four labels or four columns");

#define WEIGHT_ROWS 16

/* For one label: the weights of some rows are computed, then used for half of the columns at a
 * time, whose sums fit in 16 registers. */
typedef struct ColumnWeights {
    Vector of[WEIGHT_ROWS][COLUMN_VECTORS];
} ColumnWeights;

INLINE void weigh_rows(const CofiTaps *taps, int label, int x, int row, int end,
                       ColumnWeights *weights)
{
    ColumnLookup lookup = load_column_lookup(taps, label);
    float *next = (float *)weights->of;
    for (; row < end; row++, next += COLUMN_BLOCK) {
        const uint8_t *labels[1] = {taps->labels[row] + x};
        Vector found[1][COLUMN_VECTORS], gauss = set1(taps->gauss[row]);
        float *to = next;
        OPAQUE(to);
        look_up_columns(&lookup, labels, found);
        UNROLL
        for (int vector = 0; vector < COLUMN_VECTORS; vector++)
            store(to + vector * LANES, mul(found[0][vector], gauss));
    }
}

#define HALF (COLUMN_VECTORS / 2)

/* Adds a row of half of the columns. */
INLINE void add_row(const CofiTaps *taps, const float *values, const float *weights, int n,
                    bool plain, Vector parts[COFI_COLUMN_PLANES][HALF])
{
    OPAQUE(weights);
    const float *planes[COFI_COLUMN_PLANES];
    UNROLL
    for (int plane = plain; plane < n; plane++) {
        planes[plane] = values + plane * taps->stride;
        OPAQUE(planes[plane]);
    }
    UNROLL
    for (int vector = 0; vector < HALF; vector++) {
        Vector weight = load(weights + vector * LANES);
        if (plain)
            parts[0][vector] += weight;
        UNROLL
        for (int plane = plain; plane < n; plane++)
            parts[plane][vector] =
                fma_add(weight, load(planes[plane] + vector * LANES), parts[plane][vector]);
    }
}

INLINE void add_rows_of_half(const CofiTaps *taps, int x, int row, int end, int first, int n,
                             bool plain, const float *weights, float *sums)
{
    Vector parts[COFI_COLUMN_PLANES][HALF];
    UNROLL
    for (int i = 0; i < n * HALF; i++) {
        const float *before = sums + i / HALF * taps->column_stride + i % HALF * LANES;
        parts[i / HALF][i % HALF] = row == 0 ? set1(0) : load(before);
    }
    for (; row < end; row++, weights += COLUMN_BLOCK)
        add_row(taps, taps->alphas[row] + first * taps->stride + x, weights, n, plain, parts);
    UNROLL
    for (int i = 0; i < n * HALF; i++)
        store(sums + i / HALF * taps->column_stride + i % HALF * LANES, parts[i / HALF][i % HALF]);
}

INLINE void sum_columns(const CofiTaps *taps, int label, int x, int first, int n, bool plain,
                        float *sums)
{
    int side = 2 * taps->radius + 1;
    for (int row = 0; row < side; row += WEIGHT_ROWS) {
        ColumnWeights weights;
        int end = row + WEIGHT_ROWS < side ? row + WEIGHT_ROWS : side;
        weigh_rows(taps, label, x, row, end, &weights);
        for (int at = 0; at < COLUMN_BLOCK; at += HALF * LANES)
            add_rows_of_half(taps, x + at, row, end, first, n, plain, (float *)weights.of + at,
                             sums + at);
    }
}

/* One function for each case: in a single function, compilers run out of registers. */
#define SUM_COLUMNS(NAME, N, PLAIN) \
    SEPARATE void NAME(const CofiTaps *taps, int label, int x, int first, float *sums) \
    { \
        sum_columns(taps, label, x, first, N, PLAIN, sums); \
    }
SUM_COLUMNS(sum_plain_columns_4, 4, true)
SUM_COLUMNS(sum_columns_1, 1, false)
SUM_COLUMNS(sum_columns_2, 2, false)
SUM_COLUMNS(sum_columns_3, 3, false)
SUM_COLUMNS(sum_columns_4, 4, false)
#undef SUM_COLUMNS

typedef void SumColumns(const CofiTaps *, int, int, int, float *);

#include "kernels/filter/columns_of_labels.h"

/* C_a of 16 columns from `at` on, for each wanted label a. Both ways add the same products in the
 * same order. */
static void sum_labels(const Panel *panel, LabelSet wanted, int at)
{
    static SumColumns *const sums[] = {sum_columns_1, sum_columns_2, sum_columns_3, sum_columns_4};
    const CofiTaps *taps = panel->taps;
    bool plain = taps->plain && panel->first == 0 && panel->planes == 4;
    if (panel->planes == 4 && panel->side <= MAX_PIXEL_ROWS &&
        __builtin_popcount(wanted) >= MIN_LABELS) {
        wanted = plain ? sum_labels_plain(taps, wanted, panel->x, at)
                       : sum_labels_any(taps, wanted, panel->x, at, panel->first);
    }
    SumColumns *sum = plain ? sum_plain_columns_4 : sums[panel->planes - 1];
    for (; wanted != 0; wanted &= wanted - 1) {
        int label = __builtin_ctz(wanted);
        sum(taps, label, panel->x + at, panel->first, columns_of(taps, label, 0) + at);
    }
}
