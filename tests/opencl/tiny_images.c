/* SPDX-License-Identifier: BSD-2-Clause */
/* Filters tiny images on the first device and compares them with the CPU: few enough for a
 * simulator that checks each access. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cof/cof.h"

enum { MOST = 4 * 40 * 40 };

/* Samples of any type, and their values. */
typedef union Samples {
    uint8_t bytes[MOST];
    uint16_t words[MOST];
    float floats[MOST];
} Samples;

static double value_of(const Samples *samples, CofSample sample, int i)
{
    return sample == COF_SAMPLE_U8    ? samples->bytes[i]
           : sample == COF_SAMPLE_U16 ? samples->words[i]
                                      : (double)samples->floats[i] * 1e5;
}

static int fails(CofContext *device, int width, int height, CofKind kind, CofSample sample,
                 int window)
{
    static Samples pixels, host, other;
    int channels = kind == COF_KIND_GREY  ? 1
                   : kind == COF_KIND_RGB ? 3
                                          : 4,
        n = width * height * channels;
    double worst = 0;
    for (int i = 0; i < n; i++) {
        int value = i * 37 % 251 / 9 * 9;
        if (sample == COF_SAMPLE_U8)
            pixels.bytes[i] = (uint8_t)value;
        else if (sample == COF_SAMPLE_U16)
            pixels.words[i] = (uint16_t)(257 * value);
        else
            pixels.floats[i] = (float)value / 255;
    }
    CofImage in = {.data = &pixels,
                   .width = width,
                   .height = height,
                   .channels = channels,
                   .kind = kind,
                   .sample = sample};
    CofImage out = in;
    CofReport report = {.struct_size = sizeof report};
    CofOptions options;
    cof_options_init(&options);
    options.levels = 200;
    options.window = window;
    options.iterations = 2;
    options.update = kind == COF_KIND_RGB ? COF_UPDATE_MODEL : COF_UPDATE_NONE;
    options.border = (CofBorder)(window % 3);
    options.refine = window / 2;
    if (kind == COF_KIND_RGBA || sample == COF_SAMPLE_U16) { /* what lies between passes */
        options.palettes = 2;
        options.fidelity = 1;
        options.detail = 0.25;
        options.filter_downscale = sample == COF_SAMPLE_U8 ? 2 : 1;
        options.update = COF_UPDATE_NONE;
    }
    out.data = &host;
    int failed = cof_smooth(&in, &out, &options);
    out.data = &other;
    options.context = device;
    options.report = &report;
    failed |= cof_smooth(&in, &out, &options);
    for (int i = 0; i < n; i++) {
        double difference = fabs(value_of(&host, sample, i) - value_of(&other, sample, i));
        failed |= !(difference <= 1); /* also if it is not a number */
        if (difference > worst)
            worst = difference;
    }
    failed |= report.device_note != NULL;
    if (failed)
        fprintf(stderr, "%d x %d, window %d: worst %g, note %s\n", width, height, window, worst,
                report.device_note ? report.device_note : "none");
    return failed;
}

/* The fast filter of colours that change from left to right, so that some tiles of the device have
 * fewer labels than terms (2 and 5), and others do not (8 and 11). */
static int fails_fast(CofContext *device)
{
    enum { WIDTH = 80, HEIGHT = 8 };
    static uint8_t pixels[HEIGHT][WIDTH][3], host[HEIGHT][WIDTH][3], other[HEIGHT][WIDTH][3];
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        int x = i % WIDTH, ripple = 7 * ((x * 5 + i / WIDTH * 3) % 4);
        pixels[i / WIDTH][x][0] = (uint8_t)(2 * x + ripple);
        pixels[i / WIDTH][x][1] = (uint8_t)(200 - 2 * x + ripple);
        pixels[i / WIDTH][x][2] = (uint8_t)(40 + x + ripple);
    }
    CofImage in = {
        .data = pixels, .width = WIDTH, .height = HEIGHT, .channels = 3, .kind = COF_KIND_RGB};
    CofImage out = in;
    CofReport report = {.struct_size = sizeof report};
    CofOptions options;
    cof_options_init(&options);
    options.method = COF_METHOD_FAST;
    options.colours = 16;
    CofModel *model = NULL;
    out.data = host;
    int failed = cof_model_learn(&model, &in, NULL, 1, &options), worst = 0;
    failed = failed || cof_filter(model, NULL, &in, &out, &options);
    out.data = other;
    options.context = device;
    options.report = &report;
    failed = failed || cof_filter(model, NULL, &in, &out, &options);
    cof_model_free(&model);
    for (int i = 0; i < WIDTH * HEIGHT * 3; i++) {
        int difference = abs((&host[0][0][0])[i] - (&other[0][0][0])[i]);
        worst = difference > worst ? difference : worst;
    }
    failed |= worst > 1 || report.device_note != NULL || report.fast_terms != 8;
    if (failed)
        fprintf(stderr, "fast, %d terms: worst %d, note %s\n", report.fast_terms, worst,
                report.device_note ? report.device_note : "none");
    return failed;
}

int main(void)
{
    CofContext *device;
    CofProblem problem;
    if (cof_context_new_device(&device, NULL, 1, &problem) != COF_OK) {
        fprintf(stderr, "%s\n", problem.text);
        return 1;
    }
    int failed = fails(device, 1, 1, COF_KIND_RGB, COF_SAMPLE_U8, 3) |
                 fails(device, 33, 17, COF_KIND_RGB, COF_SAMPLE_U8, 5) |
                 fails(device, 1, 9, COF_KIND_GREY, COF_SAMPLE_U8, 7) |
                 fails(device, 14, 1, COF_KIND_GREY, COF_SAMPLE_U8, 17) |
                 fails(device, 11, 6, COF_KIND_RGBA, COF_SAMPLE_U8, 5) |
                 fails(device, 7, 5, COF_KIND_RGB, COF_SAMPLE_U16, 5) |
                 fails(device, 5, 7, COF_KIND_GREY, COF_SAMPLE_U16, 3) |
                 fails(device, 9, 4, COF_KIND_RGBA, COF_SAMPLE_F32, 3) | fails_fast(device);
    cof_context_free(&device);
    return failed != 0;
}
