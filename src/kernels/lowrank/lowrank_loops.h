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

/* The number of vectors of a cell that are summed in one pass. */
#define MAX_VECTORS 4

/* Four values of a pixel, or two and zeros if it has no more. */
typedef float Four __attribute__((vector_size(16)));

INLINE Four four_at(const float *values, int spread)
{
    Four four = {0};
    memcpy(&four, values, spread > 2 ? sizeof four : sizeof four / 2);
    return four;
}

INLINE void set_four(float *values, Four four, int spread)
{
    memcpy(values, &four, spread > 2 ? sizeof four : sizeof four / 2);
}

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

/* A cell whose pixels have one label: these are added before they are multiplied. The sum replaces
 * the first of them. */
INLINE void splat_sum(const CofiSplat *g, int spread, int step, int cell, float *to)
{
    float *sums = pixel_of(g, spread, step, cell, 0);
    for (int i = 0; i<spread; i += spread> 2 ? 4 : 2) {
        Four sum = {0};
        for (int row = 0; row < step; row++)
            for (int x = 0; x < step; x++)
                sum += four_at(pixel_of(g, spread, step, cell, row) + x * spread + i, spread);
        set_four(sums + i, sum, spread);
    }
    const float *factors = g->factors + g->labels[0][cell * step] * g->size;
    Vector values = values_of(sums, spread, 0);
    for (int i = 0; i < g->size; i += LANES) {
        if (spread > LANES)
            values = load(sums + i % spread);
        store(to + i, mul(load(factors + i), values));
    }
}

