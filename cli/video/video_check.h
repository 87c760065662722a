/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks that a video was read and written as a whole, which ffmpeg's exit status does not tell. */
#ifndef COF_VIDEO_CHECK_H
#define COF_VIDEO_CHECK_H

#include "video/video_file.h"

/* What is wrong with the file, or NULL; free it with g_free(). `packets` is their number in the
 * file, and `log` what ffprobe printed when it read them. */
char *video_file_damage(const VideoFile *video, int64_t packets, const char *log);

/* What is wrong with the frames of a video whose decoder printed `log`, or NULL; free it with
 * g_free(). Only for codecs whose decoders conceal an error without failing. */
char *video_decoding_damage(const VideoFile *video, const char *log);

/* What is wrong with a file that an encoder wrote from `frames` frames, or NULL; free it with
 * g_free(). `log` is what the encoder printed. */
char *video_output_fault(const char *path, int64_t frames, const char *log);

#endif
