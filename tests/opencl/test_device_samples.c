/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples of 16 bits and floats on a device against the CPU: statistics are the same bytes, and
 * filtered samples of 16 bits differ by at most 1, as they do between instruction sets of the CPU,
 * whose single precision has few bits more. */
#include <math.h>
#include <string.h>

#include "device_images.h"
#include "testing.h"

/* A painted image with noise in the last bits and, of floats, some values that are not finite, and
 * some beyond 0..1. */
static TestImage wide_image(Random *random, int width, int height, CofKind kind, CofSample sample)
{
    TestImage image = painted(random, width, height, kind, sample);
    int channels = image.view.channels;
    for (int i = 0; i < width * height * channels; i++) {
        int x = i / channels % width, y = i / channels / width, channel = i % channels;
        double value = test_image_get(&image, x, y, channel);
        if (sample == COF_SAMPLE_U16)
            value = fmin(65535, value + random_int(random, 0, 255));
        else if (random_chance(random, 0.01))
            value = random_chance(random, 0.5) ? INFINITY : NAN;
        else
            value = 1.1 * value - 0.04 + 0.01 * random_uniform(random);
        test_image_set(&image, x, y, channel, value);
    }
    return image;
}

static const int sizes[][2] = {{1, 1}, {1, 9}, {13, 1}, {31, 33}, {64, 47}, {97, 53}};

static CofKind random_kind(Random *random)
{
    static const CofKind kinds[] = {COF_KIND_RGB, COF_KIND_RGB, COF_KIND_GREY, COF_KIND_RGBA,
                                    COF_KIND_GREY_ALPHA};
    return kinds[random_int(random, 0, 4)];
}

static CofOptions random_options(Random *random)
{
    static const int colours[] = {1, 2, 32, 100, 256}, windows[] = {1, 3, 7, 15, 15, 37};
    CofOptions options;
    cof_options_init(&options);
    options.colours = colours[random_int(random, 0, 4)];
    options.levels = random_chance(random, 0.5) ? 256 : random_int(random, 1, 255);
    options.window = 2 * random_int(random, 0, 7) + 1;
    options.filter_window = windows[random_int(random, 0, 5)];
    options.border = (CofBorder)random_int(random, 0, 2);
    options.space = random_chance(random, 0.3) ? COF_SPACE_NATIVE : COF_SPACE_LAB;
    options.method = options.filter_window == 15 ? COF_METHOD_FAST : COF_METHOD_EXACT;
    options.iterations = random_int(random, 1, 3);
    return options;
}

/* Samples of 16 bits differ by 1 at most, floats by 1e-5. */
static void compare_wide(const TestImage *a, const TestImage *b)
{
    bool is_float = a->view.sample == COF_SAMPLE_F32;
    for (int i = 0; i < a->view.width * a->view.height * a->view.channels; i++) {
        int at = i / a->view.channels, channel = i % a->view.channels;
        int x = at % a->view.width, y = at / a->view.width;
        double first = test_image_get(a, x, y, channel), second = test_image_get(b, x, y, channel);
        if (isfinite(first) != isfinite(second) ||
            (isfinite(first) && fabs(first - second) > (is_float ? 1e-5 : 1)))
            fail_msg("(%d, %d) channel %d is %g, not %g", x, y, channel, second, first);
        compared += !is_float;
        different += !is_float && first != second;
    }
}

