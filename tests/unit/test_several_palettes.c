/* SPDX-License-Identifier: BSD-2-Clause */
/* Several palettes: sizes, tiles, statistics, files, refusals, and ripple on gradients. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fields.h"
#include "testing.h"

enum { WIDTH = 90, HEIGHT = 64 };

/* Blocks of 3 x 3 pixels, with so many different values. */
static TestImage scene(CofKind kind, CofSample sample, int different)
{
    Random random = {7};
    TestImage p =
        test_image_new(&random, LAYOUT_ANY, WIDTH, HEIGHT, kind_channels(kind, 3), kind, sample);
    for (int y = 0; y < HEIGHT; y += 3)
        for (int x = 0; x < WIDTH; x += 3) {
            int value = (x / 9 * 3 + y / 6 * 5 + random_int(&random, 0, different / 2)) % different;
            for (int i = 0; i < 9; i++)
                for (int c = 0; c < p.view.channels && y + i / 3 < HEIGHT; c++)
                    test_image_set(&p, x + i % 3, y + i / 3, c,
                                   sample_max(&p) * (value * (c + 2) % different + 1) /
                                       (different + 1));
        }
    return p;
}

static TestImage like(const TestImage *p)
{
    Random random = {3};
    return test_image_new(&random, LAYOUT_ANY, p->view.width, p->view.height, p->view.channels,
                          p->view.kind, p->view.sample);
}

static CofOptions options_with(int palettes, int colours)
{
    CofOptions options;
    cof_options_init(&options);
    options.palettes = palettes;
    options.colours = options.levels = colours;
    options.window = 9;
    options.softness = 0.25;
    options.threads = 2;
    return options;
}

static CofStats *counted(const CofImage *image, const CofRoi *roi, const CofOptions *options)
{
    CofStats *stats = NULL;
    assert_ok(learn_from(image, roi, options, &stats));
    return stats;
}

static CofModel *learned(const CofImage *image, const CofOptions *options)
{
    CofModel *model = NULL;
    assert_ok(cof_model_learn(&model, image, NULL, 1, options));
    return model;
}

/* The first palette has all colours, the last a quarter of them. */
static void sizes_follow_the_rule(void **state)
{
    (void)state;
    static const struct {
        int palettes, colours, sizes[COF_MAX_PALETTES];
    } cases[] = {
        {1, 32, {32}},        {2, 96, {96, 24}},
        {3, 32, {32, 16, 8}}, {4, 32, {32, 20, 13, 8}},
        {2, 2, {2, 1}},       {8, 128, {128, 105, 86, 71, 58, 48, 39, 32}},
    };
    TestImage p = scene(COF_KIND_RGB, COF_SAMPLE_U8, 251);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CofOptions options = options_with(cases[i].palettes, cases[i].colours), found;
        CofModel *model = learned(&p.view, &options);
        assert_int_equal(cof_model_palettes(model), cases[i].palettes);
        for (int j = 0; j < cases[i].palettes; j++)
            assert_int_equal(cof_model_size(cof_model_member(model, j)), cases[i].sizes[j]);
        assert_null(cof_model_member(model, -1));
        assert_null(cof_model_member(model, cases[i].palettes));
        assert_ptr_equal(cof_model_member(model, 0), model);
        cof_options_init(&found);
        cof_model_options(model, &found);
        assert_int_equal(found.palettes, cases[i].palettes);
        cof_model_free(&model);
    }
    assert_int_equal(cof_model_palettes(NULL), 0);
    assert_null(cof_stats_member(NULL, 0));
    test_image_free(&p);
}

/* Grey values have bins; with 256 levels of 8 bits only the first palette is exact. */
static void grey_has_bins(void **state)
{
    (void)state;
    TestImage p = scene(COF_KIND_GREY, COF_SAMPLE_U8, 200);
    CofOptions options = options_with(3, 256);
    CofModel *model = learned(&p.view, &options);
    for (int i = 0; i < 3; i++)
        assert_int_equal(cof_model_size(cof_model_member(model, i)), 256 >> i);
    cof_model_free(&model);
    test_image_free(&p);
}

/* Of few colours, all palettes are the same, and so is their mean: at one scale or two, with
 * updates, residual correction and the fast method. */
