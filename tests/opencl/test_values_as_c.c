/* SPDX-License-Identifier: BSD-2-Clause */
/* The OpenCL kernels between passes, compiled as C, against libcof and naive sums. Buffers have
 * their exact sizes, so that sanitizers find each access beyond them. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "testing.h"

#include "filter/palette_mean.h"
#include "image/colour.h"
#include "kernels/kernels.h"

#include "kernel_as_c.h"
#include "kernels/all.h"

enum { N = 500 };

static void *take(size_t n, size_t size)
{
    void *block = aligned_alloc(16, (n * size + 15) / 16 * 16);
    assert_non_null(block);
    memset(block, 0, n * size);
    return block;
}

static float4 *random_values(Random *random, float scale)
{
    float4 *values = take(N, sizeof *values);
    for (int i = 0; i < N; i++)
        values[i] =
            LANES((float)random_uniform(random) * scale, (float)random_uniform(random) * scale,
                  (float)random_uniform(random) * -scale, 0);
    return values;
}

/* keep, subtract and add give the samples, but for rounding; infinities become finite. */
static void check_residuals(Random *random, bool is_wide, bool is_float, int bands, bool is_lab)
{
    CofiColour colour = {.kernels = cofi_kernels(0), .max = is_wide ? 65535 : 255};
    int entries = is_wide ? 65536 : 256, channels = bands + 1;
    float *linear = take((size_t)entries, sizeof *linear);
    cofi_colour_decode(&colour, entries, linear);
    size_t size = !is_wide ? 1 : is_float ? 4 : 2;
    uchar *samples = take((size_t)(N * channels) * size, 1), *changed = take(N, 1);
    for (int i = 0; i < N * channels; i++) {
        float value = (float)random_uniform(random);
        if (is_float)
            memcpy(samples + 4 * i, &value, sizeof value);
        else
            for (size_t byte = 0; byte < size; byte++)
                samples[(size_t)i * size + byte] = (uchar)random_int(random, 0, 255);
    }
    float4 *values = random_values(random, 50), *kept = take(N, sizeof *kept),
           *input = take(N, sizeof *input);
    values[0] = LANES(-FLT_MAX, FLT_MAX, 0, 0);
    FOR_ITEMS(N, keep_values(values, N, kept));
    if (is_wide) {
        FOR_ITEMS(N,
                  load_wide(samples, is_float, linear, channels, bands, is_lab, N, input, changed));
        FOR_ITEMS(
            N, subtract_from_wide(samples, is_float, linear, channels, bands, is_lab, N, values));
    } else {
        FOR_ITEMS(N, load_values(samples, linear, channels, bands, is_lab, N, input, changed));
        FOR_ITEMS(N, subtract_from_bytes(samples, linear, channels, bands, is_lab, N, values));
    }
    for (int i = 0; i < N; i++)
        for (int band = 0; band < 3; band++)
            assert_true(values[i][band] == to_finite(input[i][band] - kept[i][band]));
    FOR_ITEMS(N, add_kept(kept, N, values));
    for (int i = 0; i < N; i++)
        for (int band = 0; band < 3; band++)
            assert_true(isfinite(values[i][band]) &&
                        (i == 0 || fabsf(values[i][band] - input[i][band]) <= 0.01f));
    free(linear);
    free(samples);
    free(changed);
    free(values);
    free(kept);
    free(input);
}

static void residuals_are_added(void **state)
{
    (void)state;
    Random random = {4};
    for (int lab = 0; lab < 2; lab++) {
        check_residuals(&random, false, false, 3, lab);
        check_residuals(&random, true, false, 3, lab);
        check_residuals(&random, true, true, 3, lab);
    }
    check_residuals(&random, false, false, 1, false);
    check_residuals(&random, true, true, 1, false);
}

/* The mean of `members` palettes is that of libcof, of which each changes some pixels. */
static void check_mean(Random *random, int members, float scale)
{
    float sums[3][N], rows[3][N];
    uint8_t counts[N], host_changed[N];
    CofiPaletteMean mean = {.members = members,
                            .bands = 3,
                            .width = N,
                            .sums = {sums[0], sums[1], sums[2]},
                            .counts = counts};
    float *const planes[3] = {rows[0], rows[1], rows[2]};
    float4 *device_sums = take(N, sizeof *device_sums);
    uchar *device_counts = take(N, 1), *changed = take(N, 1);
    memset(device_counts, 99, N);
    for (mean.member = 0; mean.member < members; mean.member++) {
        float4 *values = random_values(random, scale);
        for (int i = 0; i < N; i++) {
            host_changed[i] = changed[i] = i % 7 > 0 && random_chance(random, 0.7);
            for (int band = 0; band < 3; band++)
                rows[band][i] = values[i][band];
        }
        cofi_palette_mean_row(&mean, 0, 0, N, planes, host_changed);
        FOR_ITEMS(
            N, add_to_mean(mean.member, members, N, device_sums, device_counts, values, changed));
        for (int i = 0; i < N && mean.member == members - 1; i++) {
            assert_int_equal(changed[i], host_changed[i]);
            for (int band = 0; band < 3; band++)
                assert_true(fabsf(values[i][band] - rows[band][i]) <= 1e-6f * scale);
        }
        free(values);
    }
    free(device_sums);
    free(device_counts);
    free(changed);
}

