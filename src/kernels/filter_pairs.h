/* SPDX-License-Identifier: BSD-2-Clause */
/* The exact filter, two pixels side by side, which share the loads of what their windows have in
 * common: what levels with short vectors have in common too. The weights of a block of taps come
 * first, then they pass over the planes. Each level includes this after it has made
 *
 *     LEVEL(name)      the name of a kernel at this level
 *     LANES, Vector    so many floats, with operators
 *     load(p), store(p, v)
 *     fused(a, b, c)   a * b + c, rounded once
 *     turned(v)        the first lane becomes the last
 *     sum_lanes(v, s)  s[i] is the sum of the lanes of v[i], i = 0..7, all in the same order
 *     Tables           of a matrix of up to 32 labels
 *     fill_tables(matrix, k, tables)
 *     Weigher          one row of the matrix, as vectors
 *     weigher(tables, row)
 *     look_up(weigher, a, b, w)  w[..] are its entries at 16 labels each from a and from b on
 */
#include <stdbool.h>

#include "arithmetic.h"
#include "cof/cof.h"
#include "kernels.h"

#define COLUMNS 16
#define VECTORS (COLUMNS / LANES)

/* A block has so few rows that at most 32 vectors are added before their sum joins the others:
 * rounding errors stay small in large windows. */
#define MOST_ROWS (32 / VECTORS)

/* Pixels whose sums are divided at once. */
#define BLOCK 64

#define GROUP 4 /* planes that are summed in one go */
#define MOST_GROUPS ((1 + COF_MAX_BANDS + GROUP - 1) / GROUP)

/* Taps of two windows, of which the second lies one column further. */
typedef struct Block {
    bool first; /* of its window */
    int rows;
    const uint8_t *const *labels;
    const float *const *planes; /* the votes, then the bands */
    const float *gauss;         /* of the first window */
    ptrdiff_t at;               /* in rows of labels and planes */
} Block;

/* Of the taps of a block, for each of the two pixels; those of an odd row's partner are ignored. */
typedef struct Weights {
    Vector of[2][MOST_ROWS][VECTORS];
} Weights;

typedef struct Sums {
    Vector of[MOST_GROUPS][2][GROUP];
} Sums;

/* Of one pixel, or of both if they have the same label. */
INLINE void weigh_few(const CofiTaps *taps, const Block *block, const Weigher *w, int first,
                      int last, Weights *weights)
{
    ptrdiff_t stride = taps->weight_stride;
    for (int row = 0; row < block->rows; row += 2) {
        int next = row + 1 < block->rows ? row + 1 : row;
        Vector found[2 * VECTORS];
        look_up(w, block->labels[row] + block->at, block->labels[next] + block->at, found);
        for (int pixel = first; pixel <= last; pixel++) {
            const float *gauss = block->gauss + row * stride - pixel;
            const float *next_gauss = block->gauss + next * stride - pixel;
            for (int i = 0; i < VECTORS; i++) {
                weights->of[pixel][row][i] = found[i] * load(gauss + i * LANES);
                weights->of[pixel][row + 1][i] = found[VECTORS + i] * load(next_gauss + i * LANES);
            }
        }
    }
}

static NOINLINE void weigh_one(const CofiTaps *taps, const Block *block, const Tables *tables,
                               int label, Weights *weights)
{
    Weigher w = weigher(tables, label);
    weigh_few(taps, block, &w, 0, 0, weights);
}

static NOINLINE void weigh_other(const CofiTaps *taps, const Block *block, const Tables *tables,
                                 int label, Weights *weights)
{
    Weigher w = weigher(tables, label);
    weigh_few(taps, block, &w, 1, 1, weights);
}

static NOINLINE void weigh_both(const CofiTaps *taps, const Block *block, const Tables *tables,
                                int label, Weights *weights)
{
    Weigher w = weigher(tables, label);
    weigh_few(taps, block, &w, 0, 1, weights);
}

static NOINLINE void weigh_many(const CofiTaps *taps, const Block *block, int label, int pixel,
                                Weights *weights)
{
    const float *matrix_row = taps->matrix + (ptrdiff_t)label * cofi_matrix_stride(taps->k);
    const float *gauss = block->gauss - pixel;
    for (int row = 0; row < block->rows; row++, gauss += taps->weight_stride) {
        const uint8_t *labels = block->labels[row] + block->at;
        for (int i = 0; i < VECTORS; i++) {
            float found[LANES];
            for (int lane = 0; lane < LANES; lane++)
                found[lane] = matrix_row[labels[i * LANES + lane]];
            weights->of[pixel][row][i] = load(found) * load(gauss + i * LANES);
        }
    }
}

