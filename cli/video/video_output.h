/* SPDX-License-Identifier: BSD-2-Clause */
/* The video file that ffmpeg writes: how frames are encoded, and what of the input comes along. */
#ifndef COF_VIDEO_OUTPUT_H
#define COF_VIDEO_OUTPUT_H

#include "video/video_file.h"

/* What becomes of the sound or the subtitles. */
typedef enum StreamUse { STREAM_COPIED, STREAM_ENCODED, STREAM_DROPPED } StreamUse;

typedef struct VideoOutput {
    const VideoFile *video;
    const char *path;    /* of the file that ffmpeg writes */
    const char *name;    /* of the output in messages */
    const char *options; /* of the user, for ffmpeg; NULL: none */
    bool untouched;      /* the frames of the input are encoded, and none comes through the pipe */
    /* Chosen by video_output_plan(). */
    const struct VideoEncoder *encoder; /* NULL: ffmpeg or the user chooses */
    bool fixed_rate; /* the format or the encoder does not take the times of the frames */
    StreamUse sound, subtitles;
    bool failed;      /* an error has been printed */
    bool loses_alpha; /* the output has none, and nothing has been said about that */
} VideoOutput;

/* Prints an error and returns false if ffmpeg would write the frames to several files. */
bool video_output_is_one_file(const VideoFile *video, const char *name, const char *options);

/* Finds out what the format of the output can hold, by encoding one black frame, and chooses the
 * codec: that of the input where possible. Prints notes about what the output does not keep. False
 * if ffmpeg cannot be run, after an error. */
bool video_output_plan(VideoOutput *output);

/* Starts a process that encodes the frames, and copies sound, subtitles and metadata. Prints an
 * error and returns false on failure. */
bool video_output_start(const VideoOutput *output, Subprocess *process);

/* Writes a frame, counted from 0; false if the process does not take it. Prints a note about the
 * first transparent one if alpha is lost. */
bool video_output_write(VideoOutput *output, const Subprocess *process, int64_t number,
                        const void *frame);

/* Prints an error of ffmpeg about the output. */
void video_output_print_fault(const VideoOutput *output, const char *fault);

#endif
