/* SPDX-License-Identifier: BSD-2-Clause */
/* The fast method: close to the exact one, equal in tiles, and as accurate as requested. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "testing.h"

enum { WIDTH = 173, HEIGHT = 121 };

/* Soft patches with noise, similar to a photograph. */
static TestImage scene(uint64_t seed, CofKind kind, CofSample sample, int width, int height)
{
    Random random = {seed};
    int channels = kind_channels(kind, 3);
    double max = sample == COF_SAMPLE_U8 ? 255 : sample == COF_SAMPLE_U16 ? 65535 : 1;
    TestImage p = test_image_new(&random, LAYOUT_ANY, width, height, channels, kind, sample);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            for (int c = 0; c < channels; c++) {
                double wave = 0.5 + 0.3 * sin(x * (0.05 + 0.02 * c)) * cos(y * (0.07 - 0.02 * c));
                double patch = (x / 31 + y / 23) % 3 * 0.12;
                test_image_set(&p, x, y, c, max * (wave + patch + 0.03 * random_normal(&random)));
            }
    return p;
}

static TestImage like(const TestImage *p)
{
    Random random = {7};
    return test_image_new(&random, LAYOUT_ANY, p->view.width, p->view.height, p->view.channels,
                          p->view.kind, p->view.sample);
}

static CofOptions fast_options(CofReport *report)
{
    CofOptions options;
    cof_options_init(&options);
    options.method = COF_METHOD_FAST;
    options.report = report;
    *report = (CofReport){.struct_size = sizeof *report};
    return options;
}

static CofModel *learn(const TestImage *in, const CofOptions *options)
{
    CofStats *stats = NULL;
    CofModel *model = NULL;
    assert_ok(cof_stats_new(&stats, options));
    assert_ok(cof_stats_scan(stats, &in->view, NULL, options));
    assert_ok(cof_stats_fit_palette(stats, options));
    assert_ok(cof_stats_add(stats, &in->view, NULL, options));
    assert_ok(cof_model_new(&model, stats, options));
    cof_stats_free(&stats);
    return model;
}

/* PSNR of the colour channels in dB; the peak is the largest sample value. */
static double psnr(const TestImage *a, const TestImage *b)
{
    double sum = 0, peak = a->view.sample == COF_SAMPLE_U8    ? 255
                           : a->view.sample == COF_SAMPLE_U16 ? 65535
                                                              : 1;
    int channels = a->view.channels > 3 ? 3 : a->view.channels;
    for (int y = 0; y < a->view.height; y++)
        for (int x = 0; x < a->view.width; x++)
            for (int c = 0; c < channels; c++) {
                double d = test_image_get(a, x, y, c) - test_image_get(b, x, y, c);
                sum += d * d;
            }
    double mean = sum / ((double)a->view.width * a->view.height * channels);
    return mean > 0 ? 10 * log10(peak * peak / mean) : INFINITY;
}

/* PSNR between the fast and the exact result. */
static double distance_of(const TestImage *in, CofOptions options)
{
    TestImage fast = like(in), exact = like(in);
    assert_ok(cof_smooth(&in->view, &fast.view, &options));
    CofReport keep = *options.report;
    options.method = COF_METHOD_EXACT;
    assert_ok(cof_smooth(&in->view, &exact.view, &options));
    assert_int_equal(options.report->fast_terms, 0);
    assert_int_equal(options.report->fast_cell, 0);
    *options.report = keep;
    test_image_check_padding(&fast);
    double found = psnr(&fast, &exact);
    test_image_free(&fast);
    test_image_free(&exact);
    return found;
}

static void is_near_to_exact(void **state)
{
    (void)state;
    const CofKind kinds[] = {COF_KIND_RGB, COF_KIND_RGBA, COF_KIND_BANDS};
    for (int i = 0; i < 9; i++) {
        TestImage in = scene(11 + (uint64_t)i, kinds[i % 3], (CofSample)(i / 3), WIDTH, HEIGHT);
        CofReport report;
        CofOptions options = fast_options(&report);
        options.border = (CofBorder)(i % 3);
        double found = distance_of(&in, options);
        print_message("kind %d, sample %d: %.1f dB with %d terms\n", (int)kinds[i % 3], i / 3,
                      found, report.fast_terms);
        assert_true(report.fast_terms > 0);
        assert_int_equal(report.fast_cell, 2);
        assert_true(found >= 45);
        test_image_free(&in);
    }
}

