/* SPDX-License-Identifier: BSD-2-Clause */
/* The results of a device against those of the CPU: labels, counts and models are the same bytes,
 * filtered samples differ by at most 1. Runs on the first device, with any OpenCL driver. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device_images.h"
#include "testing.h"

static CofKind random_kind(Random *random)
{
    static const CofKind kinds[] = {COF_KIND_RGB, COF_KIND_RGB, COF_KIND_GREY, COF_KIND_RGBA,
                                    COF_KIND_GREY_ALPHA};
    return kinds[random_int(random, 0, 4)];
}

static const int sizes[][2] = {{1, 1},   {1, 9},   {13, 1},  {2, 2},  {31, 33},
                               {32, 32}, {47, 29}, {64, 33}, {97, 53}};
#define N_SIZES ((int)(sizeof sizes / sizeof sizes[0]))

static CofOptions random_learning(Random *random)
{
    static const int colours[] = {1, 2, 5, 32, 33, 100, 256}, windows[] = {1, 3, 7, 15, 31, 63};
    CofOptions options;
    cof_options_init(&options);
    options.colours = colours[random_int(random, 0, 6)];
    options.levels = random_chance(random, 0.5) ? 256 : random_int(random, 2, 255);
    options.window = windows[random_int(random, 0, 5)];
    options.sampling = random_chance(random, 0.5) ? COF_SAMPLING_ALL : COF_SAMPLING_AUTO;
    return options;
}

/* Statistics of an image, a region and a mask on CPU and device. */
static void compare_statistics(uint64_t seed)
{
    Random random = {current_seed = seed};
    const int *size = sizes[random_int(&random, 0, N_SIZES - 1)];
    TestImage image = painted(&random, size[0], size[1], random_kind(&random), COF_SAMPLE_U8);
    if (random_chance(&random, 0.3))
        test_image_add_gaps(&image, &random, 0.2);
    uint8_t *marks = malloc((size_t)size[0] * (size_t)size[1]);
    for (int i = 0; i < size[0] * size[1]; i++)
        marks[i] = (uint8_t)random_chance(&random, 0.8);
    CofImage mask = grey_view(marks, size[0], size[1]);
    CofRoi roi = {.mask = random_chance(&random, 0.3) ? &mask : NULL};
    if (random_chance(&random, 0.3))
        roi.region = (CofRect){size[0] / 3, 0, size[0] - size[0] / 3, size[1] - size[1] / 4};
    CofOptions options = random_learning(&random);
    CofStats *host = NULL, *other = NULL;
    CofStatus status = learn_from(&image.view, &roi, &options, &host);
    options.context = device;
    assert_status(learn_from(&image.view, &roi, &options, &other), status);
    if (status == COF_OK)
        assert_same_stats(host, other);
    cof_stats_free(&host);
    cof_stats_free(&other);
    free(marks);
    test_image_free(&image);
}

static void statistics_are_the_same(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++)
        compare_statistics(seed);
    current_seed = 0;
}

/* An image large enough for sampled pairs, and its labels and model. */
static void models_are_the_same(void **state)
{
    (void)state;
    Random random = {5};
    for (int i = 0; i < 3; i++) {
        TestImage image =
            painted(&random, 311, 257, i < 2 ? COF_KIND_RGB : COF_KIND_GREY, COF_SAMPLE_U8);
        TestImage labels[2];
        CofModel *models[2] = {NULL, NULL};
        CofOptions options;
        cof_options_init(&options);
        options.colours = i == 1 ? 256 : 32;
        for (int side = 0; side < 2; side++) {
            options.context = side ? device : NULL;
            assert_ok(cof_model_learn(&models[side], &image.view, NULL, 1, &options));
            labels[side] =
                test_image_new(&random, LAYOUT_PACKED, 311, 257, 1, COF_KIND_GREY, COF_SAMPLE_U8);
            assert_ok(cof_model_label(models[side], &image.view, &labels[side].view, &options));
        }
        assert_same_model(models[0], models[1]);
        assert_true(test_image_equal(&labels[0], &labels[1]));
        for (int side = 0; side < 2; side++) {
            cof_model_free(&models[side]);
            test_image_free(&labels[side]);
        }
        test_image_free(&image);
    }
}

