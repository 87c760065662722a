/* SPDX-License-Identifier: BSD-2-Clause */
/* When the frames of a video are shown: at a constant rate, or each at a time of its own. */
#include "video/video_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/formats.h"
#include "video/ffprobe.h"

/* A fraction such as "30000/1001"; a denominator of 0 if it is none. */
static Fraction fraction_of(const char *text)
{
    Fraction f = {0, 0};
    int found = sscanf(text, "%d/%d", &f.numerator, &f.denominator);
    if (found == 1)
        f.denominator = 1;
    return f.numerator > 0 && f.denominator > 0 ? f : (Fraction){0, 0};
}

static double seconds_of(Fraction f)
{
    return f.denominator > 0 ? (double)f.numerator / f.denominator : 0;
}

static int compare_times(gconstpointer a, gconstpointer b)
{
    int64_t one = *(const int64_t *)a, other = *(const int64_t *)b;
    return (one > other) - (one < other);
}

/* Whether frames at these times, which are in order, are frames of that rate whose times have been
 * rounded to multiples of a tick. */
static bool fits(const GArray *times, Fraction tick, Fraction rate)
{
    double unit = seconds_of(tick), frame = rate.numerator > 0 ? 1 / seconds_of(rate) : 0;
    int64_t first = g_array_index(times, int64_t, 0);
    bool ok = frame > 0;
    for (guint i = 0; i < times->len && ok; i++) {
        double error = (double)(g_array_index(times, int64_t, i) - first) * unit - i * frame;
        ok = fabs(error) <= fmin(1.01 * unit, 0.3 * frame);
    }
    return ok;
}

static bool is_increasing(const GArray *times)
{
    for (guint i = 1; i < times->len; i++)
        if (g_array_index(times, int64_t, i) <= g_array_index(times, int64_t, i - 1))
            return false;
    return times->len > 0;
}

/* The times of the frames as the decoder states them. Packets do not tell them: those at the start
 * may not be decoded, and an edit list hides some. */
static bool find_times(VideoFile *video)
{
    char *log;
    char *text =
        ffprobe_run(video->url, video_formats(), NULL, "frame=best_effort_timestamp", &log);
    GArray *times = text ? ffprobe_numbers(text, "best_effort_timestamp") : NULL;
    if (times && is_increasing(times)) {
        video->frames = times->len;
        video->times = (int64_t *)(void *)g_array_free(times, FALSE);
    } else if (times) {
        g_array_free(times, TRUE);
    }
    bool ok = text || log;
    g_free(text);
    g_free(log);
    return ok;
}

/* The rate, if it is constant. Without times of packets, the rates must agree. */
static Fraction constant_rate(const GArray *times, Fraction tick, Fraction nominal, Fraction mean)
{
    static const Fraction none = {0, 0};
    if (times)
        return fits(times, tick, nominal) ? nominal : fits(times, tick, mean) ? mean : none;
    bool agree = seconds_of(mean) <= 0 || fabs(seconds_of(mean) / seconds_of(nominal) - 1) < 0.02;
    return agree ? nominal : none;
}

bool video_times_read(VideoFile *video, const char *packets, const char *stream)
{
    char text[32];
    ffprobe_value(stream, "r_frame_rate", text, sizeof text);
    Fraction nominal = fraction_of(text);
    ffprobe_value(stream, "avg_frame_rate", text, sizeof text);
    Fraction mean = fraction_of(text);
    ffprobe_value(stream, "time_base", text, sizeof text);
    Fraction tick = fraction_of(text);
    GArray *times = ffprobe_numbers(packets, "pts");
    if (times)
        g_array_sort(times, compare_times);
    Fraction rate = constant_rate(times, tick, nominal, mean);
    video->constant_rate = rate.numerator > 0;
    bool ok = true;
    if (!video->constant_rate) {
        rate = mean.numerator > 0 ? mean : (Fraction){25, 1};
        if (times && tick.numerator > 0)
            ok = find_times(video);
    }
    video->rate = rate;
    video->tick = video->times ? tick : (Fraction){rate.denominator, rate.numerator};
    if (times)
        g_array_free(times, TRUE);
    return ok;
}
