/* SPDX-License-Identifier: BSD-2-Clause */
/* The exact filter by sums of columns, as in filter_columns.h, for levels with short vectors. The
 * pixels of a column that have the same label b are summed first, so that the matrix is applied to
 * the few labels of a column instead of all its pixels: for a pixel x of label a
 *
 *     sum_q G M(a, T_q) I_q = sum_dx g(dx) C_a(x + dx),
 *     C_a(x) = sum_b M(a, b) H_b(x),   H_b(x) = sum_dy [T = b] g(dy) I,
 *
 * where the last sum is over column x. A vector holds four planes of one pixel: the weight and
 * three bands, or four bands.
 *
 * Each level includes this file after its vectors and after it has defined
 *
 *     INLINE, LEVEL(name)
 *                     as for filter_columns.h
 *     transpose(v)    transposes four vectors of four lanes
 *     find_sets_of_fours(rows, n, x, sets)
 *                     sets[i] has the labels at x + 4 i to x + 4 i + 3 in n rows, i = 0..3
 *     filter_all_taps(taps, x, n, values, has_weight)
 *                     filters pixels with all taps
 */
#include <assert.h>
#include <float.h>
#include <stdbool.h>
#include <string.h>

#include "cof/cof.h"
#include "kernels/inline.h"
#include "kernels/kernels.h"

#define PLANES COFI_COLUMN_PLANES

/* Columns, or pixels, whose labels are found together. */
#define FOUR 4
_Static_assert(LANES == 4 && FOUR == 4 && PLANES == 4, "blocks are transposed");

/* A panel is a run of pixels that are filtered together. */
#define PANEL COFI_COLUMN_PIXELS
#define MAX_FOURS ((PANEL + COF_MAX_FILTER_WINDOW) / FOUR + 8)

/* Blocks that are summed together: a column has to wait for its last addition. */
#define FOURS_AT_ONCE 2
#define STEP (FOURS_AT_ONCE * FOUR)

/* With smaller windows, all taps are cheaper. */
#define MIN_COLUMN_SIDE 5

/* Bit a is label a. */
typedef uint32_t LabelSet;
_Static_assert(COFI_FEW_LABELS <= 32, "a set has one bit for each label");

typedef struct Panel {
    const CofiTaps *taps;
    int x, n, side;
    int first, planes; /* the planes that are summed */
    /* By block of columns: their labels, and those of the pixels whose windows reach them. */
    LabelSet labels[MAX_FOURS], wanted[MAX_FOURS];
} Panel;

/* H_b of some columns. */
typedef struct LabelSums {
    float of[COFI_FEW_LABELS][STEP][PLANES];
} LabelSums;

/* C_a of a column, and then of the next one. */
static float *columns_of(const CofiTaps *taps, int label, int at)
{
    return taps->columns + PLANES * (label * taps->column_stride + at);
}

/* The row after those of the last label holds the weights of the pixels. */
static float *weights_row(const CofiTaps *taps)
{
    return columns_of(taps, COFI_FEW_LABELS, 0);
}

/* The labels of the blocks from x on, and of up to three more. */
static void find_sets(const uint8_t *const *rows, int n, int x, int blocks, LabelSet *sets)
{
    for (int block = 0; block < blocks; block += 4)
        find_sets_of_fours(rows, n, x + block * FOUR, sets + block);
}

static void find_labels(Panel *panel)
{
    const CofiTaps *taps = panel->taps;
    int pixels = (panel->n + FOUR - 1) / FOUR, reach = (panel->side + FOUR - 2) / FOUR;
    LabelSet centres[PANEL / FOUR + 4];
    find_sets(taps->labels + taps->radius, 1, panel->x + taps->radius, pixels, centres);
    find_sets(taps->labels, panel->side, panel->x, pixels + reach, panel->labels);
    memset(panel->wanted, 0, (size_t)(pixels + reach + 1) * sizeof *panel->wanted);
    for (int i = 0; i <= reach; i++)
        for (int block = 0; block < pixels; block++)
            panel->wanted[block + i] |= centres[block];
}

INLINE void clear_label_sums(LabelSet labels, int column, LabelSums *sums)
{
    for (; labels != 0; labels &= labels - 1) {
        float *to = sums->of[__builtin_ctz(labels)][column];
        UNROLL
        for (int i = 0; i < FOUR; i++)
            store(to + PLANES * i, set1(0));
    }
}