/* All colours that differ only in their last bits from being as near to two centres. */
static void ties_are_the_same(void **state)
{
    (void)state;
    enum { SIDE = 64 };
    Random random = {11};
    TestImage image =
        test_image_new(&random, LAYOUT_PACKED, SIDE, SIDE, 3, COF_KIND_RGB, COF_SAMPLE_U8);
    TestImage labels[2];
    for (int i = 0; i < SIDE * SIDE; i++) /* a plane of greys: a = b = 0, but for rounding */
        for (int channel = 0; channel < 3; channel++)
            test_image_set(&image, i % SIDE, i / SIDE, channel, i % 256);
    /* Pairs of centres at the same distance on both sides of the grey axis, and equal ones. */
    float centres[8][3];
    for (int i = 0; i < 8; i++) {
        centres[i][0] = (float)(25 * (i / 2));
        centres[i][1] = i % 2 ? 10.0f : -10.0f;
        centres[i][2] = 0;
    }
    memcpy(centres[7], centres[6], sizeof centres[7]);
    CofOptions options;
    cof_options_init(&options);
    CofStats *stats;
    CofModel *model;
    assert_ok(cof_stats_new(&stats, &options));
    assert_ok(cof_stats_set_palette(stats, centres[0], 8, 3, COF_KIND_RGB, NULL));
    assert_ok(cof_stats_add(stats, &image.view, NULL, &options));
    assert_ok(cof_model_new(&model, stats, &options));
    for (int side = 0; side < 2; side++) {
        options.context = side ? device : NULL;
        labels[side] =
            test_image_new(&random, LAYOUT_PACKED, SIDE, SIDE, 1, COF_KIND_GREY, COF_SAMPLE_U8);
        assert_ok(cof_model_label(model, &image.view, &labels[side].view, &options));
    }
    assert_true(test_image_equal(&labels[0], &labels[1]));
    test_image_free(&labels[0]);
    test_image_free(&labels[1]);
    test_image_free(&image);
    cof_stats_free(&stats);
    cof_model_free(&model);
}

static CofOptions random_filter(Random *random)
{
    static const int windows[] = {0, 1, 3, 7, 15, 17, 29, 31, 65, 255};
    CofOptions options = random_learning(random);
    options.window = 2 * random_int(random, 0, 7) + 1;
    options.filter_window = windows[random_int(random, 0, 9)];
    options.border = (CofBorder)random_int(random, 0, 2);
    options.space = random_chance(random, 0.3) ? COF_SPACE_NATIVE : COF_SPACE_LAB;
    options.iterations = random_int(random, 1, 3);
    options.update = (CofUpdate)random_int(random, 0, 2);
    options.softness = random_chance(random, 0.3) ? 0 : 0.75;
    return options;
}

static void compare_smooth(uint64_t seed)
{
    Random random = {current_seed = seed};
    const int *size = sizes[random_int(&random, 0, N_SIZES - 1)];
    TestImage in = painted(&random, size[0], size[1], random_kind(&random), COF_SAMPLE_U8);
    if (random_chance(&random, 0.3))
        test_image_add_gaps(&in, &random, random_chance(&random, 0.2) ? 1 : 0.2);
    TestImage host = test_image_like(&in), other = test_image_like(&in);
    CofOptions options = random_filter(&random);
    /* Labels that change with the last bit of a value may change a result by more. */
    if (options.update != COF_UPDATE_NONE)
        options.iterations = 1;
    CofReport report = {.struct_size = sizeof report};
    options.report = &report;
    CofStatus status = cof_smooth(&in.view, &host.view, &options);
    double change = report.change[0];
    options.context = device;
    assert_status(cof_smooth(&in.view, &other.view, &options), status);
    if (status != COF_OK) { /* no pixel has data */
        assert_status(status, COF_ERR_EMPTY);
        test_image_free(&in);
        test_image_free(&host);
        test_image_free(&other);
        return;
    }
    compare(&host, &other);
    assert_true(report.change[0] >= change * 0.999 - 1e-4 &&
                report.change[0] <= change * 1.001 + 1e-4);
    assert_true(report.device_stages & 1u << COF_STAGE_FILTER);
    test_image_check_padding(&other);
    assert_ok(cof_smooth(&in.view, &in.view, &options));
    assert_true(test_image_equal(&in, &other)); /* in place, and once more */
    test_image_free(&in);
    test_image_free(&host);
    test_image_free(&other);
}