static void weigh_block(const CofiTaps *taps, const Tables *tables, const Block *block,
                        const uint8_t *centre, Weights *weights)
{
    if (taps->k > 32) {
        weigh_many(taps, block, centre[0], 0, weights);
        weigh_many(taps, block, centre[1], 1, weights);
    } else if (centre[0] == centre[1]) {
        weigh_both(taps, block, tables, centre[0], weights);
    } else {
        weigh_one(taps, block, tables, centre[0], weights);
        weigh_other(taps, block, tables, centre[1], weights);
    }
}

/* The sums of a block's planes, n from the first one on, or added to those of other blocks. */
INLINE void add_planes(const CofiTaps *taps, const Block *block, const Weights *weights, int first,
                       int n, Vector sums[2][GROUP])
{
    ptrdiff_t stride = taps->stride;
    Vector parts[2][GROUP];
    for (int plane = 0; plane < n; plane++)
        parts[0][plane] = parts[1][plane] = (Vector){0};
    int row = 0;
    do {
        const float *planes = block->planes[row] + first * stride + block->at;
        for (int i = 0; i < VECTORS; i++) {
            Vector one = weights->of[0][row][i], two = weights->of[1][row][i];
            for (int plane = 0; plane < n; plane++) {
                Vector values = load(planes + plane * stride + i * LANES);
                ONCE(values);
                parts[0][plane] = fused(one, values, parts[0][plane]);
                parts[1][plane] = fused(two, values, parts[1][plane]);
            }
        }
    } while (++row < block->rows);
    for (int plane = 0; plane < n && !block->first; plane++) {
        parts[0][plane] += sums[0][plane];
        parts[1][plane] += sums[1][plane];
    }
    for (int plane = 0; plane < n; plane++) {
        sums[0][plane] = parts[0][plane];
        sums[1][plane] = parts[1][plane];
    }
}

/* One function for each n, else compilers mix them up and run out of registers. */
typedef void AddPlanes(const CofiTaps *taps, const Block *block, const Weights *weights, int first,
                       Vector sums[2][GROUP]);
#define ADD_PLANES(N) \
    static NOINLINE void add_planes_##N(const CofiTaps *taps, const Block *block, \
                                        const Weights *weights, int first, Vector sums[2][GROUP]) \
    { \
        add_planes(taps, block, weights, first, N, sums); \
    }
ADD_PLANES(1)
ADD_PLANES(2)
ADD_PLANES(3)
ADD_PLANES(4)
#undef ADD_PLANES

static void add_group(const CofiTaps *taps, const Block *block, const Weights *weights, int first,
                      Vector sums[2][GROUP])
{
    static AddPlanes *const add[GROUP] = {add_planes_1, add_planes_2, add_planes_3, add_planes_4};
    int n = taps->n_bands + 1 - first;
    add[(n < GROUP ? n : GROUP) - 1](taps, block, weights, first, sums);
}

/* Weighs and adds, two rows at a time. */
INLINE void add_few(const CofiTaps *taps, const Block *block, const Weigher *one,
                    const Weigher *two, int n, Vector sums[2][GROUP])
{
    ptrdiff_t stride = taps->stride;
    Vector parts[2][GROUP];
    for (int plane = 0; plane < n; plane++)
        parts[0][plane] = parts[1][plane] = (Vector){0};
    int row = 0;
    do {
        int next = row + 1 < block->rows ? row + 1 : row;
        Vector found[2][2 * VECTORS];
        const uint8_t *a = block->labels[row] + block->at, *b = block->labels[next] + block->at;
        look_up(one, a, b, found[0]);
        if (two)
            look_up(two, a, b, found[1]);
        for (int step = 0; step < 2; step++) {
            const float *gauss = block->gauss + (row + step) * taps->weight_stride;
            const float *planes = block->planes[row + step] + block->at;
            for (int i = 0; i < VECTORS; i++) {
                Vector w1 = found[0][step * VECTORS + i] * load(gauss + i * LANES);
                Vector w2 = found[two ? 1 : 0][step * VECTORS + i] * load(gauss + i * LANES - 1);
                for (int plane = 0; plane < n; plane++) {
                    Vector values = load(planes + plane * stride + i * LANES);
                    ONCE(values);
                    parts[0][plane] = fused(w1, values, parts[0][plane]);
                    parts[1][plane] = fused(w2, values, parts[1][plane]);
                }
            }
            if (next == row)
                break;
        }
        row += 2;
    } while (row < block->rows);
    for (int plane = 0; plane < n && !block->first; plane++) {
        parts[0][plane] += sums[0][plane];
        parts[1][plane] += sums[1][plane];
    }
    for (int plane = 0; plane < n; plane++) {
        sums[0][plane] = parts[0][plane];
        sums[1][plane] = parts[1][plane];
    }
}

