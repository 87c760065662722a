/* SPDX-License-Identifier: BSD-2-Clause */
/* Presets: the options that they set for images of any size. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "testing.h"

enum { PRESETS = COF_PRESET_DRAWING + 1 };

/* The windows and factors of all presets. */
static const struct {
    int width, height, windows[PRESETS], factors[PRESETS];
} size_rows[] = {
    {1, 1, {5, 5, 5, 5, 5, 5, 5}, {1, 1, 1, 1, 1, 1, 1}},
    {400, 400, {11, 25, 9, 55, 15, 13, 27}, {1, 1, 1, 1, 1, 1, 1}},
    {481, 321, {11, 25, 9, 55, 15, 13, 27}, {1, 1, 1, 1, 1, 1, 1}},
    {50, 8000, {17, 39, 15, 43, 23, 21, 43}, {1, 1, 1, 2, 1, 1, 1}},
    {6000, 4000, {11, 25, 9, 57, 15, 13, 27}, {12, 12, 12, 12, 12, 12, 12}},
    {4000, 6000, {11, 25, 9, 57, 15, 13, 27}, {12, 12, 12, 12, 12, 12, 12}},
    {30000, 20000, {11, 25, 9, 55, 15, 13, 27}, {61, 61, 61, 61, 61, 61, 61}},
    {COF_MAX_SIDE, COF_MAX_SIDE, {63, 63, 63, 63, 63, 63, 63}, {64, 64, 64, 64, 64, 64, 64}},
};

static const struct {
    int window, colours, palettes, iterations;
    double sigma, softness, separation;
    CofUpdate update;
} preset_rows[] = {
    [COF_PRESET_SUBTLE] = {11, 128, 2, 2, 1.7, 0.5, 0.25, COF_UPDATE_NONE},
    [COF_PRESET_TEXTURE] = {25, 128, 2, 4, 4.5, 0.5, 0.2, COF_UPDATE_NONE},
    [COF_PRESET_CARTOON] = {9, 24, 1, 8, 2.65, 0.25, 0.3, COF_UPDATE_LABELS},
    [COF_PRESET_FLAT] = {55, 32, 2, 12, 8, 0.25, 0.4, COF_UPDATE_NONE},
    [COF_PRESET_VIDEO] = {15, 32, 2, 2, 2, 0.4, 0.11, COF_UPDATE_NONE},
    [COF_PRESET_PORTRAIT] = {13, 128, 2, 3, 2, 0.5, 0.22, COF_UPDATE_NONE},
    [COF_PRESET_DRAWING] = {27, 64, 1, 16, 4.5, 1, 1, COF_UPDATE_NONE},
};

static void presets_set_options(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof size_rows / sizeof size_rows[0]; i++)
        for (int preset = 0; preset < PRESETS; preset++) {
            CofOptions o, expected;
            int factor = size_rows[i].factors[preset];
            double larger = sqrt((double)size_rows[i].width * size_rows[i].height) / 400;
            cof_options_init(&expected);
            expected.colours = expected.levels = preset_rows[preset].colours;
            expected.palettes = preset_rows[preset].palettes;
            expected.window = size_rows[i].windows[preset];
            expected.sigma = fmax(preset_rows[preset].sigma * larger / factor, 1);
            expected.softness = preset_rows[preset].softness;
            expected.separation = preset_rows[preset].separation;
            expected.iterations = preset_rows[preset].iterations;
            expected.update = preset_rows[preset].update;
            expected.method = COF_METHOD_FAST;
            expected.downscale = expected.filter_downscale = factor;
            expected.refine = (int)fmin(fmax(round(2 * larger / factor), 2), 16);
            cof_options_init(&o);
            assert_ok(cof_options_set_preset(&o, (CofPreset)preset, size_rows[i].width,
                                             size_rows[i].height, NULL));
            assert_memory_equal(&o, &expected, sizeof o);
        }
}

static int go_on(void *user, double done)
{
    (void)user;
    (void)done;
    return 0;
}

/* A preset overrides earlier values, except for options that it does not set. */
static void presets_override_earlier_values(void **state)
{
    (void)state;
    CofReport report;
    CofOptions o, expected;
    cof_options_init(&o);
    o.seed = 7;
    o.sampling = COF_SAMPLING_ALL;
    o.low = 0.25;
    o.high = 0.5;
    o.space = COF_SPACE_NATIVE;
    o.threads = 3;
    o.report = &report;
    o.progress = go_on;
    o.user = &report;
    expected = o;
    assert_ok(cof_options_set_preset(&expected, COF_PRESET_TEXTURE, 1000, 1000, NULL));
    assert_ok(cof_options_set_variant(&o, COF_VARIANT_AUTHORS, NULL));
    o.colours = 3;
    o.levels = 256;
    o.window = 3;
    o.sigma = o.filter_sigma = 2;
    o.filter_window = 5;
    o.iterations = 7;
    o.update = COF_UPDATE_MODEL;
    o.tolerance = 1;
    o.method = COF_METHOD_AUTO;
    o.accuracy = 60;
    o.downscale = 8;
    assert_ok(cof_options_set_preset(&o, COF_PRESET_TEXTURE, 1000, 1000, NULL));
    assert_memory_equal(&o, &expected, sizeof o);
    assert_true(o.seed == 7 && o.sampling == COF_SAMPLING_ALL && o.space == COF_SPACE_NATIVE);
    assert_true(o.low == 0.25 && o.high == 0.5 && o.threads == 3 && o.report == &report);
}

