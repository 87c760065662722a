/* SPDX-License-Identifier: BSD-2-Clause */
/* Views of the caller's pixels. */
#include "image/image.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/arithmetic.h"

CofKind cofi_family(CofKind kind)
{
    switch (kind) {
    case COF_KIND_GREY_ALPHA:
        return COF_KIND_GREY;
    case COF_KIND_RGBA:
        return COF_KIND_RGB;
    default:
        return kind;
    }
}

bool cofi_has_alpha(const CofImage *image)
{
    return image->kind == COF_KIND_GREY_ALPHA || image->kind == COF_KIND_RGBA;
}

int cofi_bands(const CofImage *image)
{
    assert(image->channels >= 1);
    return image->channels - cofi_has_alpha(image);
}

size_t cofi_sample_size(CofSample sample)
{
    return sample == COF_SAMPLE_U8 ? 1 : sample == COF_SAMPLE_U16 ? 2 : 4;
}

double cofi_sample_max(CofSample sample)
{
    return sample == COF_SAMPLE_U8 ? 255 : sample == COF_SAMPLE_U16 ? 65535 : 1;
}

bool cofi_may_have_gaps(const CofImage *image)
{
    return image->valid || cofi_has_alpha(image) || image->sample == COF_SAMPLE_F32;
}

CofImage cofi_packed_bytes(uint8_t *bytes, int width, int height)
{
    return (CofImage){.data = bytes,
                      .width = width,
                      .height = height,
                      .channels = 1,
                      .kind = COF_KIND_GREY,
                      .sample = COF_SAMPLE_U8,
                      .row_stride = width,
                      .pixel_stride = 1,
                      .channel_stride = 1,
                      .full_width = width,
                      .full_height = height};
}

static bool channels_fit(const CofImage *image)
{
    switch (image->kind) {
    case COF_KIND_GREY:
    case COF_KIND_GREY_ALPHA:
    case COF_KIND_RGB:
    case COF_KIND_RGBA:
        return image->channels == (int)image->kind + 1;
    case COF_KIND_BANDS:
        return image->channels >= 1 && image->channels <= COF_MAX_BANDS;
    }
    return false;
}

/* *sum += |stride| * steps; false if the bytes do not fit in the address space. */
static bool add_extent(ptrdiff_t *sum, ptrdiff_t stride, int steps)
{
    ptrdiff_t extent;
    if (stride == PTRDIFF_MIN ||
        __builtin_mul_overflow(stride < 0 ? -stride : stride, (ptrdiff_t)steps, &extent))
        return false;
    return !__builtin_add_overflow(*sum, extent, sum);
}

static bool fits_in_memory(const CofImage *image)
{
    ptrdiff_t size = (ptrdiff_t)cofi_sample_size(image->sample), mask = 1;
    return add_extent(&size, image->row_stride, image->height - 1) &&
           add_extent(&size, image->pixel_stride, image->width - 1) &&
           add_extent(&size, image->channel_stride, image->channels - 1) &&
           add_extent(&mask, image->valid_stride, image->height - 1);
}

static bool complete_strides(CofImage *image)
{
    ptrdiff_t size = (ptrdiff_t)cofi_sample_size(image->sample);
    if (image->channel_stride == 0)
        image->channel_stride = size;
    bool interleaved =
        image->channels == 1 || image->channel_stride == size || image->channel_stride == -size;
    if (image->pixel_stride == 0)
        image->pixel_stride = interleaved ? size * image->channels : size;
    if (image->row_stride == 0) {
        ptrdiff_t step = image->pixel_stride < 0 ? -image->pixel_stride : image->pixel_stride;
        if (image->pixel_stride == PTRDIFF_MIN ||
            __builtin_mul_overflow(step, (ptrdiff_t)image->width, &image->row_stride))
            return false;
    }
    if (image->valid_stride == 0)
        image->valid_stride = image->width;
    return fits_in_memory(image);
}

/* Sums of a few sides, margins and coordinates must fit in an int. */
static bool is_side(int pixels)
{
    return pixels >= 1 && pixels <= COF_MAX_SIDE;
}

const char *cofi_image_complete(const CofImage *image, CofImage *complete)
{
    if (!image || !image->data)
        return "an image or its data is NULL";
    *complete = *image;
    if (!is_side(image->width) || !is_side(image->height))
        return "an image must be 1 to 2^30 pixels wide and high";
    if ((unsigned)image->sample > COF_SAMPLE_F32)
        return "the sample type must be one of CofSample";
    if (!channels_fit(image))
        return "the number of channels does not fit the kind of image";
    if (image->memory != COF_MEMORY_HOST)
        return "this function needs an image in the memory of the host";
    if (image->reserved[0] != 0)
        return "the reserved fields of an image must be 0";
    if (!complete_strides(complete))
        return "an image does not fit in memory";
    if (image->full_width == 0 && image->full_height == 0) {
        complete->full_width = image->width;
        complete->full_height = image->height;
    }
    if (!is_side(complete->full_width) || !is_side(complete->full_height))
        return "a full image must be 1 to 2^30 pixels wide and high";
    if (image->x < 0 || image->y < 0 || complete->full_width - image->width < image->x ||
        complete->full_height - image->height < image->y)
        return "a view lies outside of its full image";
    return NULL;
}

