/* SPDX-License-Identifier: BSD-2-Clause */
/* When the frames of a video are shown. */
#ifndef COF_VIDEO_TIMES_H
#define COF_VIDEO_TIMES_H

#include "video/video_file.h"

/* Finds the rate of the video, or the times of its frames, from what ffprobe printed: `packets`,
 * and `stream`, the part of it about the stream. A video without a constant rate is decoded to find
 * the times; false if that cannot be done, after an error. */
bool video_times_read(VideoFile *video, const char *packets, const char *stream);

#endif
