/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernels of the fast filter for one grid (STEP, GRID_RADIUS), compiled as C, against a naive
 * evaluation in double precision. Buffers have their exact sizes, so that sanitizers find each
 * access beyond them. */
#include <math.h>
#include <stdlib.h>

#include "testing.h"

#include "kernel_as_c.h"
#include "kernels/all.h"

enum { K = 7, RADIUS = 4 };

static void *take(size_t n, size_t size)
{
    void *block = aligned_alloc(16, (n * size + 15) / 16 * 16);
    assert_non_null(block);
    memset(block, 0, n * size);
    return block;
}

/* An image, the tables of a filter, and where the result goes. */
typedef struct Scene {
    PassShape shape;
    FastShape fast;
    int n, wide, high;
    float4 *values, *filtered, *cells;
    uchar *labels, *alphas, *changed;
    float *matrix, *gauss, *in, *out, *joint, *trust, *taps, *sums;
} Scene;

static int cell_of(int pixel)
{
    return (int)floor((2.0 * pixel - (STEP - 1)) / (2.0 * STEP));
}

static void fill_tables(Scene *s, Random *random)
{
    int terms = s->fast.terms;
    s->matrix = take(K * (K + 1), sizeof(float));
    s->gauss = take(2 * RADIUS + 1, sizeof(float));
    s->in = take((size_t)terms * FEW_LABELS, sizeof(float));
    s->out = take((size_t)terms * FAST_LABELS, sizeof(float));
    s->joint = take(FEW_LABELS * FEW_LABELS, sizeof(float));
    s->trust = take(FAST_LABELS, sizeof(float));
    s->taps = take(GRID_RADIUS + 1, sizeof(float));
    for (int a = 0; a < K; a++)
        for (int b = 0; b < K; b++)
            s->matrix[a * (K + 1) + b] = (float)random_uniform(random);
    for (int i = 0; i <= 2 * RADIUS; i++)
        s->gauss[i] = expf(-0.1f * (float)((i - RADIUS) * (i - RADIUS)));
    for (int i = 0; i < terms * FEW_LABELS; i++)
        s->in[i] = (float)random_uniform(random);
    for (int i = 0; i < terms * FAST_LABELS; i++)
        s->out[i] = (float)random_uniform(random);
    for (int b = 0; b < FEW_LABELS; b++)
        for (int a = 0; a < FEW_LABELS; a++) {
            double sum = 0;
            for (int term = 0; term < terms; term++)
                sum += (s->fast.each ? term == b : (double)s->in[term * FEW_LABELS + b]) *
                       (double)s->out[term * FAST_LABELS + a];
            s->joint[b * FEW_LABELS + a] = (float)sum;
        }
    for (int label = 0; label < K; label++)
        s->trust[label] = label % 3 == 2 ? INFINITY : 0;
    for (int d = 0; d <= GRID_RADIUS; d++)
        s->taps[d] = 1 / (float)(1 + d);
}

static Scene scene_new(Random *random, int width, int height, int border, int has_alphas, int terms,
                       int each)
{
    int left = cell_of(0), right = cell_of(width - 1), bottom = cell_of(height - 1);
    Scene s = {.shape = {.k = K,
                         .radius = RADIUS,
                         .border = border,
                         .width = width,
                         .height = height,
                         .full_width = width,
                         .full_height = height,
                         .columns = width,
                         .end = height,
                         .measured = 1,
                         .part_width = width,
                         .part_height = height,
                         .alpha_bytes = has_alphas,
                         .units = {1, 1, 1}},
               .fast = {.terms = terms,
                        .each = each,
                        .cell_x = left - GRID_RADIUS,
                        .cell_y = left - GRID_RADIUS,
                        .cells_wide = right - left + 2 + 2 * GRID_RADIUS,
                        .cells_high = bottom - left + 2 + 2 * GRID_RADIUS},
               .n = width * height,
               .wide = (right - left) / TILE_CELLS_OF(STEP) + 1,
               .high = (bottom - left) / TILE_CELLS_OF(STEP) + 1};
    size_t n = (size_t)s.n;
    s.values = take(n, sizeof *s.values);
    s.filtered = take(n, sizeof *s.filtered);
    s.labels = take(n, 1);
    s.alphas = take(first_alpha(n) + n, 1);
    s.changed = take(n, 1);
    s.cells = take((size_t)(terms * s.fast.cells_wide * s.fast.cells_high), sizeof *s.cells);
    s.sums = take((size_t)(s.wide * s.high), sizeof(float));
    for (int i = 0; i < s.n; i++) {
        s.labels[i] = (uchar)random_int(random, 0, K - 1);
        s.values[i] = LANES((float)random_int(random, 0, 100), (float)random_int(random, -90, 90),
                            (float)random_int(random, -90, 90), 0);
        s.alphas[i] = (uchar)random_chance(random, 0.9);
        s.alphas[first_alpha(n) + (size_t)i] =
            (uchar)(s.alphas[i] ? random_int(random, 1, 255) : 0);
    }
    fill_tables(&s, random);
    return s;
}

static void scene_free(Scene *s)
{
    void *const blocks[] = {s->values,  s->filtered, s->cells, s->labels, s->alphas,
                            s->changed, s->matrix,   s->gauss, s->in,     s->out,
                            s->joint,   s->trust,    s->taps,  s->sums};
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
        free(blocks[i]);
}

