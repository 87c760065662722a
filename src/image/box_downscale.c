/* SPDX-License-Identifier: BSD-2-Clause */
/* Downscaling by box averages. */
#include "image/box_downscale.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "image/image.h"

CofStatus cofi_take_image(CofiCall *call, const CofImage *like, int width, int height,
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

int cofi_downscaled_side(int side, int n)
{
    return (side - 1) / n + 1;
}

/* The memory of one thread: a row of the image, and for a row of cells the sums of each channel, of
 * the weights (alpha) and of the pixels that have data. */
typedef struct Sums {
    float *row, *weights_row;
    uint8_t *valid;
    double *values, *weights, *pixels;
    uint16_t *columns; /* if sums_are_of_bytes(): of all samples of a row */
} Sums;

typedef struct Downscaling {
    const CofImage *from, *to;
    uint8_t *valid; /* of the downscaled image; NULL: all pixels are valid */
    int n;
    Sums *workers;
} Downscaling;

/* Up to this factor, 16 bits hold the sum of a column, and mean_byte() is exact. */
#define MAX_BYTES_FACTOR 64

/* Whether all samples are bytes and have data. */
static bool sums_are_of_bytes(const Downscaling *r)
{
    return r->from->sample == COF_SAMPLE_U8 && r->to->sample == COF_SAMPLE_U8 &&
           !cofi_may_have_gaps(r->from) && r->n <= MAX_BYTES_FACTOR;
}

static bool take_sums(CofiCall *call, const Downscaling *r, Sums *s)
{
    size_t wide = (size_t)r->from->width, narrow = (size_t)r->to->width;
    s->row = cofi_call_take(call, wide, sizeof *s->row);
    s->weights_row = cofi_call_take(call, wide, sizeof *s->weights_row);
    s->valid = cofi_call_take(call, wide, sizeof *s->valid);
    s->values = cofi_call_take(call, narrow * (size_t)r->from->channels, sizeof *s->values);
    s->weights = cofi_call_take(call, narrow, sizeof *s->weights);
    s->pixels = cofi_call_take(call, narrow, sizeof *s->pixels);
    size_t samples = sums_are_of_bytes(r) ? wide * (size_t)r->from->channels : 1;
    s->columns = cofi_call_take(call, samples, sizeof *s->columns);
    return s->row && s->weights_row && s->valid && s->values && s->weights && s->pixels &&
           s->columns;
}

void cofi_resampling_weights(const CofImage *image, int y, uint8_t *valid, float *weights)
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
        cofi_resampling_weights(image, y, s->valid, s->weights_row);
        add_row(s->weights_row, NULL, image->width, r->n, s->weights);
        count_row(s->valid, image->width, r->n, s->pixels);
        for (int channel = 0; channel < bands; channel++) {
            cofi_load_row(image, channel, 0, y, image->width, s->row);
            add_row(s->row, gaps ? s->weights_row : NULL, image->width, r->n,
                    s->values + (size_t)channel * narrow);
        }
    }
}

/* Adds bytes to sums below 2^16. */
static void add_bytes(const uint8_t *bytes, size_t n, uint16_t *restrict sums)
{
    for (size_t i = 0; i < n; i++)
        sums[i] = (uint16_t)(sums[i] + bytes[i]);
}

/* Adds the samples of a row to the sums of their columns. */
static void add_samples(const CofImage *image, int y, uint16_t *restrict sums)
{
    int channels = image->channels;
    const uint8_t *row = cofi_pixel(image, 0, y);
    if (image->channel_stride == 1 && image->pixel_stride == channels) {
        add_bytes(row, (size_t)image->width * (size_t)channels, sums);
        return;
    }
    for (int channel = 0; channel < channels; channel++) {
        const uint8_t *p = row + channel * image->channel_stride;
        for (ptrdiff_t x = 0; x < image->width; x++, p += image->pixel_stride)
            sums[x * channels + channel] = (uint16_t)(sums[x * channels + channel] + *p);
    }
}

