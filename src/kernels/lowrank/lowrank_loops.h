/* SPDX-License-Identifier: BSD-2-Clause */
/* Splats, blurs and slices a row of the fast filter. A vector holds sums of one cell, so the
 * factors of a label are consecutive. Each level includes this file after its vectors and after it
 * has defined
 *
 *     LEVEL(name)    the name of a kernel at this level
 */
#include <assert.h>
#include <stdbool.h>

#include "kernels/kernels.h"

#define INLINE static inline __attribute__((always_inline))

/* As add_folded(), for two adjacent pixels. */
#if !defined(FOLD_PAIRS)
INLINE void add_folded_pair(Vector one, Vector two, int spread, int fresh, float *to)
{
    add_folded(one, spread, fresh, to);
    add_folded(two, spread, fresh, to + spread);
}
#endif

/* The number of vectors of a cell that are summed in one pass. */
#define MAX_VECTORS 4

/* Interleaves the planes of n pixels; values without a plane become 0. */
INLINE void interleave(const float *planes, ptrdiff_t stride, int n_planes, int spread, int n,
                       float *restrict pixels)
{
    for (int i = 0; i < n; i++)
        for (int plane = 0; plane < spread; plane++)
            pixels[i * spread + plane] = plane < n_planes ? planes[plane * stride + i] : 0;
}

/* The values by which a vector of a cell is multiplied. */
INLINE Vector values_of(const float *pixel, int spread, int vector)
{
    return spread < LANES ? load_spread(pixel, spread) : load(pixel + vector * LANES % spread);
}

/* Sums vectors first..first+vectors-1 of a row of cells. */
INLINE void splat_vectors(const CofiSplat *g, int spread, int step, int first, int vectors)
{
    int size = g->size, n = g->n;
    const float *factors = g->factors + first * LANES, *pixels = g->pixels;
    float *to = g->sums + first * LANES;
    for (int cell = 0; cell < n; cell++, to += size) {
        Vector sums[MAX_VECTORS];
        for (int i = 0; i < vectors; i++)
            sums[i] = set1(0);
        for (int row = 0; row < step; row++) {
            const uint8_t *labels = g->labels[row] + cell * step;
            const float *pixel = pixels + (ptrdiff_t)(row * n + cell) * step * spread;
            for (int x = 0; x < step; x++, pixel += spread) {
                const float *from = factors + labels[x] * size;
                for (int i = 0; i < vectors; i++)
                    sums[i] = fma_add(load(from + i * LANES), values_of(pixel, spread, first + i),
                                      sums[i]);
            }
        }
        for (int i = 0; i < vectors; i++)
            store(to + i * LANES, sums[i]);
    }
}

INLINE void splat_cells(const CofiSplat *g, int spread, int step)
{
    int vectors = g->size / LANES, first = 0;
    for (; first + 4 <= vectors; first += 4)
        splat_vectors(g, spread, step, first, 4);
    if (vectors - first == 3)
        splat_vectors(g, spread, step, first, 3);
    else if (vectors - first == 2)
        splat_vectors(g, spread, step, first, 2);
    else if (vectors - first == 1)
        splat_vectors(g, spread, step, first, 1);
}

INLINE void splat_spread(const CofiSplat *g, int spread)
{
    int width = g->step * g->n;
    for (int row = 0; row < g->step; row++) {
        float *pixels = g->pixels + (ptrdiff_t)row * width * spread;
        if (spread == 4 && g->planes == 4)
            interleave(g->values[row], g->stride, 4, 4, width, pixels);
        else
            interleave(g->values[row], g->stride, g->planes, spread, width, pixels);
    }
    if (g->step == 2)
        splat_cells(g, spread, 2);
    else
        splat_cells(g, spread, g->step);
}

void LEVEL(cofi_splat_row)(const CofiSplat *g)
{
    assert(g->size > 0 && g->size % COFI_CELL == 0 && g->step >= 1 && g->n >= 0);
    assert(g->planes >= 1 && g->planes <= g->spread);
    if (g->spread == 4)
        splat_spread(g, 4);
    else if (g->spread == 2)
        splat_spread(g, 2);
    else if (g->spread == 8)
        splat_spread(g, 8);
    else
        splat_spread(g, g->spread);
}

/* Loads each row once and adds it to all sums that contain it. */
INLINE void blur_with(const float *const *rows, const float *taps, int n_taps, int n,
                      float *const *blurred)
{
    for (int x = 0; x < n; x += LANES) {
        Vector sums[COFI_BLURS];
        for (int i = 0; i < COFI_BLURS; i++)
            sums[i] = set1(0);
        for (int row = 0; row < n_taps + COFI_BLURS - 1; row++) {
            Vector value = load(rows[row] + x);
            for (int i = 0; i < COFI_BLURS; i++)
                if (row - i >= 0 && row - i < n_taps)
                    sums[i] = fma_add(set1(taps[row - i]), value, sums[i]);
        }
        for (int i = 0; i < COFI_BLURS; i++)
            store(blurred[i] + x, sums[i]);
    }
}