static void compare_smooth(uint64_t seed, CofSample sample)
{
    Random random = {current_seed = seed};
    const int *size = sizes[random_int(&random, 0, 5)];
    TestImage in = wide_image(&random, size[0], size[1], random_kind(&random), sample);
    if (random_chance(&random, 0.3))
        test_image_add_gaps(&in, &random, 0.2);
    TestImage host = test_image_like(&in), other = test_image_like(&in);
    CofOptions options = random_options(&random);
    CofReport report = {.struct_size = sizeof report};
    CofStats *stats[2] = {NULL, NULL};
    options.report = &report;
    CofStatus status = cof_smooth(&in.view, &host.view, &options);
    double change = report.change[0];
    assert_status(learn_from(&in.view, NULL, &options, &stats[0]), status);
    options.context = device;
    assert_status(learn_from(&in.view, NULL, &options, &stats[1]), status);
    assert_status(cof_smooth(&in.view, &other.view, &options), status);
    if (status == COF_OK) {
        assert_same_stats(stats[0], stats[1]);
        compare_wide(&host, &other);
        assert_true(fabs(report.change[0] - change) <= 0.001 * change + 1e-4);
        assert_int_equal(report.device_stages & 1u << COF_STAGE_FILTER, 1u << COF_STAGE_FILTER);
        assert_null(report.device_note);
        test_image_check_padding(&other);
        assert_ok(cof_smooth(&in.view, &in.view, &options));
        assert_true(test_image_equal(&in, &other)); /* in place, and once more */
    }
    cof_stats_free(&stats[0]);
    cof_stats_free(&stats[1]);
    test_image_free(&in);
    test_image_free(&host);
    test_image_free(&other);
}

static void wide_samples_are_close(void **state)
{
    (void)state;
    compared = different = 0;
    for (uint64_t seed = 1; seed <= 16; seed++) {
        compare_smooth(seed, COF_SAMPLE_U16);
        compare_smooth(1000 + seed, COF_SAMPLE_F32);
    }
    current_seed = 0;
    if (different > MAX_DIFFERENT_WORDS * compared)
        fail_msg("%g of %g samples differ", different, compared);
}

/* Labels that are updated, and those of a guide of other samples. */
static void other_labels_are_close(void **state)
{
    (void)state;
    Random random = {31};
    TestImage in = wide_image(&random, 80, 61, COF_KIND_RGB, COF_SAMPLE_U16);
    TestImage guide = painted(&random, 80, 61, COF_KIND_RGB, COF_SAMPLE_U8);
    TestImage host = test_image_like(&in), other = test_image_like(&in);
    CofOptions options;
    CofModel *model;
    CofReport report = {.struct_size = sizeof report};
    cof_options_init(&options);
    options.iterations = 2;
    assert_ok(cof_model_learn(&model, &guide.view, NULL, 1, &options));
    compared = different = 0;
    for (int way = 0; way < 2; way++) {
        options.update = way ? COF_UPDATE_LABELS : COF_UPDATE_NONE;
        for (int side = 0; side < 2; side++) {
            options.context = side ? device : NULL;
            options.report = side ? &report : NULL;
            assert_ok(cof_filter(model, way ? NULL : &guide.view, &in.view,
                                 side ? &other.view : &host.view, &options));
        }
        compare_wide(&host, &other);
        assert_true(report.device_stages & 1u << COF_STAGE_FILTER);
    }
    assert_true(different <= MAX_DIFFERENT_WORDS * compared);
    cof_model_free(&model);
    test_image_free(&in);
    test_image_free(&guide);
    test_image_free(&host);
    test_image_free(&other);
}

/* Values near the largest floats stay finite. */
static void large_floats_stay_finite(void **state)
{
    (void)state;
    Random random = {5};
    for (int method = 0; method < 2; method++) {
        TestImage in = painted(&random, 60, 50, COF_KIND_GREY, COF_SAMPLE_F32);
        TestImage out = test_image_like(&in);
        for (int i = 0; i < 60 * 50; i++)
            test_image_set(&in, i % 60, i / 60, 0,
                           (i % 60 < 30 ? -3e38 : 3e38) * random_uniform(&random));
        CofOptions options;
        cof_options_init(&options);
        options.method = method ? COF_METHOD_FAST : COF_METHOD_EXACT;
        options.context = device;
        options.iterations = 2;
        options.levels = 8;
        assert_ok(cof_smooth(&in.view, &out.view, &options));
        for (int i = 0; i < 60 * 50; i++)
            assert_true(isfinite(test_image_get(&out, i % 60, i / 60, 0)));
        test_image_free(&in);
        test_image_free(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(wide_samples_are_close, name_seed),
        cmocka_unit_test(other_labels_are_close),
        cmocka_unit_test(large_floats_stay_finite),
    };
    if (cof_device_count() == 0)
        return 77; /* skipped */
    return cmocka_run_group_tests(tests, open_device, close_device);
}
