/* SPDX-License-Identifier: BSD-2-Clause */
/* Video files, read and written by ffmpeg. */
#include "video/video_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ui/error_line.h"

/* Options of ffmpeg's scaler for the smallest rounding and chroma loss. */
#define SCALING "accurate_rnd+full_chroma_int+full_chroma_inp"

static const char *const exact_scaling = SCALING;

/* Finds the first line "key=value" with a known value; sets `value` to "" if there is none. */
static void find_value(const char *text, const char *key, char *value, size_t size)
{
    size_t length = strlen(key);
    value[0] = '\0';
    for (const char *line = text; line && value[0] == '\0';) {
        if (strncmp(line, key, length) == 0 && line[length] == '=') {
            size_t n = strcspn(line + length + 1, "\r\n");
            g_strlcpy(value, line + length + 1, n + 1 < size ? n + 1 : size);
            if (strcmp(value, "N/A") == 0 || strcmp(value, "unknown") == 0)
                value[0] = '\0';
        }
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
}

static double find_number(const char *text, const char *key)
{
    char value[64];
    find_value(text, key, value, sizeof value);
    return g_ascii_strtod(value, NULL);
}

/* The duration in seconds for a rate such as "30000/1001"; 0 if it is not a rate. */
static double frame_duration_of(const char *rate)
{
    char *rest;
    double frames = g_ascii_strtod(rate, &rest),
           seconds = *rest == '/' ? g_ascii_strtod(rest + 1, NULL) : 1;
    return frames > 0 && seconds > 0 ? seconds / frames : 0;
}

/* A video of variable rate is converted to a constant rate, so that sound stays in step. One of
 * constant rate keeps every frame. */
static void choose_rate(VideoFile *video, const char *text)
{
    char average[sizeof video->rate];
    find_value(text, "r_frame_rate", video->rate, sizeof video->rate);
    find_value(text, "avg_frame_rate", average, sizeof average);
    double nominal = frame_duration_of(video->rate), mean = frame_duration_of(average);
    video->constant_rate = nominal > 0 && (mean <= 0 || fabs(mean / nominal - 1) < 0.02);
    if (!video->constant_rate)
        g_strlcpy(video->rate, mean > 0 ? average : "25", sizeof video->rate);
    video->frame_duration = frame_duration_of(video->rate);
}

/* The names of ffmpeg's pixel formats with more than 8 bits contain the number of bits. */
static bool has_16_bits(const char *pixel_format)
{
    static const char *const marks[] = {"p9",     "p10", "p12", "p14",  "p16",  "gray10", "gray12",
                                        "gray16", "48",  "64",  "p010", "p016", "f32"};
    for (size_t i = 0; i < G_N_ELEMENTS(marks); i++)
        if (strstr(pixel_format, marks[i]))
            return true;
    return false;
}

static bool has_alpha(const char *pixel_format)
{
    static const char *const marks[] = {"yuva", "rgba",  "bgra", "argb",
                                        "abgr", "gbrap", "ya8",  "ya16"};
    for (size_t i = 0; i < G_N_ELEMENTS(marks); i++)
        if (strstr(pixel_format, marks[i]))
            return true;
    return false;
}

/* Chooses the format of decoded frames that loses least. */
static void choose_raw_format(VideoFile *video)
{
    bool wide = has_16_bits(video->pixel_format),
         grey = strncmp(video->pixel_format, "gray", 4) == 0;
    bool alpha = has_alpha(video->pixel_format);
    video->sample = wide ? COF_SAMPLE_U16 : COF_SAMPLE_U8;
    video->kind = grey ? COF_KIND_GREY : alpha ? COF_KIND_RGBA : COF_KIND_RGB;
    video->channels = grey ? 1 : alpha ? 4 : 3;
    video->raw_format = grey    ? (wide ? "gray16le" : "gray")
                        : alpha ? (wide ? "rgba64le" : "rgba")
                                : (wide ? "rgb48le" : "rgb24");
    video->bytes =
        (size_t)video->width * (size_t)video->height * (size_t)video->channels * (wide ? 2 : 1);
}

static void choose_aspect(VideoFile *video, const char *text, bool rotated)
{
    char value[sizeof video->pixel_aspect];
    int across = 0, down = 0;
    find_value(text, "sample_aspect_ratio", value, sizeof value);
    if (sscanf(value, "%d:%d", &across, &down) == 2 && across > 0 && down > 0 && across != down)
        g_snprintf(video->pixel_aspect, sizeof video->pixel_aspect, "%d/%d",
                   rotated ? down : across, rotated ? across : down);
}

static void parse_properties(VideoFile *video, const char *text)
{
    int rotated = abs((int)find_number(text, "rotation")) % 180;
    video->width = (int)find_number(text, rotated ? "height" : "width");
    video->height = (int)find_number(text, rotated ? "width" : "height");
    find_value(text, "pix_fmt", video->pixel_format, sizeof video->pixel_format);
    find_value(text, "color_space", video->matrix, sizeof video->matrix);
    find_value(text, "color_primaries", video->primaries, sizeof video->primaries);
    find_value(text, "color_transfer", video->transfer, sizeof video->transfer);
    find_value(text, "color_range", video->range, sizeof video->range);
    choose_aspect(video, text, rotated);
    choose_rate(video, text);
    choose_raw_format(video);
    video->frames = (int64_t)find_number(text, "nb_frames");
    double seconds = find_number(text, "duration");
    if (video->frames <= 0)
        video->frames = (int64_t)(seconds / video->frame_duration + 0.5);
}

/* Returns entries of a stream as lines "key=value". */
static char *run_ffprobe(const char *name, const char *which, const char *entries,
                         char **error_text)
{
    const char *arguments[] = {"ffprobe",
                               "-v",
                               "error",
                               "-select_streams",
                               which,
                               "-show_entries",
                               entries,
                               "-of",
                               "default=noprint_wrappers=1",
                               "-i",
                               name,
                               NULL};
    return subprocess_output((char *const *)arguments, error_text);
}

bool video_file_probe(VideoFile *video, const char *name)
{
    char *error_text, *ignored;
    *video = (VideoFile){.name = name};
    g_snprintf(video->url, sizeof video->url, "file:%s", name);
    char *text = run_ffprobe(
        video->url, "v:0",
        "stream=width,height,pix_fmt,avg_frame_rate,r_frame_rate,nb_frames,"
        "sample_aspect_ratio,color_range,color_space,color_primaries,color_transfer,duration,"
        "start_time:stream_side_data=rotation",
        &error_text);
    if (!text) {
        if (error_text) /* otherwise the error has been printed */
            print_error(name, "is not a video that ffmpeg can read");
        g_free(error_text);
        return false;
    }
    char *whole = run_ffprobe(video->url, "v:0", "format=start_time,duration", &ignored);
    g_free(ignored);
    char *all = g_strconcat(text, "\n", whole ? whole : "", NULL);
    parse_properties(video, all);
    if (whole)
        video->start = find_number(text, "start_time") - find_number(whole, "start_time");
    bool ok = video->width > 0 && video->height > 0 && video->pixel_format[0] != '\0';
    if (!ok)
        print_error(name, "has no video stream");
    g_free(all);
    g_free(whole);
    g_free(text);
    return ok;
}

CofImage video_file_view(const VideoFile *video, void *frame)
{
    return (CofImage){.data = frame,
                      .width = video->width,
                      .height = video->height,
                      .channels = video->channels,
                      .kind = video->kind,
                      .sample = video->sample};
}

static void add(GPtrArray *list, const char *word)
{
    g_ptr_array_add(list, g_strdup(word));
}

/* Adds an option with its value; nothing if the value is empty. */
static void add_pair(GPtrArray *list, const char *option, const char *value)
{
    if (value[0] == '\0')
        return;
    add(list, option);
    add(list, value);
}

static GPtrArray *new_list(const char *const *words, size_t n)
{
    GPtrArray *list = g_ptr_array_new_with_free_func(g_free);
    for (size_t i = 0; i < n; i++)
        add(list, words[i]);
    return list;
}

/* Starts the program with the arguments of the list, and frees the list. */
static bool start_program(GPtrArray *list, Subprocess *process, SubprocessPipe pipe)
{
    g_ptr_array_add(list, NULL);
    bool ok = subprocess_start(process, (char *const *)list->pdata, pipe);
    g_ptr_array_free(list, TRUE);
    return ok;
}

bool video_file_read_frame(const VideoFile *video, int64_t n, void *frame)
{
    static const char *const begin[] = {"ffmpeg", "-v", "error", "-nostdin"};
    GPtrArray *list = new_list(begin, G_N_ELEMENTS(begin));
    char *choice = g_strdup_printf("select=eq(n\\,%" G_GINT64_FORMAT ")", (gint64)(n - 1));
    add_pair(list, "-i", video->url);
    add_pair(list, "-map", "0:v:0");
    add_pair(list, "-vf", choice);
    add_pair(list, "-frames:v", "1");
    add_pair(list, "-sws_flags", exact_scaling);
    add_pair(list, "-f", "rawvideo");
    add_pair(list, "-pix_fmt", video->raw_format);
    add(list, "-");
    g_free(choice);
    Subprocess process;
    if (!start_program(list, &process, SUBPROCESS_STDOUT))
        return false;
    size_t got = subprocess_read(&process, frame, video->bytes);
    subprocess_wait(&process);
    subprocess_free(&process);
    if (got == video->bytes)
        return true;
    choice = g_strdup_printf("there is no frame %" G_GINT64_FORMAT, (gint64)n);
    print_error(video->name, choice);
    g_free(choice);
    return false;
}

bool video_file_decode(const VideoFile *video, Subprocess *process)
{
    static const char *const begin[] = {"ffmpeg", "-v", "error", "-nostdin"};
    GPtrArray *list = new_list(begin, G_N_ELEMENTS(begin));
    add_pair(list, "-i", video->url);
    add_pair(list, "-map", "0:v:0");
    add_pair(list, "-vsync", video->constant_rate ? "passthrough" : "cfr");
    add_pair(list, "-r", video->constant_rate ? "" : video->rate);
    add_pair(list, "-sws_flags", exact_scaling);
    add_pair(list, "-f", "rawvideo");
    add_pair(list, "-pix_fmt", video->raw_format);
    add(list, "-");
    return start_program(list, process, SUBPROCESS_STDOUT);
}

/* The name of a colour matrix in ffmpeg's filter "scale"; NULL if that has none. */
static const char *matrix_for_scale(const char *matrix)
{
    static const char *const names[][2] = {{"bt709", "bt709"},         {"smpte170m", "smpte170m"},
                                           {"bt470bg", "bt470"},       {"fcc", "fcc"},
                                           {"smpte240m", "smpte240m"}, {"bt2020nc", "bt2020"},
                                           {"bt2020c", "bt2020"}};
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
        if (strcmp(matrix, names[i][0]) == 0)
            return names[i][1];
    return NULL;
}

/* The output keeps the pixel format and the colour tags of the input. */
static void add_colours(GPtrArray *list, const VideoFile *video)
{
    const char *matrix = matrix_for_scale(video->matrix);
    char *scale = g_strdup_printf(
        "scale=flags=" SCALING "%s%s%s%s%s%s", matrix ? ":out_color_matrix=" : "",
        matrix ? matrix : "", video->range[0] != '\0' ? ":out_range=" : "", video->range,
        video->pixel_aspect[0] != '\0' ? ",setsar=" : "", video->pixel_aspect);
    add_pair(list, "-vf", scale);
    add_pair(list, "-pix_fmt", video->pixel_format);
    add_pair(list, "-colorspace", matrix ? video->matrix : "");
    add_pair(list, "-color_primaries", video->primaries);
    add_pair(list, "-color_trc", video->transfer);
    add_pair(list, "-color_range", video->range);
    g_free(scale);
}

static void add_options(GPtrArray *list, const char *options)
{
    char **words = NULL;
    if (!options || !g_shell_parse_argv(options, NULL, &words, NULL))
        return;
    for (char **word = words; *word; word++)
        add(list, *word);
    g_strfreev(words);
}

bool video_file_encode(const VideoFile *video, const char *path, const char *options,
                       Subprocess *process)
{
    static const char *const begin[] = {"ffmpeg", "-v", "error", "-y", "-f", "rawvideo"};
    static const char *const rest[] = {"-map", "0:v",           "-map", "1:a?",          "-map",
                                       "1:s?", "-map_metadata", "1",    "-map_chapters", "1",
                                       "-c:a", "copy",          "-c:s", "copy"};
    GPtrArray *list = new_list(begin, G_N_ELEMENTS(begin));
    char size[32], offset[32], *target = g_strconcat("file:", path, NULL);
    g_snprintf(size, sizeof size, "%dx%d", video->width, video->height);
    g_ascii_formatd(offset, sizeof offset, "%.6f", video->start);
    add_pair(list, "-pix_fmt", video->raw_format);
    add_pair(list, "-s", size);
    add_pair(list, "-r", video->rate);
    add_pair(list, "-itsoffset", fabs(video->start) > 1e-3 ? offset : "");
    add_pair(list, "-i", "-");
    add_pair(list, "-i", video->url);
    for (size_t i = 0; i < G_N_ELEMENTS(rest); i++)
        add(list, rest[i]);
    add_colours(list, video);
    add_options(list, options);
    add(list, target);
    g_free(target);
    return start_program(list, process, SUBPROCESS_STDIN);
}