bool cofi_same_place(const CofImage *image, const CofImage *like)
{
    bool given = image->x != 0 || image->y != 0 || image->full_width != image->width ||
                 image->full_height != image->height;
    return !given ||
           (image->x == like->x && image->y == like->y && image->full_width == like->full_width &&
            image->full_height == like->full_height);
}

CofStatus cofi_bytes_complete(const CofImage *image, const CofImage *like, CofImage *complete,
                              const char **problem)
{
    *problem = cofi_image_complete(image, complete);
    if (*problem)
        return COF_ERR_ARGUMENT;
    if (image->kind != COF_KIND_GREY || image->sample != COF_SAMPLE_U8) {
        *problem = "masks and labels must be grey with 8 bits";
        return COF_ERR_ARGUMENT;
    }
    if (image->width != like->width || image->height != like->height) {
        *problem = "a mask or label image differs from the image in size";
        return COF_ERR_MISMATCH;
    }
    if (!cofi_same_place(complete, like)) {
        *problem = "a mask or label image lies elsewhere than the image";
        return COF_ERR_MISMATCH;
    }
    return COF_OK;
}

/* The address range of a view; `last` is exclusive. */
static void span_of(const CofImage *image, uintptr_t *first, uintptr_t *last)
{
    ptrdiff_t strides[3] = {image->row_stride, image->pixel_stride, image->channel_stride};
    int steps[3] = {image->height - 1, image->width - 1, image->channels - 1};
    *first = *last = (uintptr_t)image->data;
    for (int i = 0; i < 3; i++) {
        ptrdiff_t extent = strides[i] * steps[i];
        *(extent < 0 ? first : last) += (uintptr_t)extent;
    }
    *last += cofi_sample_size(image->sample);
}

bool cofi_images_overlap(const CofImage *a, const CofImage *b)
{
    uintptr_t a_first, a_last, b_first, b_last;
    span_of(a, &a_first, &a_last);
    span_of(b, &b_first, &b_last);
    return a_first < b_last && b_first < a_last;
}

CofRect cofi_full_rect(const CofImage *image)
{
    return (CofRect){0, 0, image->full_width, image->full_height};
}

CofRect cofi_view_rect(const CofImage *image)
{
    return (CofRect){image->x, image->y, image->width, image->height};
}

bool cofi_rect_empty(CofRect rect)
{
    return rect.width <= 0 || rect.height <= 0;
}

/* The overlap of [a, a + n) and [b, b + m); 64 bits, since callers may pass any numbers. */
static void intersect_ranges(int a, int n, int b, int m, int *first, int *length)
{
    int64_t begin = a > b ? a : b;
    int64_t end_a = (int64_t)a + n, end_b = (int64_t)b + m;
    int64_t end = end_a < end_b ? end_a : end_b;
    *first = (int)begin;
    *length = end > begin ? (int)(end - begin) : 0;
}

CofRect cofi_rect_intersect(CofRect a, CofRect b)
{
    CofRect both;
    intersect_ranges(a.x, a.width, b.x, b.width, &both.x, &both.width);
    intersect_ranges(a.y, a.height, b.y, b.height, &both.y, &both.height);
    return both;
}

static void grow_range(int first, int length, int margin, int within, int limit, int *out_first,
                       int *out_length)
{
    int64_t begin = (int64_t)first - margin, end = (int64_t)first + length + margin;
    int64_t within_end = (int64_t)within + limit;
    begin = begin < within ? within : begin;
    end = end > within_end ? within_end : end;
    *out_first = (int)begin;
    *out_length = (int)(end - begin);
}

CofRect cofi_rect_grow(CofRect rect, int margin, CofRect within)
{
    assert(margin >= 0);
    CofRect grown;
    grow_range(rect.x, rect.width, margin, within.x, within.width, &grown.x, &grown.width);
    grow_range(rect.y, rect.height, margin, within.y, within.height, &grown.y, &grown.height);
    return grown;
}

bool cofi_rect_holds(CofRect outer, CofRect inner)
{
    CofRect both = cofi_rect_intersect(outer, inner);
    return both.width == inner.width && both.height == inner.height;
}

unsigned char *cofi_pixel(const CofImage *image, int x, int y)
{
    return (unsigned char *)image->data + y * image->row_stride + x * image->pixel_stride;
}

