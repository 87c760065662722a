/* SPDX-License-Identifier: BSD-2-Clause */
/* The promise of the exact method: 8-bit results differ from a double-precision evaluation in at
 * most 0.02 % of the samples, and never by more than 1. */
#include <math.h>
#include <stdlib.h>

#include "oracle.h"
#include "testing.h"

#define WIDTH 192
#define HEIGHT 160
#define SAMPLES_PER_DIFFERENCE 5000

/* Regions of different colours, with stripes, shading and noise, so that results do not end on
 * whole numbers by chance. */
static void paint(TestImage *image, Random *random)
{
    static const double colours[4][3] = {
        {200, 120, 60}, {40, 90, 150}, {230, 225, 210}, {60, 20, 40}};
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            const double *colour = colours[(x > 80 + y / 4) + 2 * (y > 70)];
            double stripes = 14 * sin(0.7 * x + 0.3 * y), shading = 0.12 * (x - y);
            for (int c = 0; c < 3; c++) {
                double value = colour[c] + stripes + shading + 4 * random_normal(random);
                test_image_set(image, x, y, c, fmin(fmax(floor(value + 0.5), 0), 255));
            }
        }
}

/* The mean of Lab, or of the samples, in 8-bit units. */
static void convert(const double *mean, bool lab, double samples[3])
{
    if (lab)
        oracle_rgb(mean, samples);
    for (int c = 0; c < 3; c++)
        samples[c] = lab ? 255 * samples[c] : mean[c];
}

static Field values_of(const TestImage *image, bool lab)
{
    Field field = field_new(WIDTH, HEIGHT, 3);
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            double samples[3], *values = field_at(&field, x, y);
            for (int c = 0; c < 3; c++) {
                values[c] = test_image_get(image, x, y, c);
                samples[c] = values[c] / 255;
            }
            if (lab)
                oracle_lab(samples, values);
            field.weights[y * WIDTH + x] = field.valid[y * WIDTH + x] = 1;
        }
    return field;
}

/* Counts samples that differ; fails if one differs by more than 1. */
static int count_differences(const TestImage *found, const Field *wanted, bool lab)
{
    int n = 0;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            double samples[3];
            convert(field_at(wanted, x, y), lab, samples);
            for (int c = 0; c < 3; c++) {
                double whole = floor(fmin(fmax(samples[c], 0), 255) + 0.5);
                double difference = fabs(test_image_get(found, x, y, c) - whole);
                assert_true(difference <= 1);
                n += difference > 0;
            }
        }
    return n;
}

static void check(int window, CofSpace space, Random *random)
{
    TestImage in =
        test_image_new(random, LAYOUT_PACKED, WIDTH, HEIGHT, 3, COF_KIND_RGB, COF_SAMPLE_U8);
    TestImage out =
        test_image_new(random, LAYOUT_PACKED, WIDTH, HEIGHT, 3, COF_KIND_RGB, COF_SAMPLE_U8);
    uint8_t *labels = malloc(WIDTH * HEIGHT);
    unsigned char *has_weight = malloc(WIDTH * HEIGHT);
    CofImage label_view = grey_view(labels, WIDTH, HEIGHT);
    CofOptions options;
    CofModel *model = NULL;
    paint(&in, random);
    cof_options_init(&options);
    options.window = window;
    options.space = space;
    assert_ok(cof_model_learn(&model, &in.view, NULL, 1, &options));
    assert_ok(cof_model_label(model, &in.view, &label_view, &options));
    assert_ok(cof_filter(model, NULL, &in.view, &out.view, &options));
    bool lab = space == COF_SPACE_LAB;
    Field field = values_of(&in, lab), result = field_new(WIDTH, HEIGHT, 3);
    oracle_filter(&field, labels, cof_model_matrix(model), cof_model_size(model), window / 2,
                  sqrt(2 * sqrt(window) + 1), COF_BORDER_CLIP, &result, has_weight);
    int n = count_differences(&out, &result, lab);
    print_message("window %d, %s: %d of %d samples differ\n", window, lab ? "Lab" : "native", n,
                  3 * WIDTH * HEIGHT);
    assert_true(n <= 3 * WIDTH * HEIGHT / SAMPLES_PER_DIFFERENCE);
    field_free(&field);
    field_free(&result);
    free(labels);
    free(has_weight);
    cof_model_free(&model);
    test_image_free(&in);
    test_image_free(&out);
}

static void test_share_of_differences(void **state)
{
    (void)state;
    static const int windows[] = {3, 5, 9, 15, 21};
    Random random = {7};
    for (size_t i = 0; i < sizeof windows / sizeof windows[0]; i++) {
        check(windows[i], COF_SPACE_LAB, &random);
        check(windows[i], COF_SPACE_NATIVE, &random);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_share_of_differences)};
    return cmocka_run_group_tests_name("precision", tests, NULL, NULL);
}
