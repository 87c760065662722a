/* SPDX-License-Identifier: BSD-2-Clause */
/* The exact filter for two adjacent pixels at a time, which share the loads of the taps that both
 * windows contain. Each level includes this file after its vectors and after it has defined
 *
 *     LEVEL(name)          the name of a kernel at this level
 *     KEEP_IN_REGISTER(v)  forces one load of a vector that is used twice
 *     rotated(v)           rotates by one lane: the first lane becomes the last
 *     sum_lanes(v, sums)   sums[i] is the sum of the lanes of v[i], i = 0..7, in a fixed order
 *     WeightLookup         a row of the matrix, of up to 32 labels, in registers
 *     load_weights(bytes)  makes it from a row of `bytes` of CofiTaps
 *     TOGETHER             the number of rows of taps that are looked up at once, 1 or 2
 *     look_up_rows(lookup, labels, found)
 *                          finds the entries for 16 labels of each of these rows
 *     load_entries(one, two, alike, labels, pair)
 *                          entries of two longer rows, or if they are alike of the first, loaded
 *                          one by one, since gather instructions are slow on many processors
 */
#include <assert.h>
#include <stdbool.h>

#include "cof/cof.h"
#include "base/arithmetic.h"
#include "kernels/kernels.h"

#define NOINLINE __attribute__((noinline))

#define COLUMNS 16
#define VECTORS (COLUMNS / LANES)
#define FEW 32

/* The number of vectors in a partial sum, unless a single row has more. It is limited, so that
 * rounding errors stay small in large windows. */
#define FEW_STEPS 32
#define MAX_COLUMNS (COF_MAX_FILTER_WINDOW + 1)
#define MAX_STEPS (TOGETHER * MAX_COLUMNS / LANES)

#define GROUP 4 /* planes that are summed in one pass */
#define MAX_GROUPS ((1 + COF_MAX_BANDS + GROUP - 1) / GROUP)

/* The number of pixels whose sums are divided at once: at most BLOCK, and fewer with many bands. */
#define BLOCK 64
#define MAX_TOTALS (4 * MAX_GROUPS)

/* Rows of two windows, of which the second is one column further. TOGETHER rows are processed at a
 * time: the first vector of each row, then the second, and so on. In this order, both windows have
 * the same taps, one lane apart. */
typedef struct Rows {
    bool first; /* the first rows of their window */
    int n, columns;
    const uint8_t *const *labels;
    const float *const *planes; /* the alphas, then the bands */
    const float *gauss;         /* weights of the first window */
    ptrdiff_t x;                /* position in the rows of labels and planes */
} Rows;

/* The weights of each of the two pixels, in the order of the taps. */
typedef struct Weights {
    Vector of[2][MAX_STEPS];
} Weights;

/* The sums of each group of planes, for each of the two pixels. */
typedef struct Sums {
    Vector of[MAX_GROUPS][2][GROUP];
} Sums;

INLINE void clear(int n, Vector parts[2][GROUP])
{
    for (int plane = 0; plane < n; plane++)
        parts[0][plane] = parts[1][plane] = (Vector){0};
}

/* Adds partial sums to the sums. The first rows of a window set them. */
INLINE void join(const Rows *rows, int n, Vector parts[2][GROUP], Vector sums[2][GROUP])
{
    for (int plane = 0; plane < n && !rows->first; plane++) {
        parts[0][plane] += sums[0][plane];
        parts[1][plane] += sums[1][plane];
    }
    for (int plane = 0; plane < n; plane++) {
        sums[0][plane] = parts[0][plane];
        sums[1][plane] = parts[1][plane];
    }
}

/* Zeros as long as a row of the window's weights, and one more before them. */
static const float no_weights[1 + MAX_COLUMNS];

/* The rows that are processed together. */
typedef struct Strip {
    const uint8_t *labels[TOGETHER];
    const float *planes[TOGETHER], *gauss[TOGETHER];
} Strip;

