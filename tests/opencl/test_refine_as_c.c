/* SPDX-License-Identifier: BSD-2-Clause */
/* The OpenCL kernels of refinement, compiled as C, against naive models in double precision.
 * Buffers have their exact sizes, so that sanitizers find each access beyond them. */
#include <math.h>
#include <stdlib.h>

#include "testing.h"

#include "image/colour.h"
#include "kernels/kernels.h"

#include "kernel_as_c.h"
#include "kernels/all.h"

/* A view, of which a rectangle is refined. */
typedef struct Example {
    int width, height, x, y, columns, rows, radius, bands, alpha_bytes, some_stay;
} Example;

typedef struct Buffers {
    float4 *image, *values, *refined;
    uchar *alphas, *marked, *was_marked;
} Buffers;

static const double middle[3] = {50, 0, 10}, range[3] = {100, 100, 80};

static void *take(size_t n, size_t size)
{
    void *block = aligned_alloc(16, (n * size + 15) / 16 * 16);
    assert_non_null(block);
    memset(block, 0, n * size);
    return block;
}

/* Edges with noise, whose result is smooth on both sides. */
static Buffers random_buffers(Random *random, const Example *e)
{
    size_t n = (size_t)(e->width * e->height), first = first_alpha(n);
    Buffers b = {.image = take(n, sizeof *b.image),
                 .values = take(n, sizeof *b.values),
                 .refined = take(n, sizeof *b.refined),
                 .alphas = take(first + n * (size_t)e->alpha_bytes, 1),
                 .marked = take(n, 1),
                 .was_marked = take(n, 1)};
    for (size_t i = 0; i < n; i++) {
        int x = (int)i % e->width, y = (int)i / e->width, side = (x / 5 + y / 7) % 3;
        for (int band = 0; band < e->bands; band++) {
            double base = middle[band] + range[band] * (0.3 * side - 0.1 * band - 0.2);
            b.image[i][band] = (float)(base + random_normal(random) * 4);
            b.values[i][band] = (float)(base + random_normal(random) * 0.5);
        }
        b.marked[i] = b.was_marked[i] = (uchar)random_chance(random, 0.8);
        double alpha = x < 20 && y < 20 ? 0 : random_uniform(random);
        bool has_data = e->alpha_bytes > 0 && random_chance(random, 0.8), shows = has_data;
        shows = shows && random_chance(random, 0.8) && alpha > 0.01;
        b.alphas[e->alpha_bytes > 0 ? i : 0] = has_data;
        float real = (float)alpha;
        ushort word = (ushort)(65535 * alpha);
        uchar *to = b.alphas + first + i * (size_t)e->alpha_bytes;
        if (shows && e->alpha_bytes == 1)
            *to = (uchar)(255 * alpha);
        else if (shows && e->alpha_bytes > 1)
            memcpy(to, e->alpha_bytes == 2 ? (void *)&word : &real, (size_t)e->alpha_bytes);
    }
    return b;
}

static void free_buffers(Buffers *b)
{
    void *all[] = {b->image, b->values, b->refined, b->alphas, b->marked, b->was_marked};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        free(all[i]);
}

static bool counts(const Buffers *b, const Example *e, const PassShape *s, int x, int y)
{
    return x >= 0 && x < e->width && y >= 0 && y < e->height &&
           (e->alpha_bytes == 0 || alpha_at(b->alphas, s, (size_t)(y * e->width + x)) > 0);
}

/* Gauss-Jordan elimination with pivots; the last column becomes the solution. */
static void solve(int n, double m[3][4])
{
    for (int i = 0; i < n; i++) {
        int best = i;
        for (int row = i; row < n; row++)
            best = fabs(m[row][i]) > fabs(m[best][i]) ? row : best;
        for (int column = 0; column <= n; column++) {
            double value = m[i][column];
            m[i][column] = m[best][column];
            m[best][column] = value;
        }
        for (int row = 0; row < n; row++) {
            double factor = m[row][i] / m[i][i];
            for (int column = i; column <= n && row != i; column++)
                m[row][column] -= factor * m[i][column];
        }
    }
    for (int i = 0; i < n; i++)
        m[i][n] /= m[i][i];
}

/* The model of a band at a pixel; false if there is none. */
static bool refine_naively(const Buffers *b, const Example *e, const PassShape *s, int x, int y,
                           int band, double *result)
{
    int n = e->bands, count = 0;
    double mean[4] = {0}, products[4][4] = {{0}}, m[3][4];
    for (int j = y - e->radius; j <= y + e->radius; j++)
        for (int i = x - e->radius; i <= x + e->radius; i++) {
            if (!counts(b, e, s, i, j))
                continue;
            double v[4];
            for (int k = 0; k < n; k++)
                v[k] = ((double)b->image[j * e->width + i][k] - middle[k]) / range[k];
            v[n] = ((double)b->values[j * e->width + i][band] - middle[band]) / range[band];
            for (int p = 0; p <= n; p++) {
                mean[p] += v[p];
                for (int q = 0; q <= n; q++)
                    products[p][q] += v[p] * v[q];
            }
            count++;
        }
    for (int p = 0; p < n && count > 0; p++)
        for (int q = 0; q <= n; q++)
            m[p][q] =
                products[p][q] / count - mean[p] * mean[q] / count / count + (p == q ? 0.001 : 0);
    if (count == 0)
        return false;
    solve(n, m);
    *result = mean[n] / count;
    for (int p = 0; p < n; p++) {
        double at = ((double)b->image[y * e->width + x][p] - middle[p]) / range[p];
        *result += m[p][n] * (at - mean[p] / count);
    }
    *result = middle[band] + range[band] * *result;
    return true;
}