static void filtered_samples_are_close(void **state)
{
    (void)state;
    compared = different = 0;
    for (uint64_t seed = 1; seed <= 80; seed++)
        compare_smooth(seed);
    current_seed = 0;
    if (different > 0.001 * compared)
        fail_msg("%g of %g samples differ", different, compared);
}

/* Several passes with new labels or statistics in each: labels may differ where the last bit of a
 * value decides, and a few samples with them. */
static void updated_labels_are_close(void **state)
{
    (void)state;
    Random random = {3};
    for (int update = 1; update <= 2; update++) {
        TestImage in = painted(&random, 120, 90, COF_KIND_RGB, COF_SAMPLE_U8);
        TestImage host = test_image_like(&in), other = test_image_like(&in);
        CofOptions options;
        CofReport report = {.struct_size = sizeof report};
        cof_options_init(&options);
        options.iterations = 3;
        options.update = (CofUpdate)update;
        options.report = &report;
        assert_ok(cof_smooth(&in.view, &host.view, &options));
        options.context = device;
        assert_ok(cof_smooth(&in.view, &other.view, &options));
        compared = different = 0;
        compare(&host, &other);
        assert_true(different <= 0.001 * compared);
        assert_int_equal(report.device_stages & 1u << COF_STAGE_FILTER, 1u << COF_STAGE_FILTER);
        assert_null(report.device_note);
        test_image_free(&in);
        test_image_free(&host);
        test_image_free(&other);
    }
}

/* Tile by tile gives the bytes of the whole, on the device, too. */
static void tiles_are_the_same(void **state)
{
    (void)state;
    Random random = {8};
    TestImage in = painted(&random, 97, 83, COF_KIND_RGB, COF_SAMPLE_U8);
    TestImage whole = test_image_like(&in), tiled = test_image_like(&in);
    CofOptions options;
    cof_options_init(&options);
    options.context = device;
    options.iterations = 2;
    options.filter_window = 9;
    for (int border = 0; border <= 2; border++) {
        CofModel *model;
        options.border = (CofBorder)border;
        assert_ok(cof_model_learn(&model, &in.view, NULL, 1, &options));
        assert_ok(cof_filter(model, NULL, &in.view, &whole.view, &options));
        for (int y = 0; y < 83; y += 40)
            for (int x = 0; x < 97; x += 35) {
                CofRect rect = {x, y, 97 - x < 35 ? 97 - x : 35, 83 - y < 40 ? 83 - y : 40};
                CofImage out = view_part(&tiled.view, rect);
                CofImage from = view_part(
                    &in.view, rect_with_margin(rect, margin_of(model, &options), &in.view));
                assert_ok(cof_filter(model, NULL, &from, &out, &options));
            }
        assert_true(test_image_equal(&whole, &tiled));
        cof_model_free(&model);
    }
    test_image_free(&in);
    test_image_free(&whole);
    test_image_free(&tiled);
}

/* Labels of a guide, given labels and known labels of a part, with the filter on the device. */
static void labels_of_others(void **state)
{
    (void)state;
    Random random = {21};
    enum { WIDTH = 70, HEIGHT = 50 };
    TestImage in = painted(&random, WIDTH, HEIGHT, COF_KIND_RGB, COF_SAMPLE_U8);
    TestImage guide = painted(&random, WIDTH, HEIGHT, COF_KIND_RGB, COF_SAMPLE_U16);
    TestImage host = test_image_like(&in), other = test_image_like(&in);
    static uint8_t bytes[WIDTH * HEIGHT];
    CofImage labels = grey_view(bytes, WIDTH, HEIGHT);
    CofOptions options;
    CofReport report = {.struct_size = sizeof report};
    cof_options_init(&options);
    CofModel *model, *own;
    CofPart *part;
    CofStats *stats = NULL;
    assert_ok(cof_model_learn(&model, &guide.view, NULL, 1, &options));
    assert_ok(cof_model_label(model, &guide.view, &labels, &options));
    assert_ok(learn_from(&in.view, NULL, &options, &stats));
    assert_ok(cof_part_new(&part, &in.view, NULL));
    assert_ok(cof_stats_add_part(stats, part, NULL, &options));
    assert_ok(cof_model_new(&own, stats, &options));
    for (int i = 0; i < 6; i++) {
        int way = i % 3;
        options.refine = i / 3 * 2;
        for (int side = 0; side < 2; side++) {
            const CofImage *out = side ? &other.view : &host.view;
            options.context = side ? device : NULL;
            options.report = side ? &report : NULL;
            assert_ok(way == 0   ? cof_filter(model, &guide.view, &in.view, out, &options)
                      : way == 1 ? cof_filter_labels(model, &labels, &in.view, out, &options)
                                 : cof_filter_part(own, part, out, &options));
        }
        compare(&host, &other);
        assert_true(report.device_stages & 1u << COF_STAGE_FILTER);
    }
    cof_part_free(&part);
    cof_stats_free(&stats);
    cof_model_free(&model);
    cof_model_free(&own);
    test_image_free(&in);
    test_image_free(&guide);
    test_image_free(&host);
    test_image_free(&other);
}

