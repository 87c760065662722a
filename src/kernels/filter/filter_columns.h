/* SPDX-License-Identifier: BSD-2-Clause */
/* The exact filter by sums of columns, for few labels. The Gaussian is the product of its axes, so
 * that for a pixel x of label a
 *
 *     sum_q G M(a, T_q) I_q = sum_dx g(dx) C_a(x + dx),   C_a(x) = sum_dy g(dy) M(a, T) I,
 *
 * where the second sum is over column x. C_a is the same for all pixels of label a in a row. The
 * middle row of a window has few labels in most images, so that most of the work is shared: instead
 * of all taps, a pixel costs one column for each of these labels, and one row of sums. Where there
 * are many labels, all taps are cheaper.
 *
 * Each level includes this file after its vectors and after it has defined
 *
 *     INLINE               for functions that must be inlined
 *     LEVEL(name)          the name of a kernel at this level
 *     sum_lanes(v, sums)   sums[i] is the sum of the lanes of v[i], i = 0..7, in a fixed order
 *     ColumnLookup         a row of the matrix, of up to 32 labels, in registers
 *     load_column_lookup(taps, label)
 *                          makes it
 *     COLUMN_ROWS          the number of rows that are looked up at once, 1 or 2
 *     look_up_columns(lookup, labels, found)
 *                          finds the entries for 16 labels of each of these rows
 *     SET_OF_BLOCK         if the level has its own set_of_block(labels)
 *     COLUMN_CHAINS        the number of partial sums, 1 or 2: two hide the latency of additions
 *     filter_all_taps(taps, x, n, values, has_weight)
 *                          filters pixels with all taps
 */
#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "cof/cof.h"
#include "base/arithmetic.h"
#include "kernels/inline.h"
#include "kernels/kernels.h"

/* Columns that are summed at once. */
#define COLUMN_BLOCK 16
#define COLUMN_VECTORS (COLUMN_BLOCK / LANES)

/* A panel is a run of pixels that are filtered together. */
#define PANEL COFI_COLUMN_PIXELS
#define PANEL_BLOCKS (PANEL / COLUMN_BLOCK)
#define MAX_COLUMN_BLOCKS ((PANEL + COF_MAX_FILTER_WINDOW) / COLUMN_BLOCK + 1)

/* Pixels whose totals are computed at once, of two planes at a time. */
#define QUAD 4

/* With smaller windows, all taps are cheaper. */
#define MIN_COLUMN_SIDE 5

/* Bit a is label a. */
typedef uint32_t LabelSet;
_Static_assert(COFI_FEW_LABELS <= 32, "a set has one bit for each label");

typedef struct Panel {
    const CofiTaps *taps;
    const uint8_t *labels; /* of the middle row, from the first column on */
    int x, n, side;
    int first, planes;                    /* the planes that are summed */
    LabelSet of_block[MAX_COLUMN_BLOCKS]; /* by block of columns: labels of the middle row */
    LabelSet wanted[PANEL_BLOCKS];        /* by block of pixels: labels whose columns are needed */
    uint8_t direct[PANEL];                /* pixels for which all taps are cheaper */
    bool any_direct;
} Panel;

/* Row `plane` of the sums of columns for a label. */
static float *columns_of(const CofiTaps *taps, int label, int plane)
{
    return taps->columns + ((ptrdiff_t)label * COFI_COLUMN_PLANES + plane) * taps->column_stride;
}

/* The rows after those of the last label hold the totals of pixels: the weights, which stay while
 * groups of planes are summed, and then the planes of a group. */
static float *weights_row(const CofiTaps *taps)
{
    return columns_of(taps, COFI_FEW_LABELS, 0);
}

static float *totals_row(const CofiTaps *taps, int plane)
{
    return columns_of(taps, COFI_FEW_LABELS, 1 + plane);
}

#include "kernels/filter/columns_in_one_step.h"

/* If the middle row of a window has more labels than this, all taps are cheaper. */
static int max_labels(int side)
{
    return side * 3 / 5 + 1;
}

static LabelSet set_of(const uint8_t *labels, int n)
{
    LabelSet set = 0;
    for (int i = 0; i < n; i++)
        set |= (LabelSet)1 << (labels[i] & 31);
    return set;
}