static void keeps_the_accuracy_asked_for(void **state)
{
    (void)state;
    TestImage in = scene(3, COF_KIND_RGB, COF_SAMPLE_U8, WIDTH, HEIGHT);
    int terms = 0;
    for (int accuracy = 30; accuracy <= 70; accuracy += 5) {
        CofReport report;
        CofOptions options = fast_options(&report);
        options.accuracy = accuracy;
        double found = distance_of(&in, options);
        assert_true(found >= accuracy);
        /* A higher accuracy needs more terms, or the exact filter. */
        assert_true(report.fast_terms >= terms || report.fast_terms == 0);
        terms = report.fast_terms;
    }
    assert_int_equal(terms, 0);
    test_image_free(&in);
}

/* Random images with gaps and transparency, all windows and borders, several passes. */
static void tiles_make_the_whole(void **state)
{
    (void)state;
    const int windows[] = {15, 31, 61, 101};
    for (int i = 0; i < 12; i++) {
        Random random = {(uint64_t)i};
        TestImage in = scene(40 + (uint64_t)i, i % 2 ? COF_KIND_RGBA : COF_KIND_RGB,
                             (CofSample)(i % 3), 140, 97);
        if (i % 4 == 3)
            test_image_add_gaps(&in, &random, 0.1);
        TestImage whole = like(&in), tiles = like(&in);
        CofReport report;
        CofOptions options = fast_options(&report);
        options.filter_window = windows[i % 4];
        options.border = (CofBorder)(i % 3);
        options.iterations = 1 + i % 2;
        CofModel *model = learn(&in, &options);
        assert_ok(cof_filter(model, NULL, &in.view, &whole.view, &options));
        assert_true(report.fast_terms > 0);
        int side = 17 + 13 * (i % 3), margin = margin_of(model, &options);
        assert_true(margin >= options.filter_window / 2 * options.iterations);
        options.threads = 1 + i % 3;
        for (int y = 0; y < in.view.height; y += side)
            for (int x = 0; x < in.view.width; x += side) {
                CofRect tile = {x, y, side, side};
                if (x + side > in.view.width)
                    tile.width = in.view.width - x;
                if (y + side > in.view.height)
                    tile.height = in.view.height - y;
                CofImage out = view_part(&tiles.view, tile);
                assert_ok(cof_filter(model, NULL, &in.view, &out, &options));
            }
        assert_true(test_image_equal(&whole, &tiles));
        test_image_free(&in);
        test_image_free(&whole);
        test_image_free(&tiles);
        cof_model_free(&model);
    }
}

