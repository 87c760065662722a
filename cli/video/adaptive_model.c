/* SPDX-License-Identifier: BSD-2-Clause */
/* A model that adapts to a video. */
#include "video/adaptive_model.h"

#include "ui/error_line.h"
#include "adaptive_stats.h"

struct AdaptiveModel {
    const Arguments *arguments;
    const VideoFile *video;
    AdaptiveStats stats;
};

AdaptiveModel *adaptive_model_new(const Arguments *a, const VideoFile *video)
{
    AdaptiveModel *m = g_new0(AdaptiveModel, 1);
    *m = (AdaptiveModel){.arguments = a, .video = video};
    return m;
}

VideoModel *adaptive_model_next(AdaptiveModel *m, void *frame)
{
    CofProblem problem;
    CofOptions options = video_options(m->arguments, &problem);
    CofImage view = video_file_view(m->video, frame);
    CofStatus status = adaptive_stats_add(&m->stats, &view, m->arguments->adapt, &options);
    if (status == COF_OK)
        return video_model_from_stats(m->arguments, m->video, m->stats.stats);
    print_cof_problem(m->video->name, &problem);
    return NULL;
}

void adaptive_model_free(AdaptiveModel *m)
{
    if (m)
        adaptive_stats_clear(&m->stats);
    g_free(m);
}
