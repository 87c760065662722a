/* SPDX-License-Identifier: BSD-2-Clause */
/* The models with which a frame of a video is filtered. */
#ifndef COF_VIDEO_MODEL_H
#define COF_VIDEO_MODEL_H

#include "options/arguments.h"
#include "video/video_file.h"

/* Immutable, shared by frames and reference-counted. */
typedef struct VideoModel {
    CofModel *model;      /* of the whole frame, or of the background if there is a foreground */
    CofModel *foreground; /* NULL: the whole frame is filtered */
} VideoModel;

/* Takes ownership of the models. */
VideoModel *video_model_new(CofModel *model, CofModel *foreground);
VideoModel *video_model_ref(VideoModel *model);
void video_model_unref(void *model);

/* The options of the command line with `problem` attached. */
CofOptions video_options(const Arguments *arguments, CofProblem *problem);

/* The number of the frame to learn from, or to which scribbles without a number belong. */
int64_t default_learn_frame(const Arguments *arguments);

/* Each of these prints an error and returns NULL on failure. */

/* Loads the file of --model: a model, statistics or a pair of models. */
VideoModel *video_model_load(const Arguments *arguments);

/* Learns from one frame of the video. */
VideoModel *video_model_from_frame(const Arguments *arguments, const VideoFile *video);

VideoModel *video_model_from_stats(const Arguments *arguments, const VideoFile *video,
                                   const CofStats *stats);

#endif
