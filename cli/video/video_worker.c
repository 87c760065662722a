/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames of a video in which an object is kept. */
#include "video/video_worker.h"

CofStatus video_worker_init(VideoWorker *worker, const VideoFile *video, BackgroundEffect effect,
                            MaskTracker *tracker, const char *device, CofProblem *problem)
{
    size_t pixels = (size_t)video->width * (size_t)video->height;
    bool composites = effect.kind != BACKGROUND_SMOOTH;
    *worker = (VideoWorker){.video = video, .effect = effect, .tracker = tracker};
    if (composites)
        worker->matte = g_try_new(float, pixels);
    if (tracker) {
        worker->mask = g_try_new(uint8_t, pixels);
        worker->prior = g_try_new(float, pixels);
    }
    if ((composites && !worker->matte) || (tracker && !(worker->mask && worker->prior)))
        return COF_ERR_MEMORY;
    return device ? cof_context_new_device(&worker->context, device, 1, problem)
                  : cof_context_new(&worker->context, 1, problem);
}

void video_worker_clear(VideoWorker *worker)
{
    cof_context_free(&worker->context);
    g_free(worker->matte);
    g_free(worker->mask);
    g_free(worker->prior);
}

static CofImage grey_floats(const VideoFile *video, float *data)
{
    return (CofImage){.data = data,
                      .width = video->width,
                      .height = video->height,
                      .channels = 1,
                      .sample = COF_SAMPLE_F32};
}

/* Tints the background, or makes it grey. */
static CofStatus composite(const VideoWorker *worker, const VideoModel *model,
                           const CofImage *prior, const CofImage *in, const CofImage *out,
                           const CofOptions *options)
{
    CofImage matte = grey_floats(worker->video, worker->matte);
    CofOptions simple = *options;
    simple.report = NULL; /* which is that of the matte */
    CofStatus status = cof_matte(model->foreground, model->model, prior, in, &matte, options);
    if (status == COF_OK)
        status = cof_tint(in, worker->effect.colour, 0, out, &simple);
    return status == COF_OK ? cof_blend(&matte, in, out, out, &simple) : status;
}

/* The prior of the mask, if the frame has one. */
static CofStatus find_prior(const VideoWorker *worker, int64_t frame, const CofImage *in,
                            const CofOptions *options, bool *found, CofImage *prior)
{
    CofImage mask = {.data = worker->mask, .width = in->width, .height = in->height, .channels = 1};
    *prior = grey_floats(worker->video, worker->prior);
    CofStatus status = mask_tracker_find(worker->tracker, frame, in, options, worker->mask, found);
    return status == COF_OK && *found ? cof_mask_prior(&mask, prior, options) : status;
}

CofStatus video_worker_focus(const VideoWorker *worker, int64_t frame, const VideoModel *model,
                             const CofImage *in, const CofImage *out, const CofOptions *options)
{
    CofImage view;
    bool found = false;
    CofStatus status = COF_OK;
    if (worker->tracker)
        status = find_prior(worker, frame, in, options, &found, &view);
    if (status != COF_OK)
        return status;
    const CofImage *prior = found ? &view : NULL;
    if (worker->effect.kind == BACKGROUND_SMOOTH)
        return cof_focus(model->foreground, model->model, prior, NULL, in, out, options);
    return composite(worker, model, prior, in, out, options);
}
