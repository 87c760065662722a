/* SPDX-License-Identifier: BSD-2-Clause */
/* Smaller pictures and their way back, pixel by pixel in double precision. */
#include "downscale.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fields.h"

bool has_alpha(const Picture *p)
{
    return colour_bands(p) < p->view.channels;
}

/* What a pixel counts. */
double weight_of(const Picture *p, int x, int y)
{
    if (!has_data(p, x, y))
        return 0;
    if (!has_alpha(p))
        return 1;
    return fmin(fmax(picture_get(p, x, y, p->view.channels - 1), 0), sample_max(p));
}

/* Values are rounded as floats; volatile, since gcc 12 drops conversions in a loop. */
static void set_rounded(Picture *p, int x, int y, int channel, double value)
{
    volatile float rounded = (float)value;
    if (p->view.sample != COF_F32) {
        rounded += 0.5f;
        rounded = floorf(rounded);
    }
    picture_set(p, x, y, channel, (double)rounded);
}

/* Room to say which pixels have data. */
static void add_valid(Picture *p)
{
    p->valid = malloc((size_t)p->view.width * (size_t)p->view.height);
    assert_non_null(p->valid);
    p->view.valid = p->valid;
    p->view.valid_stride = p->view.width;
}

int smaller(int value, int other)
{
    return value < other ? value : other;
}

/* The mean of a cell. */
static void reduce_cell(const Picture *p, int n, Picture *small, int x, int y)
{
    double sums[COF_MAX_BANDS] = {0}, weights = 0, pixels = 0;
    for (int j = n * y; j < smaller(n * y + n, p->view.height); j++)
        for (int i = n * x; i < smaller(n * x + n, p->view.width); i++) {
            double weight = weight_of(p, i, j);
            weights += weight;
            pixels += has_data(p, i, j);
            for (int c = 0; c < colour_bands(p) && weight > 0; c++)
                sums[c] += weight * picture_get(p, i, j, c);
        }
    for (int c = 0; c < colour_bands(p); c++)
        set_rounded(small, x, y, c, weights > 0 ? sums[c] / weights : 0);
    double least = p->view.sample == COF_F32 ? 0 : 1; /* what shows is not rounded to nothing */
    if (has_alpha(p))
        set_rounded(small, x, y, p->view.channels - 1,
                    weights > 0 ? fmax(weights / pixels, least) : 0);
    if (small->valid)
        small->valid[y * small->view.width + x] = pixels > 0;
}

Picture reduced(Random *random, const Picture *p, int n)
{
    int width = (p->view.width + n - 1) / n, height = (p->view.height + n - 1) / n;
    Picture small = picture_new(random, LAYOUT_ANY, width, height, p->view.channels, p->view.kind,
                                p->view.sample);
    if (p->valid || p->view.sample == COF_F32)
        add_valid(&small);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            reduce_cell(p, n, &small, x, y);
    return small;
}

/* The cubic B-spline. */
static double spline(double distance)
{
    double d = fabs(distance);
    return d < 1 ? (4 - 6 * d * d + 3 * d * d * d) / 6 : d < 2 ? pow(2 - d, 3) / 6 : 0;
}

/* The last pixels stand for what lies beyond. */
int inside(int i, int n)
{
    return i < 0 ? 0 : smaller(i, n - 1);
}

/* The small pixels around a place, each weighed by its distance and what it counts; false if none
 * of them counts. */
static bool enlarge_pixel(const Picture *small, double x, double y, double *values)
{
    double weights = 0;
    memset(values, 0, COF_MAX_BANDS * sizeof *values);
    for (int j = (int)ceil(y - 2); j < y + 2; j++)
        for (int i = (int)ceil(x - 2); i < x + 2; i++) {
            int column = inside(i, small->view.width), row = inside(j, small->view.height);
            double weight = spline(x - i) * spline(y - j) * weight_of(small, column, row);
            weights += weight;
            for (int c = 0; c < colour_bands(small) && weight > 0; c++)
                values[c] += weight * picture_get(small, column, row, c);
        }
    for (int c = 0; c < colour_bands(small) && weights > 0; c++)
        values[c] /= weights;
    return weights > 0;
}

/* Alpha, and pixels without data, are those of `like`. What is rounded may be nudged first, by some
 * units of the last place. */
Picture enlarged(Random *random, const Picture *small, int n, const Picture *like, double nudge)
{
    const CofImage *view = &like->view;
    Picture large = picture_new(random, LAYOUT_ANY, view->width, view->height, view->channels,
                                view->kind, view->sample);
    picture_copy(&large, like);
    if (like->valid)
        add_valid(&large);
    for (int y = 0; y < view->height; y++)
        for (int x = 0; x < view->width; x++) {
            double values[COF_MAX_BANDS];
            if (like->valid)
                large.valid[y * view->width + x] = like->valid[y * view->valid_stride + x];
            if (!has_data(like, x, y) ||
                !enlarge_pixel(small, (x + 0.5) / n - 0.5, (y + 0.5) / n - 0.5, values))
                continue;
            for (int c = 0; c < colour_bands(like); c++)
                set_rounded(&large, x, y, c, values[c] + nudge * 0x1p-23 * fabs(values[c]));
        }
    return large;
}

/* Does a cell of the mask count: are half of its pixels set, or any? */
static bool mask_cell(const Picture *mask, int n, int x, int y, bool half)
{
    int set = 0, all = 0;
    for (int j = n * y; j < smaller(n * y + n, mask->view.height); j++)
        for (int i = n * x; i < smaller(n * x + n, mask->view.width); i++) {
            set += picture_get(mask, i, j, 0) > 0;
            all++;
        }
    return half ? set >= all - set : set > 0;
}

Picture reduced_mask(Random *random, const Picture *mask, int n)
{
    int width = (mask->view.width + n - 1) / n, height = (mask->view.height + n - 1) / n;
    Picture small = picture_new(random, LAYOUT_ANY, width, height, 1, COF_GREY, COF_U8);
    bool found = false;
    for (int half = 1; half >= 0 && !found; half--)
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++) {
                bool counts = mask_cell(mask, n, x, y, half);
                picture_set(&small, x, y, 0, counts);
                found |= counts;
            }
    return small;
}
