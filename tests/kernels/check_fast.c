/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks the fast filter's splat_row, blur_rows and slice_rows against the sums that they stand
 * for, in double precision. */
#include "kernels_check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cof/cof.h"

#define MAX_ROWS 16
#define MAX_STEP 4
#define MAX_LANES 16

/* A sum of n products in single precision is at most this far off, relative to the sum of their
 * sizes: each is rounded twice, and each partial sum once. */
static double tolerance(int n)
{
    return (n + 3) * 0x1p-24;
}

typedef struct Sum {
    double sum, size;
} Sum;

static void add(Sum *sum, double term)
{
    sum->sum += term;
    sum->size += fabs(term);
}

static float *random_row(Random *random, size_t n, float low, float high, Wall wall)
{
    float *row = guarded(n * sizeof *row, wall);
    for (size_t i = 0; i < n; i++)
        row[i] = random_between(random, low, high);
    return row;
}

static uint8_t *random_labels(Random *random, size_t n, Wall wall)
{
    uint8_t *labels = guarded(n, wall);
    uint32_t different = random_below(random, 2) ? 2 : COFI_FAST_LABELS;
    for (size_t i = 0; i < n; i++)
        labels[i] = i > 0 && random_below(random, 2) ? labels[i - 1]
                                                     : (uint8_t)random_below(random, different);
    return labels;
}

static bool near(float value, Sum want, int terms)
{
    return fabs((double)value - want.sum) <= tolerance(terms) * want.size;
}

/* The least power of two that holds the planes. */
static int spread_of(int planes)
{
    int spread = 2;
    while (spread < planes)
        spread *= 2;
    return spread;
}

static int size_of(int ranks, int spread, int cell)
{
    return (ranks * spread + cell - 1) / cell * cell;
}

static Sum splatted(const CofiSplat *g, int cell, int entry)
{
    Sum sum = {0};
    int plane = entry % g->spread;
    for (int i = 0; i < g->step * g->step && plane < g->planes; i++) {
        int x = cell * g->step + i % g->step;
        int label = g->labels[i / g->step][x];
        float own = entry / g->spread == label ? 1 : 0;
        float factor = g->factors ? g->factors[label * g->size + entry] : own;
        add(&sum, (double)factor * (double)g->values[i / g->step][plane * g->stride + x]);
    }
    return sum;
}

static void check_splat(const Level *level, Random *random, int n, int planes)
{
    bool each = random_below(random, 2); /* label is a term of its own */
    int ranks = each ? COFI_FAST_LABELS : 1 + (int)random_below(random, 9);
    int step = 1 + (int)random_below(random, MAX_STEP);
    int spread = spread_of(planes), size = size_of(ranks, spread, level->kernels.cell);
    Wall wall = random_below(random, 2) ? WALL_AFTER : WALL_BEFORE;
    size_t width = (size_t)(n * step), sums = (size_t)(n * size);
    size_t pixels = width * (size_t)(step * spread);
    size_t readable = (size_t)planes * width;
    if (masked_loads_fault())
        readable = (size_t)spread * width + MAX_LANES;
    const uint8_t *labels[MAX_STEP];
    const float *values[MAX_STEP];
    for (int i = 0; i < step; i++) {
        labels[i] = random_labels(random, width, wall);
        values[i] = random_row(random, readable, -100, 100, wall);
    }
    CofiSplat splat = {.factors =
                           random_row(random, (size_t)(COFI_FAST_LABELS * size), -1, 1, wall),
                       .size = size,
                       .spread = spread,
                       .planes = planes,
                       .step = step,
                       .n = n,
                       .labels = labels,
                       .values = values,
                       .stride = (ptrdiff_t)width,
                       .pixels = fenced(pixels * sizeof(float)),
                       .sums = fenced(sums * sizeof(float))};
    checking("%s splat_row: n %d, %d planes, %d ranks, step %d", level->name, n, planes, ranks,
             step);
    level->kernels.splat_row(&splat);
    for (int cell = 0; cell < n; cell++)
        for (int i = 0; i < size; i++)
            expect(near(splat.sums[cell * size + i], splatted(&splat, cell, i), step * step),
                   "is not the sum");
    expect(untouched(splat.sums, sums * sizeof(float)), "writes outside");
    expect(untouched(splat.pixels, pixels * sizeof(float)), "writes outside of its room");
    release();
}

