/* SPDX-License-Identifier: BSD-2-Clause */
/* Downscaling by box averages, and upscaling by cubic B-splines. */
#include "image/resample.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "image/image.h"

/* A packed image of the kind and sample type of `like`. */
static CofStatus take_image(CofiCall *call, const CofImage *like, int width, int height,
                            CofImage *image)
{
    size_t sample = cofi_sample_size(like->sample), pixel = sample * (size_t)like->channels, row;
    *image = (CofImage){.width = width,
                        .height = height,
                        .channels = like->channels,
                        .kind = like->kind,
                        .sample = like->sample,
                        .pixel_stride = (ptrdiff_t)pixel,
                        .channel_stride = (ptrdiff_t)sample,
                        .full_width = width,
                        .full_height = height,
                        .valid_stride = width};
    if (!cofi_mul((size_t)width, pixel, &row))
        return COF_ERR_MEMORY;
    image->row_stride = (ptrdiff_t)row;
    image->data = cofi_call_take_raw(call, (size_t)height, row);
    return image->data ? COF_OK : COF_ERR_MEMORY;
}

static int downscaled_side(int side, int n)
{
    return (side - 1) / n + 1;
}

/* The memory of one thread: a row of the image, and for a row of cells the sums of each channel, of
 * the weights (alpha) and of the pixels that have data. */
typedef struct Sums {
    float *row, *weights_row;
    uint8_t *valid;
    double *values, *weights, *pixels;
} Sums;

typedef struct Downscaling {
    const CofImage *from;
    CofImage *to;
    uint8_t *valid; /* of the downscaled image; NULL: all pixels are valid */
    int n;
    Sums *workers;
} Downscaling;

static bool take_sums(CofiCall *call, const Downscaling *r, Sums *s)
{
    size_t wide = (size_t)r->from->width, narrow = (size_t)r->to->width;
    s->row = cofi_call_take(call, wide, sizeof *s->row);
    s->weights_row = cofi_call_take(call, wide, sizeof *s->weights_row);
    s->valid = cofi_call_take(call, wide, sizeof *s->valid);
    s->values = cofi_call_take(call, narrow * (size_t)r->from->channels, sizeof *s->values);
    s->weights = cofi_call_take(call, narrow, sizeof *s->weights);
    s->pixels = cofi_call_take(call, narrow, sizeof *s->pixels);
    return s->row && s->weights_row && s->valid && s->values && s->weights && s->pixels;
}

/* The weight of each pixel of a row: alpha, clamped to its range; 0 without data. */
static void weigh_row(const CofImage *image, int y, uint8_t *valid, float *weights)
{
    float full = (float)cofi_sample_max(image->sample);
    memset(valid, 1, (size_t)image->width);
    cofi_valid_row(image, 0, y, image->width, valid);
    if (cofi_has_alpha(image))
        cofi_load_row(image, image->channels - 1, 0, y, image->width, weights);
    for (int x = 0; x < image->width; x++)
        weights[x] = !valid[x]                ? 0
                     : !cofi_has_alpha(image) ? 1
                     : weights[x] <= 0        ? 0
                     : weights[x] >= full     ? full
                                              : weights[x];
}

static void add_row(const float *row, const float *weights, int width, int n, double *sums)
{
    for (int x = 0; x < width; sums++) {
        double sum = 0;
        for (int end = x + n < width ? x + n : width; x < end; x++)
            sum += (double)row[x] * (weights ? (double)weights[x] : 1.0);
        *sums += sum;
    }
}

static void count_row(const uint8_t *valid, int width, int n, double *sums)
{
    for (int x = 0; x < width; sums++)
        for (int end = x + n < width ? x + n : width; x < end; x++)
            *sums += valid[x];
}

