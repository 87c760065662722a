/* SPDX-License-Identifier: BSD-2-Clause */
/* Times cof_smooth() with a window of 15 on one thread. Compiled for this processor and for
 * WebAssembly.
 *
 *     time_smooth IMAGE METHOD RUNS
 *
 * IMAGE is an 8-bit PPM file, METHOD exact or fast. With RUNS of 0, there is a run for each line of
 * the standard input. Prints a line for each run: the milliseconds of processor time, which other
 * programs disturb less, then those of the clock, and of each stage. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cof/cof.h"

static void stop(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

static size_t size_of(const CofImage *image)
{
    return (size_t)image->width * (size_t)image->height * 3;
}

static CofImage read_ppm(const char *path)
{
    CofImage image = {.channels = 3, .kind = COF_KIND_RGB};
    FILE *file = fopen(path, "rb");
    if (!file || fscanf(file, "P6 %d %d 255", &image.width, &image.height) != 2)
        stop(path, "cannot be read");
    fgetc(file);
    image.data = malloc(size_of(&image));
    if (!image.data || fread(image.data, size_of(&image), 1, file) != 1)
        stop(path, "is too short");
    fclose(file);
    return image;
}

static double now_ms(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static void time_once(const CofImage *in, const CofImage *out, const CofOptions *options)
{
    double start = now_ms(CLOCK_MONOTONIC), busy = now_ms(CLOCK_PROCESS_CPUTIME_ID);
    CofStatus status = cof_smooth(in, out, options);
    if (status != COF_OK)
        stop("cof_smooth", cof_status_string(status));
    printf("%.2f", now_ms(CLOCK_PROCESS_CPUTIME_ID) - busy);
    printf(" %.2f", now_ms(CLOCK_MONOTONIC) - start);
    for (int stage = 0; stage < COF_REPORT_STAGES; stage++)
        printf(" %.2f", 1e3 * options->report->seconds[stage]);
    printf("\n");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    if (argc != 4)
        stop("usage", "time_smooth IMAGE METHOD RUNS");
    CofImage in = read_ppm(argv[1]), out = in;
    CofReport report = {.struct_size = sizeof report};
    CofProblem problem = {0};
    CofOptions options;
    cof_options_init(&options);
    options.window = 15;
    options.threads = 1;
    options.report = &report;
    if (cof_options_set(&options, "method", argv[2], &problem) != COF_OK)
        stop(argv[2], problem.text);
    out.data = malloc(size_of(&out));
    int runs = atoi(argv[3]);
    char line[8];
    for (int run = 0; run < runs; run++)
        time_once(&in, &out, &options);
    while (runs == 0 && fgets(line, sizeof line, stdin))
        time_once(&in, &out, &options);
    return 0;
}
