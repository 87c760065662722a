/* SPDX-License-Identifier: BSD-2-Clause */
/* A model that adapts to a video: older counts decay, and learning starts again after a cut. */
#ifndef COF_ADAPTIVE_MODEL_H
#define COF_ADAPTIVE_MODEL_H

#include "video/video_model.h"

typedef struct AdaptiveModel AdaptiveModel;

AdaptiveModel *adaptive_model_new(const Arguments *arguments, const VideoFile *video);

/* Learns from the next frame and returns the model for it. Prints an error and returns NULL on
 * failure. */
VideoModel *adaptive_model_next(AdaptiveModel *adaptive, void *frame);
void adaptive_model_free(AdaptiveModel *adaptive);

#endif