/* For the usual numbers of taps, the number is a constant, so that the taps stay in registers. */
void LEVEL(cofi_blur_rows)(const float *const *rows, const float *taps, int n_taps, int n,
                           float *const *blurred)
{
    assert(n_taps >= 1 && n % COFI_CELL == 0);
    if (n_taps == 7)
        blur_with(rows, taps, 7, n, blurred);
    else if (n_taps == 9)
        blur_with(rows, taps, 9, n, blurred);
    else
        blur_with(rows, taps, n_taps, n, blurred);
}

/* Interpolates between a cell of the upper row and the cell below it. */
INLINE void mix_cells(const CofiSlice *s, ptrdiff_t at, int vectors, Vector *mixed)
{
    Vector share = set1(s->lower_share);
    for (int i = 0; i < vectors; i++) {
        Vector upper = load(s->upper + at + i * LANES), lower = load(s->lower + at + i * LANES);
        mixed[i] = fma_add(share, lower - upper, upper);
    }
}

/* Interpolates between a cell and the next, and multiplies by the factors of the label. */
INLINE Vector slice_pixel(const float *factors, Vector share, const Vector *left,
                          const Vector *growth, int vectors)
{
    Vector sum = mul(load(factors), fma_add(share, growth[0], left[0]));
    for (int i = 1; i < vectors; i++)
        sum = fma_add(load(factors + i * LANES), fma_add(share, growth[i], left[i]), sum);
    return sum;
}

/* Adds what vectors first..first+vectors-1 contribute to the pixels. */
INLINE void slice_vectors(const CofiSlice *s, int spread, int step, int first, int vectors)
{
    Vector left[MAX_VECTORS], right[MAX_VECTORS], growth[MAX_VECTORS];
    int size = s->size, n = s->n;
    ptrdiff_t at = (ptrdiff_t)first * LANES;
    const float *factors = s->factors + at, *shares = s->shares;
    const uint8_t *labels = s->labels;
    float *sums = s->pixels + (spread > LANES ? at % spread : 0);
    bool fresh = at < spread;
    mix_cells(s, at, vectors, left);
    for (int x = 0, place = s->first; x < n; place = 0) {
        at += size;
        mix_cells(s, at, vectors, right);
        for (int i = 0; i < vectors; i++)
            growth[i] = right[i] - left[i];
        if (step == 2 && place == 0 && x + 1 < n) {
            Vector one =
                slice_pixel(factors + labels[x] * size, set1(shares[0]), left, growth, vectors);
            Vector two =
                slice_pixel(factors + labels[x + 1] * size, set1(shares[1]), left, growth, vectors);
            add_folded_pair(one, two, spread, fresh, sums + (ptrdiff_t)x * spread);
            x += 2;
        } else {
            for (; place < step && x < n; place++, x++) {
                Vector sum = slice_pixel(factors + labels[x] * size, set1(shares[place]), left,
                                         growth, vectors);
                add_folded(sum, spread, fresh, sums + (ptrdiff_t)x * spread);
            }
        }
        for (int i = 0; i < vectors; i++)
            left[i] = right[i];
    }
}

INLINE void divide_pixels(const CofiSlice *s, int spread, int planes)
{
    enum { BLOCK = 64 };
    for (int first = 0; first < s->n; first += BLOCK) {
        int n = s->n - first < BLOCK ? s->n - first : BLOCK;
        const float *restrict pixels = s->pixels + (ptrdiff_t)first * spread;
        float *restrict weights = s->weights + first, inverse[BLOCK];
        for (int i = 0; i < n; i++)
            weights[i] = pixels[i * spread];
        for (int i = 0; i < n; i++)
            inverse[i] = 1 / weights[i];
        for (int plane = 1; plane < planes; plane++) {
            float *restrict means = s->means[plane - 1] + first;
            for (int i = 0; i < n; i++)
                means[i] = pixels[i * spread + plane] * inverse[i];
        }
    }
}

/* Vectors that are at least as wide as a pixel are added before their lanes are summed. */
INLINE void slice_cells(const CofiSlice *s, int spread, int step)
{
    int vectors = s->size / LANES, first = 0;
    for (; spread <= LANES && first + 4 <= vectors; first += 4)
        slice_vectors(s, spread, step, first, 4);
    if (spread <= LANES && vectors - first == 3)
        slice_vectors(s, spread, step, first, 3);
    else if (spread <= LANES && vectors - first == 2)
        slice_vectors(s, spread, step, first, 2);
    else
        for (; first < vectors; first++)
            slice_vectors(s, spread, step, first, 1);
}

INLINE void slice_spread(const CofiSlice *s, int spread)
{
    if (s->step == 2)
        slice_cells(s, spread, 2);
    else
        slice_cells(s, spread, s->step);
    if (spread == 4 && s->planes == 4)
        divide_pixels(s, 4, 4);
    else
        divide_pixels(s, spread, s->planes);
}

void LEVEL(cofi_slice_row)(const CofiSlice *s)
{
    assert(s->size > 0 && s->size % COFI_CELL == 0 && s->step >= 1 && s->n >= 0);
    assert(s->planes >= 1 && s->planes <= s->spread);
    if (s->spread == 4)
        slice_spread(s, 4);
    else if (s->spread == 2)
        slice_spread(s, 2);
    else if (s->spread == 8)
        slice_spread(s, 8);
    else
        slice_spread(s, s->spread);
}
