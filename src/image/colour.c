/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts samples to the values that are compared and averaged, and back. */
#include "image/colour.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/cpu.h"
#include "call/kept.h"
#include "image/image.h"

/* Pixels that are converted at a time, in buffers on the stack. */
#define BLOCK 128

/* sRGB decoding of one value of 0..1. */
static float decode(const CofiColour *colour, int sample)
{
    float value = (float)sample;
    double linear;
    colour->kernels.decode_row(&value, 1, colour->max, &linear);
    return (float)linear;
}

/* sRGB decoding of BLOCK sample values from `first` on. */
static void decode_block(const CofiColour *colour, int first, float *light)
{
    float values[BLOCK];
    double linear[BLOCK];
    for (int i = 0; i < BLOCK; i++)
        values[i] = (float)(first + i);
    colour->kernels.decode_row(values, BLOCK, colour->max, linear);
    for (int i = 0; i < BLOCK; i++)
        light[i] = (float)linear[i];
}

void cofi_colour_decode(const CofiColour *colour, int n, float *table)
{
    assert(n % BLOCK == 0);
    for (int first = 0; first < n; first += BLOCK)
        decode_block(colour, first, table + first);
}

/* A table, and whether it has been filled. */
typedef struct LinearTable {
    bool is_full;
    _Alignas(COFI_ALIGNMENT) float light[];
} LinearTable;

typedef struct EncodingTable {
    bool is_full;
    _Alignas(COFI_ALIGNMENT) uint32_t entries[1 << COFI_ENCODING_BITS];
} EncodingTable;

CofStatus cofi_colour_init(CofiColour *colour, CofiCall *call, const CofImage *image, double pixels)
{
    *colour = (CofiColour){.kernels = cofi_kernels(cofi_cpu_flags()),
                           .max = cofi_sample_max(image->sample)};
    int entries = image->sample == COF_SAMPLE_U8    ? 256
                  : image->sample == COF_SAMPLE_U16 ? 65536
                                                    : 0;
    if (cofi_family(image->kind) != COF_KIND_RGB || entries == 0 || 3 * pixels < entries)
        return COF_OK;
    CofiKept what = entries == 256 ? COFI_KEPT_LINEAR_8 : COFI_KEPT_LINEAR_16;
    size_t size = sizeof(LinearTable) + (size_t)entries * sizeof(float);
    LinearTable *table = cofi_call_keep(call, what, size);
    if (!table)
        return COF_ERR_MEMORY;
    if (!table->is_full)
        cofi_colour_decode(colour, entries, table->light);
    table->is_full = true;
    colour->linear = table->light;
    return COF_OK;
}

/* Light from which on each byte is nearest, in units of 2^-24; the last entry is never reached. */
static void find_thresholds(const CofiColour *colour, double thresholds[256])
{
    float middles[256];
    for (int i = 0; i < 256; i++)
        middles[i] = (float)i + 0.5f;
    colour->kernels.decode_row(middles, 256, 255, thresholds);
    for (int i = 0; i < 256; i++)
        thresholds[i] = ceil(thresholds[i] * 0x1p24);
    thresholds[255] = 0xffffff;
}

static void fill_encoding(const CofiColour *colour, uint32_t *entries)
{
    const int n = 1 << COFI_ENCODING_BITS, size = 1 << (24 - COFI_ENCODING_BITS);
    double thresholds[256];
    find_thresholds(colour, thresholds);
    for (int i = 0, byte = 0; i < n; i++) {
        bool within = thresholds[byte] < (double)(i + 1) * size;
        entries[i] = (within ? (uint32_t)thresholds[byte] : 0xffffff) << 8 | (uint32_t)byte;
        byte += within && byte < 255;
    }
}

CofStatus cofi_colour_init_stores(CofiColour *colour, CofiCall *call, const CofImage *image)
{
    if (cofi_family(image->kind) != COF_KIND_RGB || image->sample != COF_SAMPLE_U8)
        return COF_OK;
    EncodingTable *table = cofi_call_keep(call, COFI_KEPT_ENCODING, sizeof *table);
    if (!table)
        return COF_ERR_MEMORY;
    if (!table->is_full)
        fill_encoding(colour, table->entries);
    table->is_full = true;
    colour->encoding = table->entries;
    return COF_OK;
}

/* Linear light of n integer samples of one channel. */
static void linear_row(const CofiColour *colour, const CofImage *image, int channel, int x, int y,
                       int n, float *linear)
{
    const float *table = colour->linear;
    const unsigned char *p = cofi_pixel(image, x, y) + channel * image->channel_stride;
    for (int i = 0; i < n; i++, p += image->pixel_stride) {
        uint16_t sample = *p;
        if (image->sample == COF_SAMPLE_U16)
            memcpy(&sample, p, sizeof sample);
        linear[i] = table ? table[sample] : decode(colour, sample);
    }
}

