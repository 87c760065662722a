/* SPDX-License-Identifier: BSD-2-Clause */
/* How far things are, on a terminal. */
#include "ui/progress.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Nothing is shown of what takes less. */
#define PATIENCE 0.5

#define BAR 24

static bool shown;    /* there is somebody to see it */
static bool drawn;    /* a line is on the screen */
static bool counting; /* files, so that none of them is watched */
static gint64 begun;

void progress_begin(bool quiet)
{
    shown = !quiet && isatty(STDERR_FILENO);
    begun = g_get_monotonic_time();
}

static void draw(const char *text, int percent, int seconds_left)
{
    char bar[BAR + 1];
    if (!shown || (double)(g_get_monotonic_time() - begun) < PATIENCE * 1e6)
        return;
    for (int i = 0; i < BAR; i++)
        bar[i] = i * 100 < percent * BAR ? '#' : '.';
    bar[BAR] = '\0';
    fprintf(stderr, "\r\033[K%s [%s] %3d %%", text, bar, percent);
    if (seconds_left > 0)
        fprintf(stderr, ", %d:%02d left", seconds_left / 60, seconds_left % 60);
    fflush(stderr);
    drawn = true;
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

void progress_watch(VipsImage *image, const char *name)
{
    if (!shown || counting)
        return;
    vips_image_set_progress(image, TRUE);
    g_signal_connect_data(image, "eval", G_CALLBACK(on_eval), g_path_get_basename(name),
                          (GClosureNotify)(void (*)(void))g_free, 0);
}

static int on_call(void *name, double done)
{
    static int last = -1;
    int percent = (int)(100 * done);
    if (percent != last)
        draw(name, percent, 0);
    last = percent;
    return 0;
}

void progress_follow(CofOptions *options, const char *name)
{
    if (!shown || counting)
        return;
    options->progress = on_call;
    options->user = (void *)name;
}

void progress_count(int done, int all)
{
    char text[64];
    counting = true;
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
    if (drawn)
        fputs("\r\033[K", stderr);
    drawn = false;
}
