/* SPDX-License-Identifier: BSD-2-Clause */
/* The mean of the results of several palettes, in working values. */
#include "filter/palette_mean.h"

#include <assert.h>
#include <string.h>

#include "base/arithmetic.h"

/* Values are scaled by a power of two, so that the sum of the largest floats is finite. */
#define SCALE (1.0f / COF_MAX_PALETTES)

CofStatus cofi_palette_mean_take(CofiPaletteMean *mean, CofiCall *call, int members, int bands,
                                 int width, int height)
{
    assert(members >= 1 && members <= COF_MAX_PALETTES);
    *mean = (CofiPaletteMean){.members = members, .bands = bands, .width = width};
    if (members == 1)
        return COF_OK;
    size_t rows = (size_t)height, columns = (size_t)width;
    for (int band = 0; band < bands; band++) {
        mean->sums[band] = cofi_call_take_raw(call, rows, columns * sizeof *mean->sums[band]);
        if (!mean->sums[band])
            return COF_ERR_MEMORY;
    }
    mean->counts = cofi_call_take_raw(call, rows, columns);
    return mean->counts ? COF_OK : COF_ERR_MEMORY;
}

bool cofi_palette_mean_is_last(const CofiPaletteMean *mean)
{
    return mean->member == mean->members - 1;
}

/* Sums of a first member, and of others; and those of pixels that have all changed. */
static void set_row(float *restrict sums, const float *restrict values, const uint8_t *changed,
                    int n)
{
    for (int i = 0; i < n; i++)
        sums[i] = changed[i] ? values[i] * SCALE : 0;
}

static void add_row(float *restrict sums, const float *restrict values, const uint8_t *changed,
                    int n)
{
    for (int i = 0; i < n; i++)
        sums[i] += changed[i] ? values[i] * SCALE : 0;
}

static void set_all(float *restrict sums, const float *restrict values, int n)
{
    for (int i = 0; i < n; i++)
        sums[i] = values[i] * SCALE;
}

static void add_all(float *restrict sums, const float *restrict values, int n)
{
    for (int i = 0; i < n; i++)
        sums[i] += values[i] * SCALE;
}

static void sum_row(float *sums, const float *values, const uint8_t *changed, bool all, bool first,
                    int n)
{
    if (all)
        (first ? set_all : add_all)(sums, values, n);
    else
        (first ? set_row : add_row)(sums, values, changed, n);
}

static void count_row(uint8_t *restrict counts, const uint8_t *restrict changed, int n)
{
    for (int i = 0; i < n; i++)
        counts[i] = (uint8_t)(counts[i] + changed[i]);
}

static bool all_are(const uint8_t *counts, int n, int members)
{
    uint8_t differ = 0;
    for (int i = 0; i < n; i++)
        differ = (uint8_t)(differ | (counts[i] ^ members));
    return differ == 0;
}

static void divide_row(const float *restrict sums, double share, int n, float *restrict values)
{
    for (int i = 0; i < n; i++)
        values[i] = cofi_to_float((double)sums[i] * share);
}

/* Adds the values of the last member, and divides, if the share is a power of two: the product
 * needs no rounding. */
static void finish_row(const float *restrict sums, float share, int n, float *restrict values)
{
    for (int i = 0; i < n; i++)
        values[i] = cofi_to_finite((sums[i] + values[i] * SCALE) * share);
}

static void divide_pixels(const float *restrict sums, const uint8_t *counts, int n,
                          float *restrict values)
{
    for (int i = 0; i < n; i++)
        if (counts[i] > 0)
            values[i] = cofi_to_float((double)sums[i] * ((double)COF_MAX_PALETTES / counts[i]));
}

void cofi_palette_mean_row(const CofiPaletteMean *mean, int x, int y, int n, float *const *values,
                           uint8_t *changed)
{
    if (mean->members == 1)
        return;
    bool first = mean->member == 0, last = cofi_palette_mean_is_last(mean);
    bool changed_all = !memchr(changed, 0, (size_t)n);
    ptrdiff_t at = (ptrdiff_t)y * mean->width + x;
    uint8_t *counts = mean->counts + at;
    if (first)
        memcpy(counts, changed, (size_t)n);
    else
        count_row(counts, changed, n);
    bool all = last && all_are(counts, n, mean->members);
    for (int band = 0; band < mean->bands; band++) {
        float *sums = mean->sums[band] + at;
        if (all && COF_MAX_PALETTES % mean->members == 0) {
            finish_row(sums, (float)(COF_MAX_PALETTES / mean->members), n, values[band]);
            continue;
        }
        sum_row(sums, values[band], changed, changed_all, first, n);
        if (all)
            divide_row(sums, (double)COF_MAX_PALETTES / mean->members, n, values[band]);
        else if (last)
            divide_pixels(sums, counts, n, values[band]);
    }
    for (int i = 0; i < n && last && !all; i++)
        changed[i] = counts[i] > 0;
}