static void check_pixel(const Buffers *b, const Example *e, const PassShape *s, int x, int y)
{
    int at = y * e->width + x;
    bool inside = x >= e->x && x < e->x + e->columns && y >= e->y && y < e->y + e->rows;
    for (int band = 0; band < e->bands; band++) {
        double wanted = 0;
        bool refined = inside && refine_naively(b, e, s, x, y, band, &wanted);
        refined = refined && (e->alpha_bytes == 0 || b->alphas[at]) &&
                  (!e->some_stay || b->was_marked[at]);
        assert_int_equal(b->marked[at], inside ? refined : b->was_marked[at]);
        /* A model of few pixels multiplies the rounding of sums by up to 1 / ridge. */
        if (refined && !(fabs((double)b->refined[at][band] - wanted) < 1e-2))
            fail_msg("%d x %d, radius %d: (%d, %d) band %d is %g, not %g", e->width, e->height,
                     e->radius, x, y, band, (double)b->refined[at][band], wanted);
        if (!inside)
            assert_true(b->refined[at][band] == 0);
    }
}

static void check_example(Random *random, const Example *e, bool small)
{
    Buffers b = random_buffers(random, e);
    PassShape s = {.radius = e->radius,
                   .width = e->width,
                   .height = e->height,
                   .x = e->x,
                   .columns = e->columns,
                   .first = e->y,
                   .end = e->y + e->rows,
                   .alpha_bytes = e->alpha_bytes};
    RefineShape r = {.some_stay = e->some_stay, .channels = e->bands, .bands = e->bands};
    for (int band = 0; band < e->bands; band++) {
        r.unit[band] = (float)(1 / range[band]);
        r.shift[band] = (float)(-middle[band] / range[band]);
        r.range[band] = (float)range[band];
        r.middle[band] = (float)middle[band];
    }
    int wide = (e->columns - 1) / (PASS_ITEMS - 2 * e->radius) + 1;
    if (small)
        FOR_GROUPS(
            wide, (e->rows - 1) / REFINE_WALK + 1,
            refine_small(b.image, b.values, b.alphas, NULL, s, r, b.refined, b.marked, NULL));
    else
        FOR_GROUPS(wide, (e->rows - 1) / REFINE_ROWS + 1,
                   refine(b.image, b.values, b.alphas, NULL, s, r, b.refined, b.marked, NULL));
    for (int i = 0; i < e->width * e->height; i++)
        check_pixel(&b, e, &s, i % e->width, i / e->width);
    free_buffers(&b);
}

static void models_are_those_of_windows(void **state)
{
    (void)state;
    static const Example examples[] = {
        {1, 1, 0, 0, 1, 1, 2, 3, 0, 0},       {1, 40, 0, 0, 1, 40, 2, 3, 0, 0},
        {3, 2, 0, 0, 3, 2, 2, 1, 0, 1},       {130, 35, 0, 0, 130, 35, 2, 3, 0, 0},
        {150, 70, 7, 3, 140, 64, 2, 3, 1, 1}, {60, 41, 2, 5, 31, 33, 2, 3, 2, 0},
        {60, 41, 2, 5, 31, 33, 2, 1, 4, 1},   {140, 12, 3, 1, 130, 9, 1, 3, 0, 0},
        {50, 40, 0, 0, 50, 40, 5, 3, 1, 1},   {131, 34, 9, 8, 122, 20, 16, 3, 4, 0},
        {9, 7, 0, 0, 9, 7, 16, 1, 0, 0},
    };
    Random random = {12};
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        check_example(&random, &examples[i], false);
        if (examples[i].radius == 2)
            check_example(&random, &examples[i], true);
    }
}

/* Working values become those of samples that are stored, and read again. */
static void values_are_rounded(void **state)
{
    (void)state;
    enum { N = 300 };
    Random random = {5};
    for (int i = 0; i < 4; i++) {
        bool words = i / 2, lab = i % 2;
        CofiColour colour = {.kernels = cofi_kernels(0), .max = words ? 65535 : 255};
        int entries = words ? 65536 : 256;
        float *linear = take((size_t)entries, sizeof *linear);
        uint *encoding = take(4096, sizeof *encoding);
        cofi_colour_decode(&colour, entries, linear);
        for (uint entry = 0; entry < 4096; entry++)
            encoding[entry] = 0xffffff00u | entry >> 4; /* linear */
        float4 *values = take(N, sizeof *values), *rounded = take(N, sizeof *rounded);
        uchar *samples = take((size_t)N * 6, 1), *changed = take(N, 1);
        memset(changed, 1, N);
        for (int at = 0; at < N; at++)
            for (int band = 0; band < 3; band++)
                values[at][band] =
                    (float)(lab ? 50 * random_normal(&random)
                                : colour.max * (1.2 * random_uniform(&random) - 0.1));
        memcpy(rounded, values, N * sizeof *values);
        if (words) {
            FOR_ITEMS(N, store_wide(values, changed, 0, linear, 0, 3, 3, lab, N, samples));
            FOR_ITEMS(N, load_wide(samples, 0, linear, 3, 3, lab, N, values, changed));
            FOR_ITEMS(N, round_words(linear, lab, N, rounded));
        } else {
            FOR_ITEMS(N, store_values(values, changed, linear, encoding, 0, 3, 3, lab, N, samples));
            FOR_ITEMS(N, load_values(samples, linear, 3, 3, lab, N, values, changed));
            FOR_ITEMS(N, round_bytes(linear, encoding, lab, N, rounded));
        }
        for (int at = 0; at < N; at++)
            for (int band = 0; band < 3; band++)
                assert_true(fabsf(rounded[at][band] - values[at][band]) < 1e-4f);
        free(linear);
        free(encoding);
        free(values);
        free(rounded);
        free(samples);
        free(changed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_are_those_of_windows),
        cmocka_unit_test(values_are_rounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
