/* SPDX-License-Identifier: BSD-2-Clause */
/* Splats, blurs and slices a row of the fast filter. A vector holds sums of one cell, so the
 * factors of a label are consecutive. Each level includes this file after its vectors and after it
 * has defined
 *
 *     LEVEL(name)    the name of a kernel at this level
 */
#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "kernels/inline.h"
#include "kernels/kernels.h"

/* Sums the lanes of four vectors, which become `spread` values each. */
#if !defined(FOLD_CORNERS)
INLINE void fold_corners(const Vector *sums, int spread, float *to)
{
    for (int i = 0; i < 4; i++)
        add_folded(sums[i], spread, true, to + i * spread);
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

/* Consecutive pixels of one label in a row of a cell, or all pixels of a cell. */
typedef struct Run {
    const float *factors;
    const float *values; /* the sum over the pixels, in the place of the first */
} Run;

#define MAX_RUNS (COFI_MAX_STEP * COFI_MAX_STEP)

typedef struct Runs {
    int n;
    Run runs[MAX_RUNS];
} Runs;

INLINE bool one_label(const CofiSplat *g, int step, int cell)
{
    uint8_t label = g->labels[0][cell * step], differ = 0;
    for (int row = 0; row < step; row++)
        for (int x = 0; x < step; x++)
            differ |= g->labels[row][cell * step + x] ^ label;
    return differ == 0;
}

INLINE float *pixel_of(const CofiSplat *g, int spread, int step, int cell, int row)
{
    return g->pixels + (ptrdiff_t)(row * g->n + cell) * step * spread;
}

/* Adds values that are multiplied by the same factors. */
INLINE void find_runs(const CofiSplat *g, int spread, int step, int cell, Runs *runs)
{
    if (one_label(g, step, cell)) {
        float *sums = pixel_of(g, spread, step, cell, 0);
        for (int i = 0; i < spread; i++) {
            float sum = 0;
            for (int row = 0; row < step; row++)
                for (int x = 0; x < step; x++)
                    sum += pixel_of(g, spread, step, cell, row)[x * spread + i];
            sums[i] = sum;
        }
        runs->runs[0] = (Run){g->factors + g->labels[0][cell * step] * g->size, sums};
        runs->n = 1;
        return;
    }
    runs->n = 0;
    for (int row = 0; row < step; row++) {
        const uint8_t *labels = g->labels[row] + cell * step;
        const float *pixel = pixel_of(g, spread, step, cell, row);
        for (int x = 0; x < step; x++)
            runs->runs[runs->n++] = (Run){g->factors + labels[x] * g->size, pixel + x * spread};
    }
}

/* Sums vectors first..first+vectors-1 of a cell. */
INLINE void splat_vectors(const Runs *runs, int spread, int first, int vectors, float *to)
{
    Vector sums[MAX_VECTORS];
    for (int i = 0; i < vectors; i++)
        sums[i] = set1(0);
    for (int run = 0; run < runs->n; run++) {
        const float *factors = runs->runs[run].factors + first * LANES;
        const float *values = runs->runs[run].values;
        for (int i = 0; i < vectors; i++)
            sums[i] =
                fma_add(load(factors + i * LANES), values_of(values, spread, first + i), sums[i]);
    }
    for (int i = 0; i < vectors; i++)
        store(to + (first + i) * LANES, sums[i]);
}

INLINE void splat_cells(const CofiSplat *g, int spread, int step)
{
    int vectors = g->size / LANES;
    Runs runs;
    for (int cell = 0; cell < g->n; cell++) {
        float *to = g->sums + (ptrdiff_t)cell * g->size;
        int first = 0;
        find_runs(g, spread, step, cell, &runs);
        for (; first + MAX_VECTORS <= vectors; first += MAX_VECTORS)
            splat_vectors(&runs, spread, first, MAX_VECTORS, to);
        for (; first < vectors; first++)
            splat_vectors(&runs, spread, first, 1, to);
    }
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
    assert(g->size > 0 && g->size % LANES == 0 && g->step >= 1 && g->n >= 0);
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

/* Rows at the same distance have the same tap, and are added before they are multiplied. */
INLINE void blur_with(const float *const *rows, const float *taps, int radius, int n,
                      float *const *blurred)
{
    for (int x = 0; x < n; x += LANES)
        for (int i = 0; i < COFI_BLURS; i++) {
            Vector sum = mul(set1(taps[0]), load(rows[i + radius] + x));
            for (int d = 1; d <= radius; d++)
                sum = fma_add(set1(taps[d]),
                              load(rows[i + radius - d] + x) + load(rows[i + radius + d] + x), sum);
            store(blurred[i] + x, sum);
        }
}

/* For a usual radius, all rows are loaded once, into registers. */
INLINE void blur_in_registers(const float *const *rows, const float *taps, int radius, int n,
                              float *const *blurred)
{
    enum { MAX_RADIUS = 3 };
    const float *from[2 * MAX_RADIUS + COFI_BLURS];
    float *to[COFI_BLURS];
    Vector factors[MAX_RADIUS + 1];
    for (int d = 0; d <= radius; d++)
        factors[d] = set1(taps[d]);
    for (int row = 0; row < 2 * radius + COFI_BLURS; row++)
        from[row] = rows[row];
    for (int i = 0; i < COFI_BLURS; i++)
        to[i] = blurred[i];
    for (int x = 0; x < n; x += LANES) {
        Vector values[2 * MAX_RADIUS + COFI_BLURS];
        for (int row = 0; row < 2 * radius + COFI_BLURS; row++)
            values[row] = load(from[row] + x);
        for (int i = 0; i < COFI_BLURS; i++) {
            Vector sum = mul(factors[0], values[i + radius]);
            for (int d = 1; d <= radius; d++)
                sum = fma_add(factors[d], values[i + radius - d] + values[i + radius + d], sum);
            store(to[i] + x, sum);
        }
    }
}

void LEVEL(cofi_blur_rows)(const float *const *rows, const float *taps, int radius, int n,
                           float *const *blurred)
{
    assert(radius >= 0 && n % LANES == 0);
    if (radius == 3)
        blur_in_registers(rows, taps, 3, n, blurred);
    else if (radius == 2)
        blur_in_registers(rows, taps, 2, n, blurred);
    else
        blur_with(rows, taps, radius, n, blurred);
}

/* The four cells around some pixels. */
typedef struct Cells {
    const float *at[4]; /* upper left and right, lower left and right */
} Cells;

INLINE void add_products(const float *factors, const Cells *cells, int i, Vector sums[4])
{
    Vector factor = load(factors + i);
    UNROLL
    for (int corner = 0; corner < 4; corner++)
        sums[corner] = fma_add(factor, load(cells->at[corner] + i), sums[corner]);
}

/* Multiplies the cells by the factors of a label. Two sums of each are added up in turn, since each
 * waits for the one before. */
INLINE void find_corners(const float *factors, const Cells *cells, int size, int spread,
                         float *corners)
{
    int step = spread > LANES ? spread : LANES;
    for (int part = 0; part < step; part += LANES) {
        Vector zero = set1(0), sums[4] = {zero, zero, zero, zero},
               odd[4] = {zero, zero, zero, zero};
        int i = part;
        for (; i + step < size; i += 2 * step) {
            add_products(factors, cells, i, sums);
            add_products(factors, cells, i + step, odd);
        }
        if (i < size)
            add_products(factors, cells, i, sums);
        UNROLL
        for (int corner = 0; corner < 4; corner++)
            sums[corner] = sums[corner] + odd[corner];
        fold_corners(sums, spread, corners + part);
    }
}

INLINE void interpolate(const float *corners, const float *weights, int spread,
                        float *restrict pixel)
{
    for (int i = 0; i < spread; i++) {
        float upper = weights[0] * corners[i] + weights[1] * corners[spread + i];
        float lower = weights[2] * corners[2 * spread + i] + weights[3] * corners[3 * spread + i];
        pixel[i] = upper + lower;
    }
}

/* Pixels of one label between the same four cells share the products with these cells. */
INLINE void slice_cells(const CofiSlice *s, int spread, int step)
{
    float weights[COFI_MAX_STEP][COFI_MAX_STEP][4];
    int last_cell[COFI_FEW_LABELS], size = s->size, n = s->n, rows = s->rows;
    memset(last_cell, -1, sizeof last_cell);
    for (int row = 0; row < rows; row++)
        for (int place = 0; place < step; place++) {
            float right = s->shares[place], below = s->lower_shares[row];
            weights[row][place][0] = (1 - right) * (1 - below);
            weights[row][place][1] = right * (1 - below);
            weights[row][place][2] = (1 - right) * below;
            weights[row][place][3] = right * below;
        }
    for (int x = 0, cell = 0, place = s->first; x < n; x += step - place, place = 0, cell++) {
        const float *upper = s->upper + (ptrdiff_t)cell * size;
        const float *lower = s->lower + (ptrdiff_t)cell * size;
        Cells cells = {{upper, upper + size, lower, lower + size}};
        int count = n - x < step - place ? n - x : step - place;
        for (int row = 0; row < rows; row++) {
            const uint8_t *labels = s->labels[row] + x;
            float *pixel = s->pixels + ((ptrdiff_t)row * n + x) * spread;
            for (int i = 0; i < count; i++, pixel += spread) {
                float *corners = s->corners + labels[i] * 4 * spread;
                if (last_cell[labels[i]] != cell) {
                    last_cell[labels[i]] = cell;
                    find_corners(s->factors + labels[i] * size, &cells, size, spread, corners);
                }
                interpolate(corners, weights[row][place + i], spread, pixel);
            }
        }
    }
}

INLINE void slice_spread(const CofiSlice *s, int spread)
{
    if (s->step == 2)
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
    else if (s->spread == 8)
        slice_spread(s, 8);
    else
        slice_spread(s, s->spread);
}

INLINE void divide_pixels(const float *row, int spread, int planes, int width, float *weights,
                          float *const *means)
{
    enum { BLOCK = 64 };
    for (int first = 0; first < width; first += BLOCK) {
        int n = width - first < BLOCK ? width - first : BLOCK;
        const float *restrict pixels = row + (ptrdiff_t)first * spread;
        float *restrict sums = weights + first, inverse[BLOCK];
        for (int i = 0; i < n; i++)
            sums[i] = pixels[i * spread];
        for (int i = 0; i < n; i++)
            inverse[i] = 1 / sums[i];
        for (int plane = 1; plane < planes; plane++) {
            float *restrict to = means[plane - 1] + first;
            for (int i = 0; i < n; i++)
                to[i] = pixels[i * spread + plane] * inverse[i];
        }
    }
}

/* Of weights and three bands, in one pass. */
static void divide_three(const float *restrict pixels, int n, float *restrict weights,
                         float *restrict first, float *restrict second, float *restrict third)
{
    for (int i = 0; i < n; i++) {
        float weight = pixels[4 * i], inverse = 1 / weight;
        weights[i] = weight;
        first[i] = pixels[4 * i + 1] * inverse;
        second[i] = pixels[4 * i + 2] * inverse;
        third[i] = pixels[4 * i + 3] * inverse;
    }
}

void LEVEL(cofi_divide_row)(const float *pixels, int spread, int planes, int n, float *weights,
                            float *const *means)
{
    assert(planes >= 1 && planes <= spread && n >= 0);
    if (spread == 4 && planes == 4)
        divide_three(pixels, n, weights, means[0], means[1], means[2]);
    else
        divide_pixels(pixels, spread, planes, n, weights, means);
}
