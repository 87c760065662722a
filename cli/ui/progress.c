/* SPDX-License-Identifier: BSD-2-Clause */
/* A progress bar on the terminal. */
#include "ui/progress.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The bar appears after this time. */
#define MIN_SECONDS 0.5

#define BAR_LENGTH 24

static bool enabled;        /* standard error is a terminal, without --quiet */
static bool line_visible;   /* the bar is on the screen */
static bool counting_files; /* the bar shows a count of files, not one image */
static gint64 start_time;

void progress_init(bool quiet)
{
    enabled = !quiet && isatty(STDERR_FILENO);
    start_time = g_get_monotonic_time();
}

static void draw(const char *text, int percent, int seconds_left)
{
    char bar[BAR_LENGTH + 1];
    if (!enabled || (double)(g_get_monotonic_time() - start_time) < MIN_SECONDS * 1e6)
        return;
    for (int i = 0; i < BAR_LENGTH; i++)
        bar[i] = i * 100 < percent * BAR_LENGTH ? '#' : '.';
    bar[BAR_LENGTH] = '\0';
    fprintf(stderr, "\r\033[K%s [%s] %3d %%", text, bar, percent);
    if (seconds_left > 0)
        fprintf(stderr, ", %d:%02d left", seconds_left / 60, seconds_left % 60);
    fflush(stderr);
    line_visible = true;
}

static void on_eval(VipsImage *image, VipsProgress *progress, void *name)
{
    (void)image;
    static int last = -1;
    if (progress->percent == last)
        return;
    last = progress->percent;
    draw(name, progress->percent, progress->eta);
}

void progress_watch_image(VipsImage *image, const char *name)
{
    if (!enabled || counting_files)
        return;
    vips_image_set_progress(image, TRUE);
    g_signal_connect_data(image, "eval", G_CALLBACK(on_eval), g_path_get_basename(name),
                          (GClosureNotify)(void (*)(void))g_free, 0);
}

static int on_progress(void *name, double done)
{
    static int last = -1;
    int percent = (int)(100 * done);
    if (percent != last)
        draw(name, percent, 0);
    last = percent;
    return 0;
}

void progress_watch_call(CofOptions *options, const char *name)
{
    if (!enabled || counting_files)
        return;
    options->progress = on_progress;
    options->user = (void *)name;
}

void progress_count(int done, int all)
{
    char text[64];
    counting_files = true;
    snprintf(text, sizeof text, "%d of %d", done, all);
    draw(text, (int)(100.0 * done / all), 0);
}

void progress_frames(int64_t done, int64_t all)
{
    static gint64 last, first;
    gint64 now = g_get_monotonic_time();
    if (done == 1)
        first = now;
    if (now - last < 200000 || done < 2)
        return;
    last = now;
    char text[64];
    double rate = (double)(done - 1) * 1e6 / (double)(now - first);
    double left = all > done ? (double)(all - done) / rate : 0;
    snprintf(text, sizeof text, "frame %lld, %.1f a second", (long long)done, rate);
    draw(text, all > 0 ? (int)(100 * MIN(done, all) / all) : 0, (int)(left + 0.5));
}

void progress_end(void)
{
    if (line_visible)
        fputs("\r\033[K", stderr);
    line_visible = false;
}