/* Of row j and those below it. */
static void compare_blurred(const float *const *rows, const float *taps, int radius, int n, int j,
                            const float *blurred)
{
    for (int x = 0; x < n; x++) {
        Sum want = {0};
        for (int i = -radius; i <= radius; i++)
            add(&want, (double)taps[abs(i)] * (double)rows[j + radius + i][x]);
        expect(near(blurred[x], want, 2 * radius + 1), "is not the sum");
    }
}

static void check_blur(const Level *level, Random *random, int n)
{
    int radius = (int)random_below(random, (MAX_ROWS - COFI_BLURS) / 2 + 1);
    int parts = 1 + (int)random_below(random, 3), all = parts * n;
    Wall wall = random_below(random, 2) ? WALL_AFTER : WALL_BEFORE;
    size_t bytes = (size_t)all * sizeof(float);
    const float *rows[MAX_ROWS];
    float *blurred[COFI_BLURS];
    for (int i = 0; i < 2 * radius + COFI_BLURS; i++)
        rows[i] = random_row(random, (size_t)all, -100, 100, wall);
    for (int i = 0; i < COFI_BLURS; i++)
        blurred[i] = fenced(bytes);
    float *taps = random_row(random, (size_t)radius + 1, -1, 1, wall);
    taps[0] = 1;
    CofiBlur blur = {.taps = taps,
                     .radius = radius,
                     .n = n,
                     .parts = parts,
                     .part_stride = n,
                     .rows = rows,
                     .blurred = blurred};
    checking("%s blur_rows: n %d, %d parts, radius %d", level->name, n, parts, radius);
    level->kernels.blur_rows(&blur);
    for (int j = 0; j < COFI_BLURS; j++) {
        compare_blurred(rows, blur.taps, radius, all, j, blurred[j]);
        expect(untouched(blurred[j], bytes), "writes outside");
    }
    release();
}

static Sum sliced(const CofiSlice *s, int plane, int row, int x)
{
    Sum sum = {0};
    int cell = (s->first + x) / s->step;
    double right = (double)s->shares[(s->first + x) % s->step];
    double lower = (double)s->lower_shares[row];
    for (int entry = plane; entry < s->size; entry += s->spread) {
        double factor = (double)s->factors[s->labels[row][x] * s->size + entry];
        int left_at = cell * s->size + entry, right_at = left_at + s->size;
        add(&sum, factor * (1 - right) * (1 - lower) * (double)s->upper[left_at]);
        add(&sum, factor * right * (1 - lower) * (double)s->upper[right_at]);
        add(&sum, factor * (1 - right) * lower * (double)s->lower[left_at]);
        add(&sum, factor * right * lower * (double)s->lower[right_at]);
    }
    return sum;
}

static void compare_slices(const CofiSlice *s)
{
    int terms = 4 + s->size / s->spread;
    for (int row = 0; row < s->rows; row++)
        for (int x = 0; x < s->n; x++)
            for (int plane = 0; plane < s->spread; plane++)
                expect(near(s->pixels[row * s->stride + x * s->spread + plane],
                            sliced(s, plane, row, x), terms),
                       "is not the sum");
}

/* A pixel alone, as at the corner of a tile, must be what it is among others. */
static void compare_alone(const Level *level, const CofiSlice *s, int row, int x)
{
    int at = s->first + x, cell = at / s->step;
    const uint8_t *label = s->labels[row] + x;
    float pixel[2 * COF_MAX_BANDS];
    CofiSlice alone = *s;
    alone.n = alone.rows = 1;
    alone.first = at % s->step;
    alone.lower_shares = s->lower_shares + row;
    alone.upper = s->upper + cell * s->size;
    alone.lower = s->lower + cell * s->size;
    alone.labels = &label;
    alone.pixels = pixel;
    level->kernels.slice_rows(&alone);
    expect(memcmp(pixel, s->pixels + row * s->stride + x * s->spread,
                  (size_t)s->spread * sizeof *pixel) == 0,
           "depends on other pixels");
}

/* Clears some parts of the factors, and lists the others. */
static void clear_parts(Random *random, int cell, CofiSlice *s, float *factors)
{
    int stride = s->size / cell;
    uint16_t *parts = fenced((size_t)(COFI_FAST_LABELS * stride) * sizeof *parts);
    uint16_t *n_parts = fenced(COFI_FAST_LABELS * sizeof *n_parts);
    for (int label = 0; label < COFI_FAST_LABELS; label++) {
        n_parts[label] = 0;
        for (int at = 0; at < s->size; at += cell)
            if (random_below(random, 2))
                parts[label * stride + n_parts[label]++] = (uint16_t)at;
            else
                memset(factors + label * s->size + at, 0, (size_t)cell * sizeof *factors);
    }
    s->parts = parts;
    s->n_parts = n_parts;
}

