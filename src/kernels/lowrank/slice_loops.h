/* SPDX-License-Identifier: BSD-2-Clause */
/* Slices rows of pixels between two rows of cells. Included by lowrank_loops.h. */
/* The four cells around some pixels. */
typedef struct Cells {
    const float *at[4]; /* upper left and right, lower left and right */
} Cells;

/* Where sum_corners() reads: factors, and the four cells. */
typedef struct Corners {
    const float *factors, *at[4];
} Corners;

INLINE void add_products(const Corners *from, int i, Vector sums[4])
{
    Vector factor = load(from->factors + i);
    UNROLL
    for (int corner = 0; corner < 4; corner++)
        sums[corner] = fma_add(factor, load(from->at[corner] + i), sums[corner]);
}

INLINE void move_corners(Corners *from, int distance)
{
    from->factors += distance;
    OPAQUE(from->factors);
    UNROLL
    for (int corner = 0; corner < 4; corner++) {
        from->at[corner] += distance;
        OPAQUE(from->at[corner]);
    }
}

/* Where reading begins; and sums of 0. */
INLINE Corners start_corners(const float *factors, const Cells *cells, Vector sums[4],
                             Vector odd[4])
{
    Corners from = {.factors = factors};
    UNROLL
    for (int corner = 0; corner < 4; corner++) {
        sums[corner] = odd[corner] = set1(0);
        from.at[corner] = cells->at[corner];
    }
    return from;
}

/* Multiplies vectors first, first + step, ... of the cells by the factors of a label. Two sums of
 * each are added up in turn, since each waits for the one before. */
INLINE void sum_corners(const float *factors, const Cells *cells, int size, int first, int step,
                        Vector sums[4])
{
    Vector odd[4];
    Corners from = start_corners(factors, cells, sums, odd);
    move_corners(&from, first);
    int i = first;
    for (; i + step < size; i += 2 * step) {
        add_products(&from, 0, sums);
        add_products(&from, step, odd);
        move_corners(&from, 2 * step);
    }
    if (i < size)
        add_products(&from, 0, sums);
    UNROLL
    for (int corner = 0; corner < 4; corner++)
        sums[corner] = sums[corner] + odd[corner];
}

/* The same for the n vectors that begin at the given factors. */
INLINE void sum_parts(const float *factors, const Cells *cells, const uint16_t *parts, int n,
                      Vector sums[4])
{
    Vector odd[4];
    Corners from = start_corners(factors, cells, sums, odd);
    int i = 0;
    for (; i + 1 < n; i += 2) {
        add_products(&from, parts[i], sums);
        add_products(&from, parts[i + 1], odd);
    }
    if (i < n)
        add_products(&from, parts[i], sums);
    UNROLL
    for (int corner = 0; corner < 4; corner++)
        sums[corner] = sums[corner] + odd[corner];
}

/* Adds the products of a label whose pixels fit in a vector. */
INLINE void sum_label(const CofiSlice *s, int label, const Cells *cells, Vector sums[4])
{
    const float *factors = s->factors + label * s->size;
    if (s->parts)
        sum_parts(factors, cells, s->parts + label * (s->size / LANES), s->n_parts[label], sums);
    else
        sum_corners(factors, cells, s->size, 0, LANES, sums);
}

#if LANES > 4
#include "kernels/lowrank/fold_pixels.h"
#endif

/* The values of a label at the four cells. */
INLINE void find_corners(const CofiSlice *s, int label, const Cells *cells, int spread,
                         float *corners)
{
    int step = spread > LANES ? spread : LANES;
    for (int part = 0; part < step; part += LANES) {
        Vector sums[4];
        if (spread > LANES)
            sum_corners(s->factors + label * s->size, cells, s->size, part, step, sums);
        else
            sum_label(s, label, cells, sums);
#if LANES > 4
        if (spread == 4) {
            store_corners(sums, corners);
            continue;
        }
#endif
        for (int corner = 0; corner < 4; corner++)
            add_folded(sums[corner], spread, true, corners + corner * spread + part);
    }
}

