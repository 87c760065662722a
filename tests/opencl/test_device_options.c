/* SPDX-License-Identifier: BSD-2-Clause */
/* Options between and after passes on a device against the CPU: several palettes, residual
 * correction, strength and detail, presets and two scales. */
#include <math.h>

#include "device_images.h"
#include "testing.h"

/* Images of floats differ by at most 1e-5 of 255. */
static void compare_any(const TestImage *a, const TestImage *b)
{
    if (a->view.sample != COF_SAMPLE_F32) {
        compare(a, b);
        return;
    }
    for (int i = 0; i < a->view.width * a->view.height * a->view.channels; i++) {
        int at = i / a->view.channels, channel = i % a->view.channels;
        double first = test_image_get(a, at % a->view.width, at / a->view.width, channel),
               second = test_image_get(b, at % a->view.width, at / a->view.width, channel);
        if (fabs(first - second) > 1e-5)
            fail_msg("pixel %d is %g, not %g", at, second, first);
    }
}

/* Smooths on both sides; the device does all of it. */
static void compare_smooth(const TestImage *in, CofOptions options)
{
    TestImage host = test_image_like(in), other = test_image_like(in);
    CofReport report = {.struct_size = sizeof report}, on_device = report;
    options.report = &report;
    assert_ok(cof_smooth(&in->view, &host.view, &options));
    options.report = &on_device;
    options.context = device;
    assert_ok(cof_smooth(&in->view, &other.view, &options));
    compare_any(&host, &other);
    assert_int_equal(on_device.passes, report.passes);
    assert_int_equal(on_device.fast_terms, report.fast_terms);
    for (int i = 0; i < report.passes && i < 4; i++)
        if (fabs(on_device.change[i] - report.change[i]) > 0.01 * report.change[i] + 1e-3)
            fail_msg("pass %d changes by %g, not %g", i, on_device.change[i], report.change[i]);
    assert_true(on_device.device_stages & 1u << COF_STAGE_FILTER);
    bool is_downscaled = options.downscale > 1 || options.filter_downscale > 1;
    assert_int_equal(on_device.device_stages >> COF_STAGE_STORE & 1, !is_downscaled);
    if (on_device.device_note)
        fail_msg("%s", on_device.device_note);
    test_image_check_padding(&other);
    test_image_free(&host);
    test_image_free(&other);
}

typedef struct Example {
    CofKind kind;
    CofSample sample;
    bool has_gaps;
    const char *options[5][2];
} Example;

