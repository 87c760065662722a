/* SPDX-License-Identifier: BSD-2-Clause */
/* The mean of the results of several palettes, in working values. */
#include "filter/palette_mean.h"

#include <assert.h>

#include "base/arithmetic.h"

/* Values are scaled by a power of two, so that the sum of the largest floats is finite. */
#define SCALE (1.0f / COF_MAX_PALETTES)

CofStatus cofi_palette_mean_take(CofiPaletteMean *mean, CofiFilter *filter)
{
    *mean = (CofiPaletteMean){.members = filter->job.members};
    CofRect part = filter->job.part;
    size_t width = (size_t)part.width, height = (size_t)part.height;
    if (mean->members == 1)
        return COF_OK;
    for (int band = 0; band < filter->bands; band++) {
        mean->sums[band] =
            cofi_call_take_raw(filter->call, height, width * sizeof *mean->sums[band]);
        if (!mean->sums[band])
            return COF_ERR_MEMORY;
    }
    mean->counts = cofi_call_take_raw(filter->call, height, width);
    return mean->counts ? COF_OK : COF_ERR_MEMORY;
}

typedef struct Adding {
    CofiPaletteMean *mean;
    CofiFilter *filter;
    CofRect part; /* in coordinates of the view */
} Adding;

static void set_row(float *restrict sums, const float *restrict now, const uint8_t *changed, int n)
{
    for (int i = 0; i < n; i++)
        sums[i] = changed[i] ? now[i] * SCALE : 0;
}

static void add_row(float *restrict sums, const float *restrict now, const uint8_t *changed, int n)
{
    for (int i = 0; i < n; i++)
        sums[i] += changed[i] ? now[i] * SCALE : 0;
}

static void add_rows(void *context, int first, int last, int worker)
{
    (void)worker;
    const Adding *adding = context;
    const CofiFilter *f = adding->filter;
    bool fresh = adding->mean->added == 1;
    int n = adding->part.width;
    for (int y = first; y < last; y++) {
        ptrdiff_t at = (ptrdiff_t)(adding->part.y + y) * f->view.width + adding->part.x;
        ptrdiff_t to = (ptrdiff_t)y * n;
        uint8_t *counts = adding->mean->counts + to;
        for (int band = 0; band < f->bands; band++)
            (fresh ? set_row : add_row)(adding->mean->sums[band] + to, f->now[band] + at,
                                        f->changed + at, n);
        for (int i = 0; i < n; i++)
            counts[i] = (uint8_t)((fresh ? 0 : counts[i]) + f->changed[at + i]);
    }
}

/* Where no member has weights, the last one has the values of the input. */
static void finish_rows(void *context, int first, int last, int worker)
{
    (void)worker;
    const Adding *adding = context;
    CofiFilter *f = adding->filter;
    int n = adding->part.width;
    for (int y = first; y < last; y++) {
        ptrdiff_t at = (ptrdiff_t)(adding->part.y + y) * f->view.width + adding->part.x;
        const uint8_t *counts = adding->mean->counts + (ptrdiff_t)y * n;
        for (int band = 0; band < f->bands; band++) {
            const float *sums = adding->mean->sums[band] + (ptrdiff_t)y * n;
            float *now = f->now[band] + at;
            for (int i = 0; i < n; i++)
                if (counts[i] > 0)
                    now[i] = cofi_to_finite(sums[i] * (COF_MAX_PALETTES / (float)counts[i]));
        }
        for (int i = 0; i < n; i++)
            f->changed[at + i] = counts[i] > 0;
    }
}

CofStatus cofi_palette_mean_add(CofiPaletteMean *mean, CofiFilter *filter)
{
    assert(mean->added < mean->members);
    mean->added++;
    if (mean->members == 1)
        return COF_OK;
    assert(filter->changed);
    Adding adding = {mean, filter, cofi_filter_in_view(filter, filter->job.part)};
    CofStatus status = cofi_call_rows(filter->call, adding.part.height, 0, add_rows, &adding);
    if (status == COF_OK && mean->added == mean->members)
        status = cofi_call_rows(filter->call, adding.part.height, 0, finish_rows, &adding);
    return status;
}
