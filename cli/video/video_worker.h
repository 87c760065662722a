/* SPDX-License-Identifier: BSD-2-Clause */
/* One of the threads that process frames: what it has for itself. */
#ifndef COF_VIDEO_WORKER_H
#define COF_VIDEO_WORKER_H

#include "options/background_effect.h"
#include "video/mask_tracker.h"
#include "video/video_model.h"

typedef struct VideoWorker {
    const VideoFile *video;
    BackgroundEffect effect;
    MaskTracker *tracker; /* shared; NULL: frames have no masks */
    CofContext *context;
    float *matte;  /* NULL if the background is only smoothed */
    uint8_t *mask; /* NULL without a tracker, like the prior */
    float *prior;
} VideoWorker;

/* Frames are filtered on the device of that name, or with NULL on the CPU. COF_ERR_UNSUPPORTED with
 * a problem if the device cannot be used; other failures are a lack of memory. To be cleared even
 * then. */
CofStatus video_worker_init(VideoWorker *worker, const VideoFile *video, BackgroundEffect effect,
                            MaskTracker *tracker, const char *device, CofProblem *problem);
void video_worker_clear(VideoWorker *worker);

/* Keeps the foreground of a frame, counted from 1, and changes the background. */
CofStatus video_worker_focus(const VideoWorker *worker, int64_t frame, const VideoModel *model,
                             const CofImage *in, const CofImage *out, const CofOptions *options);

#endif
