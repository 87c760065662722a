/* SPDX-License-Identifier: BSD-2-Clause */
/* The fast filter of a device against that of the CPU. */
#include <math.h>

#include "device_images.h"
#include "testing.h"

typedef struct Example {
    int width, height;
    CofKind kind;
    int window, colours, iterations;
    CofBorder border;
    bool has_gaps;
} Example;

static const Example examples[] = {
    {97, 71, COF_KIND_RGB, 15, 32, 1, COF_BORDER_CLIP, false},
    {101, 67, COF_KIND_RGB, 15, 32, 3, COF_BORDER_MIRROR, false},
    {64, 64, COF_KIND_RGBA, 15, 12, 1, COF_BORDER_REFLECT101, false},
    {61, 83, COF_KIND_RGB, 31, 32, 1, COF_BORDER_CLIP, true},
    {90, 95, COF_KIND_RGB, 63, 32, 2, COF_BORDER_MIRROR, false},
    {57, 49, COF_KIND_RGB, 31, 64, 1, COF_BORDER_CLIP, false},
    {40, 35, COF_KIND_RGB, 31, 128, 1, COF_BORDER_CLIP, false},
    {80, 77, COF_KIND_GREY_ALPHA, 31, 32, 1, COF_BORDER_MIRROR, true},
    {1, 1, COF_KIND_RGB, 15, 32, 1, COF_BORDER_MIRROR, false},
    {1, 57, COF_KIND_RGB, 31, 32, 1, COF_BORDER_CLIP, false},
    {53, 2, COF_KIND_RGB, 31, 32, 1, COF_BORDER_REFLECT101, false},
};
#define N_EXAMPLES ((int)(sizeof examples / sizeof examples[0]))

static CofOptions options_of(const Example *e, CofReport *report)
{
    CofOptions options;
    cof_options_init(&options);
    *report = (CofReport){.struct_size = sizeof *report};
    options.report = report;
    options.method = COF_METHOD_FAST;
    options.window = e->window;
    options.colours = e->colours;
    options.levels = 32;
    options.iterations = e->iterations;
    options.border = e->border;
    return options;
}

static void fast_is_close(void **state)
{
    (void)state;
    int fast = 0;
    compared = different = 0;
    for (int i = 0; i < N_EXAMPLES; i++) {
        const Example *e = &examples[i];
        Random random = {current_seed = 300 + (uint64_t)i};
        CofReport report;
        CofOptions options = options_of(e, &report);
        TestImage in = painted(&random, e->width, e->height, e->kind, COF_SAMPLE_U8);
        if (e->has_gaps)
            test_image_add_gaps(&in, &random, 0.1);
        TestImage host = test_image_like(&in), other = test_image_like(&in),
                  again = test_image_like(&in);
        assert_ok(cof_smooth(&in.view, &host.view, &options));
        int terms = report.fast_terms;
        double change = report.change[0];
        options.context = device;
        assert_ok(cof_smooth(&in.view, &other.view, &options));
        assert_true(report.device_stages & 1u << COF_STAGE_FILTER);
        assert_int_equal(report.fast_terms, terms);
        if (fabs(report.change[0] - change) > 1e-3 * change + 1e-9)
            fail_msg("example %d: the change is %g, not %g", i, report.change[0], change);
        fast += terms > 0;
        compare(&host, &other);
        double first = report.change[0];
        assert_ok(cof_smooth(&in.view, &again.view, &options));
        assert_true(test_image_equal(&other, &again) && report.change[0] == first);
        test_image_free(&in);
        test_image_free(&host);
        test_image_free(&other);
        test_image_free(&again);
    }
    current_seed = 0;
    assert_true(fast >= N_EXAMPLES - 2);
    assert_true(different <= 0.001 * compared);
}

enum { WIDTH = 150, HEIGHT = 131 };

static int least(int a, int b)
{
    return a < b ? a : b;
}

static void filter_tiles(const CofModel *model, const TestImage *in, TestImage *out, int width,
                         int height, const CofOptions *options)
{
    for (int y = 0; y < HEIGHT; y += height)
        for (int x = 0; x < WIDTH; x += width) {
            CofImage part = out->view;
            part.width = least(WIDTH - x, width);
            part.height = least(HEIGHT - y, height);
            part.data = (unsigned char *)part.data + y * part.row_stride + x * part.pixel_stride;
            part.x = x;
            part.y = y;
            part.full_width = WIDTH;
            part.full_height = HEIGHT;
            assert_ok(cof_filter(model, NULL, &in->view, &part, options));
        }
}

static double largest_difference(const TestImage *a, const TestImage *b)
{
    double largest = 0;
    for (int i = 0; i < WIDTH * HEIGHT * 3; i++) {
        int x = i / 3 % WIDTH, y = i / 3 / WIDTH;
        largest =
            fmax(largest, fabs(test_image_get(a, x, y, i % 3) - test_image_get(b, x, y, i % 3)));
    }
    return largest;
}

/* Tiles at places that are not those of the cells give the same bytes, whatever their size; the
 * whole differs from them by rounding at most. */
static void tiles_are_the_whole(void **state)
{
    (void)state;
    static const struct {
        int window;
        CofSample sample;
        double near;
    } cases[] = {{15, COF_SAMPLE_U8, 1}, {15, COF_SAMPLE_F32, 1e-5}, {63, COF_SAMPLE_F32, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Random random = {77};
        CofReport report;
        Example example = {WIDTH, HEIGHT, COF_KIND_RGB,      cases[i].window,
                           32,    1,      COF_BORDER_MIRROR, false};
        CofOptions options = options_of(&example, &report);
        TestImage in = painted(&random, WIDTH, HEIGHT, COF_KIND_RGB, cases[i].sample);
        TestImage whole = test_image_like(&in), tiles = test_image_like(&in),
                  others = test_image_like(&in);
        CofModel *model;
        options.context = device;
        assert_ok(cof_model_learn(&model, &in.view, NULL, 1, &options));
        assert_ok(cof_filter(model, NULL, &in.view, &whole.view, &options));
        assert_true(report.fast_terms > 0);
        filter_tiles(model, &in, &tiles, 91, 73, &options);
        filter_tiles(model, &in, &others, WIDTH, 57, &options);
        assert_true(report.device_stages & 1u << COF_STAGE_FILTER);
        assert_true(test_image_equal(&tiles, &others));
        assert_true(largest_difference(&whole, &tiles) <= cases[i].near);
        cof_model_free(&model);
        test_image_free(&in);
        test_image_free(&whole);
        test_image_free(&tiles);
        test_image_free(&others);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(fast_is_close, name_seed),
        cmocka_unit_test(tiles_are_the_whole),
    };
    if (cof_device_count() == 0)
        return 77; /* skipped */
    return cmocka_run_group_tests(tests, open_device, close_device);
}
