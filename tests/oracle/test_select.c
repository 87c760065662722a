/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares scribble masks and their models with the definitions, evaluated in double precision. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fields.h"
#include "oracle.h"
#include "testing.h"

#define TRIALS 100

typedef struct Trial {
    Random random;
    int width, height, n;
    TestImage in;
    uint8_t *foreground, *background, *labels, *mask;
    bool both;
    CofOptions options;
    CofModel *model;
} Trial;

static void mark(Trial *t, uint8_t *scribble, int from)
{
    int length = random_int(&t->random, 1, t->width / 3);
    int y = random_int(&t->random, 0, t->height - 1);
    for (int x = from; x < from + length; x++)
        scribble[y * t->width + x] = (uint8_t)random_int(&t->random, 1, 255);
}

static void trial_new(Trial *t, uint64_t seed)
{
    *t = (Trial){.random = {seed}};
    t->width = random_int(&t->random, 9, 30);
    t->height = random_int(&t->random, 9, 30);
    t->n = t->width * t->height;
    bool grey = random_chance(&t->random, 0.3);
    t->in = test_image_new(&t->random, LAYOUT_ANY, t->width, t->height, grey ? 1 : 3,
                           grey ? COF_KIND_GREY : COF_KIND_RGB, COF_SAMPLE_U8);
    for (int y = 0; y < t->height; y++)
        for (int x = 0; x < t->width; x++)
            for (int c = 0; c < t->in.view.channels; c++)
                test_image_set(&t->in, x, y, c,
                               40 + 20 * random_int(&t->random, 0, 3) +
                                   (x < t->width / 2 ? 100 : 0));
    t->foreground = calloc((size_t)t->n, 1);
    t->background = calloc((size_t)t->n, 1);
    t->labels = calloc((size_t)t->n, 1);
    t->mask = calloc((size_t)t->n, 1);
    t->both = random_chance(&t->random, 0.5);
    mark(t, t->foreground, 0);
    mark(t, t->background, t->width / 2);
    cof_options_init(&t->options);
    t->options.window = 1 + 2 * random_int(&t->random, 1, 4);
    t->options.colours = random_int(&t->random, 2, 40);
    t->options.spread_window = t->options.window;
    t->options.spread_iterations = random_int(&t->random, 1, 5);
    t->options.filter_sigma = random_chance(&t->random, 0.5) ? 0 : 3;
    t->options.border = (CofBorder)random_int(&t->random, 0, 2);
    CofStats *stats;
    assert_ok(cof_stats_new(&stats, &t->options));
    assert_ok(cof_stats_scan(stats, &t->in.view, NULL, &t->options));
    assert_ok(cof_stats_fit_palette(stats, &t->options));
    assert_ok(cof_stats_add(stats, &t->in.view, NULL, &t->options));
    assert_ok(cof_model_new(&t->model, stats, &t->options));
    cof_stats_free(&stats);
    CofImage labels = grey_view(t->labels, t->width, t->height);
    assert_ok(cof_model_label(t->model, &t->in.view, &labels, &t->options));
}

static void trial_free(Trial *t)
{
    cof_model_free(&t->model);
    test_image_free(&t->in);
    free(t->foreground);
    free(t->background);
    free(t->labels);
    free(t->mask);
}

/* Filters a scribble with the oracle. */
static Field spread(const Trial *t, const uint8_t *scribble)
{
    Field now = field_new(t->width, t->height, 1);
    unsigned char *has_weight = calloc((size_t)t->n, 1);
    double sigma = t->options.filter_sigma > 0 ? t->options.filter_sigma : 1e6;
    for (int i = 0; i < t->n; i++) {
        now.values[i] = scribble[i] != 0;
        now.weights[i] = now.valid[i] = 1;
    }
    for (int pass = 0; pass < t->options.spread_iterations; pass++) {
        Field next = field_new(t->width, t->height, 1);
        oracle_filter(&now, t->labels, cof_model_matrix(t->model), cof_model_size(t->model),
                      t->options.spread_window / 2, sigma, t->options.border, &next, has_weight);
        memcpy(now.values, next.values, (size_t)t->n * sizeof(double));
        field_free(&next);
    }
    free(has_weight);
    return now;
}

static CofImage soft_view(float *soft, const Trial *t)
{
    return (CofImage){.data = soft,
                      .width = t->width,
                      .height = t->height,
                      .channels = 1,
                      .sample = COF_SAMPLE_F32};
}

static void check_soft(const Trial *t, const float *soft)
{
    Field f = spread(t, t->foreground), b = spread(t, t->background);
    for (int i = 0; i < t->n; i++) {
        double both = f.values[i] + b.values[i], want = f.values[i];
        if (t->both && both > 0 && both < 1e-30)
            continue; /* too small for floats */
        if (t->both)
            want = both > 0 ? f.values[i] / both : 0;
        if (fabs((double)soft[i] - want) > 1e-5)
            fail_msg("soft[%d] is %.9g, expected %.9g", i, (double)soft[i], want);
    }
    field_free(&f);
    field_free(&b);
}

