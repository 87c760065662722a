/* SPDX-License-Identifier: BSD-2-Clause */
/* Smooths an image, shows the progress, and can be stopped with Ctrl-C.
 * Usage: smooth_image PRESET IN.ppm OUT.ppm, where the preset is a word such as texture. */
#include <cof/cof.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "ppm.h"

static volatile sig_atomic_t stopped;

static void stop(int number)
{
    (void)number;
    stopped = 1;
}

/* libcof calls this now and then; a result other than 0 cancels the call. */
static int show_progress(void *user, double done)
{
    int *shown = user;
    int percent = (int)(100 * done);
    if (percent != *shown)
        fprintf(stderr, "\r%3d %%", percent);
    *shown = percent;
    return stopped;
}

/* The index of a preset's name, which is its value, or -1. The option table has the names. */
static int find_preset(const char *name)
{
    const CofOptionInfo *info = cof_option_find("preset");
    for (int i = 0; info && info->choices[i]; i++) {
        if (strcmp(info->choices[i], name) == 0)
            return i;
    }
    return -1;
}

/* Filters the pixels in place. */
static CofStatus smooth(Ppm *ppm, const char *preset, CofProblem *problem)
{
    CofImage image = {0}; /* 0 means 8-bit samples, packed rows, no mask */
    image.data = ppm->pixels;
    image.width = ppm->width;
    image.height = ppm->height;
    image.channels = 3;
    image.kind = COF_KIND_RGB;

    int shown = -1;
    CofOptions options;
    cof_options_init(&options);
    options.problem = problem;
    options.progress = show_progress;
    options.user = &shown;
    CofStatus status = cof_options_set_preset(&options, (CofPreset)find_preset(preset), ppm->width,
                                              ppm->height, problem);
    if (status == COF_OK)
        status = cof_smooth(&image, &image, &options);
    fputc('\n', stderr);
    return status;
}

static int fail(const char *name, const char *text)
{
    fprintf(stderr, "%s: %s\n", name, text);
    return 1;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return fail("usage", "smooth_image PRESET IN.ppm OUT.ppm");
    Ppm image = {0, 0, NULL};
    const char *trouble = ppm_read(&image, argv[2]);
    if (trouble)
        return fail(argv[2], trouble);

    signal(SIGINT, stop);
    CofProblem problem = {0};
    CofStatus status = smooth(&image, argv[1], &problem);
    int result = 0;
    if (status != COF_OK) /* the option at fault, if it is one, and a sentence */
        result = fail(problem.option ? problem.option : "libcof",
                      problem.text ? problem.text : cof_status_string(status));
    else if ((trouble = ppm_write(&image, argv[3])) != NULL)
        result = fail(argv[3], trouble);
    ppm_free(&image);
    return result;
}
