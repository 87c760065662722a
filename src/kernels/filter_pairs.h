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

/* The weights of a row of taps: what was found in the matrix, times those of the window. */
INLINE void weigh_row(const CofiTaps *taps, const Block *block, int row, int pixel,
                      const Vector found[VECTORS], Vector weights[VECTORS])
{
    const float *gauss = block->gauss + row * taps->weight_stride - pixel;
    for (int i = 0; i < VECTORS; i++)
        weights[i] = found[i] * load(gauss + i * LANES);
}

INLINE void add_row(const CofiTaps *taps, const Block *block, int row, int first, int n,
                    const Vector one[VECTORS], const Vector two[VECTORS], Vector parts[2][GROUP])
{
    const float *planes = block->planes[row] + first * taps->stride + block->at;
    for (int i = 0; i < VECTORS; i++)
        for (int plane = 0; plane < n; plane++) {
            Vector values = load(planes + plane * taps->stride + i * LANES);
            ONCE(values);
            parts[0][plane] = fused(one[i], values, parts[0][plane]);
            parts[1][plane] = fused(two[i], values, parts[1][plane]);
        }
}

INLINE void clear(int n, Vector parts[2][GROUP])
{
    for (int plane = 0; plane < n; plane++)
        parts[0][plane] = parts[1][plane] = (Vector){0};
}

/* The first block's sums are not added to anything. */
INLINE void join(const Block *block, int n, Vector parts[2][GROUP], Vector sums[2][GROUP])
{
    for (int plane = 0; plane < n && !block->first; plane++) {
        parts[0][plane] += sums[0][plane];
        parts[1][plane] += sums[1][plane];
    }
    for (int plane = 0; plane < n; plane++) {
        sums[0][plane] = parts[0][plane];
        sums[1][plane] = parts[1][plane];
    }
}

/* Adds n planes with weights that are known. */
INLINE void add_planes(const CofiTaps *taps, const Block *block, const Weights *weights, int first,
                       int n, Vector sums[2][GROUP])
{
    Vector parts[2][GROUP];
    clear(n, parts);
    int row = 0;
    do
        add_row(taps, block, row, first, n, weights->of[0][row], weights->of[1][row], parts);
    while (++row < block->rows);
    join(block, n, parts, sums);
}

/* Weighs and adds the first n planes in one go, so that each has what the other leaves of the
 * processor; or, if n is 0, keeps the weights. Two is NULL if both pixels have the same label. */
INLINE void add_weighing(const CofiTaps *taps, const Block *block, const Weigher *one,
                         const Weigher *two, int n, Weights *weights, Vector sums[2][GROUP])
{
    Vector parts[2][GROUP];
    clear(n, parts);
    int row = 0;
    do {
        int next = row + 1 < block->rows ? row + 1 : row;
        const uint8_t *a = block->labels[row] + block->at, *b = block->labels[next] + block->at;
        Vector found[2][2 * VECTORS], here[2][VECTORS];
        look_up(one, a, b, found[0]);
        if (two)
            look_up(two, a, b, found[1]);
        for (int step = 0; step < 2; step++) {
            int at = step ? next : row;
            Vector *w1 = n == 0 ? weights->of[0][at] : here[0];
            Vector *w2 = n == 0 ? weights->of[1][at] : here[1];
            weigh_row(taps, block, at, 0, found[0] + step * VECTORS, w1);
            weigh_row(taps, block, at, 1, found[two ? 1 : 0] + step * VECTORS, w2);
            add_row(taps, block, at, 0, n, w1, w2, parts);
            if (next == row)
                break;
        }
        row += 2;
    } while (row < block->rows);
    join(block, n, parts, sums);
}

/* One function for each n, else compilers mix them up and run out of registers. */
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

#define ADD_WEIGHING(N) \
    static NOINLINE void add_same_##N(const CofiTaps *taps, const Block *block, const Table *one, \
                                      const Table *two, Weights *weights, Vector sums[2][GROUP]) \
    { \
        (void)two; \
        Weigher w = weigher(one); \
        add_weighing(taps, block, &w, NULL, N, weights, sums); \
    } \
    static NOINLINE void add_different_##N(const CofiTaps *taps, const Block *block, \
                                           const Table *one, const Table *two, Weights *weights, \
                                           Vector sums[2][GROUP]) \
    { \
        Weigher w1 = weigher(one), w2 = weigher(two); \
        add_weighing(taps, block, &w1, &w2, N, weights, sums); \
    }
ADD_WEIGHING(0)
ADD_WEIGHING(2)
ADD_WEIGHING(3)
ADD_WEIGHING(4)
#undef ADD_WEIGHING

typedef void AddPlanes(const CofiTaps *, const Block *, const Weights *, int, Vector[2][GROUP]);
typedef void AddWeighing(const CofiTaps *, const Block *, const Table *, const Table *, Weights *,
                         Vector[2][GROUP]);

/* Of pixels first..last, which have the same label. Gathers would be slow on many processors. */
static NOINLINE void weigh_many(const CofiTaps *taps, const Block *block, int label, int first,
                                int last, Weights *weights)
{
    const float *entries = taps->matrix + (ptrdiff_t)label * cofi_matrix_stride(taps->k);
    for (int row = 0; row < block->rows; row++) {
        const uint8_t *labels = block->labels[row] + block->at;
        Vector found[VECTORS];
        for (int i = 0; i < VECTORS; i++) {
            float lanes[LANES];
            for (int lane = 0; lane < LANES; lane++)
                lanes[lane] = entries[labels[i * LANES + lane]];
            found[i] = load(lanes);
        }
        for (int pixel = first; pixel <= last; pixel++)
            weigh_row(taps, block, row, pixel, found, weights->of[pixel][row]);
    }
}

static void add_block(const CofiTaps *taps, const Tables *tables, int x, int row, int column,
                      Sums *sums)
{
    static AddPlanes *const add[] = {add_planes_1, add_planes_2, add_planes_3, add_planes_4};
    static AddWeighing *const same[] = {add_same_0, NULL, add_same_2, add_same_3, add_same_4};
    static AddWeighing *const different[] = {add_different_0, NULL, add_different_2,
                                             add_different_3, add_different_4};
    const uint8_t *centre = taps->labels[taps->radius] + x + taps->radius;
    int left = 2 * taps->radius + 1 - row, planes = taps->n_bands + 1, added = 0;
    Weights weights;
    Block block = {.first = row == 0 && column == 0,
                   .rows = left < MOST_ROWS ? left : MOST_ROWS,
                   .labels = taps->labels + row,
                   .planes = taps->votes + row,
                   .gauss = taps->weights + row * taps->weight_stride + column,
                   .at = (ptrdiff_t)x + column};
    if (taps->k <= 32) {
        added = planes <= GROUP ? planes : 0;
        AddWeighing *weighing = (centre[0] == centre[1] ? same : different)[added];
        weighing(taps, &block, &tables->of[centre[0]], &tables->of[centre[1]], &weights,
                 sums->of[0]);
    } else {
        bool alike = centre[0] == centre[1];
        weigh_many(taps, &block, centre[0], 0, alike ? 1 : 0, &weights);
        if (!alike)
            weigh_many(taps, &block, centre[1], 1, 1, &weights);
    }
    for (; added < planes; added += GROUP) {
        int n = planes - added < GROUP ? planes - added : GROUP;
        add[n - 1](taps, &block, &weights, added, sums->of[added / GROUP]);
    }
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