/* The options with which cof_filter() spreads. */
static CofOptions spread_options(const CofOptions *options)
{
    CofOptions o = *options;
    o.filter_window = o.spread_window;
    o.iterations = o.spread_iterations;
    return o;
}

/* Selects tile by tile, in views of minimal size. */
static void check_parts(Trial *t, const float *soft)
{
    float *found = calloc((size_t)t->n, sizeof *found);
    CofOptions spreading = spread_options(&t->options);
    int margin = margin_of(t->model, &spreading), side = random_int(&t->random, 3, 20);
    for (int y = 0; y < t->height; y += side)
        for (int x = 0; x < t->width; x += side) {
            CofRect part = {x, y, x + side < t->width ? side : t->width - x,
                            y + side < t->height ? side : t->height - y};
            CofRect wide = rect_with_margin(part, margin, &t->in.view);
            CofImage whole[2] = {grey_view(t->foreground, t->width, t->height),
                                 grey_view(t->background, t->width, t->height)};
            CofImage marks[2] = {view_part(&whole[0], wide), view_part(&whole[1], wide)};
            CofImage image = view_part(&t->in.view, wide), all = soft_view(found, t);
            CofImage to = view_part(&all, part);
            assert_ok(cof_select_spread(t->model, &image, &marks[0], t->both ? &marks[1] : NULL,
                                        &to, &t->options));
        }
    assert_memory_equal(found, soft, (size_t)t->n * sizeof *found);
    free(found);
}

static const int neighbours[16][2] = {{1, 0}, {0, 1},  {1, 1}, {-1, 1}, {3, 0}, {0, 3},
                                      {2, 2}, {-2, 2}, {5, 0}, {0, 5},  {4, 4}, {-4, 4},
                                      {7, 0}, {0, 7},  {5, 5}, {-5, 5}};

/* The mean weight of neighbours across the border of soft >= threshold; -1: no border. */
static double mixing(const Trial *t, const float *soft, double threshold)
{
    const double *m = cof_model_matrix(t->model);
    int k = cof_model_size(t->model);
    double sum = 0, pairs = 0;
    for (int y = 0; y < t->height; y++)
        for (int x = 0; x < t->width; x++)
            for (int i = 0; i < 16; i++) {
                int nx = x + neighbours[i][0], ny = y + neighbours[i][1];
                if (nx < 0 || nx >= t->width || ny >= t->height)
                    continue;
                int p = y * t->width + x, q = ny * t->width + nx;
                if (((double)soft[p] >= threshold) == ((double)soft[q] >= threshold))
                    continue;
                sum += m[t->labels[p] * k + t->labels[q]];
                pairs++;
            }
    return pairs > 0 ? sum / pairs : -1;
}

static bool is_sensible(const Trial *t, const float *soft, double threshold)
{
    double above = 0, marked = 0;
    for (int i = 0; i < t->n; i++) {
        above += (double)soft[i] >= threshold;
        marked += t->foreground[i] != 0;
    }
    return t->both ? threshold >= 0.5 && threshold <= 0.9 : above >= marked && above < 0.9 * t->n;
}

/* Checks that no threshold, at 64 steps per octave, separates the image better. */
static void check_threshold(const Trial *t, const float *soft, double found)
{
    double least = INFINITY, largest = 0;
    int k = cof_model_size(t->model);
    for (int i = 0; i < k * k; i++)
        largest = fmax(largest, cof_model_matrix(t->model)[i]);
    for (int octave = -40; octave <= 0; octave++)
        for (int step = 0; step < 64; step++) {
            double threshold = ldexp(1 + step / 64.0, octave);
            double here = mixing(t, soft, threshold);
            if (here >= 0 && is_sensible(t, soft, threshold))
                least = fmin(least, here);
        }
    double here = mixing(t, soft, found);
    if (isinf(least))
        assert_true(found == 0.5);
    else if (here < 0 || here > least + 1e-5 * largest || !is_sensible(t, soft, found))
        fail_msg("threshold %g mixes %.9g, another %.9g", found, here, least);
}

/* Checks that a view of the lower half has the same mask as in the whole image. */
static void check_part_of_mask(const Trial *t, float *soft, double threshold)
{
    int half = t->height / 2, rest = t->height - half;
    ptrdiff_t at = (ptrdiff_t)half * t->width;
    uint8_t *found = calloc((size_t)t->n, 1);
    CofImage image = t->in.view, to = soft_view(soft + at, t);
    CofImage marks[2] = {grey_view(t->foreground + at, t->width, rest),
                         grey_view(t->background + at, t->width, rest)};
    CofImage mask = grey_view(found, t->width, rest),
             *views[5] = {&image, &marks[0], &marks[1], &to, &mask};
    image.data = (unsigned char *)image.data + half * image.row_stride;
    for (int i = 0; i < 5; i++) {
        views[i]->height = rest;
        views[i]->y = half;
        views[i]->full_width = t->width;
        views[i]->full_height = t->height;
    }
    CofOptions options = t->options;
    options.threshold = threshold;
    assert_ok(cof_select_threshold(t->model, &image, &marks[0], t->both ? &marks[1] : NULL, &to,
                                   &mask, NULL, &options));
    assert_memory_equal(found, t->mask + at, (size_t)(t->n - at));
    free(found);
}