/* Rounds the mean of `count` bytes as store_means() does: floats tell all of these means apart. */
typedef struct ByteMean {
    uint64_t count, factor; /* factor / 2^40 is 1 / (2 count), rounded up */
} ByteMean;

static ByteMean mean_of_bytes(int count)
{
    assert(count >= 1 && count <= MAX_BYTES_FACTOR * MAX_BYTES_FACTOR);
    uint64_t twice = 2 * (uint64_t)count;
    return (ByteMean){.count = (uint64_t)count,
                      .factor = (((uint64_t)1 << 40) + twice - 1) / twice};
}

/* (2 sum + count) / (2 count): below 2^22, a quotient by up to 2^13 needs no more than 40 bits. */
static inline uint8_t mean_byte(ByteMean mean, unsigned sum)
{
    return (uint8_t)((2 * sum + mean.count) * mean.factor >> 40);
}

/* Stores the means of n columns and their rows, for each of some cells. */
static inline void store_byte_means(const uint16_t *columns, int cells, int n, int channels,
                                    ByteMean mean, const CofImage *to, uint8_t *pixel)
{
    for (int x = 0; x < cells; x++, pixel += to->pixel_stride, columns += n * channels)
        for (int channel = 0; channel < channels; channel++) {
            unsigned sum = 0;
            for (int i = 0; i < n; i++)
                sum += columns[i * channels + channel];
            pixel[channel * to->channel_stride] = mean_byte(mean, sum);
        }
}

/* A row of cells of bytes that all have data: sums of integers are exact, whatever their order. */
static void downscale_bytes(const Downscaling *r, int y, Sums *s)
{
    const CofImage *image = r->from, *to = r->to;
    int n = r->n, channels = image->channels, whole = image->width / n, left = image->width % n;
    int first = y * n, last = first + n < image->height ? first + n : image->height;
    memset(s->columns, 0, (size_t)image->width * (size_t)channels * sizeof *s->columns);
    for (int row = first; row < last; row++)
        add_samples(image, row, s->columns);
    uint8_t *pixel = cofi_pixel(to, 0, y);
    ByteMean mean = mean_of_bytes(n * (last - first));
    if (n == 2 && channels == 3)
        store_byte_means(s->columns, whole, 2, 3, mean, to, pixel);
    else
        store_byte_means(s->columns, whole, n, channels, mean, to, pixel);
    if (left > 0)
        store_byte_means(s->columns + (ptrdiff_t)whole * n * channels, 1, left, channels,
                         mean_of_bytes(left * (last - first)), to, cofi_pixel(to, whole, y));
    if (r->valid)
        memset(r->valid + (ptrdiff_t)y * to->width, 1, (size_t)to->width);
}

/* Alpha must not be rounded down to 0 unless all pixels of the cell are transparent. */
static void store_means(const Downscaling *r, int y, Sums *s)
{
    const CofImage *to = r->to;
    int bands = cofi_bands(to);
    double least_alpha = to->sample == COF_SAMPLE_F32 ? 0 : 1;
    float none = to->sample == COF_SAMPLE_F32 && !r->valid ? NAN : 0;
    for (int channel = 0; channel < to->channels; channel++) {
        const double *sums =
            channel < bands ? s->values + (ptrdiff_t)channel * to->width : s->weights;
        const double *counts = channel < bands ? s->weights : s->pixels;
        double least = channel < bands ? -HUGE_VAL : least_alpha;
        for (int x = 0; x < to->width; x++)
            s->row[x] = s->weights[x] > 0  ? (float)fmax(sums[x] / counts[x], least)
                        : s->pixels[x] > 0 ? 0
                                           : none;
        cofi_store_row(to, channel, 0, y, to->width, s->row);
    }
    for (int x = 0; x < to->width && r->valid; x++)
        r->valid[(ptrdiff_t)y * to->width + x] = s->pixels[x] > 0;
}