/* A view that holds no more than a tile and its margin. */
static void margins_are_enough(void **state)
{
    (void)state;
    TestImage in = scene(5, COF_KIND_RGB, COF_SAMPLE_F32, 200, 150);
    TestImage whole = like(&in);
    CofReport report;
    CofOptions options = fast_options(&report);
    options.filter_window = 31;
    CofModel *model = learn(&in, &options);
    assert_ok(cof_filter(model, NULL, &in.view, &whole.view, &options));
    int margin = margin_of(model, &options);
    CofRect tile = {71, 53, 40, 37};
    float pixels[40 * 37 * 3];
    CofImage out = {.data = pixels,
                    .width = tile.width,
                    .height = tile.height,
                    .channels = 3,
                    .kind = COF_KIND_RGB,
                    .sample = COF_SAMPLE_F32,
                    .x = tile.x,
                    .y = tile.y,
                    .full_width = 200,
                    .full_height = 150};
    CofRect wide = {tile.x - margin, tile.y - margin, tile.width + 2 * margin,
                    tile.height + 2 * margin};
    CofImage part = view_part(&in.view, wide);
    assert_ok(cof_filter(model, NULL, &part, &out, &options));
    for (int y = 0; y < tile.height; y++)
        for (int x = 0; x < tile.width; x++)
            for (int c = 0; c < 3; c++) {
                uint32_t bits;
                memcpy(&bits, &pixels[(y * tile.width + x) * 3 + c], sizeof bits);
                assert_int_equal(bits, test_image_bits(&whole, tile.x + x, tile.y + y, c));
            }
    wide.x++;
    wide.width--;
    part = view_part(&in.view, wide);
    assert_status(cof_filter(model, NULL, &part, &out, &options), COF_ERR_MISMATCH);
    cof_model_free(&model);
    test_image_free(&in);
    test_image_free(&whole);
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    TestImage in = scene(8, COF_KIND_RGB, COF_SAMPLE_U8, 900, 300), one = like(&in),
              many = like(&in);
    CofReport report;
    CofOptions options = fast_options(&report);
    options.threads = 1;
    assert_ok(cof_smooth(&in.view, &one.view, &options));
    for (int threads = 2; threads < 6; threads++) {
        options.threads = threads;
        assert_ok(cof_smooth(&in.view, &many.view, &options));
        assert_true(report.fast_terms > 0);
        assert_true(test_image_equal(&one, &many));
    }
    /* In place. */
    assert_ok(cof_smooth(&in.view, &in.view, &options));
    assert_true(test_image_equal(&one, &in));
    test_image_free(&in);
    test_image_free(&one);
    test_image_free(&many);
}

/* Where the fast method is not faster, the result is that of the exact filter, byte for byte. */
static void falls_back_to_exact(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++) {
        TestImage in =
            scene(20 + (uint64_t)i, i == 0 ? COF_KIND_GREY : COF_KIND_RGB, COF_SAMPLE_U8, 90, 70);
        CofReport report;
        CofOptions options = fast_options(&report);
        options.method = i == 4 ? COF_METHOD_AUTO : COF_METHOD_FAST;
        options.window = i == 1 ? 7 : i == 4 ? 5 : 15;
        options.colours = i == 2 ? 129 : 32;
        options.filter_sigma = i == 3 ? 0.7 : 0;
        assert_true(distance_of(&in, options) == INFINITY);
        assert_int_equal(report.fast_terms, 0);
        test_image_free(&in);
    }
}

/* Of more than 32 colours, and of a matrix that a short sum cannot approximate, each label is a
 * term of its own. */
static void a_term_for_each_label(void **state)
{
    (void)state;
    static const int colours[] = {24, 33, 64, 128};
    for (int i = 0; i < 4; i++) {
        TestImage in = scene(40 + (uint64_t)i, COF_KIND_RGB, COF_SAMPLE_U8, 180, 140);
        CofReport report;
        CofOptions options = fast_options(&report);
        options.window = 31;
        options.softness = 0;
        options.colours = colours[i];
        double distance = distance_of(&in, options);
        print_message("%d colours: %.1f dB\n", colours[i], distance);
        assert_true(distance >= options.accuracy);
        assert_int_equal(report.fast_terms, colours[i]);
        test_image_free(&in);
    }
}

/* A matrix of ones has rank 1, so the remaining error is that of the grid. */
static void one_term_for_a_blur(void **state)
{
    (void)state;
    TestImage in = scene(9, COF_KIND_RGB, COF_SAMPLE_F32, WIDTH, HEIGHT), fast = like(&in),
              exact = like(&in);
    CofReport report;
    CofOptions options = fast_options(&report);
    options.space = COF_SPACE_NATIVE;
    CofStats *stats = NULL;
    CofModel *model = NULL;
    double ones[32 * 32];
    for (int i = 0; i < 32 * 32; i++)
        ones[i] = 1;
    assert_ok(cof_stats_new(&stats, &options));
    assert_ok(cof_stats_scan(stats, &in.view, NULL, &options));
    assert_ok(cof_stats_fit_palette(stats, &options));
    assert_ok(cof_model_new_matrix(&model, stats, ones, &options));
    assert_ok(cof_filter(model, NULL, &in.view, &fast.view, &options));
    assert_int_equal(report.fast_terms, 1);
    options.method = COF_METHOD_EXACT;
    assert_ok(cof_filter(model, NULL, &in.view, &exact.view, &options));
    print_message("a blur: %.1f dB\n", psnr(&fast, &exact));
    assert_true(psnr(&fast, &exact) >= 55);
    cof_model_free(&model);
    cof_stats_free(&stats);
    test_image_free(&in);
    test_image_free(&fast);
    test_image_free(&exact);
}

