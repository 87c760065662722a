/* SPDX-License-Identifier: BSD-2-Clause */
/* The models with which a frame of a video is filtered. */
#include "video/video_model.h"

#include "io/cof_file.h"
#include "ui/error_line.h"
#include "learn_image.h"

static void clear(void *data)
{
    VideoModel *model = data;
    cof_model_free(&model->model);
    cof_model_free(&model->foreground);
}

VideoModel *video_model_new(CofModel *model, CofModel *foreground)
{
    VideoModel *shared = g_atomic_rc_box_new0(VideoModel);
    *shared = (VideoModel){model, foreground};
    return shared;
}

VideoModel *video_model_ref(VideoModel *model)
{
    return g_atomic_rc_box_acquire(model);
}

void video_model_unref(void *model)
{
    g_atomic_rc_box_release_full(model, clear);
}

VideoModel *video_model_load(const Arguments *a)
{
    CofModel *model = NULL, *foreground = NULL;
    return cof_file_load_model(a->model, &a->options, &model, &foreground)
               ? video_model_new(model, foreground)
               : NULL;
}

CofOptions video_options(const Arguments *a, CofProblem *problem)
{
    CofOptions options = a->options;
    options.problem = problem;
    return options;
}

/* Statistics of a frame, with a palette fitted to that frame. */
static CofStats *learn_stats(const Arguments *a, const VideoFile *video, void *frame)
{
    CofProblem problem;
    CofOptions options = video_options(a, &problem);
    CofStats *stats = NULL;
    CofImage view = video_file_view(video, frame);
    CofStatus status = learn_image_stats(&view, &options, &stats);
    if (status != COF_OK)
        print_cof_problem(video->name, &problem);
    return stats;
}

VideoModel *video_model_from_stats(const Arguments *a, const VideoFile *video,
                                   const CofStats *stats)
{
    CofProblem problem;
    CofOptions options = video_options(a, &problem);
    CofModel *model = NULL;
    CofStatus status = cof_model_new(&model, stats, &options);
    if (status == COF_OK)
        return video_model_new(model, NULL);
    print_cof_problem(video->name, &problem);
    return NULL;
}

int64_t default_learn_frame(const Arguments *a)
{
    return a->learn_frame > 0 ? a->learn_frame : 1;
}

/* Statistics of the frame that --learn-frame names. Without that option: of the first frame among
 * 1, 2, 4, 8, ... that is not uniform, since a video may begin with black frames. */
static CofStats *learn_varied_frame(const Arguments *a, const VideoFile *video, void *frame)
{
    int64_t n = default_learn_frame(a), last = a->learn_frame > 0 ? n : video->frames / 2;
    CofStats *stats = NULL;
    for (bool retry = true; retry; n *= 2) {
        cof_stats_free(&stats);
        if (video_file_read_frame(video, n, frame))
            stats = learn_stats(a, video, frame);
        retry = stats && !learn_image_has_contrast(stats) && 2 * n <= last;
    }
    return stats;
}

VideoModel *video_model_from_frame(const Arguments *a, const VideoFile *video)
{
    VideoModel *model = NULL;
    CofStats *stats = NULL;
    void *frame = g_try_malloc(video->bytes);
    if (!frame)
        print_error(video->name, "not enough memory for a frame");
    else
        stats = learn_varied_frame(a, video, frame);
    if (stats)
        model = video_model_from_stats(a, video, stats);
    cof_stats_free(&stats);
    g_free(frame);
    return model;
}