static void equal_palettes_change_nothing(void **state)
{
    (void)state;
    static const CofKind kinds[] = {COF_KIND_RGB, COF_KIND_RGBA, COF_KIND_BANDS};
    for (int i = 0; i < 24; i++) {
        TestImage p = scene(kinds[i % 3], (CofSample)(i / 3 % 3), 5);
        TestImage one = like(&p), many = like(&p);
        CofOptions options = options_with(1, 40);
        options.iterations = 1 + i % 3;
        options.downscale = i % 4 == 1 ? 3 : 1;
        options.update = i % 4 == 2 ? COF_UPDATE_LABELS : i % 4 == 3 ? COF_UPDATE_MODEL : 0;
        options.fidelity = i % 5 == 0;
        options.method = i % 2 ? COF_METHOD_FAST : COF_METHOD_EXACT;
        options.window = 21;
        options.strength = i % 7 == 0 ? 0.5 : 1;
        assert_ok(cof_smooth(&p.view, &one.view, &options));
        options.palettes = i % 2 ? 2 : 4; /* so that the mean of equal values is exact */
        assert_ok(cof_smooth(&p.view, &many.view, &options));
        assert_true(test_image_equal(&one, &many));
        test_image_free(&p);
        test_image_free(&one);
        test_image_free(&many);
    }
}

/* One call, a model, tiles of it, and the same part by part at two scales. */
static void all_ways_agree(void **state)
{
    (void)state;
    for (int sample = 0; sample < 3; sample++) {
        TestImage p = scene(COF_KIND_RGB, (CofSample)sample, 90);
        TestImage whole = like(&p), other = like(&p);
        CofOptions options = options_with(3, 24);
        options.iterations = 2;
        options.fidelity = sample == 1;
        options.method = sample == 2 ? COF_METHOD_FAST : COF_METHOD_EXACT;
        CofModel *model = learned(&p.view, &options);
        assert_ok(cof_smooth(&p.view, &whole.view, &options));
        assert_ok(cof_filter(model, NULL, &p.view, &other.view, &options));
        assert_true(test_image_equal(&whole, &other));
        for (int y = 0; y < HEIGHT; y += 20)
            for (int x = 0; x < WIDTH; x += 31) {
                CofImage tile = other.view;
                CofRect rect = {x, y, WIDTH - x < 31 ? WIDTH - x : 31,
                                HEIGHT - y < 20 ? HEIGHT - y : 20};
                tile.data = (uint8_t *)tile.data + y * tile.row_stride + x * tile.pixel_stride;
                tile.x = x;
                tile.y = y;
                tile.width = rect.width;
                tile.height = rect.height;
                tile.full_width = WIDTH;
                tile.full_height = HEIGHT;
                memset(tile.data, 1, (size_t)tile.pixel_stride);
                assert_ok(cof_filter(model, NULL, &p.view, &tile, &options));
            }
        assert_true(test_image_equal(&whole, &other));
        cof_model_free(&model);
        test_image_free(&p);
        test_image_free(&whole);
        test_image_free(&other);
    }
}

typedef struct Saved {
    void *bytes;
    size_t size;
} Saved;

static Saved saved_stats(const CofStats *stats)
{
    Saved saved;
    assert_ok(cof_stats_save(stats, &saved.bytes, &saved.size, NULL));
    return saved;
}

static void assert_same(Saved a, Saved b)
{
    assert_int_equal(a.size, b.size);
    assert_memory_equal(a.bytes, b.bytes, a.size);
    cof_free(a.bytes);
    cof_free(b.bytes);
}

/* Counting in two parts and merging gives the bytes of counting once; files bring them back. */
static void statistics_merge_and_save(void **state)
{
    (void)state;
    TestImage p = scene(COF_KIND_RGB, COF_SAMPLE_U8, 90);
    CofOptions options = options_with(3, 40);
    CofRoi upper = {.part = {0, 0, WIDTH, 30}}, lower = {.part = {0, 30, WIDTH, HEIGHT - 30}};
    CofStats *all = counted(&p.view, NULL, &options), *first = NULL, *second = NULL, *back = NULL;
    assert_ok(cof_stats_new_like(&first, all, NULL));
    assert_ok(cof_stats_new_like(&second, all, NULL));
    assert_int_equal(cof_stats_palettes(first), 3);
    assert_ok(cof_stats_add(first, &p.view, &upper, &options));
    assert_ok(cof_stats_add(second, &p.view, &lower, &options));
    assert_ok(cof_stats_merge(first, second, NULL));
    assert_same(saved_stats(all), saved_stats(first));
    Saved saved = saved_stats(all);
    assert_int_equal(((unsigned char *)saved.bytes)[4], 2); /* the version of the format */
    assert_ok(cof_stats_load(&back, saved.bytes, saved.size, NULL));
    assert_same(saved, saved_stats(back));
    assert_ok(cof_stats_decay(all, 1, 2, NULL));
    for (int i = 0; i < 3; i++)
        assert_true(cof_stats_histogram(cof_stats_member(all, i))[0] ==
                    cof_stats_histogram(cof_stats_member(back, i))[0] / 2);
    cof_stats_free(&all);
    cof_stats_free(&first);
    cof_stats_free(&second);
    cof_stats_free(&back);
    test_image_free(&p);
}

/* A loaded model filters like the one that was saved. Models that older versions can read are
 * written as they were. */