static void sum_rows(const Downscaling *r, int first, int last, Sums *s)
{
    const CofImage *image = r->from;
    size_t narrow = (size_t)r->to->width;
    int bands = cofi_bands(image);
    bool gaps = cofi_may_have_gaps(image);
    memset(s->values, 0, narrow * (size_t)image->channels * sizeof *s->values);
    memset(s->weights, 0, narrow * sizeof *s->weights);
    memset(s->pixels, 0, narrow * sizeof *s->pixels);
    for (int y = first; y < last; y++) {
        weigh_row(image, y, s->valid, s->weights_row);
        add_row(s->weights_row, NULL, image->width, r->n, s->weights);
        count_row(s->valid, image->width, r->n, s->pixels);
        for (int channel = 0; channel < bands; channel++) {
            cofi_load_row(image, channel, 0, y, image->width, s->row);
            add_row(s->row, gaps ? s->weights_row : NULL, image->width, r->n,
                    s->values + (size_t)channel * narrow);
        }
    }
}

/* As sum_rows(), for bytes that all have data: sums of integers are exact, whatever their order. */
static void sum_bytes(const Downscaling *r, int first, int last, Sums *s)
{
    const CofImage *image = r->from;
    int narrow = r->to->width, n = r->n;
    ptrdiff_t step = image->pixel_stride;
    memset(s->values, 0, (size_t)narrow * (size_t)image->channels * sizeof *s->values);
    for (int y = first; y < last; y++)
        for (int channel = 0; channel < cofi_bands(image); channel++) {
            const uint8_t *p = cofi_pixel(image, 0, y) + channel * image->channel_stride;
            double *sums = s->values + (ptrdiff_t)channel * narrow;
            for (int x = 0; x < narrow; x++) {
                int columns = image->width - x * n < n ? image->width - x * n : n, sum = 0;
                for (int i = 0; i < columns; i++, p += step)
                    sum += *p;
                sums[x] += sum;
            }
        }
    for (int x = 0; x < narrow; x++) {
        int columns = image->width - x * n < n ? image->width - x * n : n;
        s->weights[x] = s->pixels[x] = (double)columns * (last - first);
    }
}

/* Alpha must not be rounded down to 0 unless all pixels of the cell are transparent. */
static void store_means(const Downscaling *r, int y, Sums *s)
{
    const CofImage *to = r->to;
    int bands = cofi_bands(to);
    double least_alpha = to->sample == COF_SAMPLE_F32 ? 0 : 1;
    for (int channel = 0; channel < to->channels; channel++) {
        const double *sums =
            channel < bands ? s->values + (ptrdiff_t)channel * to->width : s->weights;
        const double *counts = channel < bands ? s->weights : s->pixels;
        double least = channel < bands ? -HUGE_VAL : least_alpha;
        for (int x = 0; x < to->width; x++)
            s->row[x] = s->weights[x] > 0 ? (float)fmax(sums[x] / counts[x], least) : 0;
        cofi_store_row(to, channel, 0, y, to->width, s->row);
    }
    for (int x = 0; x < to->width && r->valid; x++)
        r->valid[(ptrdiff_t)y * to->width + x] = s->pixels[x] > 0;
}

static void downscale_rows(void *context, int first, int last, int worker)
{
    const Downscaling *r = context;
    bool plain = r->from->sample == COF_SAMPLE_U8 && !cofi_may_have_gaps(r->from);
    for (int y = first; y < last; y++) {
        int end = (y + 1) * r->n < r->from->height ? (y + 1) * r->n : r->from->height;
        (plain ? sum_bytes : sum_rows)(r, y * r->n, end, &r->workers[worker]);
        store_means(r, y, &r->workers[worker]);
    }
}

CofStatus cofi_downscale(CofiCall *call, const CofImage *image, int n, CofImage *small)
{
    assert(n >= 2);
    assert(cofi_rect_holds(cofi_view_rect(image), cofi_full_rect(image)));
    cofi_call_stage(call, COF_STAGE_COLOUR);
    int width = downscaled_side(image->width, n), height = downscaled_side(image->height, n);
    Downscaling r = {.from = image, .to = small, .n = n};
    CofStatus status = take_image(call, image, width, height, small);
    if (status == COF_OK && cofi_may_have_gaps(image)) {
        small->valid = r.valid = cofi_call_take(call, (size_t)height, (size_t)width);
        status = r.valid ? COF_OK : COF_ERR_MEMORY;
    }
    if (status != COF_OK)
        return status;
    CofiMark mark = cofi_call_mark(call);
    r.workers = cofi_call_take(call, (size_t)call->threads, sizeof *r.workers);
    for (int i = 0; i < call->threads && status == COF_OK; i++)
        status = r.workers && take_sums(call, &r, &r.workers[i]) ? COF_OK : COF_ERR_MEMORY;
    if (status == COF_OK)
        status = cofi_call_rows(call, height, 1, downscale_rows, &r);
    cofi_call_release(call, mark);
    return status;
}