/* If the last row has no partner, it is paired with itself, without weight. */
INLINE Strip strip_at(const CofiTaps *taps, const Rows *rows, int row, int first_plane)
{
    Strip strip;
    for (int i = 0; i < TOGETHER; i++) {
        bool alone = TOGETHER > 1 && row + i >= rows->n;
        int at = alone ? row : row + i;
        strip.labels[i] = rows->labels[at] + rows->x;
        strip.planes[i] = rows->planes[at] + first_plane * taps->stride + rows->x;
        strip.gauss[i] = alone ? no_weights + 1 : rows->gauss + at * taps->weight_stride;
    }
    return strip;
}

/* Adds a vector of taps to the sums of n planes. */
INLINE void add_vector(const CofiTaps *taps, const float *planes, int n, Vector one, Vector two,
                       Vector parts[2][GROUP])
{
    for (int plane = 0; plane < n; plane++) {
        Vector values = load(planes + plane * taps->stride);
        KEEP_IN_REGISTER(values);
        parts[0][plane] = fma_add(one, values, parts[0][plane]);
        parts[1][plane] = fma_add(two, values, parts[1][plane]);
    }
}

/* Sums n planes with weights that were computed before. */
INLINE void add_planes(const CofiTaps *taps, const Rows *rows, const Weights *weights, int first,
                       int n, Vector sums[2][GROUP])
{
    Vector parts[2][GROUP];
    clear(n, parts);
    int row = 0, step = 0;
    do {
        Strip strip = strip_at(taps, rows, row, first);
        int column = 0;
        do {
            for (int i = 0; i < TOGETHER; i++)
                add_vector(taps, strip.planes[i] + column, n, weights->of[0][step + i],
                           weights->of[1][step + i], parts);
            column += LANES;
            step += TOGETHER;
        } while (column < rows->columns);
        row += TOGETHER;
    } while (row < rows->n);
    join(rows, n, parts, sums);
}

/* A row of the matrix: in registers, or in memory if it is too long for them. */
typedef struct Entries {
    const WeightLookup *few;
    const float *many;
} Entries;

/* Finds the entries of 16 labels of each row, for each of the two pixels unless they are alike. */
INLINE void find(Entries one, Entries two, bool alike, const Strip *strip, int column,
                 Vector found[2][TOGETHER][VECTORS])
{
    const uint8_t *labels[TOGETHER];
    for (int i = 0; i < TOGETHER; i++)
        labels[i] = strip->labels[i] + column;
    if (one.few) {
        look_up_rows(one.few, labels, found[0]);
        if (!alike)
            look_up_rows(two.few, labels, found[1]);
        return;
    }
    for (int i = 0; i < TOGETHER; i++)
        for (int vector = 0; vector < VECTORS; vector++) {
            Vector pair[2];
            load_entries(one.many, two.many, alike, labels[i] + vector * LANES, pair);
            found[0][i][vector] = pair[0];
            found[1][i][vector] = pair[1];
        }
}

/* Weights and adds 16 columns. If n is 0, stores the weights instead, from `step` on. */
INLINE void add_columns(const CofiTaps *taps, const Strip *strip, int column, Entries one,
                        Entries two, bool alike, int n, Weights *weights, int step,
                        Vector parts[2][GROUP])
{
    Vector found[2][TOGETHER][VECTORS];
    find(one, two, alike, strip, column, found);
    for (int vector = 0; vector < VECTORS; vector++, column += LANES)
        for (int i = 0; i < TOGETHER; i++, step++) {
            const float *gauss = strip->gauss[i] + column;
            Vector w1 = mul(found[0][i][vector], load(gauss));
            Vector w2 = mul(found[alike ? 0 : 1][i][vector], load(gauss - 1));
            add_vector(taps, strip->planes[i] + column, n, w1, w2, parts);
            if (n == 0) {
                weights->of[0][step] = w1;
                weights->of[1][step] = w2;
            }
        }
}

/* Weights and adds the first n planes in one pass, so that lookups and additions overlap. If n is
 * 0, stores the weights instead. */
