/* SPDX-License-Identifier: BSD-2-Clause */
/* What the filter becomes at the ends of its range: nothing, a Gaussian blur, a bilateral filter.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "testing.h"

enum { SIDE = 32, AREA = SIDE * SIDE };

static void random_grey(uint8_t *pixels, int n, uint64_t seed)
{
    Random random = {seed};
    for (int i = 0; i < n; i++)
        pixels[i] = (uint8_t)random_int(&random, 0, 255);
}

static CofStats *scanned(const CofImage *image, const CofOptions *options)
{
    CofStats *stats = NULL;
    assert_ok(cof_stats_new(&stats, options));
    assert_ok(cof_stats_scan(stats, image, NULL, options));
    assert_ok(cof_stats_fit_palette(stats, options));
    return stats;
}

static void sigma_to_zero(void **state)
{
    (void)state;
    uint8_t in[AREA], out[AREA];
    random_grey(in, AREA, 1);
    CofImage from = grey_view(in, SIDE, SIDE), to = grey_view(out, SIDE, SIDE);
    CofOptions options;
    cof_options_init(&options);
    options.sigma = 1e-3; /* M becomes diagonal */
    options.filter_sigma = 3;
    assert_ok(cof_smooth(&from, &to, &options));
    assert_memory_equal(in, out, AREA);
}

/* Weighted mean of a window, the weights given by a function of distance and values. */
typedef double Weight(double squared_distance, double p, double q, double sigma, double sigma_r);

static double gaussian(double squared_distance, double p, double q, double sigma, double sigma_r)
{
    (void)p, (void)q, (void)sigma_r;
    return exp(-squared_distance / (2 * sigma * sigma));
}

static double bilateral(double squared_distance, double p, double q, double sigma, double sigma_r)
{
    return gaussian(squared_distance, p, q, sigma, sigma_r) *
           exp(-(p - q) * (p - q) / (2 * sigma_r * sigma_r));
}

static double mean_at(const float *in, int x, int y, int radius, Weight *weight, double sigma,
                      double sigma_r)
{
    double sum = 0, weights = 0, p = (double)in[y * SIDE + x];
    for (int v = y - radius; v <= y + radius; v++)
        for (int u = x - radius; u <= x + radius; u++) {
            if (u < 0 || v < 0 || u >= SIDE || v >= SIDE)
                continue;
            double q = (double)in[v * SIDE + u];
            double w = weight((u - x) * (u - x) + (v - y) * (v - y), p, q, sigma, sigma_r);
            sum += w * q;
            weights += w;
        }
    return sum / weights;
}

/* Filters integers in 0..255, held as floats so that the comparison is not one of roundings. */
static void check_against(const CofModel *model, const uint8_t *values, const CofOptions *options,
                          Weight *weight, double sigma_r)
{
    float in[AREA], out[AREA];
    for (int i = 0; i < AREA; i++)
        in[i] = values[i];
    CofImage from = {.data = in,
                     .width = SIDE,
                     .height = SIDE,
                     .channels = 1,
                     .kind = COF_KIND_BANDS,
                     .sample = COF_SAMPLE_F32};
    CofImage to = from, guide = grey_view((uint8_t *)values, SIDE, SIDE);
    to.data = out;
    assert_ok(cof_filter(model, &guide, &from, &to, options));
    for (int i = 0; i < AREA; i++) {
        double wanted = mean_at(in, i % SIDE, i / SIDE, options->filter_window / 2, weight,
                                options->filter_sigma, sigma_r);
        assert_true(fabs((double)out[i] - wanted) <= 255 * 1e-5);
    }
}

static void sigma_to_infinity(void **state)
{
    (void)state;
    uint8_t in[AREA];
    random_grey(in, AREA, 2);
    CofImage image = grey_view(in, SIDE, SIDE);
    CofOptions options;
    cof_options_init(&options);
    options.window = 63; /* spans the image from any pixel */
    options.sigma = 1e6;
    options.sampling = COF_SAMPLING_ALL;
    options.filter_window = 15;
    options.filter_sigma = 2.5;
    CofStats *stats = scanned(&image, &options);
    CofModel *model = NULL;
    assert_ok(cof_stats_add(stats, &image, NULL, &options));
    assert_ok(cof_model_new(&model, stats, &options));
    const double *matrix = cof_model_matrix(model);
    const uint64_t *histogram = cof_stats_histogram(stats);
    for (int a = 0; a < 256; a++)
        for (int b = 0; b < 256; b++) {
            double wanted = histogram[a] > 0 && histogram[b] > 0 ? 1 : 0;
            assert_true(fabs(matrix[a * 256 + b] - wanted) <= 1e-8);
        }
    check_against(model, in, &options, gaussian, 0);
    cof_model_free(&model);
    cof_stats_free(&stats);
}

static void matrix_of_ones(void **state)
{
    (void)state;
    uint8_t in[AREA];
    random_grey(in, AREA, 3);
    CofImage image = grey_view(in, SIDE, SIDE);
    CofOptions options;
    cof_options_init(&options);
    options.filter_window = 9;
    options.filter_sigma = 2;
    CofStats *stats = scanned(&image, &options);
    CofModel *model = NULL;
    double *ones = malloc(256 * 256 * sizeof *ones);
    for (int i = 0; i < 256 * 256; i++)
        ones[i] = 1;
    assert_ok(cof_model_new_matrix(&model, stats, ones, &options));
    check_against(model, in, &options, gaussian, 0);
    free(ones);
    cof_model_free(&model);
    cof_stats_free(&stats);
}

static void matrix_of_a_band(void **state)
{
    (void)state;
    uint8_t in[AREA];
    random_grey(in, AREA, 4);
    CofImage image = grey_view(in, SIDE, SIDE);
    CofOptions options;
    cof_options_init(&options);
    options.filter_window = 11;
    options.filter_sigma = 3;
    double sigma_r = 30, *band = malloc(256 * 256 * sizeof *band);
    for (int a = 0; a < 256; a++)
        for (int b = 0; b < 256; b++)
            band[a * 256 + b] = exp(-(a - b) * (a - b) / (2 * sigma_r * sigma_r));
    CofStats *stats = scanned(&image, &options);
    CofModel *model = NULL;
    assert_ok(cof_model_new_matrix(&model, stats, band, &options));
    check_against(model, in, &options, bilateral, sigma_r);
    free(band);
    cof_model_free(&model);
    cof_stats_free(&stats);
}

/* A value that was never seen while learning keeps its own bytes. */
static void unseen_values_stay(void **state)
{
    (void)state;
    uint8_t in[AREA], out[AREA];
    for (int i = 0; i < AREA; i++)
        in[i] = (uint8_t)(i % SIDE < SIDE / 2 ? 10 + i % 3 : 200 + i % 5);
    CofImage from = grey_view(in, SIDE, SIDE), to = grey_view(out, SIDE, SIDE);
    CofRoi roi = {.region = {0, 0, SIDE / 2, SIDE}};
    assert_ok(cof_smooth_roi(&from, &roi, &to, NULL));
    int changed = 0;
    for (int i = 0; i < AREA; i++) {
        if (in[i] >= 200)
            assert_int_equal(out[i], in[i]);
        else
            changed += out[i] != in[i];
    }
    assert_true(changed > AREA / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sigma_to_zero),      cmocka_unit_test(sigma_to_infinity),
        cmocka_unit_test(matrix_of_ones),     cmocka_unit_test(matrix_of_a_band),
        cmocka_unit_test(unseen_values_stay),
    };
    return cmocka_run_group_tests_name("limits", tests, NULL, NULL);
}