/* Adds a pixel at any place, times a weight that may depend on its label. */
static void add_pixel(const Scene *s, int x, int y, const float *of_labels, double weight,
                      double sums[4])
{
    int at_x = border_index(x, s->shape.width, s->shape.border),
        at_y = border_index(y, s->shape.height, s->shape.border);
    if (at_x < 0 || at_y < 0)
        return;
    int at = at_y * s->shape.width + at_x;
    weight *=
        (double)of_labels[s->labels[at]] *
        (s->shape.alpha_bytes ? s->alphas[first_alpha((size_t)s->n) + (size_t)at] / 255.0 : 1);
    for (int band = 0; band < 3; band++)
        sums[band] += weight * (double)s->values[at][band];
    sums[3] += weight;
}

/* A cell of one term, blurred along both axes. */
static void blurred_cell(const Scene *s, int term, int cell_x, int cell_y, double weight,
                         double sums[4])
{
    float unit[FAST_LABELS] = {0};
    unit[term] = 1;
    const float *factors = s->fast.each ? unit : s->in + term * FEW_LABELS;
    for (int dy = -GRID_RADIUS; dy <= GRID_RADIUS; dy++)
        for (int dx = -GRID_RADIUS; dx <= GRID_RADIUS; dx++)
            for (int i = 0; i < STEP * STEP; i++)
                add_pixel(s, (cell_x + dx) * STEP + i % STEP, (cell_y + dy) * STEP + i / STEP,
                          factors, weight * (double)s->taps[abs(dx)] * (double)s->taps[abs(dy)],
                          sums);
}

static void filter_naively(const Scene *s, int x, int y, double sums[4])
{
    int label = s->labels[y * s->shape.width + x];
    memset(sums, 0, 4 * sizeof *sums);
    if (isinf(s->trust[label])) {
        for (int dy = -RADIUS; dy <= RADIUS; dy++)
            for (int dx = -RADIUS; dx <= RADIUS; dx++)
                add_pixel(s, x + dx, y + dy, s->matrix + label * (K + 1),
                          (double)s->gauss[dx + RADIUS] * (double)s->gauss[dy + RADIUS], sums);
        return;
    }
    double right = (2.0 * x - (STEP - 1)) / (2.0 * STEP) - cell_of(x),
           below = (2.0 * y - (STEP - 1)) / (2.0 * STEP) - cell_of(y);
    for (int term = 0; term < s->fast.terms; term++)
        for (int corner = 0; corner < 4; corner++) {
            double weight = (corner % 2 ? right : 1 - right) * (corner / 2 ? below : 1 - below);
            blurred_cell(s, term, cell_of(x) + corner % 2, cell_of(y) + corner / 2,
                         weight * (double)s->out[term * FAST_LABELS + label], sums);
        }
}

static void check_scene(Random *random, int width, int height, int border, int has_alphas,
                        int terms, int each)
{
    Scene s = scene_new(random, width, height, border, has_alphas, terms, each);
    int groups = (s.fast.cells_wide + ITEMS - 1) / ITEMS;
    for (place.group[1] = 0; place.group[1] < (size_t)s.fast.cells_high; place.group[1]++)
        for (place.global_id[0] = 0; place.global_id[0] < (size_t)(groups * ITEMS);
             place.global_id[0]++)
            splat(s.values, s.labels, s.alphas, s.in, s.shape, s.fast, s.cells);
    place.groups[0] = (size_t)s.wide;
    for (place.group[1] = 0; place.group[1] < (size_t)s.high; place.group[1]++)
        for (place.group[0] = 0; place.group[0] < (size_t)s.wide; place.group[0]++)
            slice(s.cells, s.values, s.labels, s.alphas, s.matrix, s.gauss, s.in, s.out, s.joint,
                  s.trust, s.taps, s.shape, s.fast, s.filtered, s.changed, s.sums);
    double squares = 0, total = 0;
    for (int i = 0; i < s.n; i++) {
        double sums[4];
        bool is_valid = !has_alphas || s.alphas[i];
        filter_naively(&s, i % width, i / width, sums);
        assert_int_equal(s.changed[i], is_valid && sums[3] > 0);
        for (int band = 0; band < 3; band++) {
            double old = (double)s.values[i][band];
            double mean = s.changed[i] ? sums[band] / sums[3] : old;
            squares += (mean - old) * (mean - old);
            if (fabs((double)s.filtered[i][band] - mean) > 1e-3)
                fail_msg("%d x %d: pixel %d is %g, not %g", width, height, i,
                         (double)s.filtered[i][band], mean);
        }
    }
    for (int i = 0; i < s.wide * s.high; i++)
        total += (double)s.sums[i];
    assert_true(fabs(total - squares) <= 1e-3 * squares + 1e-6);
    scene_free(&s);
}

static void grids_are_right(void **state)
{
    (void)state;
    Random random = {12};
    check_scene(&random, 1, 1, 1, 0, 1, 0);
    check_scene(&random, 1, 9, 0, 0, 2, 0);
    check_scene(&random, 35, 3, 2, 0, 5, 0);
    check_scene(&random, 33, 34, 0, 0, 4, 0);
    check_scene(&random, 37, 41, 1, 1, 3, 0);
    check_scene(&random, 40, 31, 2, 0, K, 1);
    if (SPLATS_ITSELF(STEP)) { /* more terms than labels */
        check_scene(&random, 36, 35, 0, 0, K + 1, 0);
        check_scene(&random, 38, 33, 1, 1, 2 * K, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(grids_are_right)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