void cofi_load_row(const CofImage *image, int channel, int x, int y, int n, float *values)
{
    assert(channel >= 0 && channel < image->channels);
    assert(x >= 0 && y >= 0 && y < image->height);
    const unsigned char *p = cofi_pixel(image, x, y) + channel * image->channel_stride;
    ptrdiff_t step = image->pixel_stride;
    switch (image->sample) {
    case COF_SAMPLE_U8:
        for (int i = 0; i < n; i++)
            values[i] = p[i * step];
        break;
    case COF_SAMPLE_U16:
        for (int i = 0; i < n; i++) {
            uint16_t sample;
            memcpy(&sample, p + i * step, sizeof sample);
            values[i] = sample;
        }
        break;
    case COF_SAMPLE_F32:
        for (int i = 0; i < n; i++) {
            float sample;
            memcpy(&sample, p + i * step, sizeof sample);
            values[i] = isfinite(sample) ? sample : 0;
        }
        break;
    }
}

void cofi_valid_row(const CofImage *image, int x, int y, int n, uint8_t *valid)
{
    assert(x >= 0 && y >= 0 && x + n <= image->width && y < image->height);
    if (image->valid) {
        const uint8_t *mask = image->valid + y * image->valid_stride + x;
        for (int i = 0; i < n; i++)
            valid[i] &= mask[i] != 0;
    }
    if (image->sample != COF_SAMPLE_F32)
        return;
    for (int channel = 0; channel < image->channels; channel++) {
        const unsigned char *p = cofi_pixel(image, x, y) + channel * image->channel_stride;
        for (int i = 0; i < n; i++) {
            float sample;
            memcpy(&sample, p + i * image->pixel_stride, sizeof sample);
            valid[i] &= isfinite(sample) != 0;
        }
    }
}

void cofi_mask_row(const CofImage *mask, int x, int y, int n, uint8_t *keep)
{
    assert(mask->sample == COF_SAMPLE_U8);
    assert(x >= 0 && y >= 0 && x + n <= mask->width && y < mask->height);
    const unsigned char *p = cofi_pixel(mask, x, y);
    for (int i = 0; i < n; i++)
        keep[i] &= p[i * mask->pixel_stride] != 0;
}

/* Samples that are rounded at a time, so that the loop can be vectorised. */
#define BLOCK 128

/* Rounds to the nearest of 0..largest; 0 for NaN. */
static inline int to_integer(float value, float largest)
{
    float above = value > 0 ? value : 0, clamped = above < largest ? above : largest;
    return (int)(clamped + 0.5f);
}

/* In two loops: compilers would carry the comparisons of one loop in bytes. */
void cofi_round_to_bytes(const float *restrict values, int n, uint8_t *restrict bytes)
{
    for (int first = 0; first < n; first += BLOCK) {
        int integers[BLOCK], count = n - first < BLOCK ? n - first : BLOCK;
        for (int i = 0; i < count; i++)
            integers[i] = to_integer(values[first + i], 255);
        for (int i = 0; i < count; i++)
            bytes[first + i] = (uint8_t)integers[i];
    }
}

static void store_bytes(unsigned char *p, ptrdiff_t step, int n, const float *values)
{
    uint8_t samples[BLOCK];
    cofi_round_to_bytes(values, n, samples);
    for (int i = 0; i < n; i++)
        p[i * step] = samples[i];
}

static void store_words(unsigned char *p, ptrdiff_t step, int n, const float *values)
{
    uint16_t samples[BLOCK];
    for (int i = 0; i < n; i++)
        samples[i] = (uint16_t)to_integer(values[i], 65535);
    for (int i = 0; i < n; i++)
        memcpy(p + i * step, &samples[i], sizeof samples[i]);
}

static void store_floats(unsigned char *p, ptrdiff_t step, int n, const float *values)
{
    for (int i = 0; i < n; i++)
        memcpy(p + i * step, &values[i], sizeof values[i]);
}

void cofi_store_row(const CofImage *image, int channel, int x, int y, int n, const float *values)
{
    assert(channel >= 0 && channel < image->channels);
    assert(x >= 0 && y >= 0 && x + n <= image->width && y < image->height);
    unsigned char *p = cofi_pixel(image, x, y) + channel * image->channel_stride;
    ptrdiff_t step = image->pixel_stride;
    for (int first = 0; first < n; first += BLOCK) {
        int count = n - first < BLOCK ? n - first : BLOCK;
        unsigned char *to = p + first * step;
        if (image->sample == COF_SAMPLE_U8)
            store_bytes(to, step, count, values + first);
        else if (image->sample == COF_SAMPLE_U16)
            store_words(to, step, count, values + first);
        else
            store_floats(to, step, count, values + first);
    }
}

void cofi_copy_row(const CofImage *from, int from_x, int from_y, const CofImage *to, int to_x,
                   int to_y, int channel, int n, const uint8_t *skip)
{
    assert(from->sample == to->sample);
    const unsigned char *p = cofi_pixel(from, from_x, from_y) + channel * from->channel_stride;
    unsigned char *q = cofi_pixel(to, to_x, to_y) + channel * to->channel_stride;
    size_t size = cofi_sample_size(from->sample);
    if (p == q && from->pixel_stride == to->pixel_stride)
        return;
    for (int i = 0; i < n; i++, p += from->pixel_stride, q += to->pixel_stride)
        if (!skip || !skip[i])
            memmove(q, p, size);
}