static void check_slice(const Level *level, Random *random, int n, int planes)
{
    int ranks = 1 + (int)random_below(random, 20), step = 1 + (int)random_below(random, MAX_STEP);
    int spread = spread_of(planes), size = size_of(ranks, spread, level->kernels.cell);
    int first = (int)random_below(random, (uint64_t)step), cells = (first + n) / step + 2;
    int rows = 1 + (int)random_below(random, (uint64_t)step);
    Wall wall = random_below(random, 2) ? WALL_AFTER : WALL_BEFORE;
    int stride = n * spread + (int)random_below(random, 4);
    size_t row = (size_t)(cells * size), pixels = (size_t)(rows * stride);
    size_t corners = (size_t)(4 * COFI_FAST_LABELS * spread);
    const uint8_t *labels[MAX_STEP];
    for (int i = 0; i < rows; i++)
        labels[i] = random_labels(random, (size_t)n, wall);
    float *factors = random_row(random, (size_t)(COFI_FAST_LABELS * size), -1, 1, wall);
    CofiSlice slice = {.factors = factors,
                       .size = size,
                       .spread = spread,
                       .step = step,
                       .n = n,
                       .rows = rows,
                       .first = first,
                       .shares = random_row(random, (size_t)step, 0, 1, wall),
                       .lower_shares = random_row(random, (size_t)rows, 0, 1, wall),
                       .upper = random_row(random, row, -100, 100, wall),
                       .lower = random_row(random, row, -100, 100, wall),
                       .labels = labels,
                       .corners = fenced(corners * sizeof(float)),
                       .pixels = fenced(pixels * sizeof(float)),
                       .stride = stride};
    if (random_below(random, 2) && spread <= level->kernels.cell)
        clear_parts(random, level->kernels.cell, &slice, factors);
    checking("%s slice_rows: n %d, %d planes, %d ranks, step %d, %d rows, %s", level->name, n,
             planes, ranks, step, rows, slice.parts ? "parts" : "all");
    level->kernels.slice_rows(&slice);
    compare_slices(&slice);
    for (int y = 0; y < rows; y++)
        for (int x = 0; x < n; x++)
            compare_alone(level, &slice, y, x);
    expect(untouched(slice.pixels, pixels * sizeof(float)), "writes outside");
    expect(untouched(slice.corners, corners * sizeof(float)), "writes outside of its room");
    release();
}

static void check_divide(const Level *level, Random *random, int n, int planes)
{
    int spread = spread_of(planes);
    size_t bytes = (size_t)n * sizeof(float);
    Wall wall = random_below(random, 2) ? WALL_AFTER : WALL_BEFORE;
    const float *pixels = random_row(random, (size_t)(n * spread), 0.1f, 100, wall);
    float *weights = fenced(bytes), *means[COF_MAX_BANDS];
    for (int i = 0; i < planes - 1; i++)
        means[i] = fenced(bytes);
    checking("%s divide_row: n %d, %d planes", level->name, n, planes);
    float limit = random_between(random, 0, 100);
    uint8_t *low = fenced((size_t)n);
    CofiDivide divide = {pixels, spread, planes, n, limit, weights, means, low};
    level->kernels.divide_row(&divide);
    for (int x = 0; x < n; x++) {
        expect(weights[x] == pixels[x * spread], "is not the weight");
        expect(low[x] == (weights[x] <= limit), "a low weight is not marked, or another one is");
        for (int i = 0; i < planes - 1; i++) {
            double mean = (double)pixels[x * spread + 1 + i] / (double)weights[x];
            expect(fabs((double)means[i][x] - mean) <= 2 * 0x1p-23 * mean, "is not the mean");
        }
    }
    expect(untouched(weights, bytes) && untouched(low, (size_t)n), "writes outside");
    for (int i = 0; i < planes - 1; i++)
        expect(untouched(means[i], bytes), "writes outside");
    release();
}

void check_fast(const Level *level)
{
    Random random = {5};
    for (int n = 0; n <= 70; n++) {
        for (int planes = 1; planes <= 9; planes++) {
            check_splat(level, &random, n, planes);
            check_slice(level, &random, n, planes);
            check_divide(level, &random, n, planes);
        }
        check_blur(level, &random, n * level->kernels.cell);
    }
    check_splat(level, &random, 33, 1 + COF_MAX_BANDS);
    check_slice(level, &random, 33, 1 + COF_MAX_BANDS);
    check_divide(level, &random, 33, 1 + COF_MAX_BANDS);
}
