/* SPDX-License-Identifier: BSD-2-Clause */
/* Averages the frames of a video over time, where nothing moves.
 *
 * Noise differs from pixel to pixel, and motion does not: the difference from the mean so far,
 * averaged over a small square, is compared with what noise would leave of it. Fine texture that
 * moves is told from noise by looking for the place that it came from. */
#include "video/steady.h"

#include <glib.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

/* The radius and the side of the square, and the differences in units of the noise from which on
 * motion is possible and certain. */
#define RADIUS 2
#define SIDE (2 * RADIUS + 1)
#define MAYBE_MOTION 3.0
#define SURE_MOTION 6.0

/* Limits of the noise in code values of 1 / 255. Compression changes still places as much as the
 * least noise, though whole blocks at a time; more than the most is a cut to another scene. */
#define LEAST_NOISE 2.0
#define MOST_NOISE 20.0

/* A block has moved if it differs less, by this factor, from the mean up to SHIFT pixels away. In
 * noise alone, the least of all differences is about a fifth less than the one in place. */
#define BLOCK 16
#define SHIFT 2
#define SHIFTED 0.7f

/* A histogram of differences, in bins of 1 / BINS_PER_UNIT up to MOST_NOISE x 4. */
#define BINS_PER_UNIT 16
#define BINS (80 * BINS_PER_UNIT)

struct Steady {
    int width, height, channels;
    double share, unit; /* code values of 1 / 255 */
    bool wide, started;
    float *mean;       /* interleaved like a frame */
    float *difference; /* of one channel, and its average */
    float *average;
    float *motion; /* in units of the noise, the largest of all channels */
};

Steady *steady_new(const CofImage *frame, double share)
{
    gsize pixels = (gsize)frame->width * (gsize)frame->height;
    Steady *s = g_new0(Steady, 1);
    s->width = frame->width;
    s->height = frame->height;
    s->channels = frame->channels;
    s->share = share;
    s->wide = frame->sample == COF_SAMPLE_U16;
    s->unit = s->wide ? 257 : 1;
    s->mean = g_try_new(float, pixels *(gsize)frame->channels);
    s->difference = g_try_new(float, pixels);
    s->average = g_try_new(float, pixels);
    s->motion = g_try_new(float, pixels);
    if (s->mean && s->difference && s->average && s->motion)
        return s;
    steady_free(s);
    return NULL;
}

void steady_free(Steady *s)
{
    if (!s)
        return;
    g_free(s->mean);
    g_free(s->difference);
    g_free(s->average);
    g_free(s->motion);
    g_free(s);
}

static size_t pixels_of(const Steady *s)
{
    return (size_t)s->width * (size_t)s->height;
}

static float sample_at(const Steady *s, const void *frame, size_t i)
{
    return s->wide ? ((const uint16_t *)frame)[i] : ((const uint8_t *)frame)[i];
}

static void subtract(Steady *s, const void *frame, int channel)
{
    size_t n = pixels_of(s), step = (size_t)s->channels, at = (size_t)channel;
    for (size_t i = 0; i < n; i++, at += step)
        s->difference[i] = sample_at(s, frame, at) - s->mean[at];
}

/* The standard deviation of the noise in the difference: neighbours along a row differ by noise in
 * most places, also where something moves. */
static double noise_of(const Steady *s)
{
    unsigned histogram[BINS] = {0};
    size_t pairs = 0, below = 0;
    for (int y = 0; y < s->height; y += 2) {
        const float *row = s->difference + (size_t)y * (size_t)s->width;
        for (int x = 0; x + 1 < s->width; x += 2, pairs++) {
            double step = fabs((double)row[x] - (double)row[x + 1]) / s->unit * BINS_PER_UNIT;
            histogram[step < BINS - 1 ? (int)step : BINS - 1]++;
        }
    }
    int median = 0;
    while (median < BINS - 1 && 2 * (below += histogram[median]) < pairs)
        median++;
    double noise = 1.4826 * (median + 0.5) / BINS_PER_UNIT / sqrt(2);
    return s->unit * fmax(noise, LEAST_NOISE);
}

/* The mean over the square around each pixel, or what of it lies in the image. */
static void average_row(const float *from, float *to, int n)
{
    for (int i = 0; i < n; i++) {
        int first = MAX(i - RADIUS, 0), last = MIN(i + RADIUS, n - 1);
        float sum = 0;
        for (int j = first; j <= last; j++)
            sum += from[j];
        to[i] = sum / (float)(last - first + 1);
    }
}

static void average_column(const Steady *s, int y, float *to)
{
    int first = MAX(y - RADIUS, 0), last = MIN(y + RADIUS, s->height - 1);
    float share = 1 / (float)(last - first + 1);
    memset(to, 0, (size_t)s->width * sizeof *to);
    for (int row = first; row <= last; row++) {
        const float *from = s->average + (ptrdiff_t)row * s->width;
        for (int x = 0; x < s->width; x++)
            to[x] += share * from[x];
    }
}