/* Adds the columns from x on. Instead of planes that do not exist, the last one is added again. */
INLINE void add_label_sums(const Panel *panel, int x, bool plain, LabelSums *sums)
{
    const CofiTaps *taps = panel->taps;
    const float *const *alphas = taps->alphas, *gauss = taps->gauss, *end = gauss + panel->side;
    const uint8_t *const *labels = taps->labels;
    ptrdiff_t stride = taps->stride, offsets[PLANES];
    UNROLL
    for (int plane = 0; plane < PLANES; plane++) {
        int exists = plane < panel->planes ? plane : panel->planes - 1;
        offsets[plane] = (panel->first + exists) * stride + x;
    }
    for (; gauss < end; gauss++, alphas++, labels++) {
        const float *values = *alphas;
        const uint8_t *row = *labels + x;
        Vector factor = set1(*gauss);
        UNROLL
        for (int first = 0; first < STEP; first += FOUR) {
            Vector v[PLANES] = {factor};
            UNROLL
            for (int plane = plain; plane < PLANES; plane++)
                v[plane] = mul(load(values + offsets[plane] + first), factor);
            transpose(v);
            UNROLL
            for (int i = 0; i < FOUR; i++) {
                float *to = sums->of[row[first + i]][first + i];
                store(to, load(to) + v[i]);
            }
        }
    }
}

/* Stores C_a of a block for two labels a, which may be the same. `sums` are those of label 0. */
INLINE void mix_label_sums(const CofiTaps *taps, const int pair[2], LabelSet labels,
                           const float *sums, int at)
{
    const float *rows[2];
    Vector mixed[2][FOUR];
    UNROLL
    for (int i = 0; i < 2; i++) {
        rows[i] = taps->matrix + pair[i] * COFI_FEW_LABELS;
        UNROLL
        for (int column = 0; column < FOUR; column++)
            mixed[i][column] = set1(0);
    }
    for (; labels != 0; labels &= labels - 1) {
        int label = __builtin_ctz(labels);
        const float *from = sums + label * STEP * PLANES;
        OPAQUE(from);
        Vector weights[2] = {set1(rows[0][label]), set1(rows[1][label])};
        UNROLL
        for (int column = 0; column < FOUR; column++) {
            Vector sum = load(from + PLANES * column);
            mixed[0][column] = fma_add(sum, weights[0], mixed[0][column]);
            mixed[1][column] = fma_add(sum, weights[1], mixed[1][column]);
        }
    }
    UNROLL
    for (int i = 0; i < 2; i++) {
        float *to = columns_of(taps, pair[i], at);
        UNROLL
        for (int column = 0; column < FOUR; column++)
            store(to + PLANES * column, mixed[i][column]);
    }
}

/* C_a of the columns from `at` on, for all labels a that are wanted. */
INLINE void sum_columns(const Panel *panel, int at, bool plain)
{
    const LabelSet *labels = panel->labels + at / FOUR, *wanted = panel->wanted + at / FOUR;
    LabelSums sums;
    for (int i = 0; i < FOURS_AT_ONCE; i++)
        clear_label_sums(labels[i], i * FOUR, &sums);
    add_label_sums(panel, panel->x + at, plain, &sums);
    for (int i = 0; i < FOURS_AT_ONCE; i++)
        for (LabelSet left = wanted[i]; left != 0;) {
            int pair[2] = {__builtin_ctz(left)};
            left &= left - 1;
            pair[1] = left != 0 ? __builtin_ctz(left) : pair[0];
            left &= left - 1;
            mix_label_sums(panel->taps, pair, labels[i], sums.of[0][i * FOUR], at + i * FOUR);
        }
}

SEPARATE void sum_plain_columns(const Panel *panel, int at)
{
    sum_columns(panel, at, true);
}

SEPARATE void sum_any_columns(const Panel *panel, int at)
{
    sum_columns(panel, at, false);
}

/* Stores up to FOUR values. */
INLINE void store_some(float *to, Vector v, int count)
{
    float all[FOUR];
    if (count >= FOUR) {
        store(to, v);
        return;
    }
    store(all, v);
    memcpy(to, all, (size_t)count * sizeof *to);
}