/* Sums vectors first..first+vectors-1 of cells. */
INLINE void splat_vectors(const CofiSplat *g, int spread, int step, int first_cell, int last_cell,
                          int first, int vectors)
{
    int size = g->size;
    const float *factors = g->factors + first * LANES;
    float *to = g->sums + (ptrdiff_t)first_cell * size + first * LANES;
    for (int cell = first_cell; cell < last_cell; cell++, to += size) {
        Vector sums[MAX_VECTORS];
        for (int i = 0; i < vectors; i++)
            sums[i] = set1(0);
        for (int row = 0; row < step; row++) {
            const uint8_t *labels = g->labels[row] + cell * step;
            const float *pixel = pixel_of(g, spread, step, cell, row);
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

INLINE void splat_range(const CofiSplat *g, int spread, int step, int first_cell, int last_cell)
{
    int vectors = g->size / LANES, first = 0;
    for (; first + 4 <= vectors; first += 4)
        splat_vectors(g, spread, step, first_cell, last_cell, first, 4);
    if (vectors - first == 3)
        splat_vectors(g, spread, step, first_cell, last_cell, first, 3);
    else if (vectors - first == 2)
        splat_vectors(g, spread, step, first_cell, last_cell, first, 2);
    else if (vectors - first == 1)
        splat_vectors(g, spread, step, first_cell, last_cell, first, 1);
}

/* With vectors that hold the sums of a cell in a few registers, a branch for cells with one label
 * would take longer than what it saves. */
INLINE void splat_cells(const CofiSplat *g, int spread, int step)
{
    if (LANES > 4) {
        splat_range(g, spread, step, 0, g->n);
        return;
    }
    for (int cell = 0; cell < g->n; cell++)
        if (one_label(g, step, cell))
            splat_sum(g, spread, step, cell, g->sums + (ptrdiff_t)cell * g->size);
        else
            splat_range(g, spread, step, cell, cell + 1);
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
INLINE void blur_part(const CofiBlur *b, int radius, ptrdiff_t from, ptrdiff_t to)
{
    for (ptrdiff_t x = from; x < to; x += LANES)
        for (int i = 0; i < COFI_BLURS; i++) {
            Vector sum = mul(set1(b->taps[0]), load(b->rows[i + radius] + x));
            for (int d = 1; d <= radius; d++)
                sum = fma_add(set1(b->taps[d]),
                              load(b->rows[i + radius - d] + x) + load(b->rows[i + radius + d] + x),
                              sum);
            store(b->blurred[i] + x, sum);
        }
}

/* For a usual radius, all rows are loaded once, into registers. */
INLINE void blur_in_registers(const CofiBlur *b, int radius)
{
    enum { MAX_RADIUS = 4 };
    const float *rows[2 * MAX_RADIUS + COFI_BLURS];
    float *blurred[COFI_BLURS];
    Vector taps[MAX_RADIUS + 1];
    for (int row = 0; row < 2 * radius + COFI_BLURS; row++)
        rows[row] = b->rows[row];
    for (int i = 0; i < COFI_BLURS; i++)
        blurred[i] = b->blurred[i];
    for (int d = 0; d <= radius; d++)
        taps[d] = set1(b->taps[d]);
    for (int part = 0; part < b->parts; part++) {
        ptrdiff_t from = part * b->part_stride;
        for (ptrdiff_t x = from; x < from + b->n; x += LANES) {
            Vector values[2 * MAX_RADIUS + COFI_BLURS];
            UNROLL
            for (int row = 0; row < 2 * radius + COFI_BLURS; row++)
                values[row] = load(rows[row] + x);
            UNROLL
            for (int i = 0; i < COFI_BLURS; i++) {
                Vector sum = mul(taps[0], values[i + radius]);
                UNROLL
                for (int d = 1; d <= radius; d++)
                    sum = fma_add(taps[d], values[i + radius - d] + values[i + radius + d], sum);
                store(blurred[i] + x, sum);
            }
        }
    }
}

void LEVEL(cofi_blur_rows)(const CofiBlur *b)
{
    assert(b->radius >= 0 && b->n % LANES == 0);
    if (b->radius == 3)
        blur_in_registers(b, 3);
    else if (b->radius == 4)
        blur_in_registers(b, 4);
    else if (b->radius == 2)
        blur_in_registers(b, 2);
    else
        for (int part = 0; part < b->parts; part++)
            blur_part(b, b->radius, part * b->part_stride, part * b->part_stride + b->n);
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

/* Multiplies vectors first, first + step, ... of the cells by the factors of a label. Two sums of
 * each are added up in turn, since each waits for the one before. */
INLINE void sum_corners(const float *factors, const Cells *cells, int size, int first, int step,
                        Vector sums[4])
{
    Vector odd[4];
    UNROLL
    for (int corner = 0; corner < 4; corner++)
        sums[corner] = odd[corner] = set1(0);
    int i = first;
    for (; i + step < size; i += 2 * step) {
        add_products(factors, cells, i, sums);
        add_products(factors, cells, i + step, odd);
    }
    if (i < size)
        add_products(factors, cells, i, sums);
    UNROLL
    for (int corner = 0; corner < 4; corner++)
        sums[corner] = sums[corner] + odd[corner];
}

/* The values of a label at the four cells. */
INLINE void find_corners(const float *factors, const Cells *cells, int size, int spread,
                         float *corners)
{
    int step = spread > LANES ? spread : LANES;
    for (int part = 0; part < step; part += LANES) {
        Vector sums[4];
        sum_corners(factors, cells, size, part, step, sums);
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
    return s->pixels + ((ptrdiff_t)row * s->n + block->x) * spread;
}

/* Pixels of one label share the products with the cells. `last_block` is where each label was seen
 * last. */
INLINE void slice_block(const CofiSlice *s, const Block *block, int spread,
                        const CornerWeights *weights, int number, int *last_block)
{
    for (int row = 0; row < s->rows; row++) {
        const uint8_t *labels = s->labels[row] + block->x;
        float *pixel = pixel_at(s, block, spread, row);
        for (int i = 0; i < block->n; i++, pixel += spread) {
            float *corners = s->corners + labels[i] * 4 * spread;
            if (last_block[labels[i]] != number) {
                last_block[labels[i]] = number;
                find_corners(s->factors + labels[i] * s->size, &block->cells, s->size, spread,
                             corners);
            }
            interpolate(corners, weights->of[row][block->place + i], spread, pixel);
        }
    }
}

INLINE bool is_uniform(const CofiSlice *s, const Block *block)
{
    const uint8_t *upper = s->labels[0] + block->x, *lower = s->labels[1] + block->x;
    return !((upper[0] ^ upper[1]) | (upper[0] ^ lower[0]) | (upper[0] ^ lower[1]));
}

/* Interpolates two by two pixels of four values, which have the same values at the four cells. */
#if LANES == 4
INLINE void store_uniform(const Vector corners[4], const CornerWeights *weights, float *upper,
                          float *lower)
{
    UNROLL
    for (int i = 0; i < 4; i++) {
        const float *of = weights->of[i / 2][i % 2];
        Vector left = mul(set1(of[0]), corners[0]) + mul(set1(of[2]), corners[2]);
        Vector right = mul(set1(of[1]), corners[1]) + mul(set1(of[3]), corners[3]);
        store((i < 2 ? upper : lower) + i % 2 * 4, left + right);
    }
}
#elif LANES == 8
INLINE Vector fold_two(Vector a, Vector b)
{
    return _mm256_permute2f128_ps(a, b, 0x20) + _mm256_permute2f128_ps(a, b, 0x31);
}

INLINE Vector two_weights(float a, float b)
{
    return _mm256_setr_m128(_mm_set1_ps(a), _mm_set1_ps(b));
}

INLINE void store_uniform(const Vector sums[4], const CornerWeights *weights, float *upper,
                          float *lower)
{
    Vector above = fold_two(sums[0], sums[1]), below = fold_two(sums[2], sums[3]), pixels[4];
    UNROLL
    for (int i = 0; i < 4; i++) {
        const float *of = weights->of[i / 2][i % 2];
        pixels[i] = two_weights(of[0], of[1]) * above + two_weights(of[2], of[3]) * below;
    }
    store(upper, fold_two(pixels[0], pixels[1]));
    store(lower, fold_two(pixels[2], pixels[3]));
}
#else
INLINE Vector fold_quarters(const Vector v[4])
{
    Vector a = _mm512_shuffle_f32x4(v[0], v[1], 0x44) + _mm512_shuffle_f32x4(v[0], v[1], 0xee);
    Vector b = _mm512_shuffle_f32x4(v[2], v[3], 0x44) + _mm512_shuffle_f32x4(v[2], v[3], 0xee);
    return _mm512_shuffle_f32x4(a, b, 0x88) + _mm512_shuffle_f32x4(a, b, 0xdd);
}

INLINE void store_uniform(const Vector sums[4], const CornerWeights *weights, float *upper,
                          float *lower)
{
    static const int spread_out[16] = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3};
    Vector corners = fold_quarters(sums), pixels[4];
    UNROLL
    for (int i = 0; i < 4; i++) {
        __m512 of = _mm512_castps128_ps512(_mm_loadu_ps(weights->of[i / 2][i % 2]));
        pixels[i] = _mm512_permutexvar_ps(_mm512_loadu_si512(spread_out), of) * corners;
    }
    Vector folded = fold_quarters(pixels);
    _mm256_storeu_ps(upper, _mm512_castps512_ps256(folded));
    _mm256_storeu_ps(lower, _mm512_extractf32x8_ps(folded, 1));
}
#endif

/* As slice_block(), for two by two pixels of one label: the most frequent case, without branches
 * and without scratch. */
INLINE void slice_uniform(const CofiSlice *s, const Block *block, const CornerWeights *weights)
{
    Vector sums[4];
    int label = s->labels[0][block->x];
    sum_corners(s->factors + label * s->size, &block->cells, s->size, 0, LANES, sums);
    store_uniform(sums, weights, pixel_at(s, block, 4, 0), pixel_at(s, block, 4, 1));
}

INLINE void slice_cells(const CofiSlice *s, int spread, int step)
{
    CornerWeights weights;
    int last_block[COFI_FEW_LABELS];
    memset(last_block, -1, sizeof last_block);
    weigh_corners(s, step, &weights);
    Block block = {.place = s->first};
    for (int cell = 0; block.x < s->n; cell++) {
        const float *upper = s->upper + (ptrdiff_t)cell * s->size;
        const float *lower = s->lower + (ptrdiff_t)cell * s->size;
        block.cells = (Cells){{upper, upper + s->size, lower, lower + s->size}};
        block.n = s->n - block.x < step - block.place ? s->n - block.x : step - block.place;
        if (step == 2 && spread == 4 && block.n == 2 && s->rows == 2 && is_uniform(s, &block))
            slice_uniform(s, &block, &weights);
        else
            slice_block(s, &block, spread, &weights, cell, last_block);
        block.x += block.n;
        block.place = 0;
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
