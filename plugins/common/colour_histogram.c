/* SPDX-License-Identifier: BSD-2-Clause */
/* A coarse colour histogram for scene cuts. Label histograms alone are not enough: a palette maps
 * colours that it does not have to the nearest that it has. */
#include "colour_histogram.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Every SAMPLING_STEP-th pixel of every SAMPLING_STEP-th row is counted. */
#define SAMPLING_STEP 4

#define CHANNELS 3

static ptrdiff_t sample_size(CofSample sample)
{
    return sample == COF_SAMPLE_U8 ? 1 : sample == COF_SAMPLE_U16 ? 2 : 4;
}

static double value_at(const char *place, CofSample sample)
{
    uint16_t word;
    float number;
    switch (sample) {
    case COF_SAMPLE_U8:
        return (uint8_t)*place / 255.0;
    case COF_SAMPLE_U16:
        memcpy(&word, place, sizeof word);
        return word / 65535.0;
    default:
        memcpy(&number, place, sizeof number);
        return isfinite(number) ? fmin(fmax(number, 0), 1) : 0;
    }
}

/* Distributes a pixel over the eight nearest bins (trilinear weights), so that a slow change of
 * brightness does not look like a scene cut. */
static void add_pixel(ColourHistogram *histogram, const double values[CHANNELS])
{
    int lower[CHANNELS];
    double beyond[CHANNELS];
    for (int c = 0; c < CHANNELS; c++) {
        double level = values[c] * (COLOUR_HISTOGRAM_LEVELS - 1);
        lower[c] = level < COLOUR_HISTOGRAM_LEVELS - 2 ? (int)level : COLOUR_HISTOGRAM_LEVELS - 2;
        beyond[c] = level - lower[c];
    }
    for (int corner = 0; corner < 1 << CHANNELS; corner++) {
        int cell = 0;
        double weight = 1;
        for (int c = 0; c < CHANNELS; c++) {
            int up = corner >> c & 1;
            cell = cell * COLOUR_HISTOGRAM_LEVELS + lower[c] + up;
            weight *= up ? beyond[c] : 1 - beyond[c];
        }
        histogram->share[cell] += weight;
    }
}

ColourHistogram colour_histogram_of(const CofImage *image)
{
    ColourHistogram histogram = {{0}};
    ptrdiff_t size = sample_size(image->sample);
    ptrdiff_t step = image->pixel_stride ? image->pixel_stride : size * image->channels;
    ptrdiff_t plane = image->channel_stride ? image->channel_stride : size;
    ptrdiff_t stride = image->row_stride ? image->row_stride : step * image->width;
    bool coloured = image->channels >= CHANNELS;
    double pixels = 0;
    for (int y = 0; y < image->height; y += SAMPLING_STEP)
        for (int x = 0; x < image->width; x += SAMPLING_STEP) {
            const char *pixel = (const char *)image->data + y * stride + x * step;
            double values[CHANNELS];
            for (int c = 0; c < CHANNELS; c++)
                values[c] = value_at(pixel + (coloured ? c * plane : 0), image->sample);
            add_pixel(&histogram, values);
            pixels++;
        }
    for (int i = 0; i < COLOUR_HISTOGRAM_BINS && pixels > 0; i++)
        histogram.share[i] /= pixels;
    return histogram;
}

double colour_histogram_distance(const ColourHistogram *a, const ColourHistogram *b)
{
    double sum = 0;
    for (int i = 0; i < COLOUR_HISTOGRAM_BINS; i++)
        sum += fabs(a->share[i] - b->share[i]);
    return sum / 2;
}

void colour_histogram_blend(ColourHistogram *into, const ColourHistogram *fresh, double rate)
{
    for (int i = 0; i < COLOUR_HISTOGRAM_BINS; i++)
        into->share[i] += rate * (fresh->share[i] - into->share[i]);
}