static void check_mask(const Trial *t, const float *soft, double threshold)
{
    for (int i = 0; i < t->n; i++) {
        bool want = ((double)soft[i] >= threshold || t->foreground[i] != 0) &&
                    !(t->both && t->background[i] != 0);
        assert_int_equal(t->mask[i], want ? 255 : 0);
    }
}

static bool is_near(const Trial *t, const uint8_t *mask, bool set, int x, int y, double radius)
{
    for (int i = 0; i < t->n; i++) {
        double dx = i % t->width - x, dy = i / t->width - y;
        if ((mask[i] != 0) == set && dx * dx + dy * dy <= radius * radius)
            return true;
    }
    return false;
}

static void check_growing(Trial *t)
{
    uint8_t *grown = calloc((size_t)t->n, 1);
    double radius = 12 * random_uniform(&t->random) - 5;
    CofImage from = grey_view(t->mask, t->width, t->height);
    CofImage to = grey_view(grown, t->width, t->height);
    assert_ok(cof_mask_dilate(&from, radius, &to, NULL));
    for (int i = 0; i < t->n; i++) {
        int x = i % t->width, y = i / t->width;
        bool want = radius >= 0 ? is_near(t, t->mask, true, x, y, radius)
                                : !is_near(t, t->mask, false, x, y, -radius);
        assert_int_equal(grown[i], want ? 255 : 0);
    }
    free(grown);
}

/* Checks that each model of the pair equals one learned inside its mask. */
static void check_pair(Trial *t)
{
    double gap = random_int(&t->random, 0, 3);
    uint8_t *rest = calloc((size_t)t->n, 1);
    for (int i = 0; i < t->n; i++)
        rest[i] = !is_near(t, t->mask, true, i % t->width, i / t->width, gap);
    CofModel *pair[2] = {NULL, NULL};
    CofImage masks[2] = {grey_view(t->mask, t->width, t->height),
                         grey_view(rest, t->width, t->height)};
    t->options.gap = gap;
    CofStatus status =
        cof_model_learn_pair(&pair[0], &pair[1], &t->in.view, &masks[0], &t->options);
    assert_true(status == COF_OK || status == COF_ERR_EMPTY);
    for (int i = 0; i < 2 && status == COF_OK; i++) {
        CofStats *stats;
        CofModel *want;
        CofRoi roi = {.mask = &masks[i]};
        assert_ok(cof_stats_new(&stats, &t->options));
        assert_ok(cof_stats_scan(stats, &t->in.view, NULL, &t->options));
        assert_ok(cof_stats_fit_palette(stats, &t->options));
        assert_ok(cof_stats_add(stats, &t->in.view, &roi, &t->options));
        assert_ok(cof_model_new(&want, stats, &t->options));
        size_t k = (size_t)cof_model_size(want);
        assert_int_equal(k, cof_model_size(pair[i]));
        assert_memory_equal(cof_model_matrix(want), cof_model_matrix(pair[i]),
                            k * k * sizeof(double));
        cof_stats_free(&stats);
        cof_model_free(&want);
    }
    cof_model_free(&pair[0]);
    cof_model_free(&pair[1]);
    free(rest);
}

static void run_trial(Trial *t, uint64_t seed)
{
    float *soft = calloc((size_t)t->n, sizeof *soft);
    CofImage marks[2] = {grey_view(t->foreground, t->width, t->height),
                         grey_view(t->background, t->width, t->height)};
    CofImage to = soft_view(soft, t), mask = grey_view(t->mask, t->width, t->height);
    const CofImage *background = t->both ? &marks[1] : NULL;
    assert_ok(cof_select_spread(t->model, &t->in.view, &marks[0], background, &to, &t->options));
    check_soft(t, soft);
    check_parts(t, soft);
    double threshold = 0, given = 0;
    t->options.threshold = 0.25;
    assert_ok(cof_select_threshold(t->model, &t->in.view, &marks[0], background, &to, &mask, &given,
                                   &t->options));
    assert_true(given == 0.25);
    check_mask(t, soft, given);
    check_part_of_mask(t, soft, given);
    t->options.threshold = 0;
    assert_ok(cof_select_threshold(t->model, &t->in.view, &marks[0], background, &to, &mask,
                                   &threshold, &t->options));
    if (seed % 4 == 0) /* slow */
        check_threshold(t, soft, threshold);
    check_mask(t, soft, threshold);
    check_growing(t);
    check_pair(t);
    free(soft);
}

static void agrees_with_the_definitions(void **state)
{
    (void)state;
    for (int seed = 1, last = trials_of(TRIALS); seed <= last; seed++) {
        Trial t;
        trial_new(&t, (uint64_t)seed);
        run_trial(&t, (uint64_t)seed);
        trial_free(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(agrees_with_the_definitions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
