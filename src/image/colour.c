/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts samples to the values that are compared and averaged, and back. */
#include "image/colour.h"

#include <assert.h>
#include <string.h>

#include "base/cpu.h"
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

CofStatus cofi_colour_init(CofiColour *colour, CofiCall *call, const CofImage *image, double pixels)
{
    *colour = (CofiColour){.kernels = cofi_kernels(cofi_cpu_flags()),
                           .max = cofi_sample_max(image->sample)};
    int entries = image->sample == COF_SAMPLE_U8    ? 256
                  : image->sample == COF_SAMPLE_U16 ? 65536
                                                    : 0;
    if (cofi_family(image->kind) != COF_KIND_RGB || entries == 0 || 3 * pixels < entries)
        return COF_OK;
    float *table = cofi_call_take_raw(call, (size_t)entries, sizeof *table);
    if (!table)
        return COF_ERR_MEMORY;
    for (int first = 0; first < entries; first += BLOCK)
        decode_block(colour, first, table + first);
    colour->linear = table;
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
    if (image->sample == COF_SAMPLE_U8 && image->pixel_stride == 3 && image->channel_stride == 1) {
        colour->kernels.bytes_from_rgb(rgb[0], rgb[1], rgb[2], n, cofi_pixel(image, x, y));
        return;
    }
    float max = (float)colour->max;
    for (int channel = 0; channel < 3; channel++) {
        for (int i = 0; i < n; i++)
            rgb[channel][i] *= max;
        cofi_store_row(image, channel, x, y, n, rgb[channel]);
    }
}

void cofi_store_lab_row(const CofiColour *colour, const CofImage *image, int x, int y, int n,
                        const float *const *lab)
{
    assert(x >= 0 && y >= 0 && x + n <= image->width && y < image->height);
    float rgb[3][BLOCK];
    for (int first = 0; first < n; first += BLOCK) {
        int count = n - first < BLOCK ? n - first : BLOCK;
        colour->kernels.rgb_from_lab(lab[0] + first, lab[1] + first, lab[2] + first, count, rgb[0],
                                     rgb[1], rgb[2]);
        store_rgb(colour, image, x + first, y, count, rgb);
    }
}
