/* SPDX-License-Identifier: BSD-2-Clause */
/* Models of the foreground and the background, learned from scribbled frames of a video. */
#ifndef COF_VIDEO_SCRIBBLES_H
#define COF_VIDEO_SCRIBBLES_H

#include "video/mask_tracker.h"
#include "video/video_model.h"

/* The tracker is given the masks of the scribbled frames. Prints an error and returns NULL on
 * failure. */
VideoModel *video_model_from_scribbles(const Arguments *arguments, const VideoFile *video,
                                       MaskTracker *tracker);

#endif