/* Infinities become the largest floats. */
INLINE Vector to_finite(Vector v)
{
    return most(least(v, set1(FLT_MAX)), set1(-FLT_MAX));
}

/* Divides the totals of a block of pixels by their weights. */
INLINE void store_means(const Panel *panel, int begin, const Vector totals[PLANES],
                        float *const *values)
{
    float *weights = weights_row(panel->taps) + begin;
    if (panel->first == 0)
        store(weights, totals[0]);
    Vector weight = load(weights);
    UNROLL
    for (int plane = 0; plane < PLANES; plane++)
        if (panel->first + plane > 0 && plane < panel->planes)
            store_some(values[panel->first + plane - 1] + begin, to_finite(totals[plane] / weight),
                       panel->n - begin);
}

/* Adds up the columns of a block of pixels. */
INLINE void total_block(const Panel *panel, int begin, float *const *values)
{
    const CofiTaps *taps = panel->taps;
    const uint8_t *labels = taps->labels[taps->radius] + panel->x + taps->radius;
    const float *windows[FOUR], *gauss = taps->gauss, *end = gauss + panel->side;
    Vector totals[FOUR];
    UNROLL
    for (int i = 0; i < FOUR; i++) {
        int at = begin + i < panel->n ? begin + i : panel->n - 1;
        windows[i] = columns_of(taps, labels[at], at);
        totals[i] = set1(0);
    }
    for (; gauss < end; gauss++) {
        Vector factor = set1(*gauss);
        UNROLL
        for (int i = 0; i < FOUR; i++, windows[i - 1] += PLANES)
            totals[i] = fma_add(factor, load(windows[i]), totals[i]);
    }
    transpose(totals);
    store_means(panel, begin, totals, values);
}

SEPARATE void total_pixels(const Panel *panel, int begin, int end, float *const *values)
{
    for (; begin < end; begin += FOUR)
        total_block(panel, begin, values);
}

static void filter_group(const Panel *panel, float *const *values)
{
    bool plain = panel->taps->plain && panel->first == 0;
    int summed = 0;
    for (int begin = 0; begin < panel->n; begin += STEP) {
        int end = begin + STEP < panel->n ? begin + STEP : panel->n;
        for (; summed < end - 1 + panel->side; summed += STEP) {
            if (plain)
                sum_plain_columns(panel, summed);
            else
                sum_any_columns(panel, summed);
        }
        total_pixels(panel, begin, end, values);
    }
}

static void filter_panel(const CofiTaps *taps, int x, int n, float *const *values,
                         uint8_t *has_weight)
{
    Panel panel; /* its arrays are filled as far as they are used */
    panel.taps = taps;
    panel.x = x;
    panel.n = n;
    panel.side = 2 * taps->radius + 1;
    find_labels(&panel);
    for (panel.first = 0; panel.first <= taps->n_bands; panel.first += PLANES) {
        int left = 1 + taps->n_bands - panel.first;
        panel.planes = left < PLANES ? left : PLANES;
        filter_group(&panel, values);
    }
    const float *weights = weights_row(taps);
    for (int i = 0; i < n; i++)
        has_weight[i] = weights[i] > 0;
    if (taps->n_bands == 0)
        memcpy(values[0], weights, (size_t)n * sizeof *weights);
}

void LEVEL(cofi_filter_row)(const CofiTaps *taps, int x, int n, float *const *values,
                            uint8_t *has_weight)
{
    assert(taps->k >= 1 && taps->k <= COF_MAX_COLOURS && taps->n_bands <= COF_MAX_BANDS);
    assert(taps->radius >= 0 && 2 * taps->radius + 1 <= COF_MAX_FILTER_WINDOW && n >= 0);
    bool small = 2 * taps->radius + 1 < MIN_COLUMN_SIDE;
    if (!taps->columns || taps->k > COFI_FEW_LABELS || small) {
        filter_all_taps(taps, x, n, values, has_weight);
        return;
    }
    for (int first = 0; first < n; first += PANEL) {
        float *rows[COF_MAX_BANDS];
        int count = n - first < PANEL ? n - first : PANEL;
        for (int band = 0; band < taps->n_bands || band == 0; band++)
            rows[band] = values[band] + first;
        filter_panel(taps, x + first, count, rows, has_weight + first);
    }
}