static void average_squares(Steady *s)
{
    for (int y = 0; y < s->height; y++)
        average_row(s->difference + (ptrdiff_t)y * s->width, s->average + (ptrdiff_t)y * s->width,
                    s->width);
    for (int y = 0; y < s->height; y++)
        average_column(s, y, s->difference + (ptrdiff_t)y * s->width);
}

static void find_motion(Steady *s, const void *frame)
{
    size_t n = pixels_of(s);
    memset(s->motion, 0, n * sizeof *s->motion);
    for (int channel = 0; channel < s->channels; channel++) {
        subtract(s, frame, channel);
        double noise = noise_of(s);
        bool cut = noise > s->unit * MOST_NOISE;
        average_squares(s);
        float unit = (float)(SIDE / noise), least = cut ? (float)SURE_MOTION : 0;
        for (size_t i = 0; i < n; i++)
            s->motion[i] = fmaxf(s->motion[i], fmaxf(least, fabsf(s->difference[i]) * unit));
    }
}

/* Sums of the channels of a frame and of the mean, in place of the differences. */
static void sum_channels(Steady *s, const void *frame)
{
    size_t n = pixels_of(s), at = 0;
    for (size_t i = 0; i < n; i++) {
        s->difference[i] = s->average[i] = 0;
        for (int channel = 0; channel < s->channels; channel++, at++) {
            s->difference[i] += sample_at(s, frame, at);
            s->average[i] += s->mean[at];
        }
    }
}

typedef struct Block {
    int x, y, width, height;
} Block;

/* The sum of squared differences between a block of the frame and the mean, shifted by (dx, dy). */
static float block_difference(const Steady *s, const Block *block, int dx, int dy)
{
    float sums[BLOCK] = {0}, sum = 0;
    for (int y = block->y; y < block->y + block->height; y++) {
        const float *now = s->difference + (ptrdiff_t)y * s->width + block->x;
        const float *mean = s->average + (ptrdiff_t)(y + dy) * s->width + block->x + dx;
        for (int x = 0; x < block->width; x++)
            sums[x] += (now[x] - mean[x]) * (now[x] - mean[x]);
    }
    for (int x = 0; x < block->width; x++)
        sum += sums[x];
    return sum;
}

/* Whether the block resembles the mean beside its place more than the mean at its place. */
static bool is_shifted(const Steady *s, const Block *block)
{
    float here = block_difference(s, block, 0, 0), least = here;
    for (int dy = -SHIFT; dy <= SHIFT; dy++)
        for (int dx = -SHIFT; dx <= SHIFT; dx++)
            least = fminf(least, block_difference(s, block, dx, dy));
    return least < SHIFTED * here;
}

/* Fine texture that moves slowly differs from pixel to pixel, as noise does. */
static void find_shifts(Steady *s, const void *frame)
{
    sum_channels(s, frame);
    for (int y = SHIFT; y < s->height - SHIFT; y += BLOCK)
        for (int x = SHIFT; x < s->width - SHIFT; x += BLOCK) {
            Block block = {x, y, MIN(BLOCK, s->width - SHIFT - x),
                           MIN(BLOCK, s->height - SHIFT - y)};
            if (!is_shifted(s, &block))
                continue;
            int left = x == SHIFT ? 0 : x, top = y == SHIFT ? 0 : y;
            int right = MIN(x + BLOCK + SHIFT, s->width),
                bottom = MIN(y + BLOCK + SHIFT, s->height);
            for (int row = top; row < bottom; row++)
                for (int column = left; column < right; column++)
                    s->motion[(ptrdiff_t)row * s->width + column] = (float)SURE_MOTION;
        }
}

static void mix(Steady *s, void *frame)
{
    size_t n = pixels_of(s), at = 0;
    for (size_t i = 0; i < n; i++) {
        double still = (SURE_MOTION - (double)s->motion[i]) / (SURE_MOTION - MAYBE_MOTION);
        float share = (float)(s->share * CLAMP(still, 0, 1));
        for (int channel = 0; channel < s->channels; channel++, at++) {
            float now = sample_at(s, frame, at);
            s->mean[at] = now + share * (s->mean[at] - now);
            if (s->wide)
                ((uint16_t *)frame)[at] = (uint16_t)(s->mean[at] + 0.5f);
            else
                ((uint8_t *)frame)[at] = (uint8_t)(s->mean[at] + 0.5f);
        }
    }
}

void steady_apply(Steady *s, const CofImage *frame)
{
    size_t n = pixels_of(s) * (size_t)s->channels;
    if (!s->started)
        for (size_t i = 0; i < n; i++)
            s->mean[i] = sample_at(s, frame->data, i);
    else {
        find_motion(s, frame->data);
        find_shifts(s, frame->data);
        mix(s, frame->data);
    }
    s->started = true;
}
