/* SPDX-License-Identifier: BSD-2-Clause */
/* Filters tiny images on the first device and compares them with the CPU: few enough for a
 * simulator that checks each access. */
#include <stdio.h>
#include <stdlib.h>

#include "cof/cof.h"

static int fails(CofContext *device, int width, int height, CofKind kind, int window)
{
    enum { MOST = 4 * 40 * 40 };
    static uint8_t pixels[MOST], host[MOST], other[MOST];
    int channels = kind == COF_KIND_GREY  ? 1
                   : kind == COF_KIND_RGB ? 3
                                          : 4,
        n = width * height * channels, worst = 0;
    for (int i = 0; i < n; i++)
        pixels[i] = (uint8_t)(i * 37 % 251 / 9 * 9);
    CofImage in = {
        .data = pixels, .width = width, .height = height, .channels = channels, .kind = kind};
    CofImage out = in;
    CofReport report = {.struct_size = sizeof report};
    CofOptions options;
    cof_options_init(&options);
    options.levels = 200;
    options.window = window;
    options.iterations = 2;
    options.update = kind == COF_KIND_RGB ? COF_UPDATE_MODEL : COF_UPDATE_NONE;
    options.border = (CofBorder)(window % 3);
    out.data = host;
    int failed = cof_smooth(&in, &out, &options);
    out.data = other;
    options.context = device;
    options.report = &report;
    failed |= cof_smooth(&in, &out, &options);
    for (int i = 0; i < n; i++)
        worst = abs(host[i] - other[i]) > worst ? abs(host[i] - other[i]) : worst;
    failed |= worst > 1 || report.device_note != NULL;
    if (failed)
        fprintf(stderr, "%d x %d, window %d: worst %d, note %s\n", width, height, window, worst,
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
    int failed = fails(device, 1, 1, COF_KIND_RGB, 3) | fails(device, 33, 17, COF_KIND_RGB, 5) |
                 fails(device, 1, 9, COF_KIND_GREY, 7) | fails(device, 14, 1, COF_KIND_GREY, 17) |
                 fails(device, 11, 6, COF_KIND_RGBA, 5);
    cof_context_free(&device);
    return failed != 0;
}
