/* SPDX-License-Identifier: BSD-2-Clause */
/* A progress bar on the terminal. */
#include "ui/progress.h"

#include <stdio.h>
#include <string.h>

#include "ui/message_stream.h"

/* The bar of a single file appears after this time, and is drawn again at most this often. */
#define MIN_SECONDS 0.5
#define REDRAW_SECONDS 0.1

/* Characters of the bar and of a file name, so that the line fits into 80 columns. */
#define BAR_LENGTH 20
#define MAX_NAME 28

/* Estimates of the time left begin after this time. */
#define MIN_ESTIMATE_SECONDS 0.4

static bool enabled;      /* standard error is a terminal, without --quiet */
static bool line_visible; /* the bar is on the screen */
static gint64 start_time, last_time;

/* Several files, which several threads process. */
static struct {
    GMutex lock;   /* also of the line, while there are several files */
    int all, done; /* all is 0 if there are no files to count */
    double parts;  /* of files that are not done */
} files;

/* How much of its file this thread has done. */
static _Thread_local double part_of_file;

static double seconds_since(gint64 time)
{
    return (double)(g_get_monotonic_time() - time) / 1e6;
}

void progress_init(bool quiet)
{
    enabled = !quiet && message_is_terminal();
    start_time = g_get_monotonic_time();
}

/* How long the rest takes, as text; "" if that is unknown. */
static void format_time(int seconds, char text[32])
{
    text[0] = '\0';
    if (seconds >= 3600)
        snprintf(text, 32, ", %d:%02d:%02d left", seconds / 3600, seconds / 60 % 60, seconds % 60);
    else if (seconds > 0)
        snprintf(text, 32, ", %d:%02d left", seconds / 60, seconds % 60);
}

static void draw(const char *text, double done, int seconds_left)
{
    char bar[BAR_LENGTH + 1], left[32], line[256];
    for (int i = 0; i < BAR_LENGTH; i++)
        bar[i] = i < done * BAR_LENGTH ? '#' : '.';
    bar[BAR_LENGTH] = '\0';
    format_time(seconds_left, left);
    snprintf(line, sizeof line, "\r\033[K%s [%s] %3d %%%s", text, bar, (int)(100 * done), left);
    message_write(line);
    line_visible = true;
    last_time = g_get_monotonic_time();
}

/* The time left if the rest is as fast as what was done since a time; 0: unknown. */
static int estimate(gint64 since, double done)
{
    double seconds = seconds_since(since);
    return done > 0.01 && seconds > MIN_ESTIMATE_SECONDS ? (int)(seconds * (1 - done) / done + 0.5)
                                                         : 0;
}

/* Something whose progress is shown. */
typedef struct Watch {
    ProgressStage stage;
    char text[160];
    gint64 start;
    int percent; /* drawn last */
} Watch;

/* The name of a file without its folders, short enough for the line and without control
 * characters. */
static char *short_name(const char *name)
{
    char *base = g_path_get_basename(name), *valid = g_utf8_make_valid(base, -1);
    glong length = g_utf8_strlen(valid, -1);
    for (char *c = valid; *c != '\0'; c++)
        if ((unsigned char)*c < ' ')
            *c = '?';
    char *result = g_strdup(valid);
    if (length > MAX_NAME) {
        char *begin = g_utf8_substring(valid, 0, MAX_NAME / 2 - 2);
        char *end = g_utf8_substring(valid, length - MAX_NAME / 2 + 1, length);
        g_free(result);
        result = g_strconcat(begin, "...", end, NULL);
        g_free(begin);
        g_free(end);
    }
    g_free(base);
    g_free(valid);
    return result;
}

static void watch_init(Watch *watch, ProgressStage stage, const char *name)
{
    static const char *const stages[] = {[PROGRESS_LEARNING] = "learning from",
                                         [PROGRESS_FILTERING] = "filtering",
                                         [PROGRESS_WRITING] = "writing",
                                         [PROGRESS_SELECTING] = "selecting in",
                                         [PROGRESS_SMOOTHING] = "smoothing behind"};
    char *file = short_name(name);
    *watch = (Watch){.stage = stage, .start = g_get_monotonic_time(), .percent = -1};
    g_snprintf(watch->text, sizeof watch->text, "%s %s", stages[stage], file);
    g_free(file);
}

