/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares the reported change of a pass with the pixels. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "oracle.h"
#include "testing.h"

enum { WIDTH = 30, HEIGHT = 20 };

static TestImage random_test_image(CofKind kind, CofSample sample)
{
    Random random = {12};
    int channels = kind_channels(kind, 2);
    double max = sample == COF_SAMPLE_U8 ? 255 : sample == COF_SAMPLE_U16 ? 65535 : 1;
    TestImage p = test_image_new(&random, LAYOUT_PACKED, WIDTH, HEIGHT, channels, kind, sample);
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        for (int c = 0; c < channels; c++)
            test_image_set(&p, i % WIDTH, i / WIDTH, c,
                           max * (0.2 + 0.6 * random_uniform(&random)));
    return p;
}

/* The difference of two pixels in the units of the report. */
static double squared_change(const TestImage *a, const TestImage *b, int x, int y, bool lab)
{
    double sum = 0, from[4], to[4];
    int bands = a->view.kind == COF_KIND_RGBA ? 3 : a->view.channels;
    for (int c = 0; c < bands; c++) {
        from[c] = test_image_get(a, x, y, c);
        to[c] = test_image_get(b, x, y, c);
    }
    if (lab) {
        oracle_lab(from, from);
        oracle_lab(to, to);
    }
    for (int c = 0; c < bands; c++) {
        double unit = lab ? (c == 0 ? 2.55 : 1) : a->view.kind == COF_KIND_BANDS ? 1 : 255;
        sum += unit * unit * (to[c] - from[c]) * (to[c] - from[c]);
    }
    return sum / bands;
}

/* Float output is not rounded, so the change can be computed from it. */
static void change_is_that_of_the_pixels(void **state)
{
    (void)state;
    static const CofKind kinds[] = {COF_KIND_GREY, COF_KIND_RGB, COF_KIND_RGBA, COF_KIND_BANDS};
    for (int i = 0; i < 4; i++)
        for (int space = 0; space < 2; space++) {
            TestImage in = random_test_image(kinds[i], COF_SAMPLE_F32),
                      out = random_test_image(kinds[i], COF_SAMPLE_F32);
            Random random = {3};
            test_image_add_gaps(&in, &random, 0.2);
            CofReport report = {.struct_size = sizeof report};
            CofOptions options;
            cof_options_init(&options);
            options.space = (CofSpace)space;
            options.report = &report;
            options.colours = options.levels = 6;
            assert_ok(cof_smooth(&in.view, &out.view, &options));
            bool lab =
                (kinds[i] == COF_KIND_RGB || kinds[i] == COF_KIND_RGBA) && space == COF_SPACE_LAB;
            double sum = 0;
            int n = 0;
            for (int p = 0; p < WIDTH * HEIGHT; p++) {
                if (in.valid[p / WIDTH * in.view.valid_stride + p % WIDTH] == 0)
                    continue;
                sum += squared_change(&in, &out, p % WIDTH, p / WIDTH, lab);
                n++;
            }
            assert_int_equal(report.passes, 1);
            assert_true(report.change[0] > 0);
            assert_true(fabs(report.change[0] - sum / n) <= 1e-4 * report.change[0]);
            double seconds = 0;
            for (int stage = 0; cof_stage_name((CofStage)stage); stage++)
                seconds += report.seconds[stage];
            assert_true(seconds > 0 && seconds < 60);
            assert_true(report.seconds[COF_STAGE_FILTER] > 0);
            test_image_free(&in);
            test_image_free(&out);
        }
}

/* The same image at another depth changes by as much. */
static void change_does_not_depend_on_depth(void **state)
{
    (void)state;
    double changes[3];
    for (int sample = 0; sample < 3; sample++) {
        TestImage bytes = random_test_image(COF_KIND_RGB, COF_SAMPLE_U8);
        Random random = {1};
        TestImage p =
            test_image_new(&random, LAYOUT_ANY, WIDTH, HEIGHT, 3, COF_KIND_RGB, (CofSample)sample);
        double unit = sample == COF_SAMPLE_U8 ? 1 : sample == COF_SAMPLE_U16 ? 257 : 1.0 / 255;
        for (int i = 0; i < WIDTH * HEIGHT * 3; i++)
            test_image_set(&p, i / 3 % WIDTH, i / 3 / WIDTH, i % 3,
                           unit * test_image_get(&bytes, i / 3 % WIDTH, i / 3 / WIDTH, i % 3));
        CofReport report = {.struct_size = sizeof report};
        CofOptions options;
        cof_options_init(&options);
        options.report = &report;
        options.space = COF_SPACE_NATIVE;
        assert_ok(cof_smooth(&p.view, &p.view, &options));
        changes[sample] = report.change[0];
        test_image_free(&bytes);
        test_image_free(&p);
    }
    assert_true(fabs(changes[1] - changes[0]) <= 1e-4 * changes[0]);
    assert_true(fabs(changes[2] - changes[0]) <= 1e-4 * changes[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(change_is_that_of_the_pixels),
        cmocka_unit_test(change_does_not_depend_on_depth),
    };
    return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