static const Example examples[] = {
    {COF_KIND_RGB, COF_SAMPLE_U8, false, {{"palettes", "3"}}},
    {COF_KIND_RGB, COF_SAMPLE_U8, true, {{"palettes", "2"}, {"iterations", "3"}}},
    {COF_KIND_RGBA, COF_SAMPLE_U8, false, {{"palettes", "5"}, {"method", "fast"}}},
    {COF_KIND_GREY, COF_SAMPLE_U8, false, {{"palettes", "3"}, {"levels", "40"}}},
    {COF_KIND_RGB, COF_SAMPLE_U16, false, {{"palettes", "2"}, {"iterations", "2"}}},
    {COF_KIND_RGB, COF_SAMPLE_U8, false, {{"palettes", "2"}, {"update", "labels"}}},
    {COF_KIND_RGB, COF_SAMPLE_U8, false, {{"palettes", "8"}, {"fidelity", "1"}, {"detail", "0.3"}}},
    {COF_KIND_GREY, COF_SAMPLE_U8, false, {{"update", "labels"}, {"iterations", "3"}}},
    {COF_KIND_GREY,
     COF_SAMPLE_U16,
     false,
     {{"update", "labels"}, {"iterations", "2"}, {"levels", "20"}}},
    {COF_KIND_RGB,
     COF_SAMPLE_U8,
     false,
     {{"update", "model"}, {"iterations", "2"}, {"space", "native"}}},
    {COF_KIND_RGB, COF_SAMPLE_U8, false, {{"fidelity", "1"}}},
    {COF_KIND_RGB, COF_SAMPLE_U8, true, {{"fidelity", "3"}, {"iterations", "3"}}},
    {COF_KIND_GREY, COF_SAMPLE_U16, false, {{"fidelity", "2"}, {"method", "fast"}}},
    {COF_KIND_RGBA, COF_SAMPLE_F32, false, {{"fidelity", "2"}, {"iterations", "2"}}},
    {COF_KIND_RGB, COF_SAMPLE_U8, false, {{"strength", "0.4"}}},
    {COF_KIND_RGB, COF_SAMPLE_U8, false, {{"strength", "0"}}},
    {COF_KIND_RGBA, COF_SAMPLE_U8, true, {{"detail", "2.5"}}},
    {COF_KIND_RGB, COF_SAMPLE_U8, false, {{"detail", "-0.7"}, {"space", "native"}}},
    {COF_KIND_GREY, COF_SAMPLE_U8, false, {{"detail", "0.5"}}},
    {COF_KIND_RGB, COF_SAMPLE_U16, false, {{"detail", "0.5"}}},
    {COF_KIND_GREY_ALPHA, COF_SAMPLE_F32, false, {{"detail", "3"}, {"strength", "0.7"}}},
    {COF_KIND_RGB, COF_SAMPLE_U8, false, {{"filter_downscale", "2"}}},
    {COF_KIND_RGB, COF_SAMPLE_U8, true, {{"filter_downscale", "3"}, {"iterations", "3"}}},
    {COF_KIND_RGBA,
     COF_SAMPLE_U8,
     false,
     {{"filter_downscale", "2"}, {"iterations", "2"}, {"palettes", "2"}, {"detail", "0.3"}}},
    {COF_KIND_RGB, COF_SAMPLE_U8, false, {{"filter_downscale", "2"}, {"fidelity", "2"}}},
    {COF_KIND_GREY, COF_SAMPLE_U8, false, {{"filter_downscale", "2"}, {"downscale", "3"}}},
    {COF_KIND_RGB, COF_SAMPLE_U16, false, {{"filter_downscale", "2"}, {"iterations", "2"}}},
    {COF_KIND_RGB, COF_SAMPLE_U8, false, {{"refine", "2"}}},
    {COF_KIND_RGB, COF_SAMPLE_U8, false, {{"refine", "2"}, {"space", "native"}, {"detail", "-1"}}},
    {COF_KIND_RGB, COF_SAMPLE_U8, true, {{"refine", "4"}, {"palettes", "3"}, {"fidelity", "1"}}},
    {COF_KIND_RGBA,
     COF_SAMPLE_U8,
     true,
     {{"refine", "3"}, {"iterations", "3"}, {"strength", "0.6"}}},
    {COF_KIND_GREY,
     COF_SAMPLE_U8,
     false,
     {{"refine", "2"}, {"update", "model"}, {"iterations", "2"}}},
    {COF_KIND_RGB,
     COF_SAMPLE_U8,
     false,
     {{"refine", "1"}, {"update", "labels"}, {"softness", "0"}}},
    {COF_KIND_RGB, COF_SAMPLE_U8, false, {{"refine", "2"}, {"strength", "0"}}},
    {COF_KIND_GREY_ALPHA, COF_SAMPLE_U16, true, {{"refine", "5"}, {"detail", "0.5"}}},
    {COF_KIND_RGB, COF_SAMPLE_U16, false, {{"refine", "2"}, {"space", "native"}}},
    {COF_KIND_RGB, COF_SAMPLE_U16, false, {{"refine", "2"}, {"method", "fast"}}},
    {COF_KIND_GREY, COF_SAMPLE_F32, true, {{"refine", "2"}, {"iterations", "3"}}},
    {COF_KIND_RGBA, COF_SAMPLE_F32, true, {{"refine", "2"}, {"detail", "0.3"}}},
};

static CofOptions options_of(const Example *e)
{
    CofOptions options;
    cof_options_init(&options);
    options.window = 9;
    for (int i = 0; i < 5 && e->options[i][0]; i++)
        assert_ok(cof_options_set(&options, e->options[i][0], e->options[i][1], NULL));
    return options;
}

static void options_are_close(void **state)
{
    (void)state;
    double words = 0, different_words = 0, bytes = 0, different_bytes = 0;
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        const Example *e = &examples[i];
        Random random = {current_seed = 700 + i};
        TestImage in = painted(&random, 71, 54, e->kind, e->sample);
        if (e->has_gaps)
            test_image_add_gaps(&in, &random, 0.1);
        compared = different = 0;
        compare_smooth(&in, options_of(e));
        *(e->sample == COF_SAMPLE_U16 ? &words : &bytes) += compared;
        *(e->sample == COF_SAMPLE_U16 ? &different_words : &different_bytes) += different;
        test_image_free(&in);
    }
    current_seed = 0;
    if (different_bytes > 0.001 * bytes || different_words > MAX_DIFFERENT_WORDS * words)
        fail_msg("%g of %g bytes and %g of %g words differ", different_bytes, bytes,
                 different_words, words);
}