/* Isolated and invalid pixels are unchanged; all results are finite. */
static void leaves_alone_what_it_must(void **state)
{
    (void)state;
    TestImage in = scene(13, COF_KIND_RGB, COF_SAMPLE_F32, 120, 90), out = like(&in);
    for (int y = 0; y < 90; y++)
        for (int x = 0; x < 120; x++)
            if (x < 40 || (x * 7 + y * 3) % 50 == 0)
                for (int c = 0; c < 3; c++)
                    test_image_set(&in, x, y, c, x < 40 ? (double)NAN : (double)FLT_MAX);
    CofReport report;
    CofOptions options = fast_options(&report);
    assert_ok(cof_smooth(&in.view, &out.view, &options));
    for (int y = 0; y < 90; y++)
        for (int x = 0; x < 120; x++)
            for (int c = 0; c < 3; c++) {
                if (x < 40)
                    assert_int_equal(test_image_bits(&in, x, y, c), test_image_bits(&out, x, y, c));
                else
                    assert_true(isfinite(test_image_get(&out, x, y, c)));
            }
    test_image_free(&in);
    test_image_free(&out);
}

/* A label with tiny weights is lost in a low-rank sum: its pixels are filtered exactly, even in
 * large windows. */
static void asks_the_exact_filter(void **state)
{
    (void)state;
    static const int windows[] = {15, 61, 101, 201};
    TestImage in = scene(17, COF_KIND_RGB, COF_SAMPLE_U8, 150, 120), fast = like(&in),
              exact = like(&in);
    CofReport report;
    CofOptions options = fast_options(&report);
    CofStats *stats = NULL;
    CofModel *model = NULL;
    double matrix[32 * 32];
    for (int a = 0; a < 32; a++)
        for (int b = 0; b < 32; b++)
            matrix[a * 32 + b] = a == 9 || b == 9 ? (a == b ? 1e-7 : 1e-9) : 1;
    assert_ok(cof_stats_new(&stats, &options));
    assert_ok(cof_stats_scan(stats, &in.view, NULL, &options));
    assert_ok(cof_stats_fit_palette(stats, &options));
    assert_ok(cof_model_new_matrix(&model, stats, matrix, &options));
    for (size_t i = 0; i < sizeof windows / sizeof windows[0]; i++) {
        options.filter_window = windows[i];
        options.method = COF_METHOD_FAST;
        assert_ok(cof_filter(model, NULL, &in.view, &fast.view, &options));
        assert_true(report.fast_terms > 0);
        options.method = COF_METHOD_EXACT;
        assert_ok(cof_filter(model, NULL, &in.view, &exact.view, &options));
        assert_true(psnr(&fast, &exact) >= 45);
    }
    cof_model_free(&model);
    cof_stats_free(&stats);
    test_image_free(&in);
    test_image_free(&fast);
    test_image_free(&exact);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_near_to_exact),          cmocka_unit_test(keeps_the_accuracy_asked_for),
        cmocka_unit_test(tiles_make_the_whole),      cmocka_unit_test(margins_are_enough),
        cmocka_unit_test(threads_do_not_matter),     cmocka_unit_test(falls_back_to_exact),
        cmocka_unit_test(a_term_for_each_label),     cmocka_unit_test(one_term_for_a_blur),
        cmocka_unit_test(leaves_alone_what_it_must), cmocka_unit_test(asks_the_exact_filter),
    };
    return cmocka_run_group_tests_name("fast", tests, NULL, NULL);
}
