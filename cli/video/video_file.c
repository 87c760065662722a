/* SPDX-License-Identifier: BSD-2-Clause */
/* Video files, read and written by ffmpeg. */
#include "video/video_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/formats.h"
#include "ui/error_line.h"
#include "video/ffmpeg_log.h"
#include "video/ffprobe.h"
#include "video/video_check.h"

/* ffmpeg names the byte order where samples have more than 8 bits, and where all samples of a pixel
 * share 16 bits. */
bool pixel_format_is_deep(const char *name)
{
    bool packed =
        strstr(name, "565") || strstr(name, "555") || strstr(name, "b444") || strstr(name, "r444");
    return !packed && (g_str_has_suffix(name, "le") || g_str_has_suffix(name, "be"));
}

bool pixel_format_has_alpha(const char *name)
{
    static const char *const parts[] = {"yuva", "rgba", "bgra", "argb", "abgr",
                                        "gbra", "ya",   "ayuv", "uyva"};
    for (size_t i = 0; i < G_N_ELEMENTS(parts); i++)
        if (strstr(name, parts[i]))
            return true;
    return false;
}

/* Chooses the format of decoded frames that loses least. */
static void choose_raw_format(VideoFile *video)
{
    static const struct {
        CofKind kind;
        int channels;
        const char *names[2], *codes[2]; /* of 8 and 16 bits */
    } formats[] = {{COF_KIND_GREY, 1, {"gray", "gray16le"}, {"Y800", "Y1\0\20"}},
                   {COF_KIND_RGB, 3, {"rgb24", "rgb48le"}, {"RGB\30", "RGB\60"}},
                   {COF_KIND_RGBA, 4, {"rgba", "rgba64le"}, {"RGBA", "RBA\100"}}};
    int wide = pixel_format_is_deep(video->pixel_format) ? 1 : 0;
    bool grey = strncmp(video->pixel_format, "gray", 4) == 0;
    int i = grey ? 0 : video->has_alpha ? 2 : 1;
    video->sample = wide ? COF_SAMPLE_U16 : COF_SAMPLE_U8;
    video->kind = formats[i].kind;
    video->channels = formats[i].channels;
    video->raw_format = formats[i].names[wide];
    video->raw_code = formats[i].codes[wide];
    video->bytes = (size_t)video->width * (size_t)video->height * (size_t)video->channels *
                   (wide ? sizeof(uint16_t) : 1);
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
    bool rotated = abs((int)ffprobe_number(text, "rotation")) % 180 == 90;
    video->width = (int)ffprobe_number(text, rotated ? "height" : "width");
    video->height = (int)ffprobe_number(text, rotated ? "width" : "height");
    ffprobe_value(text, "pix_fmt", video->pixel_format, sizeof video->pixel_format);
    if (strcmp(video->pixel_format, "pal8") == 0) /* which ffmpeg reads but does not make */
        g_strlcpy(video->pixel_format, "rgba", sizeof video->pixel_format);
    video->has_alpha = pixel_format_has_alpha(video->pixel_format);
    ffprobe_value(text, "color_space", video->matrix, sizeof video->matrix);
    ffprobe_value(text, "color_primaries", video->primaries, sizeof video->primaries);
    ffprobe_value(text, "color_transfer", video->transfer, sizeof video->transfer);
    ffprobe_value(text, "color_range", video->range, sizeof video->range);
    choose_aspect(video, text, rotated);
    ffprobe_value(text, "codec_name", video->codec, sizeof video->codec);
    ffprobe_value(text, "profile", video->profile, sizeof video->profile);
    video->frames = video->stated_frames = (int64_t)ffprobe_number(text, "nb_frames");
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

CofImage video_file_view(const VideoFile *video, void *frame)
{
    return (CofImage){.data = frame,
                      .width = video->width,
                      .height = video->height,
                      .channels = video->channels,
                      .kind = video->kind,
                      .sample = video->sample};
}

void video_file_add_input(GPtrArray *arguments, const VideoFile *video)
{
    subprocess_add_option(arguments, "-c:v", video->decoder);
    subprocess_add(arguments, "-protocol_whitelist", "file", "-format_whitelist", video_formats(),
                   "-i", video->url, NULL);
}

static GPtrArray *decoder_arguments(const VideoFile *video, bool strict)
{
    GPtrArray *list = subprocess_arguments("ffmpeg", "-v", FFMPEG_LOG_LEVEL, "-nostdin", NULL);
    if (strict)
        subprocess_add(list, "-xerror", NULL); /* a frame that is damaged ends the decoder */
    video_file_add_input(list, video);
    subprocess_add(list, "-map", "0:v:0", NULL);
    return list;
}

/* ffmpeg's own decoders of VP8 and VP9 drop alpha, which is a second stream inside the packets. */
static bool find_alpha_decoder(VideoFile *video, const char *text)
{
    const char *decoder = strcmp(video->codec, "vp9") == 0   ? "libvpx-vp9"
                          : strcmp(video->codec, "vp8") == 0 ? "libvpx"
                                                             : NULL;
    if (!decoder || video->has_alpha || ffprobe_number(text, "TAG:alpha_mode") != 1)
        return true;
    video->decoder = decoder;
    GPtrArray *arguments = decoder_arguments(video, false);
    subprocess_add(arguments, "-frames:v", "1", "-f", "null", "-", NULL);
    char *log, *out = subprocess_output(arguments, &log);
    if (out) {
        video->has_alpha = true;
        g_strlcpy(video->pixel_format, "yuva420p", sizeof video->pixel_format);
    } else if (log) {
        video->decoder = NULL;
        char *cause = g_strdup_printf("alpha is lost: ffmpeg cannot decode it with %s", decoder);
        print_note(video->name, cause);
        g_free(cause);
    }
    bool ok = out || log;
    g_free(out);
    g_free(log);
    return ok;
}

/* ffmpeg 7 does not recognise a playlist whose suffix is that of a video. */
static bool is_playlist(const char *name, const char *log)
{
    char start[8] = "";
    FILE *file = fopen(name, "rb");
    bool found = file && fread(start, 1, 7, file) == 7 && strcmp(start, "#EXTM3U") == 0;
    if (file)
        fclose(file);
    return found || strstr(log, "not on whitelist");
}

/* Prints why ffprobe could not read the file, unless an error has been printed. */
static bool print_probe_error(const VideoFile *video, const char *log)
{
    const char *operation;
    const Format *image = log ? format_of_file(video->name, &operation) : NULL;
    if (image) {
        char *cause = g_strdup_printf("is %s, which cof filters without 'video'", image->name);
        print_error(video->name, cause);
        g_free(cause);
    } else if (log && is_playlist(video->name, log))
        print_error(video->name, "is a playlist, or in a format that this command does not read");
    else if (log)
        print_error(video->name, "is not a video that ffmpeg can read");
    return false;
}

/* Whether there is a video stream that ffmpeg can decode, and that fits into an IVF file. */
static bool check_stream(const VideoFile *video)
{
    bool exists = video->width > 0 && video->height > 0;
    bool large = MAX(video->width, video->height) > UINT16_MAX;
    if (exists && !large && video->pixel_format[0] != '\0')
        return true;
    char *cause = !exists ? g_strdup("has no video stream")
                  : large ? g_strdup("has frames of more than 65535 pixels on a side")
                          : g_strdup_printf("ffmpeg cannot decode its codec %s", video->codec);
    print_error(video->name, cause);
    g_free(cause);
    return false;
}

/* Whether all packets are there; `stream` and `log` are those of ffprobe. */
static bool check_whole_file(VideoFile *video, const char *stream, const char *log)
{
    const char *format = strstr(stream, "[FORMAT]");
    int64_t packets = (int64_t)ffprobe_number(stream, "nb_read_packets");
    ffprobe_value(format, "format_name", video->format, sizeof video->format);
    if (video->frames <= 0)
        video->frames = packets;
    char *damage = video_file_damage(video, packets, log);
    bool ok = !damage || video_file_report_damage(video, damage);
    g_free(damage);
    return ok;
}

/* Finds when frames are shown. `packets` and `stream` are what ffprobe printed about them. */
static bool find_times(VideoFile *video, const char *packets, const char *stream)
{
    const char *format = strstr(stream, "[FORMAT]");
    GArray *durations = ffprobe_numbers(packets, "duration");
    bool ok = video_times_read(video, packets, stream);
    double first = ffprobe_number(stream, "start_time");
    if (video->times)
        first = (double)video->times[0] * video->tick.numerator / video->tick.denominator;
    video->start = first - ffprobe_number(format, "start_time");
    if (durations && video->times)
        video->last_duration = g_array_index(durations, gint64, durations->len - 1);
    if (durations)
        g_array_free(durations, TRUE);
    return ok;
}

/* Reads the whole file, so that damage is found before any work is done. */
bool video_file_probe(VideoFile *video, const char *name, bool keep_damaged)
{
    char *log;
    *video = (VideoFile){.name = name, .keep_damaged = keep_damaged};
    g_snprintf(video->url, sizeof video->url, "file:%s", name);
    char *text = ffprobe_run(
        video->url, video_formats(), NULL,
        "stream=codec_name,profile,width,height,pix_fmt,avg_frame_rate,r_frame_rate,time_base,"
        "nb_frames,nb_read_packets,sample_aspect_ratio,color_range,color_space,color_primaries,"
        "color_transfer,start_time:stream_side_data=rotation:stream_tags=alpha_mode:"
        "format=format_name,start_time:packet=pts,duration",
        &log);
    bool ok = text || print_probe_error(video, log);
    const char *stream = text ? strstr(text, "[STREAM]") : NULL;
    parse_properties(video, stream);
    ok = ok && check_stream(video) && check_whole_file(video, stream, log);
    if (ok) {
        char *packets = g_strndup(text, (gsize)(stream - text));
        ok = find_alpha_decoder(video, stream) && find_times(video, packets, stream);
        choose_raw_format(video);
        g_free(packets);
    }
    g_free(text);
    g_free(log);
    return ok;
}

void video_file_clear(VideoFile *video)
{
    g_clear_pointer(&video->times, g_free);
}

/* The size is that of the frames; ffmpeg rounds an angle near 90 degrees, so that it could take
 * width and height otherwise than parse_properties(). */
static void add_raw_output(GPtrArray *list, const VideoFile *video)
{
    char *size = g_strdup_printf("%dx%d", video->width, video->height);
    subprocess_add(list, "-sws_flags", EXACT_SCALING, "-f", "rawvideo", "-s", size, "-pix_fmt",
                   video->raw_format, "-", NULL);
    g_free(size);
}

bool video_file_read_frame(const VideoFile *video, int64_t n, void *frame)
{
    GPtrArray *list = decoder_arguments(video, false);
    char *choice = g_strdup_printf("select=eq(n\\,%" G_GINT64_FORMAT ")", (gint64)(n - 1));
    subprocess_add(list, "-vf", choice, "-frames:v", "1", NULL);
    add_raw_output(list, video);
    g_free(choice);
    Subprocess process;
    if (!subprocess_start(&process, list, SUBPROCESS_STDOUT))
        return false;
    bool ok = subprocess_read(&process, frame, video->bytes) == video->bytes;
    subprocess_wait(&process);
    if (!ok) {
        char *log = subprocess_log(&process), *cause = ffmpeg_log_first(log);
        char *text = g_strdup_printf("%s %" G_GINT64_FORMAT "%s%s",
                                     cause ? "ffmpeg cannot decode frame" : "there is no frame",
                                     (gint64)n, cause ? ": " : "", cause ? cause : "");
        print_error(video->name, text);
        g_free(text);
        g_free(cause);
        g_free(log);
    }
    subprocess_free(&process);
    return ok;
}

bool video_file_decode(const VideoFile *video, Subprocess *process)
{
    GPtrArray *list = decoder_arguments(video, !video->keep_damaged);
    if (video->constant_rate || video->times) {
        subprocess_add(list, "-fps_mode", "passthrough", NULL);
    } else {
        char *rate = g_strdup_printf("%d/%d", video->rate.numerator, video->rate.denominator);
        subprocess_add(list, "-fps_mode", "cfr", "-r", rate, NULL);
        g_free(rate);
    }
    add_raw_output(list, video);
    return subprocess_start(process, list, SUBPROCESS_STDOUT);
}

bool video_file_check(const VideoFile *video, Subprocess *process)
{
    GPtrArray *list = decoder_arguments(video, !video->keep_damaged);
    subprocess_add(list, "-f", "null", "-", NULL);
    return subprocess_start(process, list, SUBPROCESS_STDOUT);
}