/* The window scales with the image and with the option, within its range. */
static void presets_follow_the_size(void **state)
{
    (void)state;
    int n = 0;
    for (double width = 1; width <= COF_MAX_SIDE; width *= 1.17)
        for (double height = 1; height <= COF_MAX_SIDE; height *= 1.31)
            for (int preset = 0; preset < PRESETS; preset++) {
                CofOptions o;
                cof_options_init(&o);
                o.size = pow(4, n++ % 5 * 0.5 - 1); /* 0.25 to 4 */
                assert_ok(
                    cof_options_set_preset(&o, (CofPreset)preset, (int)width, (int)height, NULL));
                assert_ok(cof_options_check(&o, NULL));
                double larger = o.size * sqrt((double)(int)width * (int)height) / 400;
                assert_true(o.sigma >= 1 && o.refine >= 2 && o.refine <= COF_MAX_REFINE);
                double window = preset_rows[preset].window * larger / o.downscale;
                assert_true(o.window >= 5 && o.window <= COF_MAX_WINDOW);
                assert_true(o.downscale >= 1 && o.downscale <= COF_MAX_DOWNSCALE);
                double least = fmax(larger, ceil(preset_rows[preset].window * larger / 63));
                assert_true(o.downscale <= fmax(least, 1));
                assert_true(o.downscale == COF_MAX_DOWNSCALE || o.downscale > least - 1);
                if (window >= 5 && window <= COF_MAX_WINDOW)
                    assert_true(fabs(o.window - window) <= 1);
            }
}

/* Twice the size is what an image that is twice as wide and high gets. */
static void size_scales_like_the_image(void **state)
{
    (void)state;
    static const int sides[][2] = {{390, 260}, {1200, 840}, {6000, 4000}};
    static const int factors[] = {4, 2, 1}; /* of a size of 0.25, 0.5 and 1 */
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int preset = 0; preset < PRESETS; preset++) {
                int width = sides[i][0], height = sides[i][1];
                CofOptions o, expected;
                cof_options_init(&expected);
                assert_ok(
                    cof_options_set_preset(&expected, (CofPreset)preset, width, height, NULL));
                cof_options_init(&o);
                o.size = expected.size = 1.0 / factors[j];
                assert_ok(cof_options_set_preset(&o, (CofPreset)preset, width * factors[j],
                                                 height * factors[j], NULL));
                assert_memory_equal(&o, &expected, sizeof o);
            }
}

/* Programs that were built with the header of 1.0 have no size, and no refine. */
static void older_options_have_no_size(void **state)
{
    (void)state;
    CofOptions o, expected;
    cof_options_init(&expected);
    assert_ok(cof_options_set_preset(&expected, COF_PRESET_TEXTURE, 1200, 800, NULL));
    cof_options_init_sized(&o, offsetof(CofOptions, refine));
    assert_ok(cof_options_set_preset(&o, COF_PRESET_TEXTURE, 1200, 800, NULL));
    expected.struct_size = o.struct_size;
    assert_memory_equal(&o, &expected, offsetof(CofOptions, refine));
}

static void bad_presets_change_nothing(void **state)
{
    (void)state;
    static const struct {
        int preset, width, height;
        CofStatus status;
    } rows[] = {{-1, 9, 9, COF_ERR_OPTION},   {PRESETS, 9, 9, COF_ERR_OPTION},
                {0, 0, 9, COF_ERR_ARGUMENT},  {0, 9, 0, COF_ERR_ARGUMENT},
                {1, -9, 9, COF_ERR_ARGUMENT}, {2, 9, INT_MIN, COF_ERR_ARGUMENT}};
    CofOptions o, before;
    CofProblem problem;
    cof_options_init(&before);
    before.window = 3;
    o = before;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_status(cof_options_set_preset(&o, (CofPreset)rows[i].preset, rows[i].width,
                                             rows[i].height, &problem),
                      rows[i].status);
        assert_int_equal(problem.status, rows[i].status);
        assert_memory_equal(&o, &before, sizeof o);
    }
    assert_status(cof_options_set_preset(NULL, COF_PRESET_SUBTLE, 9, 9, NULL), COF_ERR_ARGUMENT);
    static const double sizes[] = {0, 0.24, 4.01, -1, NAN, INFINITY};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        o.size = before.size = sizes[i];
        assert_status(cof_options_set_preset(&o, COF_PRESET_SUBTLE, 9, 9, &problem),
                      COF_ERR_OPTION);
        assert_string_equal(problem.text, "size must be 0.25 to 4");
        assert_memory_equal(&o, &before, sizeof o);
    }
    /* Options that were not initialised. */
    memset(&before, 0, sizeof before);
    o = before;
    assert_status(cof_options_set_preset(&o, COF_PRESET_SUBTLE, 9, 9, &problem), COF_ERR_OPTION);
    assert_memory_equal(&o, &before, sizeof o);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(presets_set_options),
        cmocka_unit_test(presets_override_earlier_values),
        cmocka_unit_test(presets_follow_the_size),
        cmocka_unit_test(size_scales_like_the_image),
        cmocka_unit_test(older_options_have_no_size),
        cmocka_unit_test(bad_presets_change_nothing),
    };
    return cmocka_run_group_tests_name("presets", tests, NULL, NULL);
}