static NOINLINE void add_same_4(const CofiTaps *taps, const Block *block, const Tables *tables,
                                const uint8_t *labels, Vector sums[2][GROUP])
{
    Weigher one = weigher(tables, labels[0]);
    add_few(taps, block, &one, NULL, 4, sums);
}

static NOINLINE void add_other_4(const CofiTaps *taps, const Block *block, const Tables *tables,
                                 const uint8_t *labels, Vector sums[2][GROUP])
{
    Weigher one = weigher(tables, labels[0]), two = weigher(tables, labels[1]);
    add_few(taps, block, &one, &two, 4, sums);
}

static void add_block(const CofiTaps *taps, const Tables *tables, int x, int row, int column,
                      Sums *sums)
{
    Weights weights;
    int left = 2 * taps->radius + 1 - row;
    Block block = {.first = row == 0 && column == 0,
                   .rows = left < MOST_ROWS ? left : MOST_ROWS,
                   .labels = taps->labels + row,
                   .planes = taps->votes + row,
                   .gauss = taps->weights + row * taps->weight_stride + column,
                   .at = (ptrdiff_t)x + column};
    const uint8_t *centre = taps->labels[taps->radius] + x + taps->radius;
    if (taps->k <= 32 && taps->n_bands == 3) {
        if (centre[0] == centre[1])
            add_same_4(taps, &block, tables, centre, sums->of[0]);
        else
            add_other_4(taps, &block, tables, centre, sums->of[0]);
        return;
    }
    weigh_block(taps, tables, &block, taps->labels[taps->radius] + x + taps->radius, &weights);
    for (int first = 0; first <= taps->n_bands; first += GROUP)
        add_group(taps, &block, &weights, first, sums->of[first / GROUP]);
}

static void add_window(const CofiTaps *taps, const Tables *tables, int x, Sums *sums)
{
    int side = 2 * taps->radius + 1;
    for (int row = 0; row < side; row += MOST_ROWS)
        for (int column = 0; column < side + 1; column += COLUMNS)
            add_block(taps, tables, x, row, column, sums);
}

/* totals[0..3] of the first pixel, [4..7] of the second, whose taps lie one lane further: turned
 * back, they are added in the same order. */
static void total_group(const Vector sums[2][GROUP], int n, float totals[2 * GROUP])
{
    Vector all[2 * GROUP];
    for (int plane = 0; plane < GROUP; plane++) {
        all[plane] = sums[0][plane < n ? plane : 0];
        all[GROUP + plane] = turned(sums[1][plane < n ? plane : 0]);
    }
    sum_lanes(all, totals);
}

typedef struct Totals {
    float of[MOST_GROUPS][BLOCK][GROUP];
} Totals;

static void divide(const Totals *totals, int n_bands, int n, float *const *values, uint8_t *mixed)
{
    for (int i = 0; i < n; i++)
        mixed[i] = totals->of[0][i][0] > 0;
    for (int plane = 1; plane <= n_bands; plane++) {
        const float(*sums)[GROUP] = totals->of[plane / GROUP];
        float *means = values[plane - 1];
        for (int i = 0; i < n; i++)
            means[i] = cofi_to_finite(sums[i][plane % GROUP] / totals->of[0][i][0]);
    }
}

void LEVEL(cofi_filter_row)(const CofiTaps *taps, int x, int n, float *const *values,
                            uint8_t *mixed)
{
    Tables tables;
    Totals totals;
    float *block[COF_MAX_BANDS];
    if (taps->k <= 32)
        fill_tables(taps->matrix, taps->k, &tables);
    for (int first = 0; first < n; first += BLOCK) {
        int count = n - first < BLOCK ? n - first : BLOCK;
        for (int i = 0; i < count; i += 2) {
            Sums sums;
            add_window(taps, &tables, x + first + i, &sums);
            for (int plane = 0; plane <= taps->n_bands; plane += GROUP)
                total_group(sums.of[plane / GROUP], taps->n_bands + 1 - plane,
                            totals.of[plane / GROUP][i]);
        }
        for (int band = 0; band < taps->n_bands; band++)
            block[band] = values[band] + first;
        divide(&totals, taps->n_bands, count, block, mixed + first);
    }
}
