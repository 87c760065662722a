/* SPDX-License-Identifier: BSD-2-Clause */
/* The video file that ffmpeg writes. */
#include "video/video_output.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "io/formats.h"
#include "ui/error_line.h"
#include "video/ffmpeg_log.h"
#include "video/ffprobe.h"

/* The encoders of ffmpeg for a codec, best first, with options for about the quality of the input.
 * The word PROFILE becomes the profile of the input. A codec that is not listed has an encoder of
 * its own name, if any. */
typedef struct VideoEncoder {
    const char *codec, *name, *options;
} VideoEncoder;

static const VideoEncoder encoders[] = {
    {"h264", "libx264", ""},
    {"hevc", "libx265", "-x265-params log-level=error"},
    {"vp9", "libvpx-vp9", "-row-mt 1 -cpu-used 4 -crf 31 -b:v 0"},
    {"vp8", "libvpx", "-cpu-used 4 -crf 10 -b:v 50M -auto-alt-ref 0"},
    {"av1", "libsvtav1", "-preset 8"},
    {"av1", "libaom-av1", "-row-mt 1 -cpu-used 6 -crf 30 -b:v 0"},
    {"prores", "prores_ks", "-profile:v PROFILE"},
    {"dnxhd", "dnxhd", "-profile:v PROFILE"},
    {"ffv1", "ffv1", "-level 3"},
    {"gif", "gif", ""},
    {"theora", "libtheora", "-q:v 8"},
    {"flv1", "flv", "-q:v 2"},
    {"msmpeg4v3", "msmpeg4", "-q:v 2"},
};

#define MP4_SUFFIXES ".mp4 .m4v .mov"

/* Formats of more than one codec, which hold times. Into any other file, such as .m2v or .png,
 * ffmpeg writes whatever it is told. */
#define CONTAINERS \
    MP4_SUFFIXES " .mkv .webm .avi .ts .mts .m2ts .mpg .mpeg .vob .flv .f4v .nut .ogv .ogg .wmv " \
                 ".asf .mxf .gxf .3gp .3g2"

/* What ffmpeg made of one frame. */
typedef struct Trial {
    char codec[32];
    bool has_alpha, is_deep;
} Trial;

static bool has_codec(const VideoOutput *o, const char *name)
{
    return o->encoder && strcmp(o->encoder->codec, name) == 0;
}

static bool name_has_suffix(const char *name, const char *suffixes)
{
    const char *suffix = strrchr(name, '.');
    char *low = suffix ? g_ascii_strdown(suffix, -1) : NULL;
    char **list = g_strsplit(suffixes, " ", -1);
    bool found = low && g_strv_contains((const char *const *)list, low);
    g_strfreev(list);
    g_free(low);
    return found;
}

static bool has_suffix(const VideoOutput *o, const char *suffixes)
{
    return name_has_suffix(o->name, suffixes);
}

