/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks that a video was read and written as a whole. */
#include "video/video_check.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "io/formats.h"
#include "video/ffmpeg_log.h"
#include "video/ffprobe.h"

/* Counts the packets of the video stream; -1 if the file cannot be read. */
static int64_t count_packets(const char *url, const char *formats, const char *ignore_editlist)
{
    char *log;
    char *text = ffprobe_run(url, formats, ignore_editlist, "stream=nb_read_packets", &log);
    int64_t n = text ? (int64_t)ffprobe_number(text, "nb_read_packets") : -1;
    g_free(text);
    g_free(log);
    return n;
}

/* Whether packets that the header states are missing. Only this format states the number exactly;
 * that of AVI includes frames that were dropped. */
static bool lacks_packets(const VideoFile *video, int64_t *packets)
{
    if (!g_str_has_prefix(video->format, "mov,") || *packets >= video->stated_frames)
        return false;
    *packets = count_packets(video->url, video_formats(), "1");
    return *packets < video->stated_frames;
}

/* Whether a RIFF file is shorter than its header says. A size of 0 is that of a recording that was
 * not finished. */
static bool riff_is_short(FILE *file)
{
    uint8_t head[8];
    if (fread(head, 1, sizeof head, file) != sizeof head || fseeko(file, 0, SEEK_END) != 0)
        return false;
    uint64_t size =
        head[4] | (uint32_t)head[5] << 8 | (uint32_t)head[6] << 16 | (uint32_t)head[7] << 24;
    return size > 0 && (uint64_t)ftello(file) < size + 8;
}

/* Whether a GIF file lacks its trailer, which may be followed by a few other bytes. */
static bool gif_is_short(FILE *file)
{
    uint8_t tail[1024];
    if (fseeko(file, -(off_t)sizeof tail, SEEK_END) != 0)
        rewind(file);
    size_t n = fread(tail, 1, sizeof tail, file);
    for (size_t i = 1; i < n; i++)
        if (tail[i - 1] == 0x00 && tail[i] == 0x3b)
            return false;
    return true;
}

/* Whether the end of the file is missing, for formats of which ffmpeg does not notice it. */
static bool is_short(const VideoFile *video)
{
    bool avi = strcmp(video->format, "avi") == 0, gif = strcmp(video->format, "gif") == 0;
    FILE *file = avi || gif ? fopen(video->name, "rb") : NULL;
    if (!file)
        return false;
    bool found = avi ? riff_is_short(file) : gif_is_short(file);
    fclose(file);
    return found;
}

char *video_file_damage(const VideoFile *video, int64_t packets, const char *log)
{
    char *damage = ffmpeg_log_find(log, video->format);
    if (damage)
        return damage;
    if (lacks_packets(video, &packets))
        return g_strdup_printf("%" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " frames are there",
                               (gint64)packets, (gint64)video->stated_frames);
    return is_short(video) ? g_strdup("its end is missing") : NULL;
}

/* Errors of these decoders always mean damage, and do not change ffmpeg's exit status. Errors of
 * decoders such as that of H.264 do, and these decoders also print lines about streams that were
 * cut at an open GOP. */
char *video_decoding_damage(const VideoFile *video, const char *log)
{
    static const char *const codecs[] = {"gif",     "apng",    "png",     "mjpeg",  "ffv1",
                                         "ffvhuff", "huffyuv", "utvideo", "prores", "dnxhd"};
    static const char *const harmless[] = {"unable to decode APP fields", "overread"};
    bool checked = false;
    for (size_t i = 0; i < G_N_ELEMENTS(codecs) && !checked; i++)
        checked = strcmp(video->codec, codecs[i]) == 0;
    char *damage = checked ? ffmpeg_log_find(log, video->codec) : NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(harmless) && damage; i++)
        if (g_str_has_prefix(damage, harmless[i]))
            g_clear_pointer(&damage, g_free);
    return damage;
}

char *video_output_fault(const char *path, int64_t frames, const char *log)
{
    char *fault = ffmpeg_log_system_error(log), *url = g_strconcat("file:", path, NULL);
    int64_t packets = fault ? frames : count_packets(url, NULL, NULL);
    if (packets <= 0)
        fault = g_strdup("the encoder wrote no video");
    else if (packets < frames && ffmpeg_log_has_error(log))
        fault = ffmpeg_log_first(log);
    g_free(url);
    return fault;
}