#if !defined(SET_OF_BLOCK)
/* As set_of(), for a block. Compilers would turn the loop into long vector code. */
INLINE LabelSet set_of_block(const uint8_t *labels)
{
    LabelSet set = 0;
    for (int i = 0; i < COLUMN_BLOCK; i += 8) {
        uint64_t eight;
        memcpy(&eight, labels + i, sizeof eight);
        UNROLL
        for (int byte = 0; byte < 8; byte++, eight >>= 8)
            set |= (LabelSet)1 << (eight & 31);
    }
    return set;
}
#endif

/* The labels of all blocks of columns, and perhaps of a few more columns. */
static void find_sets(Panel *panel)
{
    int columns = panel->n - 1 + panel->side;
    for (int block = 0; block * COLUMN_BLOCK < columns; block++)
        panel->of_block[block] = set_of_block(panel->labels + block * COLUMN_BLOCK);
}

/* Marks the pixels for which all taps are cheaper. That depends on the middle row of their own
 * windows alone, so that it does not matter where panels begin. Returns whether there are any. */
static bool mark_direct(Panel *panel, int begin, int n)
{
    int most = max_labels(panel->side);
    bool any = false;
    for (int i = begin; i < begin + n; i++) {
        panel->direct[i] = __builtin_popcount(set_of(panel->labels + i, panel->side)) > most;
        any |= panel->direct[i];
    }
    panel->any_direct |= any;
    return any;
}

/* Labels of the middle row of all windows of a block, and perhaps of a few more columns. */
static LabelSet labels_near(const Panel *panel, int begin, int n)
{
    LabelSet set = 0;
    int end = begin + n - 1 + panel->side;
    for (int block = begin / COLUMN_BLOCK; block * COLUMN_BLOCK < end; block++)
        set |= panel->of_block[block];
    return set;
}

static void choose_columns(Panel *panel, int block)
{
    int begin = block * COLUMN_BLOCK;
    int n = panel->n - begin < COLUMN_BLOCK ? panel->n - begin : COLUMN_BLOCK;
    const uint8_t *centre = panel->labels + panel->side / 2 + begin;
    bool few = __builtin_popcount(labels_near(panel, begin, n)) <= max_labels(panel->side);
    LabelSet wanted = 0;
    if (few || !mark_direct(panel, begin, n)) {
        memset(panel->direct + begin, 0, (size_t)n);
        wanted = n == COLUMN_BLOCK ? set_of_block(centre) : set_of(centre, n);
    } else {
        for (int i = 0; i < n; i++)
            wanted |= (LabelSet)!panel->direct[begin + i] << (centre[i] & 31);
    }
    panel->wanted[block] = wanted;
}

/* Sums the columns of a block for all pixels whose windows reach it. */
static void sum_block(const Panel *panel, int block)
{
    int first = block - (panel->side + COLUMN_BLOCK - 2) / COLUMN_BLOCK,
        last = (panel->n - 1) / COLUMN_BLOCK;
    LabelSet wanted = 0;
    for (int b = first < 0 ? 0 : first; b <= last && b <= block; b++)
        wanted |= panel->wanted[b];
    if (wanted != 0)
        sum_labels(panel, wanted, block * COLUMN_BLOCK);
}

/* Adds up the columns of four windows, for two planes. If there is no second one, the first is
 * summed twice. */
INLINE void total_quad(const CofiTaps *taps, const float *const windows[QUAD], ptrdiff_t second,
                       float totals[2 * QUAD])
{
    int side = 2 * taps->radius + 1;
    Vector sums[2 * QUAD];
    UNROLL
    for (int i = 0; i < 2 * QUAD; i++)
        sums[i] = set1(0);
    for (int column = 0; column < side; column += LANES) {
        Vector gauss = load(taps->gauss + column); /* 0 beyond the window */
        UNROLL
        for (int i = 0; i < QUAD; i++) {
            sums[i] = fma_add(gauss, load(windows[i] + column), sums[i]);
            sums[QUAD + i] = fma_add(gauss, load(windows[i] + second + column), sums[QUAD + i]);
        }
    }
    sum_lanes(sums, totals);
}