static void means_are_the_same(void **state)
{
    (void)state;
    Random random = {6};
    for (int members = 2; members <= COF_MAX_PALETTES; members++) {
        check_mean(&random, members, 100);
        check_mean(&random, members, FLT_MAX);
    }
}

/* A share of the samples is added to what is stored: half of each is the middle. */
static void details_are_added(void **state)
{
    (void)state;
    uchar bytes[2 * 3] = {10, 20, 30, 40, 50, 60}, changed[2] = {1, 0};
    float floats[2] = {0.5f, 0.25f};
    float4 *values = take(2, sizeof *values);
    values[0] = LANES(20, 10, 255, 0);
    values[1] = values[0];
    FOR_ITEMS(2, store_values(values, changed, NULL, NULL, 0.5f, 3, 3, 0, 2, bytes));
    assert_memory_equal(bytes, ((uchar[6]){15, 15, 143, 40, 50, 60}), 6);
    values[0] = LANES(1.5f, 0, 0, 0);
    FOR_ITEMS(2, store_wide(values, changed, 1, NULL, 0.25f, 1, 1, 0, 2, (uchar *)floats));
    assert_true(floats[0] == 1.25f && floats[1] == 0.25f);
    free(values);
}

/* A sample of any type. */
static void set_sample(uchar *samples, int bytes, int i, double value)
{
    if (bytes == 1)
        samples[i] = (uchar)(value * 255);
    else if (bytes == 2)
        ((ushort *)samples)[i] = (ushort)(value * 65535);
    else
        ((float *)samples)[i] = (float)value;
}

static double get_sample(const uchar *samples, int bytes, int i)
{
    return bytes == 1   ? samples[i] / 255.0
           : bytes == 2 ? ((const ushort *)samples)[i] / 65535.0
                        : (double)((const float *)samples)[i];
}

/* Alphas are 0 where a mask has no data, and where a float of the pixel is not finite. */
static void check_alphas(Random *random, int bytes, int channels, bool has_alpha, bool has_valid)
{
    static const double specials[] = {NAN, INFINITY, -INFINITY, -1, 7, 1, 0};
    int alpha_bytes = has_alpha ? bytes : 1;
    uchar *samples = take((size_t)(N * channels * bytes), 1);
    uchar *alphas = take(first_alpha(N) + (size_t)(N * alpha_bytes), 1), mask[N];
    for (int i = 0; i < N * channels; i++) {
        bool is_special = bytes == 4 && random_chance(random, 0.1);
        set_sample(samples, bytes, i,
                   is_special ? specials[random_int(random, 0, 6)] : random_uniform(random));
    }
    for (int i = 0; i < N; i++)
        alphas[i] = mask[i] = (uchar)random_chance(random, 0.8);
    FOR_ITEMS(N,
              find_alphas(samples, bytes, channels, has_alpha, has_valid, alpha_bytes, N, alphas));
    PassShape shape = {.width = N, .height = 1, .alpha_bytes = alpha_bytes};
    for (int i = 0; i < N; i++) {
        bool valid = !has_valid || mask[i];
        for (int channel = 0; channel < channels; channel++)
            valid = valid && isfinite(get_sample(samples, bytes, i * channels + channel));
        double last = get_sample(samples, bytes, i * channels + channels - 1);
        double alpha = !valid ? 0 : has_alpha ? fmin(1, fmax(0, last)) : 1;
        assert_int_equal(alphas[i], valid);
        assert_true(fabs((double)alpha_at(alphas, &shape, (size_t)i) - alpha) < 1e-6);
    }
    free(samples);
    free(alphas);
}

static void alphas_are_found(void **state)
{
    (void)state;
    Random random = {8};
    for (int bytes = 1; bytes <= 4; bytes *= 2)
        for (int i = 0; i < 4; i++)
            check_alphas(&random, bytes, 2 + 2 * (i % 2), i % 2, i / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(residuals_are_added),
        cmocka_unit_test(means_are_the_same),
        cmocka_unit_test(details_are_added),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
