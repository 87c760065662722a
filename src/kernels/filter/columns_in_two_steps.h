/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums of columns for two labels at a time: weights are computed and stored, then used for a few
 * columns at a time, whose sums fit in 16 registers. Included by filter_columns.h. COLUMN_ROWS
 * is 1.
 */
#define WEIGHT_ROWS 16

/* Weights of 16 columns of some rows, for each of two labels. */
typedef struct ColumnWeights {
    Vector of[2][WEIGHT_ROWS][COLUMN_VECTORS];
} ColumnWeights;

/* The sums of each label. */
typedef struct TwoSums {
    float *of[2];
} TwoSums;

/* Hides where a pointer comes from. Otherwise clang computes the address of each load anew, instead
 * of adding a constant to it in the load. */
#define OPAQUE(p) __asm__("" : "+r"(p))

INLINE void weigh_rows(const CofiTaps *taps, int label, int x, int row, int end,
                       Vector weights[WEIGHT_ROWS][COLUMN_VECTORS])
{
    ColumnLookup lookup = load_column_lookup(taps, label);
    float *next = (float *)weights;
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

/* Adds a row of one vector of columns to the sums of both labels. */
INLINE void add_row(const CofiTaps *taps, const float *values, const float *weights, int labels,
                    int n, bool plain, Vector parts[2][COFI_COLUMN_PLANES])
{
    Vector weight[2] = {load(weights), load(weights + (labels - 1) * WEIGHT_ROWS * COLUMN_BLOCK)};
    UNROLL
    for (int plane = 0; plane < n; plane++) {
        Vector value = plain && plane == 0 ? set1(1) : load(values + plane * taps->stride);
        UNROLL
        for (int label = 0; label < labels; label++)
            parts[label][plane] = plain && plane == 0
                                      ? parts[label][plane] + weight[label]
                                      : fma_add(weight[label], value, parts[label][plane]);
    }
}

/* Adds rows of one vector of columns, for one label or two. */
INLINE void add_vector_rows(const CofiTaps *taps, int x, int row, int end, int first, int labels,
                            int n, bool plain, const float *weights, TwoSums sums)
{
    Vector parts[2][COFI_COLUMN_PLANES];
    UNROLL
    for (int i = 0; i < labels * n; i++) {
        const float *before = sums.of[i / n] + i % n * taps->column_stride;
        parts[i / n][i % n] = row == 0 ? set1(0) : load(before);
    }
    for (; row < end; row++, weights += COLUMN_BLOCK) {
        const float *from = weights;
        OPAQUE(from);
        add_row(taps, taps->alphas[row] + first * taps->stride + x, from, labels, n, plain, parts);
    }
    UNROLL
    for (int i = 0; i < labels * n; i++)
        store(sums.of[i / n] + i % n * taps->column_stride, parts[i / n][i % n]);
}

INLINE void sum_two(const CofiTaps *taps, const int label[2], int labels, int x, int first, int n,
                    bool plain, TwoSums sums)
{
    int side = 2 * taps->radius + 1;
    for (int row = 0; row < side; row += WEIGHT_ROWS) {
        ColumnWeights weights;
        int end = row + WEIGHT_ROWS < side ? row + WEIGHT_ROWS : side;
        for (int i = 0; i < labels; i++)
            weigh_rows(taps, label[i], x, row, end, weights.of[i]);
        for (int at = 0; at < COLUMN_BLOCK; at += LANES) {
            TwoSums to = {{sums.of[0] + at, sums.of[1] + at}};
            add_vector_rows(taps, x + at, row, end, first, labels, n, plain,
                            (float *)weights.of[0] + at, to);
        }
    }
}

/* One function for each case: in a single function, compilers run out of registers. */
#define SUM_TWO(NAME, LABELS, N, PLAIN) \
    SEPARATE void NAME(const CofiTaps *taps, const int *label, int x, int first, TwoSums sums) \
    { \
        sum_two(taps, label, LABELS, x, first, N, PLAIN, sums); \
    }
SUM_TWO(sum_plain_4, 2, 4, true)
SUM_TWO(sum_single_plain_4, 1, 4, true)
SUM_TWO(sum_1, 2, 1, false)
SUM_TWO(sum_2, 2, 2, false)
SUM_TWO(sum_3, 2, 3, false)
SUM_TWO(sum_4, 2, 4, false)
#undef SUM_TWO

typedef void SumTwo(const CofiTaps *, const int *, int, int, TwoSums);

static SumTwo *sum_for(const Panel *panel, bool single)
{
    static SumTwo *const sums[COFI_COLUMN_PLANES] = {sum_1, sum_2, sum_3, sum_4};
    if (panel->taps->plain && panel->first == 0 && panel->planes == 4)
        return single ? sum_single_plain_4 : sum_plain_4;
    return sums[panel->planes - 1];
}

/* C_a of 16 columns from `at` on, for each wanted label a. A single label may be summed twice. */
static void sum_labels(const Panel *panel, LabelSet wanted, int at)
{
    const CofiTaps *taps = panel->taps;
    while (wanted != 0) {
        int label[2] = {__builtin_ctz(wanted)};
        wanted &= wanted - 1;
        bool single = wanted == 0;
        label[1] = single ? label[0] : __builtin_ctz(wanted);
        wanted &= wanted - (wanted != 0);
        TwoSums sums = {{columns_of(taps, label[0], 0) + at, columns_of(taps, label[1], 0) + at}};
        sum_for(panel, single)(taps, label, panel->x + at, panel->first, sums);
    }
}