INLINE void add_weighing(const CofiTaps *taps, const Rows *rows, Entries one, Entries two,
                         bool alike, int n, Weights *weights, Vector sums[2][GROUP])
{
    Vector parts[2][GROUP];
    clear(n, parts);
    int row = 0, step = 0;
    do {
        Strip strip = strip_at(taps, rows, row, 0);
        int column = 0;
        do {
            add_columns(taps, &strip, column, one, two, alike, n, weights, step, parts);
            column += COLUMNS;
            step += TOGETHER * VECTORS;
        } while (column < rows->columns);
        row += TOGETHER;
    } while (row < rows->n);
    join(rows, n, parts, sums);
}

/* One function for each n: in a single function, compilers run out of registers. */
#define ADD_PLANES(N) \
    static NOINLINE void add_planes_##N(const CofiTaps *taps, const Rows *rows, \
                                        const Weights *weights, int first, Vector sums[2][GROUP]) \
    { \
        add_planes(taps, rows, weights, first, N, sums); \
    }
ADD_PLANES(1)
ADD_PLANES(2)
ADD_PLANES(3)
ADD_PLANES(4)
#undef ADD_PLANES

#define ADD_WEIGHING(N) \
    static NOINLINE void add_alike_##N(const CofiTaps *taps, const Rows *rows, const uint8_t *one, \
                                       const uint8_t *two, Weights *weights, \
                                       Vector sums[2][GROUP]) \
    { \
        (void)two; \
        WeightLookup w = load_weights(one); \
        Entries entries = {.few = &w}; \
        add_weighing(taps, rows, entries, entries, true, N, weights, sums); \
    } \
    static NOINLINE void add_different_##N(const CofiTaps *taps, const Rows *rows, \
                                           const uint8_t *one, const uint8_t *two, \
                                           Weights *weights, Vector sums[2][GROUP]) \
    { \
        WeightLookup w1 = load_weights(one), w2 = load_weights(two); \
        add_weighing(taps, rows, (Entries){.few = &w1}, (Entries){.few = &w2}, false, N, weights, \
                     sums); \
    }
ADD_WEIGHING(0)
ADD_WEIGHING(2)
ADD_WEIGHING(3)
ADD_WEIGHING(4)
#undef ADD_WEIGHING

/* With more labels than a table has. */
#define ADD_MANY(N) \
    static NOINLINE void add_many_##N(const CofiTaps *taps, const Rows *rows, const float *one, \
                                      const float *two, Weights *weights, Vector sums[2][GROUP]) \
    { \
        Entries first = {.many = one}, second = {.many = two}; \
        if (one == two) \
            add_weighing(taps, rows, first, first, true, N, weights, sums); \
        else \
            add_weighing(taps, rows, first, second, false, N, weights, sums); \
    }
ADD_MANY(0)
ADD_MANY(2)
ADD_MANY(3)
ADD_MANY(4)
#undef ADD_MANY

typedef void AddPlanes(const CofiTaps *, const Rows *, const Weights *, int, Vector[2][GROUP]);
typedef void AddWeighing(const CofiTaps *, const Rows *, const uint8_t *, const uint8_t *,
                         Weights *, Vector[2][GROUP]);
typedef void AddMany(const CofiTaps *, const Rows *, const float *, const float *, Weights *,
                     Vector[2][GROUP]);

INLINE void add_rows(const CofiTaps *taps, const Rows *rows, Sums *sums)
{
    static AddPlanes *const add[] = {add_planes_1, add_planes_2, add_planes_3, add_planes_4};
    static AddWeighing *const alike[] = {add_alike_0, NULL, add_alike_2, add_alike_3, add_alike_4};
    static AddWeighing *const different[] = {add_different_0, NULL, add_different_2,
                                             add_different_3, add_different_4};
    static AddMany *const many[] = {add_many_0, NULL, add_many_2, add_many_3, add_many_4};
    const uint8_t *centre = taps->labels[taps->radius] + rows->x + taps->radius;
    int planes = taps->n_bands + 1, added = planes > 1 && planes <= GROUP ? planes : 0;
    Weights weights;
    if (taps->k <= FEW) {
        AddWeighing *weighing = (centre[0] == centre[1] ? alike : different)[added];
        weighing(taps, rows, taps->bytes + centre[0] * 4 * FEW, taps->bytes + centre[1] * 4 * FEW,
                 &weights, sums->of[0]);
    } else {
        ptrdiff_t stride = cofi_matrix_stride(taps->k);
        many[added](taps, rows, taps->matrix + centre[0] * stride,
                    taps->matrix + centre[1] * stride, &weights, sums->of[0]);
    }
    for (; added < planes; added += GROUP) {
        int n = planes - added < GROUP ? planes - added : GROUP;
        add[n - 1](taps, rows, &weights, added, sums->of[added / GROUP]);
    }
}