bool video_output_is_one_file(const VideoFile *video, const char *name, const char *options)
{
    const char *cause = NULL;
    if (name_has_suffix(name, ".m3u8 .mpd"))
        cause = "is a playlist of several files; write one file, such as .mp4";
    else if (video->frames > 1 && !options && format_is_image_name(name) &&
             !name_has_suffix(name, ".apng .avif .gif .webp"))
        cause = "holds one image; write .gif, .webp or .apng, or images with ffmpeg";
    if (cause)
        print_error(name, cause);
    return !cause;
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

/* Whether frames are to be moved to the start of the video. */
static bool starts_late(const VideoOutput *o)
{
    return fabs(o->video->start) > 1e-3 && !(o->untouched && o->video->times);
}

/* Frames of a constant rate come from time 0 on. If the video starts later than the file, they get
 * a finer tick, a fraction of their own, unless the codec or format takes none; that of MPEG-4
 * needs a denominator below 65536. */
static Fraction output_tick(const VideoOutput *o)
{
    Fraction tick = o->video->tick;
    bool coarse = o->fixed_rate || !has_suffix(o, CONTAINERS) || has_codec(o, "mpeg1video") ||
                  has_codec(o, "mpeg2video");
    if (!o->video->times && !coarse && starts_late(o) && tick.denominator < 60000)
        tick.denominator *= 60000 / tick.denominator;
    return tick;
}

static char *filters_of(const VideoOutput *o)
{
    const VideoFile *video = o->video;
    const char *matrix = matrix_for_scale(video->matrix);
    GString *text = g_string_new("null");
    if (!o->untouched)
        g_string_append_printf(text, ",scale=flags=" EXACT_SCALING "%s%s%s%s",
                               matrix ? ":out_color_matrix=" : "", matrix ? matrix : "",
                               video->range[0] != '\0' ? ":out_range=" : "", video->range);
    if (video->pixel_aspect[0] != '\0')
        g_string_append_printf(text, ",setsar=%s", video->pixel_aspect);
    if (starts_late(o)) {
        Fraction tick = output_tick(o);
        g_string_append_printf(text, ",settb=%d/%d,setpts=PTS+(%lld)", tick.numerator,
                               tick.denominator,
                               (long long)llrint(video->start * tick.denominator / tick.numerator));
    }
    if (has_codec(o, "gif")) /* the best palette for each frame, with a transparent entry */
        g_string_append(text, ",split[a][b];[a]palettegen=stats_mode=single[p];"
                              "[b][p]paletteuse=new=1");
    return g_string_free(text, FALSE);
}

/* The output keeps the pixel format and the colour tags of the input. */
static void add_colours(GPtrArray *list, const VideoOutput *o)
{
    const VideoFile *video = o->video;
    char *filters = filters_of(o), *format = g_strdup(video->pixel_format);
    char *deep = strstr(format, "p12");
    if (deep && has_codec(o, "prores")) /* which is decoded to 12 bits, and encoded from 10 */
        deep[2] = '0';
    subprocess_add_option(list, "-vf", filters);
    subprocess_add_option(list, "-pix_fmt", has_codec(o, "gif") ? "" : format);
    subprocess_add_option(list, "-colorspace",
                          matrix_for_scale(video->matrix) ? video->matrix : "");
    subprocess_add_option(list, "-color_primaries", video->primaries);
    subprocess_add_option(list, "-color_trc", video->transfer);
    subprocess_add_option(list, "-color_range", video->range);
    g_free(filters);
    g_free(format);
}

/* Frames of a pipe have times and no duration, and ffmpeg 7 writes a list of edits that leaves out
 * a last frame without one. Each packet lasts as long as the one before it; the muxer replaces all
 * but the last duration by those that follow from times. TB is not the unit of times in ffmpeg 5.1,
 * so that it is used for the first packet only. */
static void add_duration(GPtrArray *list, double seconds)
{
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_dtostr(number, sizeof number, seconds);
    char *text =
        g_strdup_printf("setts=pts=PTS:dts=DTS:duration='if(N,DTS-PREV_INDTS,%s/TB)'", number);
    subprocess_add(list, "-bsf:v", text, NULL);
    g_free(text);
}

/* The frames keep their times, unless the format has frames of a constant rate only. */
static void add_times(GPtrArray *list, const VideoOutput *o)
{
    const VideoFile *video = o->video;
    Fraction tick = output_tick(o), rate = video->rate;
    char *text = g_strdup_printf("%d/%d", rate.numerator, rate.denominator);
    if (o->fixed_rate && !video->constant_rate)
        subprocess_add(list, "-fps_mode", "cfr", "-r", text, NULL);
    else
        subprocess_add(list, "-fps_mode", "passthrough", NULL);
    g_free(text);
    double last = (double)video->last_duration * tick.numerator / tick.denominator;
    if (has_suffix(o, MP4_SUFFIXES))
        add_duration(list, last > 0 ? last : (double)rate.denominator / rate.numerator);
    if (o->fixed_rate || (!video->times && tick.denominator == video->tick.denominator))
        return;
    text = g_strdup_printf("%d/%d", tick.numerator, tick.denominator);
    subprocess_add(list, "-enc_time_base", text, NULL);
    g_free(text);
    if (video->times && last > 0 && has_suffix(o, ".gif .apng")) {
        text = has_suffix(o, ".gif") ? g_strdup_printf("%d", (int)lrint(100 * last))
                                     : g_strdup_printf("%d/1000", (int)lrint(1000 * last));
        subprocess_add(list, "-final_delay", text, NULL);
        g_free(text);
    }
}

/* The profile of the input, as encoders call it. */
static char *profile_of(const VideoFile *video)
{
    char *profile = g_ascii_strdown(video->profile, -1);
    g_strdelimit(profile, " ", '_');
    if (strcmp(profile, "xq") != 0)
        return profile;
    g_free(profile);
    return g_strdup("4444xq");
}

static void add_encoder(GPtrArray *list, const VideoOutput *o)
{
    if (!o->encoder)
        return;
    char **words = g_strsplit(o->encoder->options, " ", -1), *profile = profile_of(o->video);
    subprocess_add(list, "-c:v", o->encoder->name, NULL);
    for (char **word = words; *word && **word; word++)
        subprocess_add(list, strcmp(*word, "PROFILE") == 0 ? profile : *word, NULL);
    if (has_codec(o, "hevc") && has_suffix(o, MP4_SUFFIXES))
        subprocess_add(list, "-tag:v", "hvc1", NULL);
    g_free(profile);
    g_strfreev(words);
}

static void add_streams(GPtrArray *list, const char *type, StreamUse use)
{
    char *map = g_strdup_printf("1:%s?", type), *codec = g_strdup_printf("-c:%s", type);
    if (use != STREAM_DROPPED)
        subprocess_add(list, "-map", map, NULL);
    if (use == STREAM_COPIED)
        subprocess_add(list, codec, "copy", NULL);
    g_free(map);
    g_free(codec);
}

/* Adds the input that has the frames: the video itself, the pipe, or one black frame. */
static void add_frames(GPtrArray *list, const VideoOutput *o, bool trial)
{
    const VideoFile *video = o->video;
    const char *format = o->untouched ? video->pixel_format : video->raw_format;
    char *size = g_strdup_printf("%dx%d", video->width, video->height);
    char *rate = g_strdup_printf("%d/%d", video->rate.numerator, video->rate.denominator);
    if (trial)
        subprocess_add(list, "-f", "rawvideo", "-pix_fmt", format, "-s", size, NULL);
    else if (!o->untouched)
        subprocess_add(list, "-f", "ivf", "-c:v", "rawvideo", NULL);
    if (trial || (o->untouched ? video->constant_rate : !video->times))
        subprocess_add(list, "-r", rate, NULL);
    if (trial)
        subprocess_add(list, "-i", "/dev/zero", NULL);
    else if (o->untouched)
        video_file_add_input(list, video);
    else
        subprocess_add(list, "-i", "-", NULL);
    g_free(size);
    g_free(rate);
}

/* The options of the user; free them with g_strfreev(). */
static char **user_words(const VideoOutput *o)
{
    char **words = NULL;
    bool ok = o->options && g_shell_parse_argv(o->options, NULL, &words, NULL);
    return ok ? words : g_new0(char *, 1);
}

static GPtrArray *encoder_arguments(const VideoOutput *o, bool trial)
{
    GPtrArray *list = subprocess_arguments("ffmpeg", "-v", FFMPEG_LOG_LEVEL, "-y", NULL);
    char *target = g_strconcat("file:", o->path, NULL), **words = user_words(o);
    if (!o->video->keep_damaged) /* an error in what is copied, or at the end, ends the encoder */
        subprocess_add(list, "-xerror", NULL);
    add_frames(list, o, trial);
    video_file_add_input(list, o->video);
    subprocess_add(list, "-map", "0:v:0", NULL);
    add_streams(list, "a", o->sound);
    add_streams(list, "s", o->subtitles);
    if (o->subtitles == STREAM_ENCODED &&
        has_suffix(o, MP4_SUFFIXES)) /* ffmpeg has no default codec for it */
        subprocess_add(list, "-c:s", "mov_text", NULL);
    subprocess_add(list, "-map_metadata", "1", "-map_chapters", "1", NULL);
    add_colours(list, o);
    add_times(list, o);
    add_encoder(list, o);
    subprocess_add_list(list, (const char *const *)words);
    if (trial)
        subprocess_add(list, "-frames:v", "1", "-t", "0.1", "-shortest", NULL);
    subprocess_add(list, target, NULL);
    g_strfreev(words);
    g_free(target);
    return list;
}

/* In messages of ffmpeg, the output has the name of a temporary file. */
void video_output_print_fault(const VideoOutput *o, const char *fault)
{
    char **parts = g_strsplit(fault, o->path, -1), *cause = g_strjoinv(o->name, parts);
    print_error(o->name, cause);
    g_free(cause);
    g_strfreev(parts);
}

/* A program that has ended for a reason of its own, such as a full disk, tells nothing about the
 * format of the output. */
static bool is_abnormal(const char *log)
{
    char *text = ffmpeg_log_system_error(log);
    bool abnormal = text && !strstr(text, strerror(EIO)); /* which also means other things */
    g_free(text);
    return abnormal || !ffmpeg_log_has_error(log);
}

/* Encodes one frame at the start of the file; false if ffmpeg fails. */
static bool encode_frame(VideoOutput *o)
{
    if (o->failed)
        return false;
    VideoFile video = *o->video;
    VideoOutput first = *o;
    video.start = starts_late(o) ? 0.01 : 0;
    first.video = &video;
    char *log, *out = subprocess_output(encoder_arguments(&first, true), &log);
    bool ok = out != NULL;
    o->failed = !ok && (!log || is_abnormal(log));
    if (o->failed && log) {
        char *cause = ffmpeg_log_system_error(log);
        if (!cause)
            cause = ffmpeg_log_first(log);
        video_output_print_fault(o, cause ? cause : "cannot be encoded");
        g_free(cause);
    }
    g_free(out);
    g_free(log);
    return ok;
}

/* Encodes one frame and probes the result; false if either fails. */
static bool try_frame(VideoOutput *o, Trial *trial)
{
    static const char entries[] = "stream=codec_name,pix_fmt:stream_tags=alpha_mode";
    char *url = g_strconcat("file:", o->path, NULL), *log = NULL, *text = NULL, pixels[32];
    if (encode_frame(o)) {
        text = ffprobe_run(url, NULL, NULL, entries, &log);
        o->failed = !text && !log;
    }
    ffprobe_value(text, "codec_name", trial->codec, sizeof trial->codec);
    ffprobe_value(text, "pix_fmt", pixels, sizeof pixels);
    trial->is_deep = pixel_format_is_deep(pixels);
    trial->has_alpha =
        pixel_format_has_alpha(pixels) || ffprobe_number(text, "TAG:alpha_mode") == 1;
    g_free(log);
    g_free(text);
    g_free(url);
    return trial->codec[0] != '\0';
}

/* Chooses the encoder of a codec that the format of the output can hold. */
static bool try_codec(VideoOutput *o, const char *codec, Trial *trial)
{
    static VideoEncoder unlisted;
    bool listed = false, ok = false;
    for (size_t i = 0; i < G_N_ELEMENTS(encoders) && !ok; i++) {
        if (strcmp(encoders[i].codec, codec) != 0)
            continue;
        listed = true;
        o->encoder = &encoders[i];
        ok = try_frame(o, trial) && strcmp(trial->codec, codec) == 0;
    }
    if (!listed) {
        unlisted = (VideoEncoder){codec, codec, "-q:v 2"};
        o->encoder = &unlisted;
        ok = try_frame(o, trial) && strcmp(trial->codec, codec) == 0;
    }
    if (!ok)
        o->encoder = NULL;
    return ok;
}

/* Whether the user chooses the codec of the video. */
static bool options_choose_codec(const VideoOutput *o)
{
    char **words = user_words(o);
    bool found = false;
    for (char **word = words; *word && !found; word++)
        found = strcmp(*word, "-c") == 0 || strcmp(*word, "-codec") == 0 ||
                strcmp(*word, "-vcodec") == 0 || g_str_has_prefix(*word, "-c:v") ||
                g_str_has_prefix(*word, "-codec:v");
    g_strfreev(words);
    return found;
}

/* Chooses the codec of the input or, if the format of the output cannot hold it, the one that
 * ffmpeg chooses for that format. */
static bool choose_codec(VideoOutput *o, Trial *trial)
{
    static char codec[sizeof trial->codec];
    o->encoder = NULL;
    if (options_choose_codec(o))
        return o->video->has_alpha ? try_frame(o, trial) : encode_frame(o);
    if (has_suffix(o, CONTAINERS) && try_codec(o, o->video->codec, trial))
        return true;
    bool ok = try_frame(o, trial);
    g_strlcpy(codec, trial->codec, sizeof codec);
    return ok && (try_codec(o, codec, trial) || try_frame(o, trial));
}

/* Chooses what becomes of the streams of one kind. */
static void choose_use(VideoOutput *o, StreamUse *use, const char *kind)
{
    for (*use = STREAM_COPIED; *use != STREAM_DROPPED && !encode_frame(o); (*use)++)
        continue;
    if (*use == STREAM_COPIED || o->failed)
        return;
    char *text = g_strdup_printf("%s %s", kind,
                                 *use == STREAM_ENCODED
                                     ? "is re-encoded, since the format cannot hold it as it is"
                                     : "is lost: the format cannot hold it");
    print_note(o->name, text);
    g_free(text);
}

static void note_lost_alpha(VideoOutput *o)
{
    print_note(o->name, "alpha is lost: the codec or the format cannot hold it");
    o->loses_alpha = false;
}

/* Many opaque videos have an alpha channel, so that frames tell whether something is lost. */
static bool has_transparent_pixel(const VideoFile *video, const void *frame)
{
    size_t n = (size_t)video->width * (size_t)video->height;
    for (size_t i = 0; i < n; i++)
        if (video->sample == COF_SAMPLE_U16 ? ((const uint16_t *)frame)[4 * i + 3] != UINT16_MAX
                                            : ((const uint8_t *)frame)[4 * i + 3] != UINT8_MAX)
            return true;
    return false;
}

static void print_notes(const VideoOutput *o, const Trial *trial)
{
    const VideoFile *video = o->video;
    char *text = NULL;
    if (o->encoder && strcmp(trial->codec, video->codec) != 0) {
        text = g_strdup_printf("the codec is %s: ffmpeg cannot write %s to this format",
                               trial->codec, video->codec);
        print_note(o->name, text);
        g_free(text);
    }
    if (!o->options && pixel_format_is_deep(video->pixel_format) && !trial->is_deep)
        print_note(o->name, "samples of more than 8 bits become 8 bits");
    if (o->fixed_rate && video->times)
        print_note(o->name, "frames are repeated and left out to get a constant rate");
}

bool video_output_plan(VideoOutput *o)
{
    const VideoFile *video = o->video;
    Trial trial = {.codec = ""};
    o->fixed_rate = !video->constant_rate && !video->times;
    bool ok = choose_codec(o, &trial), streams = ok;
    if (!ok) {
        o->sound = o->subtitles = STREAM_DROPPED;
        ok = choose_codec(o, &trial);
    }
    if (!ok && (video->times || starts_late(o))) {
        o->fixed_rate = true;
        ok = choose_codec(o, &trial);
    }
    if (ok && !streams) {
        choose_use(o, &o->sound, "sound");
        choose_use(o, &o->subtitles, "the text of subtitles");
    }
    if (o->failed)
        return false;
    if (ok)
        print_notes(o, &trial);
    o->loses_alpha = ok && video->has_alpha && !trial.has_alpha;
    if (o->loses_alpha && o->untouched)
        note_lost_alpha(o);
    if (!ok) /* the encoder prints the cause */
        o->sound = o->subtitles = STREAM_COPIED;
    return true;
}

bool video_output_start(const VideoOutput *o, Subprocess *process)
{
    return subprocess_start(process, encoder_arguments(o, false),
                            o->untouched ? SUBPROCESS_STDOUT : SUBPROCESS_STDIN);
}

static void put_bytes(uint8_t *to, uint64_t value, int n)
{
    for (int i = 0; i < n; i++)
        to[i] = (uint8_t)(value >> 8 * i);
}

/* The pipe carries an IVF file of raw frames, whose format holds a time for each: a header of 32
 * bytes, and before each frame its size and its time. */
static bool write_header(const VideoFile *video, const Subprocess *process)
{
    uint8_t header[32] = {'D', 'K', 'I', 'F', 0, 0, sizeof header};
    memcpy(header + 8, video->raw_code, 4);
    put_bytes(header + 12, (uint64_t)video->width, 2);
    put_bytes(header + 14, (uint64_t)video->height, 2);
    put_bytes(header + 16, (uint64_t)video->tick.denominator, 4);
    put_bytes(header + 20, (uint64_t)video->tick.numerator, 4);
    return subprocess_write(process, header, sizeof header);
}

bool video_output_write(VideoOutput *o, const Subprocess *process, int64_t number,
                        const void *frame)
{
    const VideoFile *video = o->video;
    uint8_t head[12];
    if (o->loses_alpha && has_transparent_pixel(video, frame))
        note_lost_alpha(o);
    int64_t time = video->times ? video->times[number] - video->times[0] : number;
    put_bytes(head, video->bytes, 4);
    put_bytes(head + 4, (uint64_t)time, 8);
    return (number > 0 || write_header(video, process)) &&
           subprocess_write(process, head, sizeof head) &&
           subprocess_write(process, frame, video->bytes);
}
