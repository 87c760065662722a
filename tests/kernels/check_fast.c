/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks the fast filter's gather_row, blur_row, blur_rows and slice_row against the sums that they
 * stand for, in double precision. */
#include "kernels_check.h"

#include <math.h>
#include <string.h>

#include "cof/cof.h"

#define MOST_ROWS 16

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

static void compare_gathered(const CofiGather *g)
{
    for (int rank = 0; rank < g->ranks; rank++)
        for (int plane = 0; plane < g->planes; plane++)
            for (int x = 0; x < g->n; x++) {
                Sum want = {0};
                for (int part = 0; part < g->parts; part++)
                    add(&want, (double)g->tables[rank * COFI_FEW_LABELS + g->labels[part][x]] *
                                   (double)g->values[part][plane * g->value_stride + x]);
                float got = g->sums[(rank * g->planes + plane) * g->stride + x];
                expect(near(got, want, g->parts), "is not the sum");
            }
}

static void check_gather(const Level *level, Random *random, int n, int planes)
{
    int ranks = 1 + (int)random_below(random, 4), parts = 1 + (int)random_below(random, MOST_ROWS);
    Wall wall = random_below(random, 2) ? WALL_AFTER : WALL_BEFORE;
    size_t stride = (size_t)n + COFI_OVERREAD, sums = (size_t)(ranks * planes) * stride;
    const uint8_t *labels[MOST_ROWS];
    const float *values[MOST_ROWS];
    for (int i = 0; i < parts; i++) {
        labels[i] = random_labels(random, stride, wall);
        values[i] = random_row(random, (size_t)planes * stride, -100, 100, wall);
    }
    CofiGather gather = {.tables =
                             random_row(random, (size_t)(ranks * COFI_FEW_LABELS), -1, 1, wall),
                         .ranks = ranks,
                         .planes = planes,
                         .parts = parts,
                         .n = n,
                         .labels = labels,
                         .values = values,
                         .value_stride = (ptrdiff_t)stride,
                         .sums = fenced(sums * sizeof(float)),
                         .stride = (ptrdiff_t)stride};
    checking("%s gather_row: n %d, %d planes, %d ranks, %d parts", level->name, n, planes, ranks,
             parts);
    level->kernels.gather_row(&gather);
    compare_gathered(&gather);
    expect(untouched(gather.sums, sums * sizeof(float)), "writes outside");
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

/* One row, then several at once. */
static void check_blur(const Level *level, Random *random, int n)
{
    int n_taps = 1 + (int)random_below(random, MOST_ROWS - COFI_BLURS);
    Wall wall = random_below(random, 2) ? WALL_AFTER : WALL_BEFORE;
    size_t size = (size_t)n + COFI_OVERREAD, bytes = size * sizeof(float);
    float *taps = random_row(random, (size_t)n_taps + 2 * (COFI_BLURS - 1), -1, 1, wall);
    for (int i = 0; i < COFI_BLURS - 1; i++)
        taps[i] = taps[COFI_BLURS - 1 + n_taps + i] = 0;
    taps += COFI_BLURS - 1;
    const float *rows[MOST_ROWS];
    float *blurred[1 + COFI_BLURS];
    for (int i = 0; i < MOST_ROWS; i++)
        rows[i] = random_row(random, size, -100, 100, wall);
    for (int i = 0; i <= COFI_BLURS; i++)
        blurred[i] = fenced(bytes);
    checking("%s blur_row: n %d, %d taps", level->name, n, n_taps);
    level->kernels.blur_row(rows, taps, n_taps, n, blurred[COFI_BLURS]);
    compare_blurred(rows, taps, n_taps, n, 0, blurred[COFI_BLURS]);
    expect(untouched(blurred[COFI_BLURS], bytes), "writes outside");
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
    for (int rank = 0; rank < s->ranks; rank++) {
        const float *values = s->values + (rank * s->planes + plane) * s->stride + x;
        double weight = (double)s->tables[rank * COFI_FEW_LABELS + s->labels[x]];
        add(&sum, weight * (double)s->left * (double)values[0]);
        add(&sum, weight * (double)s->right * (double)values[1]);
    }
    return sum;
}

/* The first plane is of weights, which divide the others; all positive here. */
static void compare_slices(const CofiSlice *s)
{
    int terms = 2 * s->ranks;
    for (int x = 0; x < s->n; x++) {
        Sum weight = sliced(s, 0, x);
        expect(near(s->sums[x], weight, terms), "is not the sum of weights");
        for (int plane = 1; plane < s->planes; plane++) {
            Sum sum = sliced(s, plane, x);
            double mean = (double)s->sums[plane * s->sum_stride + x];
            double error = fabs(mean - sum.sum / weight.sum);
            expect(error <= 2 * tolerance(terms) * sum.size / weight.sum, "is not the mean");
        }
    }
}

static void check_slice(const Level *level, Random *random, int n, int planes)
{
    int ranks = 1 + (int)random_below(random, 6);
    Wall wall = random_below(random, 2) ? WALL_AFTER : WALL_BEFORE;
    size_t stride = (size_t)n + 1 + COFI_OVERREAD, sums = (size_t)planes * stride;
    float right = random_between(random, 0, 1);
    CofiSlice slice = {
        .tables = random_row(random, (size_t)(ranks * COFI_FEW_LABELS), 0.1f, 1, wall),
        .ranks = ranks,
        .planes = planes,
        .n = n,
        .labels = random_labels(random, stride, wall),
        .left = 1 - right,
        .right = right,
        .values = random_row(random, (size_t)(ranks * planes) * stride, 0.1f, 100, wall),
        .stride = (ptrdiff_t)stride,
        .sums = fenced(sums * sizeof(float)),
        .sum_stride = (ptrdiff_t)stride};
    checking("%s slice_row: n %d, %d planes, %d ranks", level->name, n, planes, ranks);
    level->kernels.slice_row(&slice);
    compare_slices(&slice);
    expect(untouched(slice.sums, sums * sizeof(float)), "writes outside");
    release();
}

void check_fast(const Level *level)
{
    Random random = {5};
    for (int n = 0; n <= 140; n++)
        for (int planes = 1; planes <= 6; planes++) {
            check_gather(level, &random, n, planes);
            check_blur(level, &random, n);
            check_slice(level, &random, n, planes);
        }
    check_gather(level, &random, 33, 1 + COF_MAX_BANDS);
    check_slice(level, &random, 33, 1 + COF_MAX_BANDS);
}