/* Images that are smaller than what a group refines, and those that need a few of them. */
static void sizes_are_refined(void **state)
{
    (void)state;
    static const int sizes[][2] = {{1, 1}, {1, 70}, {3, 2}, {124, 32}, {125, 33}, {250, 65}};
    compared = different = 0;
    for (int i = 0; i < 12; i++) {
        Random random = {current_seed = 900 + (uint64_t)i};
        TestImage in = painted(&random, sizes[i / 2][0], sizes[i / 2][1],
                               i % 4 == 1 ? COF_KIND_GREY : COF_KIND_RGB, COF_SAMPLE_U8);
        CofOptions options;
        cof_options_init(&options);
        options.window = 9;
        options.refine = i % 2 ? 1 + i / 2 : 2;
        compare_smooth(&in, options);
        test_image_free(&in);
    }
    current_seed = 0;
    if (different > 0.001 * compared)
        fail_msg("%g of %g samples differ", different, compared);
}

static void presets_are_close(void **state)
{
    (void)state;
    compared = different = 0;
    for (int preset = COF_PRESET_SUBTLE; preset <= COF_PRESET_DRAWING; preset++) {
        Random random = {current_seed = 800 + (uint64_t)preset};
        TestImage in = painted(&random, 90, 70, COF_KIND_RGB, COF_SAMPLE_U8);
        CofOptions options;
        cof_options_init(&options);
        /* At one scale, and at two. */
        for (int side = 200; side <= 800; side += 600) {
            if (side > 400 && (preset == COF_PRESET_FLAT || preset == COF_PRESET_SUBTLE))
                continue; /* each new grid takes seconds to compile */
            assert_ok(cof_options_set_preset(&options, (CofPreset)preset, side, side, NULL));
            compare_smooth(&in, options);
        }
        test_image_free(&in);
    }
    current_seed = 0;
    if (different > 0.001 * compared)
        fail_msg("%g of %g samples differ", different, compared);
}

/* A guide at two scales, and a model of several palettes that is applied in tiles. */
static void models_are_applied(void **state)
{
    (void)state;
    Random random = {9};
    TestImage in = painted(&random, 80, 66, COF_KIND_RGB, COF_SAMPLE_U8);
    TestImage guide = painted(&random, 80, 66, COF_KIND_RGB, COF_SAMPLE_U8);
    TestImage host = test_image_like(&in), other = test_image_like(&in);
    CofModel *model;
    CofOptions options;
    cof_options_init(&options);
    options.palettes = 2;
    options.iterations = 2;
    options.filter_window = 7;
    assert_ok(cof_model_learn(&model, &guide.view, NULL, 1, &options));
    options.filter_downscale = 2;
    assert_ok(cof_filter(model, &guide.view, &in.view, &host.view, &options));
    options.context = device;
    assert_ok(cof_filter(model, &guide.view, &in.view, &other.view, &options));
    compare(&host, &other);
    options.filter_downscale = 1;
    options.fidelity = 1;
    options.refine = 2;
    options.detail = 0.2;
    assert_ok(cof_filter(model, NULL, &in.view, &host.view, &options));
    for (int y = 0; y < 66; y += 40)
        for (int x = 0; x < 80; x += 35) {
            CofRect rect = {x, y, 80 - x < 35 ? 80 - x : 35, 66 - y < 40 ? 66 - y : 40};
            CofImage out = view_part(&other.view, rect);
            CofImage from =
                view_part(&in.view, rect_with_margin(rect, margin_of(model, &options), &in.view));
            assert_ok(cof_filter(model, NULL, &from, &out, &options));
        }
    assert_true(test_image_equal(&host, &other));
    cof_model_free(&model);
    test_image_free(&in);
    test_image_free(&guide);
    test_image_free(&host);
    test_image_free(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(options_are_close, name_seed),
        cmocka_unit_test_teardown(sizes_are_refined, name_seed),
        cmocka_unit_test_teardown(presets_are_close, name_seed),
        cmocka_unit_test(models_are_applied),
    };
    if (cof_device_count() == 0)
        return 77; /* skipped */
    return cmocka_run_group_tests(tests, open_device, close_device);
}
