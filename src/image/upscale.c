/* SPDX-License-Identifier: BSD-2-Clause */
/* Upscaling by cubic B-splines. */
#include "image/upscale.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "image/box_downscale.h"
#include "image/image.h"

/* The weights of four neighbouring pixels: a cubic B-spline, whose contours are smooth. */
#define TAPS 4

typedef struct Spline {
    int first; /* first of the four; those outside of the image repeat its last pixel */
    float shares[TAPS];
} Spline;

static Spline spline_at(int x, int n)
{
    double at = (x + 0.5) / n - 0.5, below = floor(at), t = at - below, u = 1 - t;
    float first = (float)(u * u * u / 6), second = (float)((3 * t * t * t - 6 * t * t + 4) / 6),
          third = (float)((3 * u * u * u - 6 * u * u + 4) / 6);
    /* The sum must be exactly 1, so that full weights give the same result as no weights. */
    float fourth = 1 - (first + second + third);
    return (Spline){.first = (int)below - 1, .shares = {first, second, third, fourth}};
}

static int inside(int index, int count)
{
    return index < 0 ? 0 : index < count ? index : count - 1;
}

/* The memory of one thread: rows of the small image, with their weights, and of the large one. */
typedef struct Lines {
    float *small, *weights, *row, *row_weights, *values, *sums;
    uint8_t *valid;
} Lines;

typedef struct Upscaling {
    const CofImage *small, *like;
    CofImage *large;
    int n;
    bool gaps;
    const Spline *columns;
    Lines *workers;
} Upscaling;

static bool take_lines(CofiCall *call, const Upscaling *e, Lines *l)
{
    size_t wide = (size_t)e->large->width, narrow = (size_t)e->small->width;
    size_t widest = wide > narrow ? wide : narrow; /* a part can be narrower than the small image */
    float **lines[] = {&l->small, &l->weights, &l->row, &l->row_weights, &l->values, &l->sums};
    bool all = true;
    for (int i = 0; i < 6; i++) {
        *lines[i] = cofi_call_take(call, i < 4 ? narrow : wide, sizeof **lines[i]);
        all = all && *lines[i];
    }
    l->valid = cofi_call_take(call, widest, sizeof *l->valid);
    return all && l->valid;
}

static void add_share(const float *row, float share, int n, float *sums)
{
    for (int x = 0; x < n; x++)
        sums[x] += share * row[x];
}

static void upscale_columns(const Upscaling *e, const float *row, float *values)
{
    const Spline *columns = e->columns;
    int width = e->large->width, narrow = e->small->width;
    for (int x = 0; x < width;) {
        int first = columns[x].first;
        float taps[TAPS];
        for (int i = 0; i < TAPS; i++)
            taps[i] = row[inside(first + i, narrow)];
        for (; x < width && columns[x].first == first; x++)
            values[x] = taps[0] * columns[x].shares[0] + taps[1] * columns[x].shares[1] +
                        taps[2] * columns[x].shares[2] + taps[3] * columns[x].shares[3];
    }
}

/* Upscales one channel of a row. Pixels are weighted as in downscaling; where no weight is left,
 * the value of `like` is kept. */
static void upscale_row(const Upscaling *e, int channel, int y, Lines *l)
{
    int narrow = e->small->width, wide = e->large->width;
    float full = cofi_has_alpha(e->small) ? (float)cofi_sample_max(e->small->sample) : 1;
    Spline rows = spline_at(e->like->y + y, e->n);
    memset(l->row, 0, (size_t)narrow * sizeof *l->row);
    memset(l->row_weights, 0, (size_t)narrow * sizeof *l->row_weights);
    for (int i = 0; i < TAPS; i++) {
        int row = inside(rows.first + i, e->small->height);
        cofi_load_row(e->small, channel, 0, row, narrow, l->small);
        if (e->gaps) {
            cofi_resampling_weights(e->small, row, l->valid, l->weights);
            for (int x = 0; x < narrow; x++) {
                l->weights[x] /= full;
                l->small[x] = l->weights[x] > 0 ? l->small[x] * l->weights[x] : 0;
            }
            add_share(l->weights, rows.shares[i], narrow, l->row_weights);
        }
        add_share(l->small, rows.shares[i], narrow, l->row);
    }
    upscale_columns(e, l->row, l->values);
    if (!e->gaps)
        return;
    upscale_columns(e, l->row_weights, l->sums);
    for (int x = 0; x < wide; x++)
        if (l->sums[x] > 0)
            l->values[x] /= l->sums[x];
        else
            cofi_load_row(e->like, channel, x, y, 1, &l->values[x]);
}

static void upscale_rows(void *context, int first, int last, int worker)
{
    const Upscaling *e = context;
    Lines *l = &e->workers[worker];
    const CofImage *like = e->like, *large = e->large;
    int width = large->width, bands = cofi_bands(like);
    for (int y = first; y < last; y++) {
        for (int channel = 0; channel < bands; channel++) {
            upscale_row(e, channel, y, l);
            cofi_store_row(large, channel, 0, y, width, l->values);
        }
        if (cofi_has_alpha(like))
            cofi_copy_row(like, 0, y, large, 0, y, bands, width, NULL);
        if (like->sample != COF_SAMPLE_F32)
            continue;
        memset(l->valid, 1, (size_t)width);
        cofi_valid_row(like, 0, y, width, l->valid);
        for (int channel = 0; channel < bands; channel++)
            cofi_copy_row(like, 0, y, large, 0, y, channel, width, l->valid);
    }
}

CofStatus cofi_upscale(CofiCall *call, const CofImage *small, int n, const CofImage *like,
                       CofImage *large)
{
    assert(n >= 2);
    assert(small->kind == like->kind && small->sample == like->sample);
    cofi_call_stage(call, COF_STAGE_COLOUR);
    CofStatus status = cofi_take_image(call, like, like->width, like->height, large);
    large->x = like->x;
    large->y = like->y;
    large->full_width = like->full_width;
    large->full_height = like->full_height;
    large->valid = like->valid;
    large->valid_stride = like->valid_stride;
    if (status != COF_OK)
        return status;
    CofiMark mark = cofi_call_mark(call);
    Spline *columns = cofi_call_take(call, (size_t)like->width, sizeof *columns);
    for (int x = 0; columns && x < like->width; x++)
        columns[x] = spline_at(like->x + x, n);
    Upscaling e = {.small = small,
                   .like = like,
                   .large = large,
                   .n = n,
                   .gaps = cofi_may_have_gaps(small),
                   .columns = columns,
                   .workers = cofi_call_take(call, (size_t)call->threads, sizeof *e.workers)};
    status = columns && e.workers ? COF_OK : COF_ERR_MEMORY;
    for (int i = 0; i < call->threads && status == COF_OK; i++)
        status = take_lines(call, &e, &e.workers[i]) ? COF_OK : COF_ERR_MEMORY;
    if (status == COF_OK)
        status = cofi_call_rows(call, like->height, 1, upscale_rows, &e);
    cofi_call_release(call, mark);
    return status;
}