/* What the device does not do: results are those of the CPU, and the report says why. */
typedef struct Fallback {
    CofKind kind;
    CofSample sample;
    const char *option, *value;
    const char *note; /* words of the note */
} Fallback;

static const Fallback fallbacks[] = {
    {COF_KIND_BANDS, COF_SAMPLE_U8, NULL, NULL, "grey and RGB"},
};

static void all_else_runs_on_the_cpu(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof fallbacks / sizeof fallbacks[0]; i++) {
        const Fallback *f = &fallbacks[i];
        Random random = {current_seed = 100 + i};
        TestImage in = painted(&random, 60, 41, f->kind, f->sample);
        TestImage host = test_image_like(&in), other = test_image_like(&in);
        CofOptions options;
        CofReport report = {.struct_size = sizeof report};
        cof_options_init(&options);
        options.iterations = 2;
        options.report = &report;
        if (f->option)
            assert_ok(cof_options_set(&options, f->option, f->value, NULL));
        assert_ok(cof_smooth(&in.view, &host.view, &options));
        assert_string_equal(report.device, "");
        assert_int_equal(report.device_stages, 0);
        assert_null(report.device_note);
        options.context = device;
        assert_ok(cof_smooth(&in.view, &other.view, &options));
        assert_true(test_image_equal(&host, &other));
        assert_true(report.device[0] != '\0');
        assert_int_equal(report.device_stages & 1u << COF_STAGE_FILTER, 0);
        if (!report.device_note || !strstr(report.device_note, f->note))
            fail_msg("the note is: %s", report.device_note ? report.device_note : "none");
        test_image_free(&in);
        test_image_free(&host);
        test_image_free(&other);
    }
    current_seed = 0;
}

/* A report of a program that was built with an older header is not written beyond its end. */
static void short_reports_are_respected(void **state)
{
    (void)state;
    Random random = {1};
    TestImage image = painted(&random, 20, 20, COF_KIND_RGB, COF_SAMPLE_U8);
    CofReport report;
    memset(&report, 0x5a, sizeof report);
    report.struct_size = (uint32_t)offsetof(CofReport, device);
    CofOptions options;
    cof_options_init(&options);
    options.context = device;
    options.report = &report;
    assert_ok(cof_smooth(&image.view, &image.view, &options));
    for (size_t i = offsetof(CofReport, device); i < sizeof report; i++)
        assert_int_equal(((unsigned char *)&report)[i], 0x5a);
    assert_int_equal(report.passes, 1);
    test_image_free(&image);
}

/* Counts calls of the progress callback, and cancels at one of them. */
typedef struct Patience {
    int calls, limit;
    double last;
} Patience;

static int lose_patience(void *user, double done)
{
    Patience *patience = user;
    assert_true(done >= patience->last && done <= 1);
    patience->last = done;
    return ++patience->calls == patience->limit;
}

static void cancelled_calls_change_nothing(void **state)
{
    (void)state;
    Random random = {2};
    TestImage in = painted(&random, 90, 70, COF_KIND_RGB, COF_SAMPLE_U8);
    TestImage out = test_image_like(&in), before = test_image_like(&in);
    test_image_copy(&out, &before);
    Patience patience = {.limit = -1};
    CofOptions options;
    cof_options_init(&options);
    options.context = device;
    options.iterations = 2;
    options.filter_window = 101; /* several strips */
    options.progress = lose_patience;
    options.user = &patience;
    for (int limit = 1; limit == 1 || patience.calls == patience.limit; limit++) {
        patience = (Patience){.limit = limit};
        CofStatus status = cof_smooth(&in.view, &out.view, &options);
        if (patience.last == 1)
            break; /* the last call, after which nothing is left to cancel */
        assert_status(status, COF_ERR_CANCELLED);
        assert_true(test_image_equal(&out, &before));
    }
    assert_true(patience.calls > 6);
    patience = (Patience){.limit = -1};
    assert_ok(cof_smooth(&in.view, &out.view, &options));
    assert_false(test_image_equal(&out, &before));
    test_image_free(&in);
    test_image_free(&out);
    test_image_free(&before);
}