static void draw_files(void)
{
    char text[64];
    double done = (files.done + files.parts) / files.all;
    snprintf(text, sizeof text, "%d of %d images", files.done, files.all);
    draw(text, done < 1 ? done : 1, estimate(start_time, done));
}

/* Counts what this thread has done of its file. Stages follow each other, and not all take place.
 */
static void add_part(ProgressStage stage, double done)
{
    double part = stage == PROGRESS_LEARNING  ? 0.3 * done
                  : stage == PROGRESS_WRITING ? 0.9 + 0.1 * done
                                              : 0.9 * done;
    g_mutex_lock(&files.lock);
    if (part > part_of_file) {
        files.parts += part - part_of_file;
        part_of_file = part;
    }
    if (seconds_since(last_time) > REDRAW_SECONDS)
        draw_files();
    g_mutex_unlock(&files.lock);
}

static void advance(Watch *watch, double done)
{
    if (files.all > 0) {
        add_part(watch->stage, done);
        return;
    }
    int percent = (int)(100 * done);
    if (percent == watch->percent || seconds_since(start_time) < MIN_SECONDS)
        return;
    watch->percent = percent;
    draw(watch->text, done, estimate(watch->start, done));
}

static void on_preeval(VipsImage *image, VipsProgress *progress, void *watch)
{
    (void)image, (void)progress;
    ((Watch *)watch)->start = g_get_monotonic_time();
}

static void on_eval(VipsImage *image, VipsProgress *progress, void *watch)
{
    (void)image;
    advance(watch, progress->percent / 100.0);
}

void progress_watch_image(VipsImage *image, ProgressStage stage, const char *name)
{
    if (!enabled)
        return;
    Watch *watch = g_new(Watch, 1);
    watch_init(watch, stage, name);
    vips_image_set_progress(image, TRUE);
    g_signal_connect(image, "preeval", G_CALLBACK(on_preeval), watch);
    g_signal_connect_data(image, "eval", G_CALLBACK(on_eval), watch,
                          (GClosureNotify)(void (*)(void))g_free, 0);
}

static int on_progress(void *watch, double done)
{
    advance(watch, done);
    return 0;
}

void progress_watch_call(CofOptions *options, ProgressStage stage, const char *name)
{
    static Watch watch;
    if (!enabled)
        return;
    watch_init(&watch, stage, name);
    options->progress = on_progress;
    options->user = &watch;
}

void progress_begin_files(int all)
{
    files.all = all;
    start_time = g_get_monotonic_time();
    if (enabled)
        draw_files();
}

void progress_file_done(void)
{
    g_mutex_lock(&files.lock);
    files.done++;
    files.parts -= part_of_file;
    part_of_file = 0;
    if (enabled)
        draw_files();
    g_mutex_unlock(&files.lock);
}

void progress_frames(int64_t done, int64_t all)
{
    static gint64 last, first;
    gint64 now = g_get_monotonic_time();
    if (done == 1)
        first = now;
    if (!enabled || now - last < 200000 || done < 2 || seconds_since(start_time) < MIN_SECONDS)
        return;
    last = now;
    char text[64];
    double rate = (double)(done - 1) * 1e6 / (double)(now - first);
    double left = all > done ? (double)(all - done) / rate : 0;
    snprintf(text, sizeof text, "frame %lld, %.1f a second", (long long)done, rate);
    draw(text, all > 0 ? (double)MIN(done, all) / (double)all : 0, (int)(left + 0.5));
}

void progress_erase(void)
{
    g_mutex_lock(&files.lock);
    if (line_visible)
        message_write("\r\033[K");
    line_visible = false;
    g_mutex_unlock(&files.lock);
}

void progress_end(void)
{
    if (files.done == files.all)
        progress_erase();
}