/* Counts the pixels of a cell that are not 0; *all is their total number. */
static int count_cell(const CofImage *mask, int x, int y, int n, int *all)
{
    int right = x + n < mask->width ? x + n : mask->width;
    int bottom = y + n < mask->height ? y + n : mask->height, set = 0;
    for (int row = y; row < bottom; row++)
        for (int column = x; column < right; column++)
            set += *cofi_pixel(mask, column, row) != 0;
    *all = (right - x) * (bottom - y);
    return set;
}

static bool fill_mask(const CofImage *mask, int n, bool half, CofImage *small)
{
    bool found = false;
    for (int y = 0; y < small->height; y++)
        for (int x = 0; x < small->width; x++) {
            int all, set = count_cell(mask, x * n, y * n, n, &all);
            bool counts = half ? 2 * set >= all : set > 0;
            *cofi_pixel(small, x, y) = counts ? 255 : 0;
            found |= counts;
        }
    return found;
}

static CofRect downscale_rect(CofRect rect, int n)
{
    CofRect small = {rect.x / n, rect.y / n, 0, 0};
    small.width = downscaled_side(rect.x + rect.width, n) - small.x;
    small.height = downscaled_side(rect.y + rect.height, n) - small.y;
    return small;
}

CofStatus cofi_downscale_marks(CofiCall *call, const CofImage *mask, int n, CofImage *small)
{
    CofStatus status = take_image(call, mask, downscaled_side(mask->width, n),
                                  downscaled_side(mask->height, n), small);
    if (status == COF_OK)
        fill_mask(mask, n, false, small);
    return status;
}

CofStatus cofi_downscale_roi(CofiCall *call, const CofiRoi *roi, int n, CofiRoi *small)
{
    assert(n >= 2);
    *small = *roi;
    small->region = downscale_rect(roi->region, n);
    small->part = downscale_rect(roi->part, n);
    small->references = downscale_rect(roi->references, n);
    if (!roi->has_mask)
        return COF_OK;
    int width = downscaled_side(roi->mask.width, n), height = downscaled_side(roi->mask.height, n);
    CofStatus status = take_image(call, &roi->mask, width, height, &small->mask);
    if (status == COF_OK && !fill_mask(&roi->mask, n, true, &small->mask))
        fill_mask(&roi->mask, n, false, &small->mask);
    return status;
}

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
    float **lines[] = {&l->small, &l->weights, &l->row, &l->row_weights, &l->values, &l->sums};
    bool all = true;
    for (int i = 0; i < 6; i++) {
        *lines[i] = cofi_call_take(call, i < 4 ? narrow : wide, sizeof **lines[i]);
        all = all && *lines[i];
    }
    l->valid = cofi_call_take(call, wide, sizeof *l->valid); /* `wide` is at least `narrow` */
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
    Spline rows = spline_at(y, e->n);
    memset(l->row, 0, (size_t)narrow * sizeof *l->row);
    memset(l->row_weights, 0, (size_t)narrow * sizeof *l->row_weights);
    for (int i = 0; i < TAPS; i++) {
        int row = inside(rows.first + i, e->small->height);
        cofi_load_row(e->small, channel, 0, row, narrow, l->small);
        if (e->gaps) {
            weigh_row(e->small, row, l->valid, l->weights);
            for (int x = 0; x < narrow; x++) {
                l->weights[x] /= full;
                l->small[x] *= l->weights[x];
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
    CofStatus status = take_image(call, like, like->width, like->height, large);
    large->valid = like->valid;
    large->valid_stride = like->valid_stride;
    if (status != COF_OK)
        return status;
    CofiMark mark = cofi_call_mark(call);
    Spline *columns = cofi_call_take(call, (size_t)like->width, sizeof *columns);
    for (int x = 0; columns && x < like->width; x++)
        columns[x] = spline_at(x, n);
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
