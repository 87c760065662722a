/* SPDX-License-Identifier: BSD-2-Clause */
/* Filtering, for JavaScript. */
#include "web_filter.h"

#include <stdlib.h>

CofStatus web_smooth(const WebImage *in, const WebRoi *words, const WebImage *out)
{
    CofImage in_view, out_view, mask;
    CofRoi roi;
    const CofOptions *options = web_call_options();
    return options ? cof_smooth_roi(web_view(in, &in_view), web_roi(words, &roi, &mask),
                                    web_view(out, &out_view), options)
                   : web_session.problem.status;
}

CofStatus web_filter(const CofModel *model, const WebImage *guide, const WebImage *in,
                     const WebImage *out)
{
    CofImage guide_view, in_view, out_view;
    const CofOptions *options = web_call_options();
    return options ? cof_filter(model, web_view(guide, &guide_view), web_view(in, &in_view),
                                web_view(out, &out_view), options)
                   : web_session.problem.status;
}

CofStatus web_filter_labels(const CofModel *model, const WebImage *labels, const WebImage *in,
                            const WebImage *out)
{
    CofImage label_view, in_view, out_view;
    const CofOptions *options = web_call_options();
    return options ? cof_filter_labels(model, web_view(labels, &label_view), web_view(in, &in_view),
                                       web_view(out, &out_view), options)
                   : web_session.problem.status;
}

int web_filter_margin(const CofModel *model)
{
    int margin = 0;
    const CofOptions *options = web_call_options();
    CofStatus status =
        options ? cof_filter_margin(model, &margin, options) : web_session.problem.status;
    return status == COF_OK ? margin : (int)status;
}

CofStatus web_downscale(const WebImage *in, int factor, const WebImage *out, uint8_t *valid)
{
    CofImage in_view, out_view;
    const CofOptions *options = web_call_options();
    return options ? cof_downscale(web_view(in, &in_view), factor, web_view(out, &out_view), valid,
                                   options)
                   : web_session.problem.status;
}

CofCoarse *web_coarse_new_filtered(const CofModel *model, const WebImage *small,
                                   const WebImage *filtered)
{
    CofImage view, filtered_view;
    CofCoarse *coarse = NULL;
    const CofOptions *options = web_call_options();
    CofStatus status = options
                           ? cof_coarse_new_filtered(&coarse, model, web_view(small, &view),
                                                     web_view(filtered, &filtered_view), options)
                           : web_session.problem.status;
    return status == COF_OK ? coarse : NULL;
}

CofStatus web_coarse_filter(const CofCoarse *coarse, const WebImage *in, const WebImage *out)
{
    CofImage in_view, out_view;
    const CofOptions *options = web_call_options();
    return options ? cof_coarse_filter(coarse, web_view(in, &in_view), web_view(out, &out_view),
                                       options)
                   : web_session.problem.status;
}

void web_coarse_free(CofCoarse *coarse)
{
    cof_coarse_free(&coarse);
}

/* A model with a single label, which makes a Gaussian filter. */
static CofStatus make_gaussian(const CofOptions *options, CofModel **model)
{
    const double one = 1;
    CofStats *stats = NULL;
    CofStatus status = cof_stats_new(&stats, options);
    if (status == COF_OK)
        status = cof_stats_set_labels(stats, 1, options->problem);
    if (status == COF_OK)
        status = cof_model_new_matrix(model, stats, &one, options);
    cof_stats_free(&stats);
    return status;
}

int web_smooth_margin(void)
{
    int margin = 0;
    CofModel *model = NULL;
    const CofOptions *session = web_call_options();
    if (!session)
        return (int)web_session.problem.status;
    CofOptions options = *session;
    options.palettes = options.downscale = 1;
    CofStatus status = make_gaussian(&options, &model);
    if (status == COF_OK)
        status = cof_filter_margin(model, &margin, session);
    cof_model_free(&model);
    return status == COF_OK ? margin : (int)status;
}

/* Filters a single bright pixel: what a pixel receives is its weight. */
static CofStatus filter_impulse(const CofModel *model, float *line, uint8_t *labels, int side,
                                float *weights, const CofOptions *options)
{
    int width = 2 * side - 1, first = side / 2;
    line[side - 1] = 1;
    CofImage in = {.data = line,
                   .width = width,
                   .height = 1,
                   .channels = 1,
                   .sample = COF_SAMPLE_F32,
                   .full_width = width,
                   .full_height = 1};
    CofImage label = {.data = labels,
                      .width = width,
                      .height = 1,
                      .channels = 1,
                      .full_width = width,
                      .full_height = 1};
    CofImage out = in;
    out.data = weights;
    out.width = side;
    out.x = first;
    return cof_filter_labels(model, &label, &in, &out, options);
}

CofStatus web_window_weights(int side, float *weights)
{
    CofModel *model = NULL;
    const CofOptions *session = web_call_options();
    if (!session)
        return web_session.problem.status;
    CofOptions options = *session;
    options.palettes = options.iterations = options.downscale = options.filter_downscale = 1;
    options.method = COF_METHOD_EXACT;
    options.update = COF_UPDATE_NONE;
    options.tolerance = options.detail = 0;
    options.fidelity = options.refine = 0;
    options.strength = 1;
    options.border = COF_BORDER_CLIP;
    float *line = calloc(2 * (size_t)side, sizeof *line);
    uint8_t *labels = calloc(2 * (size_t)side, 1);
    CofStatus status = line && labels ? make_gaussian(&options, &model)
                                      : web_refuse(COF_ERR_MEMORY, NULL, "not enough memory");
    if (status == COF_OK)
        status = filter_impulse(model, line, labels, side, weights, &options);
    cof_model_free(&model);
    free(line);
    free(labels);
    return status;
}
