/* SPDX-License-Identifier: BSD-2-Clause */
/* Video files, read and written by the programs ffmpeg and ffprobe. */
#ifndef COF_VIDEO_FILE_H
#define COF_VIDEO_FILE_H

#include <stdint.h>

#include "cof/cof.h"
#include "video/subprocess.h"

/* Options of ffmpeg's scaler for the smallest rounding and chroma loss. */
#define EXACT_SCALING "accurate_rnd+full_chroma_int+full_chroma_inp"

typedef struct Fraction {
    int numerator, denominator;
} Fraction;

typedef struct VideoFile {
    const char *name;
    char url[4096 + 8]; /* "file:" and the name, so that ffmpeg reads no protocol into it */
    int width, height;  /* after rotation */
    Fraction rate;      /* frames per second, on average if the rate is not constant */
    bool constant_rate;
    int64_t *times;        /* of each frame, in ticks; NULL: rate constant or times unknown */
    Fraction tick;         /* in seconds; that of a frame if there are no times */
    int64_t last_duration; /* of the last frame in ticks; 0 if unknown */
    int64_t frames;        /* estimated number; 0 if unknown */
    int64_t stated_frames; /* as the header of the file says; 0 if it does not */
    bool keep_damaged;     /* decode what can be decoded, with a note */
    bool warned;           /* that the file is damaged */
    char format[64];       /* ffmpeg's name of the file format */
    char codec[32];        /* ffmpeg's name of the codec */
    char profile[32];      /* of the codec; empty if it has none */
    const char *decoder;   /* ffmpeg's name; NULL: ffmpeg chooses */
    double start;          /* seconds from the start of the file to the first frame */
    char pixel_format[32]; /* ffmpeg's name */
    bool has_alpha;
    char pixel_aspect[32]; /* a fraction; empty for square pixels */
    char matrix[32], primaries[32], transfer[32], range[32]; /* colour tags; empty if not set */
    const char *raw_format; /* ffmpeg's name for the format of decoded frames */
    const char *raw_code;   /* its code of four characters */
    CofKind kind;
    CofSample sample;
    int channels;
    size_t bytes; /* of a decoded frame */
} VideoFile;

/* Each of these prints an error and returns false on failure. */

/* Reads the properties of a video, and checks that the file is complete. With `keep_damaged`,
 * prints a note about damage instead of an error. `name` must outlive `video`. */
bool video_file_probe(VideoFile *video, const char *name, bool keep_damaged);
void video_file_clear(VideoFile *video);

/* Prints that the video is damaged, and why: an error, or a note if damaged videos are kept.
 * Returns whether it is kept. */
bool video_file_report_damage(VideoFile *video, const char *cause);

/* Finds the rate of the video, or the times of its frames, from what ffprobe printed: `packets`,
 * and `stream`, the part of it about the stream. A video without a constant rate is decoded to find
 * the times. */
bool video_times_read(VideoFile *video, const char *packets, const char *stream);

/* Decodes frame n, counted from 1. */
bool video_file_read_frame(const VideoFile *video, int64_t n, void *frame);

/* Starts a process that decodes all frames to its standard output. */
bool video_file_decode(const VideoFile *video, Subprocess *process);

/* Starts a process that decodes all frames and discards them. */
bool video_file_check(const VideoFile *video, Subprocess *process);

/* Adds the video as an input of ffmpeg that cannot name other files. */
void video_file_add_input(GPtrArray *arguments, const VideoFile *video);

/* Whether ffmpeg's pixel format of this name has more than 8 bits. */
bool pixel_format_is_deep(const char *name);

/* Whether ffmpeg's pixel format of this name has alpha. */
bool pixel_format_has_alpha(const char *name);

/* A view of a decoded frame. */
CofImage video_file_view(const VideoFile *video, void *frame);

#endif
