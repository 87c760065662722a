/* SPDX-License-Identifier: BSD-2-Clause */
/* Images in every memory layout, whose padding must never be written to. */
#include "guarded_image.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

#define GUARD 0xa5

static size_t sample_size(CofSample sample)
{
    return sample == COF_SAMPLE_U8 ? 1 : sample == COF_SAMPLE_U16 ? 2 : 4;
}

static void choose_strides(CofImage *view, uint8_t layout)
{
    ptrdiff_t size = (ptrdiff_t)sample_size(view->sample);
    ptrdiff_t pad = layout / LAYOUT_PADDING;
    ptrdiff_t gap = pad % 3;
    if (layout & LAYOUT_PLANAR) {
        view->pixel_stride = size + gap;
        view->row_stride = view->width * view->pixel_stride + pad;
        view->channel_stride = view->height * view->row_stride + pad;
    } else {
        view->channel_stride = size + gap;
        view->pixel_stride = view->channels * view->channel_stride + gap;
        view->row_stride = view->width * view->pixel_stride + pad;
    }
}

/* Reverses a direction: the view has the same bytes in opposite order. */
static void turn(CofImage *view, ptrdiff_t *stride, int n)
{
    view->data = (unsigned char *)view->data + *stride * (n - 1);
    *stride = -*stride;
}

static void *filled_block(size_t size)
{
    void *block = malloc(size);
    CHECK(block != NULL);
    return memset(block, GUARD, size);
}

static void clear(GuardedImage *image)
{
    for (int y = 0; y < image->view.height; y++)
        for (int x = 0; x < image->view.width; x++)
            for (int c = 0; c < image->view.channels; c++)
                memset(guarded_sample(image, x, y, c), 0, sample_size(image->view.sample));
}

GuardedImage guarded_new(uint8_t layout, int width, int height, int channels, CofKind kind,
                         CofSample sample)
{
    GuardedImage image = {.view = {.width = width,
                                   .height = height,
                                   .channels = channels,
                                   .kind = kind,
                                   .sample = sample}};
    CofImage *view = &image.view;
    choose_strides(view, layout);
    image.size = sample_size(sample) + (size_t)(view->row_stride * (height - 1)) +
                 (size_t)(view->pixel_stride * (width - 1)) +
                 (size_t)(view->channel_stride * (channels - 1));
    image.block = filled_block(image.size);
    view->data = image.block;
    if (layout & LAYOUT_UPSIDE_DOWN)
        turn(view, &view->row_stride, height);
    if (layout & LAYOUT_MIRRORED)
        turn(view, &view->pixel_stride, width);
    if (layout & LAYOUT_CHANNELS_REVERSED)
        turn(view, &view->channel_stride, channels);
    clear(&image);
    return image;
}

GuardedImage guarded_copy(const GuardedImage *from, uint8_t layout)
{
    const CofImage *v = &from->view;
    GuardedImage to = guarded_new(layout, v->width, v->height, v->channels, v->kind, v->sample);
    for (int y = 0; y < v->height; y++)
        for (int x = 0; x < v->width; x++)
            for (int c = 0; c < v->channels; c++)
                memcpy(guarded_sample(&to, x, y, c), guarded_sample(from, x, y, c),
                       sample_size(v->sample));
    if (!from->valid)
        return to;
    to.valid = filled_block((size_t)v->width * (size_t)v->height);
    to.view.valid = to.valid;
    for (int y = 0; y < v->height; y++)
        memcpy(to.valid + y * v->width, v->valid + y * v->valid_stride, (size_t)v->width);
    return to;
}

void guarded_free(GuardedImage *image)
{
    free(image->block);
    free(image->valid);
    *image = (GuardedImage){0};
}

unsigned char *guarded_sample(const GuardedImage *image, int x, int y, int channel)
{
    const CofImage *v = &image->view;
    return (unsigned char *)v->data + y * v->row_stride + x * v->pixel_stride +
           channel * v->channel_stride;
}

void guarded_set(GuardedImage *image, int x, int y, int channel, float value)
{
    unsigned char *at = guarded_sample(image, x, y, channel);
    uint16_t word;
    switch (image->view.sample) {
    case COF_SAMPLE_U8:
        *at = (unsigned char)(value * 255);
        break;
    case COF_SAMPLE_U16:
        word = (uint16_t)(value * 65535);
        memcpy(at, &word, sizeof word);
        break;
    case COF_SAMPLE_F32:
        memcpy(at, &value, sizeof value);
        break;
    }
}

typedef enum Content { CONTENT_NOISE, CONTENT_PATCHES, CONTENT_BYTES, CONTENT_FLAT } Content;