/* The totals of the pixels of a block, and of up to three more that are not used. */
SEPARATE void total_block(const Panel *panel, int begin, int end)
{
    const CofiTaps *taps = panel->taps;
    const uint8_t *centre = panel->labels + taps->radius;
    for (int i = begin; i < end; i += QUAD) {
        const float *windows[QUAD];
        for (int j = 0; j < QUAD; j++) {
            int at = i + j < end ? i + j : end - 1;
            windows[j] = columns_of(taps, centre[at], 0) + at;
        }
        for (int plane = 0; plane < panel->planes; plane += 2) {
            float totals[2 * QUAD];
            bool two = plane + 1 < panel->planes;
            total_quad(taps, windows, two ? taps->column_stride : 0, totals);
            memcpy(totals_row(taps, plane) + i, totals, QUAD * sizeof *totals);
            if (two)
                memcpy(totals_row(taps, plane + 1) + i, totals + QUAD, QUAD * sizeof *totals);
            for (int j = 0; j < QUAD; j++)
                windows[j] += 2 * taps->column_stride;
        }
    }
}

/* Writes the means of the planes of a group. */
static void divide_totals(const Panel *panel, float *const *values)
{
    const CofiTaps *taps = panel->taps;
    float *weights = weights_row(taps);
    if (panel->first == 0)
        memcpy(weights, totals_row(taps, 0), (size_t)panel->n * sizeof *weights);
    for (int plane = panel->first == 0; plane < panel->planes; plane++) {
        const float *totals = totals_row(taps, plane);
        float *means = values[panel->first + plane - 1];
        for (int i = 0; i < panel->n; i++)
            means[i] = cofi_to_finite(totals[i] / weights[i]);
    }
}

static void filter_group(const Panel *panel, float *const *values)
{
    int summed = 0; /* blocks of columns */
    for (int begin = 0; begin < panel->n; begin += COLUMN_BLOCK) {
        int end = begin + COLUMN_BLOCK < panel->n ? begin + COLUMN_BLOCK : panel->n;
        for (; summed * COLUMN_BLOCK < end - 1 + panel->side; summed++)
            sum_block(panel, summed);
        if (panel->wanted[begin / COLUMN_BLOCK] != 0) /* else all pixels are filtered directly */
            total_block(panel, begin, end);
    }
    divide_totals(panel, values);
}

/* The rows of values from pixel i on. */
static void rows_from(float *const *values, int bands, int i, float *rows[COF_MAX_BANDS])
{
    for (int band = 0; band < bands || band == 0; band++)
        rows[band] = values[band] + i;
}

/* Filters the pixels for which all taps are cheaper. */
static void filter_direct(const Panel *panel, float *const *values, uint8_t *has_weight)
{
    for (int begin = 0, end; begin < panel->n && panel->any_direct; begin = end) {
        for (end = begin; end < panel->n && panel->direct[end] == panel->direct[begin];)
            end++;
        float *rows[COF_MAX_BANDS];
        rows_from(values, panel->taps->n_bands, begin, rows);
        if (panel->direct[begin])
            filter_all_taps(panel->taps, panel->x + begin, end - begin, rows, has_weight + begin);
    }
}

static void filter_panel(const CofiTaps *taps, int x, int n, float *const *values,
                         uint8_t *has_weight)
{
    Panel panel; /* its arrays are filled as far as they are used */
    panel.taps = taps;
    panel.labels = taps->labels[taps->radius] + x;
    panel.x = x;
    panel.n = n;
    panel.side = 2 * taps->radius + 1;
    panel.any_direct = false;
    find_sets(&panel);
    for (int block = 0; block * COLUMN_BLOCK < n; block++)
        choose_columns(&panel, block);
    for (panel.first = 0; panel.first <= taps->n_bands; panel.first += COFI_COLUMN_PLANES) {
        int left = 1 + taps->n_bands - panel.first;
        panel.planes = left < COFI_COLUMN_PLANES ? left : COFI_COLUMN_PLANES;
        filter_group(&panel, values);
    }
    const float *weights = weights_row(taps);
    for (int i = 0; i < n; i++)
        has_weight[i] = weights[i] > 0;
    if (taps->n_bands == 0)
        memcpy(values[0], weights, (size_t)n * sizeof *weights);
    filter_direct(&panel, values, has_weight);
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
    /* A short first panel, so that the others begin at multiples of a block and loads are aligned.
     */
    for (int first = 0, count; first < n; first += count) {
        float *rows[COF_MAX_BANDS];
        int beyond = (x + first) % COLUMN_BLOCK;
        count = beyond == 0 ? PANEL : COLUMN_BLOCK - beyond;
        count = n - first < count ? n - first : count;
        rows_from(values, taps->n_bands, first, rows);
        filter_panel(taps, x + first, count, rows, has_weight + first);
    }
}
