/* SPDX-License-Identifier: BSD-2-Clause */
/* Video files, read and written by ffmpeg. */
#include "video/video_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ui/error_line.h"
#include "video/ffmpeg_log.h"
#include "video/ffprobe.h"
#include "video/video_check.h"

/* Options of ffmpeg's scaler for the smallest rounding and chroma loss. */
#define SCALING "accurate_rnd+full_chroma_int+full_chroma_inp"

static const char *const exact_scaling = SCALING;

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
    ffprobe_value(text, "r_frame_rate", video->rate, sizeof video->rate);
    ffprobe_value(text, "avg_frame_rate", average, sizeof average);
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
    ffprobe_value(text, "sample_aspect_ratio", value, sizeof value);
    if (sscanf(value, "%d:%d", &across, &down) == 2 && across > 0 && down > 0 && across != down)
        g_snprintf(video->pixel_aspect, sizeof video->pixel_aspect, "%d/%d",
                   rotated ? down : across, rotated ? across : down);
}

static void parse_properties(VideoFile *video, const char *text)
{
    int rotated = abs((int)ffprobe_number(text, "rotation")) % 180;
    video->width = (int)ffprobe_number(text, rotated ? "height" : "width");
    video->height = (int)ffprobe_number(text, rotated ? "width" : "height");
    ffprobe_value(text, "pix_fmt", video->pixel_format, sizeof video->pixel_format);
    ffprobe_value(text, "color_space", video->matrix, sizeof video->matrix);
    ffprobe_value(text, "color_primaries", video->primaries, sizeof video->primaries);
    ffprobe_value(text, "color_transfer", video->transfer, sizeof video->transfer);
    ffprobe_value(text, "color_range", video->range, sizeof video->range);
    choose_aspect(video, text, rotated);
    choose_rate(video, text);
    choose_raw_format(video);
    ffprobe_value(text, "codec_name", video->codec, sizeof video->codec);
    video->frames = video->stated_frames = (int64_t)ffprobe_number(text, "nb_frames");
    double seconds = ffprobe_number(text, "duration");
    if (video->frames <= 0)
        video->frames = (int64_t)(seconds / video->frame_duration + 0.5);
}

bool video_file_report_damage(VideoFile *video, const char *cause)
{
    if (!video->keep_damaged) {
        char *text = g_strdup_printf("is damaged: %s; see --keep-damaged", cause);
        print_error(video->name, text);
        g_free(text);
    } else if (!video->warned) {
        char *text = g_strdup_printf("is damaged: %s", cause);
        print_note(video->name, text);
        g_free(text);
        video->warned = true;
    }
    return video->keep_damaged;
}

/* Prints why ffprobe could not read the file, unless an error has been printed. */
static bool print_probe_error(const VideoFile *video, const char *log)
{
    if (log && strstr(log, "not on whitelist"))
        print_error(video->name, "is a playlist, or in a format that this command does not read");
    else if (log)
        print_error(video->name, "is not a video that ffmpeg can read");
    return false;
}

/* Whether all packets are there; `text` and `log` are those of ffprobe. */
static bool check_whole_file(VideoFile *video, const char *text, const char *log)
{
    const char *format = strstr(text, "[FORMAT]");
    int64_t packets = (int64_t)ffprobe_number(text, "nb_read_packets");
    ffprobe_value(format, "format_name", video->format, sizeof video->format);
    video->start = ffprobe_number(text, "start_time") - ffprobe_number(format, "start_time");
    if (video->frames <= 0)
        video->frames = packets;
    char *damage = video_file_damage(video, packets, log);
    bool ok = !damage || video_file_report_damage(video, damage);
    g_free(damage);
    return ok;
}

/* Reads the whole file, so that damage is found before any work is done. */
bool video_file_probe(VideoFile *video, const char *name, bool keep_damaged)
{
    const char *const options[] = {"-protocol_whitelist", "file",           "-format_whitelist",
                                   video_formats,         "-count_packets", NULL};
    char *log;
    *video = (VideoFile){.name = name, .keep_damaged = keep_damaged};
    g_snprintf(video->url, sizeof video->url, "file:%s", name);
    char *text =
        ffprobe_run(video->url,
                    "stream=codec_name,width,height,pix_fmt,avg_frame_rate,r_frame_rate,nb_frames,"
                    "nb_read_packets,sample_aspect_ratio,color_range,color_space,color_primaries,"
                    "color_transfer,duration,start_time:stream_side_data=rotation:"
                    "format=format_name,start_time,duration",
                    options, &log);
    bool ok = text || print_probe_error(video, log);
    if (ok)
        parse_properties(video, text);
    if (ok && (video->width <= 0 || video->height <= 0 || video->pixel_format[0] == '\0')) {
        print_error(name, "has no video stream");
        ok = false;
    }
    ok = ok && check_whole_file(video, text, log);
    g_free(text);
    g_free(log);
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

/* Adds the video as an input that cannot name other files. */
static void add_video(GPtrArray *list, const VideoFile *video)
{
    add_pair(list, "-protocol_whitelist", "file");
    add_pair(list, "-format_whitelist", video_formats);
    add_pair(list, "-i", video->url);
}

bool video_file_read_frame(const VideoFile *video, int64_t n, void *frame)
{
    static const char *const begin[] = {"ffmpeg", "-v", FFMPEG_LOG_LEVEL, "-nostdin"};
    GPtrArray *list = new_list(begin, G_N_ELEMENTS(begin));
    char *choice = g_strdup_printf("select=eq(n\\,%" G_GINT64_FORMAT ")", (gint64)(n - 1));
    add_video(list, video);
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
    static const char *const begin[] = {"ffmpeg", "-v", FFMPEG_LOG_LEVEL, "-nostdin"};
    GPtrArray *list = new_list(begin, G_N_ELEMENTS(begin));
    if (!video->keep_damaged)
        add(list, "-xerror"); /* a frame that is damaged ends the decoder */
    add_video(list, video);
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
    static const char *const begin[] = {"ffmpeg", "-v", FFMPEG_LOG_LEVEL, "-y"};
    static const char *const rest[] = {"-map", "0:v",           "-map", "1:a?",          "-map",
                                       "1:s?", "-map_metadata", "1",    "-map_chapters", "1",
                                       "-c:a", "copy",          "-c:s", "copy"};
    GPtrArray *list = new_list(begin, G_N_ELEMENTS(begin));
    char size[32], offset[32], *target = g_strconcat("file:", path, NULL);
    g_snprintf(size, sizeof size, "%dx%d", video->width, video->height);
    g_ascii_formatd(offset, sizeof offset, "%.6f", video->start);
    if (!video->keep_damaged) /* an error in what is copied, or in the last bytes, ends the encoder
                               */
        add(list, "-xerror");
    add_pair(list, "-f", "rawvideo");
    add_pair(list, "-pix_fmt", video->raw_format);
    add_pair(list, "-s", size);
    add_pair(list, "-r", video->rate);
    add_pair(list, "-itsoffset", fabs(video->start) > 1e-3 ? offset : "");
    add_pair(list, "-i", "-");
    add_video(list, video);
    for (size_t i = 0; i < G_N_ELEMENTS(rest); i++)
        add(list, rest[i]);
    add_colours(list, video);
    add_options(list, options);
    add(list, target);
    g_free(target);
    return start_program(list, process, SUBPROCESS_STDIN);
}
