/* SPDX-License-Identifier: BSD-2-Clause */
/* Labels the pixels of an image. */
#include "learn/label_image.h"

#include <assert.h>
#include <string.h>

#include "call/device_call.h"
#include "image/device_image.h"
#include "image/image.h"
#include "learn/device_labels.h"
#include "learn/label_row.h"

/* Features that are labelled at a time: as many as fit in the first-level cache. */
#define FEATURES 8192

typedef struct Labelling {
    const CofiLabelRows *rows;
    const CofiColour *colour;
    const CofImage *image;
    CofRect rect;
    float *features;           /* of each worker: FEATURES */
    uint8_t (*of_values)[256]; /* of each palette: the labels of 8-bit grey */
} Labelling;

/* Exact palettes: samples are their own labels. */
static void copy_samples(void *context, int first, int last, int worker)
{
    (void)worker;
    const Labelling *l = context;
    for (int y = first; y < last; y++) {
        const unsigned char *samples = cofi_pixel(l->image, l->rect.x, l->rect.y + y);
        uint8_t *labels = l->rows->labels[0] + y * l->rows->stride;
        if (l->image->pixel_stride == 1)
            memcpy(labels, samples, (size_t)l->rect.width);
        else
            for (int x = 0; x < l->rect.width; x++)
                labels[x] = samples[x * l->image->pixel_stride];
    }
}

/* Labels of the 256 values of 8-bit grey, of each palette. */
static void label_values(Labelling *l)
{
    float values[256];
    const float *const features[1] = {values};
    for (int i = 0; i < 256; i++)
        values[i] = (float)i;
    for (int i = 0; i < l->rows->n; i++)
        cofi_label_row(l->rows->palettes[i], &l->colour->kernels, features, 256, l->of_values[i]);
}

static void look_up_samples(void *context, int first, int last, int worker)
{
    (void)worker;
    const Labelling *l = context;
    ptrdiff_t step = l->image->pixel_stride;
    for (int y = first; y < last; y++)
        for (int i = 0; i < l->rows->n; i++) {
            const unsigned char *samples = cofi_pixel(l->image, l->rect.x, l->rect.y + y);
            uint8_t *labels = l->rows->labels[i] + y * l->rows->stride;
            for (int x = 0; x < l->rect.width; x++)
                labels[x] = l->of_values[i][samples[x * step]];
        }
}

/* Labels a block, rows of whose features are `stride` apart. */
static void label_block(const Labelling *l, const float *const *features, ptrdiff_t stride,
                        CofRect block)
{
    ptrdiff_t at = block.y * l->rows->stride + block.x;
    for (int row = 0; row < block.height && l->rows->packed; row++) {
        const float *lab[3] = {features[0] + row * stride, features[1] + row * stride,
                               features[2] + row * stride};
        CofiPackedLab packed = cofi_packed_from(l->rows->packed, at + row * l->rows->stride);
        l->colour->kernels.pack_lab(lab, block.width, &packed);
    }
    for (int i = 0; i < l->rows->n; i++)
        cofi_label_rows(l->rows->palettes[i], &l->colour->kernels, features, stride, block.height,
                        block.width, l->rows->labels[i] + at, l->rows->stride);
}

/* Finds the features of a block, in planes whose rows are `stride` apart. */
static void find_features(const Labelling *l, CofRect block, float *const *planes, int stride)
{
    for (int row = 0; row < block.height; row++) {
        float *to[COF_MAX_BANDS];
        for (int band = 0; band < cofi_bands(l->image); band++)
            to[band] = planes[band] + row * stride;
        cofi_features_row(l->colour, l->image, l->rect.x + block.x, l->rect.y + block.y + row,
                          block.width, to);
    }
}

static void label_rows(void *context, int first, int last, int worker)
{
    const Labelling *l = context;
    int bands = cofi_bands(l->image), stride = FEATURES / bands / COFI_TOGETHER / 16 * 16;
    float *planes[COF_MAX_BANDS];
    const float *read[COF_MAX_BANDS];
    for (int band = 0; band < bands; band++)
        planes[band] = l->features + (ptrdiff_t)worker * FEATURES + band * COFI_TOGETHER * stride;
    for (int y = first; y < last; y += COFI_TOGETHER)
        for (int x = 0; x < l->rect.width; x += stride) {
            CofRect block = {x, y, l->rect.width - x < stride ? l->rect.width - x : stride,
                             last - y < COFI_TOGETHER ? last - y : COFI_TOGETHER};
            if (l->rows->early && cofi_early_features_have(l->rows->early, block, read)) {
                label_block(l, read, l->rows->early->stride, block);
                continue;
            }
            find_features(l, block, planes, stride);
            label_block(l, (const float *const *)planes, stride, block);
        }
}

/* Can the device of the call do it? */
static bool is_for_device(const CofiCall *call, const CofiLabelRows *rows, const CofImage *image)
{
    const char *refused = call->device ? cofi_device_refuses(call, image) : NULL;
    for (int i = 0; i < rows->n && call->device && !refused; i++)
        if (!cofi_device_can_label(call, rows->palettes[i], image->sample))
            refused = "the device has no double precision, which labels of RGB need";
    if (!refused && rows->packed)
        refused = "colours that are kept for later are computed by the CPU";
    if (refused && call->device)
        cofi_call_left_to_cpu(call, refused);
    return call->device && !refused;
}

CofStatus cofi_label_image(CofiCall *call, const CofiLabelRows *rows, const CofImage *image,
                           CofRect rect, double units)
{
    assert(rows->n >= 1 && cofi_palette_fits(rows->palettes[0], image));
    assert(!rows->early || (rows->early->image == image && rect.x == 0 && rect.y == 0 &&
                            rect.width == image->width));
    CofiColour colour;
    CofStatus status = COF_OK;
    if (rows->early)
        colour = rows->early->colour;
    else
        status = cofi_colour_init(&colour, call, image, (double)rect.width * rect.height);
    if (status != COF_OK)
        return status;
    uint8_t of_values[COF_MAX_PALETTES][256];
    Labelling labelling = {rows, &colour, image, rect, NULL, of_values};
    if (rows->n == 1 && rows->palettes[0]->type == COFI_PALETTE_EXACT)
        return cofi_call_rows(call, rect.height, units, copy_samples, &labelling);
    if (is_for_device(call, rows, image)) {
        status = cofi_device_label_image(call, &colour, rows->palettes, rows->labels, rows->stride,
                                         rows->n, image, rect, units);
        if (status != COF_ERR_MEMORY)
            return status;
        cofi_call_left_to_cpu(call, COFI_DEVICE_MEMORY);
    }
    if (cofi_family(image->kind) == COF_KIND_GREY && image->sample == COF_SAMPLE_U8) {
        label_values(&labelling);
        return cofi_call_rows(call, rect.height, units, look_up_samples, &labelling);
    }
    CofiMark mark = cofi_call_mark(call);
    labelling.features =
        cofi_call_take_raw(call, (size_t)call->threads, FEATURES * sizeof *labelling.features);
    status = labelling.features ? cofi_call_rows(call, rect.height, units, label_rows, &labelling)
                                : COF_ERR_MEMORY;
    cofi_call_release(call, mark);
    return status;
}