/* The sums must be added in the order of store_uniform(). */
INLINE void interpolate(const float *corners, const float *weights, int spread, float *pixel)
{
    for (int i = 0; i<spread; i += spread> 2 ? 4 : 2) {
        Four left = weights[0] * four_at(corners + i, spread) +
                    weights[2] * four_at(corners + 2 * spread + i, spread);
        Four right = weights[1] * four_at(corners + spread + i, spread) +
                     weights[3] * four_at(corners + 3 * spread + i, spread);
        set_four(pixel + i, left + right, spread);
    }
}

/* The weights of the four cells around each pixel. */
typedef struct CornerWeights {
    float of[COFI_MAX_STEP][COFI_MAX_STEP][4]; /* of each row, and each pixel along x */
} CornerWeights;

INLINE void weigh_corners(const CofiSlice *s, int step, CornerWeights *weights)
{
    for (int row = 0; row < s->rows; row++)
        for (int place = 0; place < step; place++) {
            float right = s->shares[place], below = s->lower_shares[row];
            float *of = weights->of[row][place];
            of[0] = (1 - right) * (1 - below);
            of[1] = right * (1 - below);
            of[2] = (1 - right) * below;
            of[3] = right * below;
        }
}

/* Pixels between the same four cells. */
typedef struct Block {
    int x, place, n; /* the first pixel; its offset from the left cells; pixels in a row */
    Cells cells;
} Block;

INLINE float *pixel_at(const CofiSlice *s, const Block *block, int spread, int row)
{
    return s->pixels + row * s->stride + (ptrdiff_t)block->x * spread;
}

/* Interpolates the first of n pixels with long vectors; returns the number of pixels done. */
INLINE int interpolate_some(const CofiSlice *s, const uint8_t *labels, const float (*weights)[4],
                            int spread, int n, float *pixels)
{
    int done = 0;
#if LANES > 4
    for (; spread == 4 && done + PIXELS <= n; done += PIXELS) {
        Vector sums[PIXELS];
        UNROLL
        for (int i = 0; i < PIXELS; i++)
            sums[i] = weigh_values(s->corners + labels[done + i] * 16, weights[done + i]);
        store(pixels + done * 4, fold_pixels(sums));
    }
#else
    (void)s, (void)labels, (void)weights, (void)spread, (void)n, (void)pixels;
#endif
    return done;
}

/* Pixels of one label share the products with the cells. `last_block` is where each label was seen
 * last. */
INLINE void slice_block(const CofiSlice *s, const Block *block, int spread,
                        const CornerWeights *weights, int number, int *last_block)
{
    for (int row = 0; row < s->rows; row++) {
        const uint8_t *labels = s->labels[row] + block->x;
        const float(*of)[4] = weights->of[row] + block->place;
        float *pixels = pixel_at(s, block, spread, row);
        for (int i = 0; i < block->n; i++)
            if (last_block[labels[i]] != number) {
                last_block[labels[i]] = number;
                find_corners(s, labels[i], &block->cells, spread,
                             s->corners + labels[i] * 4 * spread);
            }
        for (int i = interpolate_some(s, labels, of, spread, block->n, pixels); i < block->n; i++)
            interpolate(s->corners + labels[i] * 4 * spread, of[i], spread, pixels + i * spread);
    }
}

#if LANES == 4
#include "kernels/lowrank/slice_uniform.h"
#endif

INLINE void slice_cells(const CofiSlice *s, int spread, int step)
{
    CornerWeights weights;
    int last_block[COFI_FAST_LABELS];
    memset(last_block, -1, sizeof last_block);
    weigh_corners(s, step, &weights);
    Block block = {.place = s->first};
    for (int cell = 0; block.x < s->n; cell++) {
        const float *upper = s->upper + (ptrdiff_t)cell * s->size;
        const float *lower = s->lower + (ptrdiff_t)cell * s->size;
        block.cells = (Cells){{upper, upper + s->size, lower, lower + s->size}};
        block.n = s->n - block.x < step - block.place ? s->n - block.x : step - block.place;
#if LANES == 4
        if (step == 2 && spread == 4 && block.n == 2 && s->rows == 2 && is_uniform(s, &block))
            slice_uniform(s, &block, &weights);
        else
#endif
            slice_block(s, &block, spread, &weights, cell, last_block);
        block.x += block.n;
        block.place = 0;
    }
}

