/* SPDX-License-Identifier: BSD-2-Clause */
/* Naive downscaling and upscaling in double precision. */
#include "downscale.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fields.h"

bool has_alpha(const TestImage *p)
{
    return colour_bands(p) < p->view.channels;
}

/* The weight of a pixel. */
double weight_of(const TestImage *p, int x, int y)
{
    if (!has_data(p, x, y))
        return 0;
    if (!has_alpha(p))
        return 1;
    return fmin(fmax(test_image_get(p, x, y, p->view.channels - 1), 0), sample_max(p));
}

/* Values are rounded as floats; volatile, since gcc 12 drops conversions in a loop. */
static void set_rounded(TestImage *p, int x, int y, int channel, double value)
{
    volatile float rounded = (float)value;
    if (p->view.sample != COF_SAMPLE_F32) {
        rounded += 0.5f;
        rounded = floorf(rounded);
    }
    test_image_set(p, x, y, channel, (double)rounded);
}

/* Allocates the mask of valid pixels. */
static void add_valid(TestImage *p)
{
    p->valid = malloc((size_t)p->view.width * (size_t)p->view.height);
    assert_non_null(p->valid);
    p->view.valid = p->valid;
    p->view.valid_stride = p->view.width;
}

int min_int(int value, int other)
{
    return value < other ? value : other;
}

/* The mean of a cell. */
static void average_cell(const TestImage *p, int n, TestImage *small, int x, int y)
{
    double sums[COF_MAX_BANDS] = {0}, weights = 0, pixels = 0;
    for (int j = n * y; j < min_int(n * y + n, p->view.height); j++)
        for (int i = n * x; i < min_int(n * x + n, p->view.width); i++) {
            double weight = weight_of(p, i, j);
            weights += weight;
            pixels += has_data(p, i, j);
            for (int c = 0; c < colour_bands(p) && weight > 0; c++)
                sums[c] += weight * test_image_get(p, i, j, c);
        }
    for (int c = 0; c < colour_bands(p); c++)
        set_rounded(small, x, y, c, weights > 0 ? sums[c] / weights : 0);
    double least =
        p->view.sample == COF_SAMPLE_F32 ? 0 : 1; /* visible pixels stay visible after rounding */
    if (has_alpha(p))
        set_rounded(small, x, y, p->view.channels - 1,
                    weights > 0 ? fmax(weights / pixels, least) : 0);
    if (small->valid)
        small->valid[y * small->view.width + x] = pixels > 0;
}

TestImage downscaled(Random *random, const TestImage *p, int n)
{
    int width = (p->view.width + n - 1) / n, height = (p->view.height + n - 1) / n;
    TestImage small = test_image_new(random, LAYOUT_ANY, width, height, p->view.channels,
                                     p->view.kind, p->view.sample);
    if (p->valid || p->view.sample == COF_SAMPLE_F32)
        add_valid(&small);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            average_cell(p, n, &small, x, y);
    return small;
}

/* The cubic B-spline. */
static double spline(double distance)
{
    double d = fabs(distance);
    return d < 1 ? (4 - 6 * d * d + 3 * d * d * d) / 6 : d < 2 ? pow(2 - d, 3) / 6 : 0;
}

/* Repeats the border pixels. */
int clamp_index(int i, int n)
{
    return i < 0 ? 0 : min_int(i, n - 1);
}

/* Interpolates the weighted pixels around a position; false if all weights are 0. */
static bool upscale_pixel(const TestImage *small, double x, double y, double *values)
{
    double weights = 0;
    memset(values, 0, COF_MAX_BANDS * sizeof *values);
    for (int j = (int)ceil(y - 2); j < y + 2; j++)
        for (int i = (int)ceil(x - 2); i < x + 2; i++) {
            int column = clamp_index(i, small->view.width),
                row = clamp_index(j, small->view.height);
            double weight = spline(x - i) * spline(y - j) * weight_of(small, column, row);
            weights += weight;
            for (int c = 0; c < colour_bands(small) && weight > 0; c++)
                values[c] += weight * test_image_get(small, column, row, c);
        }
    for (int c = 0; c < colour_bands(small) && weights > 0; c++)
        values[c] /= weights;
    return weights > 0;
}

/* Alpha and invalid pixels are those of `like`. */
TestImage upscaled(Random *random, const TestImage *small, int n, const TestImage *like,
                   double nudge)
{
    const CofImage *view = &like->view;
    TestImage large = test_image_new(random, LAYOUT_ANY, view->width, view->height, view->channels,
                                     view->kind, view->sample);
    test_image_copy(&large, like);
    if (like->valid)
        add_valid(&large);
    for (int y = 0; y < view->height; y++)
        for (int x = 0; x < view->width; x++) {
            double values[COF_MAX_BANDS];
            if (like->valid)
                large.valid[y * view->width + x] = like->valid[y * view->valid_stride + x];
            if (!has_data(like, x, y) ||
                !upscale_pixel(small, (x + 0.5) / n - 0.5, (y + 0.5) / n - 0.5, values))
                continue;
            for (int c = 0; c < colour_bands(like); c++)
                set_rounded(&large, x, y, c, values[c] + nudge * 0x1p-23 * fabs(values[c]));
        }
    return large;
}

/* Are at least half of a cell's mask pixels set, or any? */
static bool mask_cell(const TestImage *mask, int n, int x, int y, bool half)
{
    int set = 0, all = 0;
    for (int j = n * y; j < min_int(n * y + n, mask->view.height); j++)
        for (int i = n * x; i < min_int(n * x + n, mask->view.width); i++) {
            set += test_image_get(mask, i, j, 0) > 0;
            all++;
        }
    return half ? set >= all - set : set > 0;
}

TestImage downscaled_mask(Random *random, const TestImage *mask, int n)
{
    int width = (mask->view.width + n - 1) / n, height = (mask->view.height + n - 1) / n;
    TestImage small =
        test_image_new(random, LAYOUT_ANY, width, height, 1, COF_KIND_GREY, COF_SAMPLE_U8);
    bool found = false;
    for (int half = 1; half >= 0 && !found; half--)
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++) {
                bool counts = mask_cell(mask, n, x, y, half);
                test_image_set(&small, x, y, 0, counts);
                found |= counts;
            }
    return small;
}