static void downscale_rows(void *context, int first, int last, int worker)
{
    const Downscaling *r = context;
    Sums *sums = &r->workers[worker];
    bool plain = sums_are_of_bytes(r);
    for (int y = first; y < last && plain; y++)
        downscale_bytes(r, y, sums);
    for (int y = first; y < last && !plain; y++) {
        int end = (y + 1) * r->n < r->from->height ? (y + 1) * r->n : r->from->height;
        sum_rows(r, y * r->n, end, sums);
        store_means(r, y, sums);
    }
}

/* `at_once`: the rows are the output of the call. */
static CofStatus downscale(CofiCall *call, Downscaling *r, bool at_once)
{
    CofStatus status = COF_OK;
    CofiMark mark = cofi_call_mark(call);
    r->workers = cofi_call_take(call, (size_t)call->threads, sizeof *r->workers);
    for (int i = 0; i < call->threads && status == COF_OK; i++)
        status = r->workers && take_sums(call, r, &r->workers[i]) ? COF_OK : COF_ERR_MEMORY;
    if (status == COF_OK && at_once)
        cofi_call_output_rows(call, r->to->height, 1, downscale_rows, r);
    else if (status == COF_OK)
        status = cofi_call_rows(call, r->to->height, 1, downscale_rows, r);
    cofi_call_release(call, mark);
    return status;
}

CofStatus cofi_downscale(CofiCall *call, const CofImage *image, int n, CofImage *small)
{
    assert(n >= 2);
    assert(cofi_rect_holds(cofi_view_rect(image), cofi_full_rect(image)));
    cofi_call_stage(call, COF_STAGE_COLOUR);
    int width = cofi_downscaled_side(image->width, n);
    int height = cofi_downscaled_side(image->height, n);
    Downscaling r = {.from = image, .to = small, .n = n};
    CofStatus status = cofi_take_image(call, image, width, height, small);
    if (status == COF_OK && cofi_may_have_gaps(image)) {
        small->valid = r.valid = cofi_call_take(call, (size_t)height, (size_t)width);
        status = r.valid ? COF_OK : COF_ERR_MEMORY;
    }
    return status == COF_OK ? downscale(call, &r, false) : status;
}

CofStatus cofi_downscale_part(CofiCall *call, const CofImage *image, int n, const CofImage *small,
                              uint8_t *valid)
{
    assert(n >= 2);
    cofi_call_stage(call, COF_STAGE_COLOUR);
    CofRect covered = {small->x * n, small->y * n, small->width * n, small->height * n};
    covered = cofi_rect_intersect(covered, cofi_full_rect(image));
    assert(cofi_rect_holds(cofi_view_rect(image), covered));
    CofImage from = *image;
    from.data = cofi_pixel(image, covered.x - image->x, covered.y - image->y);
    if (from.valid)
        from.valid += (covered.y - image->y) * image->valid_stride + covered.x - image->x;
    from.width = covered.width;
    from.height = covered.height;
    Downscaling r = {.from = &from, .to = small, .valid = valid, .n = n};
    return downscale(call, &r, true);
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
    small.width = cofi_downscaled_side(rect.x + rect.width, n) - small.x;
    small.height = cofi_downscaled_side(rect.y + rect.height, n) - small.y;
    return small;
}

CofStatus cofi_downscale_marks(CofiCall *call, const CofImage *mask, int n, CofImage *small)
{
    CofStatus status = cofi_take_image(call, mask, cofi_downscaled_side(mask->width, n),
                                       cofi_downscaled_side(mask->height, n), small);
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
    int width = cofi_downscaled_side(roi->mask.width, n),
        height = cofi_downscaled_side(roi->mask.height, n);
    CofStatus status = cofi_take_image(call, &roi->mask, width, height, &small->mask);
    if (status == COF_OK && !fill_mask(&roi->mask, n, true, &small->mask))
        fill_mask(&roi->mask, n, false, &small->mask);
    return status;
}