#if LANES > 4
#include "kernels/lowrank/slice_pairs.h"

#include "kernels/lowrank/slice_listed.h"
#endif

/* The most frequent case: three bands. In a function with the others, it would have fewer registers
 * in some compilers. */
SEPARATE void slice_four_by_two(const CofiSlice *s)
{
#if LANES == 4
    slice_cells(s, 4, 2);
#else
    if (s->size <= 4 * MAX_PAIR_TERMS)
        slice_pairs(s);
    else
        slice_listed(s);
#endif
}

INLINE void slice_spread(const CofiSlice *s, int spread)
{
    if (s->step == 2 && spread == 4)
        slice_four_by_two(s);
    else if (s->step == 2)
        slice_cells(s, spread, 2);
    else
        slice_cells(s, spread, s->step);
}

void LEVEL(cofi_slice_rows)(const CofiSlice *s)
{
    assert(s->size > 0 && s->size % LANES == 0 && s->n >= 0);
    assert(s->step >= 1 && s->step <= COFI_MAX_STEP && s->rows >= 1 && s->rows <= s->step);
    if (s->spread == 4)
        slice_spread(s, 4);
    else if (s->spread == 2)
        slice_spread(s, 2);
    else if (FOR_EIGHT && s->spread == 8)
        slice_spread(s, 8);
    else
        slice_spread(s, s->spread);
}

INLINE void divide_pixels(const CofiDivide *d, int spread, int planes)
{
    enum { BLOCK = 64 };
    for (int first = 0; first < d->n; first += BLOCK) {
        int n = d->n - first < BLOCK ? d->n - first : BLOCK;
        const float *restrict pixels = d->pixels + (ptrdiff_t)first * spread;
        float *restrict sums = d->weights + first, inverse[BLOCK];
        uint8_t *restrict low = d->low + first;
        for (int i = 0; i < n; i++)
            sums[i] = pixels[i * spread];
        for (int i = 0; i < n; i++)
            inverse[i] = 1 / sums[i];
        for (int i = 0; i < n; i++)
            low[i] = (uint8_t) !(sums[i] > d->limit);
        for (int plane = 1; plane < planes; plane++) {
            float *restrict to = d->means[plane - 1] + first;
            for (int i = 0; i < n; i++)
                to[i] = pixels[i * spread + plane] * inverse[i];
        }
    }
}

/* Of weights and three bands, in one pass. */
static void divide_three(const float *restrict pixels, int n, float *restrict weights,
                         float *restrict first, float *restrict second, float *restrict third)
{
    int i = 0;
#if defined(TRANSPOSE)
    for (; i + 4 <= n; i += 4) {
        Vector rows[4], planes[4];
        UNROLL
        for (int j = 0; j < 4; j++)
            rows[j] = load(pixels + 4 * (i + j));
        transpose(rows, planes);
        Vector inverse = set1(1) / planes[0];
        store(weights + i, planes[0]);
        store(first + i, mul(planes[1], inverse));
        store(second + i, mul(planes[2], inverse));
        store(third + i, mul(planes[3], inverse));
    }
#endif
    for (; i < n; i++) {
        float weight = pixels[4 * i], inverse = 1 / weight;
        weights[i] = weight;
        first[i] = pixels[4 * i + 1] * inverse;
        second[i] = pixels[4 * i + 2] * inverse;
        third[i] = pixels[4 * i + 3] * inverse;
    }
}

static void mark_low(const float *restrict weights, int n, float limit, uint8_t *restrict low)
{
    for (int i = 0; i < n; i++)
        low[i] = (uint8_t) !(weights[i] > limit);
}

void LEVEL(cofi_divide_row)(const CofiDivide *d)
{
    assert(d->planes >= 1 && d->planes <= d->spread && d->n >= 0);
    if (d->spread == 4 && d->planes == 4) {
        divide_three(d->pixels, d->n, d->weights, d->means[0], d->means[1], d->means[2]);
        mark_low(d->weights, d->n, d->limit, d->low);
    } else {
        divide_pixels(d, d->spread, d->planes);
    }
}
