/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums of columns: the entries of the matrix are looked up for each label a and each pixel.
 * Included by filter_columns.h. */

/* Adds a row of 16 columns to the sums of n planes. Beyond the last row, that row is added again
 * with weight 0. */
INLINE void add_row(const CofiTaps *taps, int row, int side, int x, int first, int n, bool plain,
                    const Vector found[COLUMN_VECTORS], Vector *parts)
{
    const float *values = taps->alphas[row < side ? row : row - 1] + first * taps->stride + x;
    Vector gauss = set1(taps->gauss[row]); /* 0 beyond the window */
    UNROLL
    for (int vector = 0; vector < COLUMN_VECTORS; vector++) {
        Vector weight = mul(found[vector], gauss);
        if (plain)
            parts[vector] += weight;
        UNROLL
        for (int plane = plain; plane < n; plane++) {
            Vector *part = parts + plane * COLUMN_VECTORS + vector;
            *part = fma_add(weight, load(values + plane * taps->stride + vector * LANES), *part);
        }
    }
}

/* C_a of 16 columns from x on, for n planes. */
INLINE void sum_columns(const CofiTaps *taps, int label, int x, int first, int n, bool plain,
                        float *sums)
{
    ColumnLookup lookup = load_column_lookup(taps, label);
    Vector parts[COLUMN_CHAINS][COFI_COLUMN_PLANES * COLUMN_VECTORS];
    UNROLL
    for (int i = 0; i < n * COLUMN_VECTORS; i++) {
        parts[0][i] = set1(0);
        parts[COLUMN_CHAINS - 1][i] = set1(0);
    }
    int side = 2 * taps->radius + 1;
    for (int row = 0; row < side; row += COLUMN_ROWS) {
        const uint8_t *labels[COLUMN_ROWS];
        Vector found[COLUMN_ROWS][COLUMN_VECTORS];
        for (int i = 0; i < COLUMN_ROWS; i++)
            labels[i] = taps->labels[row + i < side ? row + i : row] + x;
        look_up_columns(&lookup, labels, found);
        UNROLL
        for (int i = 0; i < COLUMN_ROWS; i++)
            add_row(taps, row + i, side, x, first, n, plain, found[i], parts[i % COLUMN_CHAINS]);
    }
    UNROLL
    for (int i = 0; i < n * COLUMN_VECTORS; i++) {
        Vector sum = parts[0][i];
        if (COLUMN_CHAINS > 1)
            sum += parts[COLUMN_CHAINS - 1][i];
        store(sums + i / COLUMN_VECTORS * taps->column_stride + i % COLUMN_VECTORS * LANES, sum);
    }
}

/* One function for each case: in a single function, compilers run out of registers. */
#define SUM_COLUMNS(N) \
    SEPARATE void sum_columns_##N(const CofiTaps *taps, int label, int x, int first, float *sums) \
    { \
        sum_columns(taps, label, x, first, N, false, sums); \
    } \
    SEPARATE void sum_plain_columns_##N(const CofiTaps *taps, int label, int x, int first, \
                                        float *sums) \
    { \
        sum_columns(taps, label, x, first, N, true, sums); \
    }
SUM_COLUMNS(1)
SUM_COLUMNS(2)
SUM_COLUMNS(3)
SUM_COLUMNS(4)
#undef SUM_COLUMNS

typedef void SumColumns(const CofiTaps *, int, int, int, float *);

/* C_a of 16 columns from `at` on, for each wanted label a. */
static void sum_labels(const Panel *panel, LabelSet wanted, int at)
{
    static SumColumns *const sums[2][COFI_COLUMN_PLANES] = {
        {sum_columns_1, sum_columns_2, sum_columns_3, sum_columns_4},
        {sum_plain_columns_1, sum_plain_columns_2, sum_plain_columns_3, sum_plain_columns_4}};
    const CofiTaps *taps = panel->taps;
    SumColumns *sum = sums[taps->plain && panel->first == 0][panel->planes - 1];
    for (; wanted != 0; wanted &= wanted - 1) {
        int label = __builtin_ctz(wanted);
        sum(taps, label, panel->x + at, panel->first, columns_of(taps, label, 0) + at);
    }
}