/* 0 to 1. */
static float level(Content content, Input *input, uint64_t *state, int x, int y, int channel)
{
    float grain = (float)(noise(state) >> 16) / 65536;
    uint64_t patch = (uint64_t)(x / 5 + 7 * (y / 4) + 31 * channel) % 11;
    switch (content) {
    case CONTENT_NOISE:
        return grain;
    case CONTENT_PATCHES:
        return (float)(noise(&patch) >> 16) / 65536 * 0.9f + 0.1f * grain;
    case CONTENT_BYTES:
        return (float)input_byte(input) / 255;
    case CONTENT_FLAT:
        return 0.25f;
    }
    return 0;
}

/* Puts floats of any magnitude into an image. */
static void add_floats(GuardedImage *image, Input *input, bool any_float)
{
    for (int i = input_int(input, 0, 15); i > 0; i--) {
        int x = input_int(input, 0, image->view.width - 1);
        int y = input_int(input, 0, image->view.height - 1);
        uint32_t bits = input_u32(input);
        float value;
        memcpy(&value, &bits, sizeof value);
        if (any_float || isfinite(value))
            guarded_set(image, x, y, input_int(input, 0, image->view.channels - 1), value);
    }
}

void guarded_fill(GuardedImage *image, Input *input, bool any_float)
{
    Content content = (Content)input_int(input, 0, 3);
    uint64_t state = input_byte(input);
    for (int y = 0; y < image->view.height; y++)
        for (int x = 0; x < image->view.width; x++)
            for (int c = 0; c < image->view.channels; c++)
                guarded_set(image, x, y, c, level(content, input, &state, x, y, c));
    if (image->view.sample == COF_SAMPLE_F32 && input_rarely(input, 3))
        add_floats(image, input, any_float);
}

void guarded_add_gaps(GuardedImage *image, Input *input)
{
    CofImage *v = &image->view;
    int pad = input_int(input, 0, 3), one_in = input_int(input, 1, 16);
    uint64_t state = input_byte(input);
    v->valid_stride = v->width + pad;
    image->valid = filled_block((size_t)(v->valid_stride * (v->height - 1) + v->width));
    for (int y = 0; y < v->height; y++)
        for (int x = 0; x < v->width; x++)
            image->valid[y * v->valid_stride + x] = noise(&state) % (unsigned)one_in != 0;
    v->valid = image->valid;
}

bool guarded_equal(const GuardedImage *a, const GuardedImage *b)
{
    const CofImage *v = &a->view;
    for (int y = 0; y < v->height; y++)
        for (int x = 0; x < v->width; x++)
            for (int c = 0; c < v->channels; c++)
                if (memcmp(guarded_sample(a, x, y, c), guarded_sample(b, x, y, c),
                           sample_size(v->sample)) != 0)
                    return false;
    return true;
}

bool guarded_finite(const GuardedImage *image)
{
    const CofImage *v = &image->view;
    for (int y = 0; y < v->height && v->sample == COF_SAMPLE_F32; y++)
        for (int x = 0; x < v->width; x++)
            for (int c = 0; c < v->channels; c++) {
                float value;
                memcpy(&value, guarded_sample(image, x, y, c), sizeof value);
                if (!isfinite(value))
                    return false;
            }
    return true;
}

void guarded_check_padding(const GuardedImage *image)
{
    GuardedImage copy = *image;
    copy.block = malloc(image->size);
    CHECK(copy.block != NULL);
    memcpy(copy.block, image->block, image->size);
    copy.view.data = copy.block + ((unsigned char *)image->view.data - image->block);
    for (int y = 0; y < copy.view.height; y++)
        for (int x = 0; x < copy.view.width; x++)
            for (int c = 0; c < copy.view.channels; c++)
                memset(guarded_sample(&copy, x, y, c), GUARD, sample_size(copy.view.sample));
    for (size_t i = 0; i < copy.size; i++)
        CHECK(copy.block[i] == GUARD);
    free(copy.block);
}

CofImage guarded_part(const GuardedImage *image, CofRect rect)
{
    CofImage view = image->view;
    view.data = guarded_sample(image, rect.x, rect.y, 0);
    view.x = rect.x;
    view.y = rect.y;
    view.width = rect.width;
    view.height = rect.height;
    view.full_width = image->view.width;
    view.full_height = image->view.height;
    if (view.valid) {
        view.valid_stride = view.valid_stride ? view.valid_stride : image->view.width;
        view.valid += rect.y * view.valid_stride + rect.x;
    }
    return view;
}
