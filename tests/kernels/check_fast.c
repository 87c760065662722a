/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks the fast filter's splat_row, blur_rows and slice_row against the sums that they stand
 * for, in double precision. */
#include "kernels_check.h"

#include <math.h>
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
    for (size_t i = 0; i < n; i++)
        labels[i] = (uint8_t)random_below(random, COFI_FEW_LABELS);
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

static int size_of(int ranks, int spread)
{
    return (ranks * spread + COFI_CELL - 1) / COFI_CELL * COFI_CELL;
}

static Sum splatted(const CofiSplat *g, int cell, int entry)
{
    Sum sum = {0};
    int plane = entry % g->spread;
    for (int i = 0; i < g->step * g->step && plane < g->planes; i++) {
        int x = cell * g->step + i % g->step;
        const float *factors = g->factors + g->labels[i / g->step][x] * g->size;
        add(&sum, (double)factors[entry] * (double)g->values[i / g->step][plane * g->stride + x]);
    }
    return sum;
}

static void check_splat(const Level *level, Random *random, int n, int planes)
{
    int ranks = 1 + (int)random_below(random, 9), step = 1 + (int)random_below(random, MAX_STEP);
    int spread = spread_of(planes), size = size_of(ranks, spread);
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
    CofiSplat splat = {.factors = random_row(random, (size_t)(COFI_FEW_LABELS * size), -1, 1, wall),
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
static void compare_blurred(const float *const *rows, const float *taps, int n_taps, int n, int j,
                            const float *blurred)
{
    for (int x = 0; x < n; x++) {
        Sum want = {0};
        for (int i = 0; i < n_taps; i++)
            add(&want, (double)taps[i] * (double)rows[i + j][x]);
        expect(near(blurred[x], want, n_taps), "is not the sum");
    }
}

static void check_blur(const Level *level, Random *random, int n)
{
    int n_taps = 1 + (int)random_below(random, MAX_ROWS - COFI_BLURS);
    Wall wall = random_below(random, 2) ? WALL_AFTER : WALL_BEFORE;
    size_t bytes = (size_t)n * sizeof(float);
    const float *taps = random_row(random, (size_t)n_taps, -1, 1, wall);
    const float *rows[MAX_ROWS];
    float *blurred[COFI_BLURS];
    for (int i = 0; i < n_taps + COFI_BLURS - 1; i++)
        rows[i] = random_row(random, (size_t)n, -100, 100, wall);
    for (int i = 0; i < COFI_BLURS; i++)
        blurred[i] = fenced(bytes);
    checking("%s blur_rows: n %d, %d taps", level->name, n, n_taps);
    level->kernels.blur_rows(rows, taps, n_taps, n, blurred);
    for (int j = 0; j < COFI_BLURS; j++) {
        compare_blurred(rows, taps, n_taps, n, j, blurred[j]);
        expect(untouched(blurred[j], bytes), "writes outside");
    }
    release();
}

static Sum sliced(const CofiSlice *s, int plane, int x)
{
    Sum sum = {0};
    int cell = (s->first + x) / s->step;
    double right = (double)s->shares[(s->first + x) % s->step], lower = (double)s->lower_share;
    for (int entry = plane; entry < s->size; entry += s->spread) {
        double factor = (double)s->factors[s->labels[x] * s->size + entry];
        int left_at = cell * s->size + entry, right_at = left_at + s->size;
        add(&sum, factor * (1 - right) * (1 - lower) * (double)s->upper[left_at]);
        add(&sum, factor * right * (1 - lower) * (double)s->upper[right_at]);
        add(&sum, factor * (1 - right) * lower * (double)s->lower[left_at]);
        add(&sum, factor * right * lower * (double)s->lower[right_at]);
    }
    return sum;
}

/* The first plane is of weights, which divide the others; all positive here. */
static void compare_slices(const CofiSlice *s)
{
    int terms = 4 * s->size / s->spread;
    for (int x = 0; x < s->n; x++) {
        Sum weight = sliced(s, 0, x);
        expect(near(s->weights[x], weight, terms), "is not the sum of weights");
        for (int plane = 1; plane < s->planes; plane++) {
            Sum sum = sliced(s, plane, x);
            double error = fabs((double)s->means[plane - 1][x] - sum.sum / weight.sum);
            expect(error <= 3 * tolerance(terms) * sum.size / weight.sum, "is not the mean");
        }
    }
}

static void check_slice(const Level *level, Random *random, int n, int planes)
{
    int ranks = 1 + (int)random_below(random, 9), step = 1 + (int)random_below(random, MAX_STEP);
    int spread = spread_of(planes), size = size_of(ranks, spread);
    int first = (int)random_below(random, (uint64_t)step), cells = (first + n) / step + 2;
    Wall wall = random_below(random, 2) ? WALL_AFTER : WALL_BEFORE;
    size_t row = (size_t)(cells * size), pixels = (size_t)(n * spread), width = (size_t)n;
    float *means[COF_MAX_BANDS];
    for (int i = 0; i < planes - 1; i++)
        means[i] = fenced(width * sizeof(float));
    CofiSlice slice = {.factors =
                           random_row(random, (size_t)(COFI_FEW_LABELS * size), 0.1f, 1, wall),
                       .size = size,
                       .spread = spread,
                       .planes = planes,
                       .step = step,
                       .n = n,
                       .first = first,
                       .shares = random_row(random, (size_t)step, 0, 1, wall),
                       .lower_share = random_between(random, 0, 1),
                       .upper = random_row(random, row, 0.1f, 100, wall),
                       .lower = random_row(random, row, 0.1f, 100, wall),
                       .labels = random_labels(random, width, wall),
                       .pixels = fenced(pixels * sizeof(float)),
                       .weights = fenced(width * sizeof(float)),
                       .means = means};
    checking("%s slice_row: n %d, %d planes, %d ranks, step %d", level->name, n, planes, ranks,
             step);
    level->kernels.slice_row(&slice);
    compare_slices(&slice);
    expect(untouched(slice.weights, width * sizeof(float)), "writes outside");
    expect(untouched(slice.pixels, pixels * sizeof(float)), "writes outside of its room");
    for (int i = 0; i < planes - 1; i++)
        expect(untouched(means[i], width * sizeof(float)), "writes outside");
    release();
}

void check_fast(const Level *level)
{
    Random random = {5};
    for (int n = 0; n <= 70; n++) {
        for (int planes = 1; planes <= 9; planes++) {
            check_splat(level, &random, n, planes);
            check_slice(level, &random, n, planes);
        }
        check_blur(level, &random, n * COFI_CELL);
    }
    check_splat(level, &random, 33, 1 + COF_MAX_BANDS);
    check_slice(level, &random, 33, 1 + COF_MAX_BANDS);
}
