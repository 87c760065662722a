/* SPDX-License-Identifier: BSD-2-Clause */
/* Models of the foreground and the background, learned from scribbled frames of a video. */
#ifndef COF_VIDEO_SCRIBBLES_H
#define COF_VIDEO_SCRIBBLES_H

#include "video/video_model.h"

/* Prints an error and returns NULL on failure. */
VideoModel *video_model_from_scribbles(const Arguments *arguments, const VideoFile *video);

#endif