static void models_save(void **state)
{
    (void)state;
    TestImage p = scene(COF_KIND_RGB, COF_SAMPLE_U8, 90), a = like(&p), b = like(&p);
    for (int i = 0; i < 4; i++) {
        CofOptions options = options_with(i & 1 ? 4 : 1, 30), found;
        options.separation = i & 2 ? 0.3 : 0;
        CofModel *model = learned(&p.view, &options), *back = NULL;
        Saved saved;
        assert_ok(cof_model_save(model, &saved.bytes, &saved.size, NULL));
        assert_int_equal(((unsigned char *)saved.bytes)[4], i == 0 ? 1 : 2);
        assert_ok(cof_model_load(&back, saved.bytes, saved.size, NULL));
        cof_options_init(&found);
        cof_model_options(back, &found);
        assert_int_equal(found.palettes, options.palettes);
        assert_true(found.separation == options.separation);
        assert_ok(cof_filter(model, NULL, &p.view, &a.view, &options));
        assert_ok(cof_filter(back, NULL, &p.view, &b.view, &options));
        assert_true(test_image_equal(&a, &b));
        /* No part of a file is a file. */
        for (size_t size = 0; size < saved.size; size += 97)
            assert_status(cof_model_load(&back, saved.bytes, size, NULL), COF_ERR_FORMAT);
        cof_free(saved.bytes);
        cof_model_free(&model);
        cof_model_free(&back);
    }
    test_image_free(&p);
    test_image_free(&a);
    test_image_free(&b);
}

static void palettes_are_copied(void **state)
{
    (void)state;
    TestImage p = scene(COF_KIND_RGB, COF_SAMPLE_U8, 90);
    CofOptions options = options_with(2, 30);
    CofStats *from = counted(&p.view, NULL, &options), *stats = NULL;
    CofModel *model = learned(&p.view, &options);
    CofProblem problem;
    assert_ok(cof_stats_new(&stats, &options));
    assert_ok(cof_stats_scan(stats, &p.view, NULL, &options));
    assert_ok(cof_stats_set_palette_from_stats(stats, from, NULL));
    assert_ok(cof_stats_add(stats, &p.view, NULL, &options));
    assert_same(saved_stats(from), saved_stats(stats));
    cof_stats_free(&stats);
    assert_ok(cof_stats_new(&stats, &options));
    assert_ok(cof_stats_set_palette_from_model(stats, model, NULL));
    assert_int_equal(cof_stats_palettes(stats), 2);
    cof_stats_free(&stats);
    for (int palettes = 1; palettes <= 3; palettes += 2) {
        options.palettes = palettes;
        assert_ok(cof_stats_new(&stats, &options));
        assert_status(cof_stats_set_palette_from_model(stats, model, &problem), COF_ERR_OPTION);
        assert_string_equal(problem.option, "palettes");
        assert_int_equal(cof_stats_palettes(stats), 0);
        cof_stats_free(&stats);
    }
    cof_stats_free(&from);
    cof_model_free(&model);
    test_image_free(&p);
}

/* What needs labels of one palette refuses several. */
static void one_palette_is_needed(void **state)
{
    (void)state;
    TestImage p = scene(COF_KIND_RGB, COF_SAMPLE_U8, 90), out = like(&p);
    TestImage labels = scene(COF_KIND_GREY, COF_SAMPLE_U8, 4);
    CofOptions options = options_with(2, 8);
    CofProblem problem;
    options.problem = &problem;
    CofStats *stats = counted(&p.view, NULL, &options), *empty = NULL;
    CofModel *model = learned(&p.view, &options), *made = NULL;
    float centres[6] = {0};
    double ones[64];
    void *bytes;
    size_t size;
    for (int i = 0; i < 64; i++)
        ones[i] = 1;
    assert_ok(cof_stats_new(&empty, &options));
    assert_status(cof_stats_set_labels(empty, 4, &problem), COF_ERR_OPTION);
    assert_status(cof_stats_set_palette(empty, centres, 2, 3, COF_KIND_RGB, &problem),
                  COF_ERR_OPTION);
    assert_string_equal(problem.option, "palettes");
    assert_status(cof_stats_add_labels(stats, &labels.view, NULL, &options), COF_ERR_OPTION);
    assert_status(cof_model_new_matrix(&made, stats, ones, &options), COF_ERR_ARGUMENT);
    assert_string_equal(problem.argument, "stats");
    assert_status(cof_filter_labels(model, &labels.view, &p.view, &out.view, &options),
                  COF_ERR_ARGUMENT);
    assert_string_equal(problem.argument, "model");
    assert_status(cof_focus(model, model, NULL, NULL, &p.view, &out.view, &options),
                  COF_ERR_ARGUMENT);
    assert_string_equal(problem.argument, "background");
    assert_status(cof_matte(model, model, NULL, &p.view, &labels.view, &options), COF_ERR_ARGUMENT);
    assert_status(cof_model_save_pair(model, model, &bytes, &size, &problem), COF_ERR_ARGUMENT);
    cof_stats_free(&stats);
    cof_stats_free(&empty);
    cof_model_free(&model);
    test_image_free(&p);
    test_image_free(&out);
    test_image_free(&labels);
}

