/* SPDX-License-Identifier: BSD-2-Clause */
/* The OpenCL kernels for samples of 16 bits and floats, compiled as C, against libcof. Buffers have
 * their exact sizes, so that sanitizers find each access beyond them. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "testing.h"

#include "image/colour.h"
#include "kernels/kernels.h"
#include "learn/label_row.h"

#include "kernel_as_c.h"
#include "kernels/all.h"

enum { N = 6000 };

static float *linear;

static int fill_linear(void **state)
{
    (void)state;
    CofiColour colour = {.kernels = cofi_kernels(0), .max = 65535};
    linear = malloc(65536 * sizeof *linear);
    if (linear)
        cofi_colour_decode(&colour, 65536, linear);
    return !linear;
}

static int free_linear(void **state)
{
    (void)state;
    free(linear);
    return 0;
}

static void *take(size_t n, size_t size)
{
    void *block = aligned_alloc(16, (n * size + 15) / 16 * 16);
    assert_non_null(block);
    memset(block, 0, n * size);
    return block;
}

/* Pixels of `channels` samples; floats also beyond 0..1, far away and not finite. */
static void *random_pixels(Random *random, bool is_float, int channels)
{
    static const float special[] = {0,       -0.0f,    1,      INFINITY, -INFINITY, NAN,
                                    FLT_MAX, -FLT_MAX, 1e-30f, 0.04045f, 1e9f,      -7};
    ushort *words = take((size_t)(N * channels), sizeof *words);
    float *floats = take((size_t)(N * channels), sizeof *floats);
    for (int i = 0; i < N * channels; i++) {
        words[i] = (ushort)random_int(random, 0, 65535);
        floats[i] = random_chance(random, 0.1) ? special[random_int(random, 0, 11)]
                                               : (float)(1.2 * random_uniform(random) - 0.1);
    }
    free(is_float ? (void *)words : floats);
    return is_float ? (void *)floats : words;
}

static CofImage view_of(void *pixels, bool is_float, int channels)
{
    int size = is_float ? 4 : 2;
    return (CofImage){.data = pixels,
                      .width = N,
                      .height = 1,
                      .full_width = N,
                      .full_height = 1,
                      .channels = channels,
                      .kind = channels == 1   ? COF_KIND_GREY
                              : channels == 3 ? COF_KIND_RGB
                                              : COF_KIND_RGBA,
                      .sample = is_float ? COF_SAMPLE_F32 : COF_SAMPLE_U16,
                      .channel_stride = size,
                      .pixel_stride = size * channels,
                      .row_stride = size * channels * N};
}

/* Lab and labels of pixels are those of libcof, bit by bit. */
static void check_colours(Random *random, bool is_float, int channels)
{
    enum { K = 40 };
    void *pixels = random_pixels(random, is_float, channels);
    CofImage image = view_of(pixels, is_float, channels);
    CofiColour colour = {.kernels = cofi_kernels(0), .max = is_float ? 1 : 65535};
    float *lab[3], centres[3 * K];
    for (int band = 0; band < 3; band++)
        lab[band] = take(N, sizeof(float));
    colour.linear = is_float ? NULL : linear;
    cofi_lab_row(&colour, &image, 0, 0, N, lab);
    float4 *values = take(N, sizeof *values);
    uchar *changed = take(N, 1), *labels = take(N, 1), *expected = take(N, 1);
    memset(changed, 1, N);
    FOR_ITEMS(N, load_wide(pixels, is_float, linear, channels, 3, 1, N, values, changed));
    for (int i = 0; i < N; i++)
        if (changed[i] || values[i][0] != lab[0][i] || values[i][1] != lab[1][i] ||
            values[i][2] != lab[2][i])
            fail_msg("pixel %d", i);
    for (int i = 0; i < 3 * K; i++)
        centres[i] = (float)random_int(random, -90, 90);
    void *memory = malloc(cofi_centres_size(3, K));
    cofi_nearest_c((const float *const *)lab, N, cofi_centres_fill(memory, centres, 3, K), expected,
                   NULL);
    FOR_ITEMS(N, label_wide(pixels, is_float, linear, channels, centres, K, N, labels));
    assert_memory_equal(labels, expected, N);
    free(memory);
    free(values);
    free(changed);
    free(labels);
    free(expected);
    free(pixels);
    for (int band = 0; band < 3; band++)
        free(lab[band]);
}

static void colours_are_the_same_bits(void **state)
{
    (void)state;
    Random random = {1};
    for (int channels = 3; channels <= 4; channels++) {
        check_colours(&random, false, channels);
        check_colours(&random, true, channels);
    }
}

/* Labels of working values of grey. */
static void check_grey_values(const CofiPalette *palette, const float *grey, const uchar *expected)
{
    float4 *values = take(N, sizeof *values);
    uchar *labels = take(N, 1);
    for (int i = 0; i < N; i++)
        values[i] = LANES(grey[i], 0, 0, 0);
    FOR_ITEMS(N, label_grey_values(values, palette->type == COFI_PALETTE_EXACT, palette->low,
                                   palette->high, palette->k, N, labels));
    assert_memory_equal(labels, expected, N);
    free(values);
    free(labels);
}