static void lab_of_integers(const CofiColour *colour, const CofImage *image, int x, int y, int n,
                            float *const *lab)
{
    if (colour->linear && image->sample == COF_SAMPLE_U8 && image->channel_stride == 1) {
        colour->kernels.lab_from_bytes(cofi_pixel(image, x, y), image->pixel_stride, colour->linear,
                                       n, lab[0], lab[1], lab[2]);
        return;
    }
    float linear[3][BLOCK];
    for (int first = 0; first < n; first += BLOCK) {
        int count = n - first < BLOCK ? n - first : BLOCK;
        for (int channel = 0; channel < 3; channel++)
            linear_row(colour, image, channel, x + first, y, count, linear[channel]);
        colour->kernels.lab_from_samples(linear[0], linear[1], linear[2], count, lab[0] + first,
                                         lab[1] + first, lab[2] + first);
    }
}

void cofi_lab_of_values(const CofiColour *colour, const float *const *rgb, int n, float *const *lab)
{
    double linear[3][BLOCK];
    for (int first = 0; first < n; first += BLOCK) {
        int count = n - first < BLOCK ? n - first : BLOCK;
        for (int channel = 0; channel < 3; channel++)
            colour->kernels.decode_row(rgb[channel] + first, count, colour->max, linear[channel]);
        colour->kernels.lab_from_linear(linear[0], linear[1], linear[2], count, lab[0] + first,
                                        lab[1] + first, lab[2] + first);
    }
}

void cofi_lab_row(const CofiColour *colour, const CofImage *image, int x, int y, int n,
                  float *const *lab)
{
    assert(x >= 0 && y >= 0 && y < image->height);
    assert(cofi_family(image->kind) == COF_KIND_RGB);
    if (image->sample != COF_SAMPLE_F32) {
        lab_of_integers(colour, image, x, y, n, lab);
        return;
    }
    float values[3][BLOCK];
    const float *const rgb[3] = {values[0], values[1], values[2]};
    for (int first = 0; first < n; first += BLOCK) {
        int count = n - first < BLOCK ? n - first : BLOCK;
        float *const to[3] = {lab[0] + first, lab[1] + first, lab[2] + first};
        for (int channel = 0; channel < 3; channel++)
            cofi_load_row(image, channel, x + first, y, count, values[channel]);
        cofi_lab_of_values(colour, rgb, count, to);
    }
}

static void store_rgb(const CofiColour *colour, const CofImage *image, int x, int y, int n,
                      float rgb[3][BLOCK])
{
    float max = (float)colour->max;
    for (int channel = 0; channel < 3; channel++) {
        for (int i = 0; i < n; i++)
            rgb[channel][i] *= max;
        cofi_store_row(image, channel, x, y, n, rgb[channel]);
    }
}

/* The channels of `image` need not be adjacent. */
static void store_bytes(const CofiColour *colour, const CofImage *image, int x, int y, int n,
                        const float *const *lab)
{
    uint8_t *to = cofi_pixel(image, x, y), bytes[3 * BLOCK];
    if (image->channel_stride == 1) {
        colour->kernels.bytes_from_lab(lab[0], lab[1], lab[2], n, colour->encoding,
                                       image->pixel_stride, to);
        return;
    }
    for (int first = 0; first < n; first += BLOCK) {
        int count = n - first < BLOCK ? n - first : BLOCK;
        colour->kernels.bytes_from_lab(lab[0] + first, lab[1] + first, lab[2] + first, count,
                                       colour->encoding, 3, bytes);
        for (int i = 0; i < count; i++, to += image->pixel_stride)
            for (int channel = 0; channel < 3; channel++)
                to[channel * image->channel_stride] = bytes[3 * i + channel];
    }
}

void cofi_store_lab_row(const CofiColour *colour, const CofImage *image, int x, int y, int n,
                        const float *const *lab)
{
    assert(x >= 0 && y >= 0 && x + n <= image->width && y < image->height);
    if (image->sample == COF_SAMPLE_U8) {
        assert(colour->encoding);
        store_bytes(colour, image, x, y, n, lab);
        return;
    }
    float rgb[3][BLOCK];
    for (int first = 0; first < n; first += BLOCK) {
        int count = n - first < BLOCK ? n - first : BLOCK;
        colour->kernels.rgb_from_lab(lab[0] + first, lab[1] + first, lab[2] + first, count, rgb[0],
                                     rgb[1], rgb[2]);
        store_rgb(colour, image, x + first, y, count, rgb);
    }
}