static int stop_late(void *user, double done)
{
    (void)user;
    return done > 0.8;
}

/* A cancelled call counts for no palette. */
static void all_or_none_are_counted(void **state)
{
    (void)state;
    TestImage p = scene(COF_KIND_RGB, COF_SAMPLE_U8, 90);
    CofOptions options = options_with(3, 30);
    CofStats *stats = counted(&p.view, NULL, &options);
    Saved before = saved_stats(stats);
    options.progress = stop_late;
    assert_status(cof_stats_add(stats, &p.view, NULL, &options), COF_ERR_CANCELLED);
    assert_same(before, saved_stats(stats));
    cof_stats_free(&stats);
    test_image_free(&p);
}

/* The deviation of a filtered ramp's steps from their mean, in the middle row. */
static double ripple(int palettes)
{
    enum { LENGTH = 400, ROWS = 32, MARGIN = 40 };
    TestImage p =
        test_image_new(&(Random){1}, LAYOUT_ANY, LENGTH, ROWS, 3, COF_KIND_RGB, COF_SAMPLE_F32);
    for (int y = 0; y < ROWS; y++)
        for (int x = 0; x < LENGTH; x++)
            for (int c = 0; c < 3; c++)
                test_image_set(&p, x, y, c, 0.2 + 0.6 * (c == 1 ? LENGTH - x : x) / LENGTH);
    CofOptions options = options_with(palettes, 32);
    options.window = 15;
    options.iterations = 3;
    assert_ok(cof_smooth(&p.view, &p.view, &options));
    double sum = 0, squares = 0;
    for (int x = MARGIN; x < LENGTH - MARGIN; x++) {
        double step = test_image_get(&p, x + 1, ROWS / 2, 0) - test_image_get(&p, x, ROWS / 2, 0);
        sum += step;
        squares += step * step;
    }
    double n = LENGTH - 2 * MARGIN;
    test_image_free(&p);
    return sqrt(squares / n - sum / n * sum / n);
}

static void gradients_ripple_less(void **state)
{
    (void)state;
    double one = ripple(1), four = ripple(4);
    print_message("ripple of a ramp: %.2g with one palette, %.2f of it with four\n", one,
                  four / one);
    assert_true(four <= 0.5 * one);
}

/* A bright disc on a dark ground: M of the two is small, but not 0. */
static void separation_keeps_a_disc(void **state)
{
    (void)state;
    enum { SIDE = 96, RADIUS = 10, FAR = 16 };
    double glow[2];
    for (int i = 0; i < 2; i++) {
        Random random = {2};
        TestImage p =
            test_image_new(&random, LAYOUT_ANY, SIDE, SIDE, 1, COF_KIND_GREY, COF_SAMPLE_F32);
        for (int y = 0; y < SIDE; y++)
            for (int x = 0; x < SIDE; x++) {
                bool disc = hypot(x - SIDE / 2, y - SIDE / 2) <= RADIUS;
                test_image_set(&p, x, y, 0, (disc ? 1 : 0.02) + 0.01 * random_uniform(&random));
            }
        CofOptions options = options_with(1, 16);
        options.window = 25;
        options.iterations = 4;
        options.separation = i == 0 ? 0 : 0.15;
        assert_ok(cof_smooth(&p.view, &p.view, &options));
        glow[i] = 0;
        for (int y = 0; y < SIDE; y++)
            for (int x = 0; x < SIDE; x++)
                if (hypot(x - SIDE / 2, y - SIDE / 2) > FAR)
                    glow[i] = fmax(glow[i], test_image_get(&p, x, y, 0) - 0.03);
        test_image_free(&p);
    }
    print_message("glow of a disc: %.4f, with separation %.4f\n", glow[0], glow[1]);
    assert_true(glow[0] > 0.02 && glow[1] < 0.1 * glow[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_follow_the_rule),         cmocka_unit_test(grey_has_bins),
        cmocka_unit_test(equal_palettes_change_nothing), cmocka_unit_test(all_ways_agree),
        cmocka_unit_test(statistics_merge_and_save),     cmocka_unit_test(models_save),
        cmocka_unit_test(palettes_are_copied),           cmocka_unit_test(one_palette_is_needed),
        cmocka_unit_test(all_or_none_are_counted),       cmocka_unit_test(gradients_ripple_less),
        cmocka_unit_test(separation_keeps_a_disc),
    };
    return cmocka_run_group_tests_name("several_palettes", tests, NULL, NULL);
}