/* Not inlined, so that frames stay small. */
static NOINLINE void add_window(const CofiTaps *taps, int x, Sums *sums)
{
    int side = 2 * taps->radius + 1, columns = (side / COLUMNS + 1) * COLUMNS;
    int step = FEW_STEPS * LANES / columns / TOGETHER * TOGETHER;
    step = step < TOGETHER ? TOGETHER : step;
    for (int row = 0; row < side; row += step) {
        Rows rows = {.first = row == 0,
                     .n = side - row < step ? side - row : step,
                     .columns = columns,
                     .labels = taps->labels + row,
                     .planes = taps->alphas + row,
                     .gauss = taps->weights + row * taps->weight_stride,
                     .x = x};
        add_rows(taps, &rows, sums);
    }
}

/* Sums the lanes: totals[0..3] belong to the first pixel, totals[4..7] to the second. The taps of
 * the second pixel are one lane further. Rotated by one lane, they are added in the same order. */
static void total_group(const Vector sums[2][GROUP], int n, float totals[2 * GROUP])
{
    Vector all[2 * GROUP];
    for (int plane = 0; plane < GROUP; plane++) {
        all[plane] = sums[0][plane < n ? plane : 0];
        all[GROUP + plane] = rotated(sums[1][plane < n ? plane : 0]);
    }
    sum_lanes(all, totals);
}

/* of[group * pixels + i]: the sums of a group of planes for pixel i. */
typedef struct Totals {
    int pixels;
    float of[MAX_TOTALS][GROUP];
} Totals;

/* Sums the windows of n pixels, two at a time; if n is odd, one more. */
static void sum_pixels(const CofiTaps *taps, int x, int n, Totals *totals)
{
    for (int i = 0; i < n; i += 2) {
        Sums sums;
        add_window(taps, x + i, &sums);
        for (int plane = 0; plane <= taps->n_bands; plane += GROUP)
            total_group(sums.of[plane / GROUP], taps->n_bands + 1 - plane,
                        totals->of[plane / GROUP * totals->pixels + i]);
    }
}

static void write_means(const Totals *totals, int n_bands, int n, float *const *values, int first,
                        uint8_t *has_weight)
{
    for (int i = 0; i < n; i++)
        has_weight[first + i] = totals->of[i][0] > 0;
    for (int i = 0; i < n && n_bands == 0; i++)
        values[0][first + i] = totals->of[i][0];
    for (int plane = 1; plane <= n_bands; plane++) {
        const float(*sums)[GROUP] = totals->of + plane / GROUP * totals->pixels;
        float *means = values[plane - 1] + first;
        for (int i = 0; i < n; i++)
            means[i] = cofi_to_finite(sums[i][plane % GROUP] / totals->of[i][0]);
    }
}

static void filter_all_taps(const CofiTaps *taps, int x, int n, float *const *values,
                            uint8_t *has_weight)
{
    int block = MAX_TOTALS / (taps->n_bands / GROUP + 1) / 2 * 2;
    Totals totals;
    totals.pixels = block < BLOCK ? block : BLOCK;
    for (int first = 0; first < n; first += totals.pixels) {
        int count = n - first < totals.pixels ? n - first : totals.pixels;
        sum_pixels(taps, x + first, count, &totals);
        write_means(&totals, taps->n_bands, count, values, first, has_weight);
    }
}