/* A tolerance stops at the same pass. */
static void tolerances_stop_alike(void **state)
{
    (void)state;
    Random random = {6};
    TestImage in = painted(&random, 80, 60, COF_KIND_RGB, COF_SAMPLE_U8),
              out = test_image_like(&in);
    CofOptions options;
    CofReport report = {.struct_size = sizeof report};
    cof_options_init(&options);
    options.iterations = 30;
    options.tolerance = 0.7;
    options.report = &report;
    assert_ok(cof_smooth(&in.view, &out.view, &options));
    int passes = report.passes;
    assert_in_range(passes, 2, 29);
    options.context = device;
    assert_ok(cof_smooth(&in.view, &out.view, &options));
    assert_int_equal(report.passes, passes);
    test_image_free(&in);
    test_image_free(&out);
}

/* In a child of fork(), calls run on the CPU, and the context can be freed. */
static void children_use_the_cpu(void **state)
{
    (void)state;
    Random random = {4};
    TestImage in = painted(&random, 50, 40, COF_KIND_RGB, COF_SAMPLE_U8);
    TestImage host = test_image_like(&in), other = test_image_like(&in);
    CofOptions options;
    CofReport report = {.struct_size = sizeof report};
    cof_options_init(&options);
    assert_ok(cof_smooth(&in.view, &host.view, &options));
    pid_t child = fork();
    if (child == 0) {
        options.context = device;
        options.report = &report;
        bool right = cof_smooth(&in.view, &other.view, &options) == COF_OK &&
                     test_image_equal(&host, &other) && report.device_stages == 0 &&
                     report.device_note;
        cof_context_free(&device);
        _exit(right ? 0 : 1);
    }
    int result = 1;
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_int_equal(result, 0);
    test_image_free(&in);
    test_image_free(&host);
    test_image_free(&other);
}

static void devices_have_names(void **state)
{
    (void)state;
    CofDeviceInfo info;
    CofProblem problem;
    CofContext *context = NULL;
    int n = cof_device_count();
    assert_in_range(n, 1, 64);
    for (int i = 0; i < n; i++) {
        char name[80];
        assert_ok(cof_device_info(i, &info, &problem));
        assert_true(info.name[0] && info.platform[0] && info.memory > 0);
        snprintf(name, sizeof name, "opencl:%s", info.name);
        for (char *c = name + 7; *c; c++)
            *c = (char)(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
        assert_ok(cof_context_new_device(&context, name, 1, &problem));
        cof_context_free(&context);
    }
    assert_status(cof_device_info(n, &info, &problem), COF_ERR_ARGUMENT);
    assert_string_equal(problem.argument, "index");
    assert_status(cof_device_info(-1, &info, &problem), COF_ERR_ARGUMENT);
    static const char *const unknown[] = {"opencl:no such device", "cuda", "", "GPU"};
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        assert_status(cof_context_new_device(&context, unknown[i], 1, &problem),
                      COF_ERR_UNSUPPORTED);
        assert_string_equal(problem.argument, "device");
        assert_null(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(statistics_are_the_same, name_seed),
        cmocka_unit_test(models_are_the_same),
        cmocka_unit_test(ties_are_the_same),
        cmocka_unit_test_teardown(filtered_samples_are_close, name_seed),
        cmocka_unit_test(updated_labels_are_close),
        cmocka_unit_test(tiles_are_the_same),
        cmocka_unit_test(labels_of_others),
        cmocka_unit_test_teardown(all_else_runs_on_the_cpu, name_seed),
        cmocka_unit_test(short_reports_are_respected),
        cmocka_unit_test(cancelled_calls_change_nothing),
        cmocka_unit_test(tolerances_stop_alike),
        cmocka_unit_test(children_use_the_cpu),
        cmocka_unit_test(devices_have_names),
    };
    if (cof_device_count() == 0)
        return 77; /* skipped */
    return cmocka_run_group_tests(tests, open_device, close_device);
}