static void bins_are_the_same(void **state)
{
    (void)state;
    Random random = {2};
    static const double ranges[][2] = {{0, 65535}, {0.1, 0.7}, {-1e30, 1e30}, {3, 3.0001}};
    static const int sizes[] = {1, 2, 77, 256};
    for (int i = 0; i < 32; i++) {
        bool is_float = i % 2;
        CofiPalette palette = {.type = COFI_PALETTE_BINS,
                               .k = sizes[i / 2 % 4],
                               .low = ranges[i / 8][0],
                               .high = ranges[i / 8][1]};
        CofiKernels kernels = cofi_kernels(0);
        void *pixels = random_pixels(&random, is_float, 2);
        float *values = take(N, sizeof *values);
        const float *const features[1] = {values};
        uchar *labels = take(N, 1), *expected = take(N, 1);
        for (int at = 0; at < N; at++) {
            float value = is_float ? ((float *)pixels)[2 * at] : ((ushort *)pixels)[2 * at];
            values[at] = isfinite(value) ? value : 0;
        }
        cofi_label_row(&palette, &kernels, features, N, expected);
        FOR_ITEMS(N,
                  label_bins(pixels, is_float, 2, palette.low, palette.high, palette.k, N, labels));
        assert_memory_equal(labels, expected, N);
        check_grey_values(&palette, values, expected);
        palette = (CofiPalette){.type = COFI_PALETTE_EXACT, .k = 256};
        cofi_label_row(&palette, &kernels, features, N, expected);
        check_grey_values(&palette, values, expected);
        free(pixels);
        free(values);
        free(labels);
        free(expected);
    }
}

/* Labels of working values of RGB, in units of the samples. */
static void values_are_labelled(void **state)
{
    (void)state;
    enum { K = 30 };
    Random random = {7};
    static const double units[] = {255, 65535, 1};
    for (int i = 0; i < 3; i++) {
        CofiColour colour = {.kernels = cofi_kernels(0), .max = units[i]};
        float *rgb[3], *lab[3], centres[3 * K];
        float4 *values = take(N, sizeof *values);
        uchar *labels = take(N, 1), *expected = take(N, 1);
        for (int band = 0; band < 3; band++) {
            rgb[band] = take(N, sizeof(float));
            lab[band] = take(N, sizeof(float));
            for (int at = 0; at < N; at++)
                rgb[band][at] = (float)(units[i] * (1.2 * random_uniform(&random) - 0.1));
        }
        for (int at = 0; at < N; at++)
            values[at] = LANES(rgb[0][at], rgb[1][at], rgb[2][at], 0);
        for (int at = 0; at < 3 * K; at++)
            centres[at] = (float)random_int(&random, -90, 90);
        void *memory = malloc(cofi_centres_size(3, K));
        cofi_lab_of_values(&colour, (const float *const *)rgb, N, lab);
        cofi_nearest_c((const float *const *)lab, N, cofi_centres_fill(memory, centres, 3, K),
                       expected, NULL);
        FOR_ITEMS(N, label_rgb_values(values, units[i], centres, K, N, labels));
        assert_memory_equal(labels, expected, N);
        for (int band = 0; band < 3; band++) {
            free(rgb[band]);
            free(lab[band]);
        }
        free(memory);
        free(values);
        free(labels);
        free(expected);
    }
}

/* Are two samples the same, but for operations that are fused on one side? */
static bool is_near(const void *a, const void *b, int i, bool is_float)
{
    if (!is_float)
        return abs(((const ushort *)a)[i] - ((const ushort *)b)[i]) <= 1;
    float first = ((const float *)a)[i], second = ((const float *)b)[i];
    return memcmp(&first, &second, sizeof first) == 0 ||
           fabsf(first - second) <= 2e-6f * fmaxf(1, fabsf(first));
}

/* Stored samples are those of libcof; pixels that did not change keep theirs. */
static void check_stores(Random *random, bool is_float, bool is_lab, int bands)
{
    int channels = bands + 1;
    void *pixels = random_pixels(random, is_float, channels);
    size_t bytes = (size_t)(N * channels) * (is_float ? 4 : 2);
    void *stored = take(bytes, 1);
    memcpy(stored, pixels, bytes);
    float4 *values = take(N, sizeof *values);
    uchar *changed = take(N, 1);
    CofImage image = view_of(pixels, is_float, channels);
    CofiColour colour = {.kernels = cofi_kernels(0), .max = is_float ? 1 : 65535};
    for (int i = 0; i < N; i++) {
        float scale = i % 50 == 0 ? 1e6f : i % 51 == 0 ? 1e30f : is_lab ? 1 : 700;
        float rows[3];
        const float *const row[3] = {&rows[0], &rows[1], &rows[2]};
        for (int band = 0; band < 3; band++)
            rows[band] = scale * (float)(random_uniform(random) * 110 - (band ? 55 : 5));
        values[i] = LANES(rows[0], rows[1], rows[2], 0);
        changed[i] = random_chance(random, 0.9);
        if (!changed[i])
            continue;
        if (is_lab)
            cofi_store_lab_row(&colour, &image, i, 0, 1, row);
        for (int band = 0; band < bands && !is_lab; band++) {
            float *floats = (float *)pixels + i * channels + band;
            ushort *words = (ushort *)pixels + i * channels + band;
            if (is_float)
                *floats = rows[band];
            else
                *words = (ushort)(fminf(fmaxf(rows[band], 0), 65535) + 0.5f);
        }
    }
    FOR_ITEMS(N,
              store_wide(values, changed, is_float, linear, 0, channels, bands, is_lab, N, stored));
    for (int i = 0; i < N * channels; i++)
        assert_true(is_near(pixels, stored, i, is_float));
    free(pixels);
    free(stored);
    free(values);
    free(changed);
}

static void stores_are_the_same(void **state)
{
    (void)state;
    Random random = {3};
    for (int i = 0; i < 2; i++) {
        check_stores(&random, i, true, 3);
        check_stores(&random, i, false, 3);
        check_stores(&random, i, false, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colours_are_the_same_bits),
        cmocka_unit_test(bins_are_the_same),
        cmocka_unit_test(values_are_labelled),
        cmocka_unit_test(stores_are_the_same),
    };
    return cmocka_run_group_tests(tests, fill_linear, free_linear);
}
