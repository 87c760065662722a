/* SPDX-License-Identifier: BSD-2-Clause */
/* cof_smooth(): learns from an image and filters it, with one model (I-CoF) or a new one for each
 * pass (R-CoF). */
#include "cof/cof.h"

#include <string.h>

#include "api/api_learn.h"
#include "api/checks.h"
#include "filter/filter_labels.h"
#include "filter/filter_pass.h"
#include "filter/passes.h"
#include "filter/two_scale.h"
#include "image/image.h"
#include "learn/count.h"
#include "learn/model.h"
#include "options/options.h"

/* The state of cof_smooth(). */
typedef struct Smoothing {
    CofiCall *call;
    CofImage in, out;
    CofiRoi roi;
    CofStats *stats;
    CofModel *model;
    CofiLabelMap map;
    CofiFilter filter;
} Smoothing;

static void copy_labels(void *context, int first, int last, int worker)
{
    (void)worker;
    const Smoothing *s = context;
    for (int y = first; y < last; y++)
        memcpy(s->map.labels + y * s->map.stride, s->filter.labels + (ptrdiff_t)y * s->map.width,
               (size_t)s->map.width);
}

/* Copies the labels of the filter to the label map, whose border is wider, and learns from them. */
static CofStatus learn(Smoothing *s, bool again)
{
    CofiMark mark = cofi_call_mark(s->call);
    if (again)
        cofi_stats_clear(s->stats);
    CofStatus status = cofi_call_rows(s->call, s->map.height, 0, copy_labels, s);
    if (status == COF_OK)
        status = cofi_learn_count(s->call, s->stats, &s->in, &s->map, &s->roi);
    cofi_call_stage(s->call, COF_STAGE_MODEL);
    CofModel *model = NULL;
    if (status == COF_OK)
        status = cofi_model_from_counts(&model, s->call, s->stats);
    cofi_call_release(s->call, mark);
    if (status == COF_OK) {
        cof_model_free(&s->model);
        s->model = model;
    }
    return status;
}

/* R-CoF: labels, learns and filters in each pass. */
static CofStatus roll(Smoothing *s)
{
    int passes = s->call->options.iterations;
    for (int pass = 0; pass < passes; pass++) {
        double change;
        CofStatus status = cofi_filter_relabel(&s->filter, &s->stats->palette);
        if (status == COF_OK)
            status = learn(s, pass > 0);
        if (status == COF_OK)
            status = cofi_filter_pass(&s->filter, s->model, passes - 1 - pass, &change);
        if (status != COF_OK)
            return status;
        cofi_report_pass(s->call, change);
        if (cofi_converged(s->call, change))
            break;
    }
    return COF_OK;
}

static CofStatus check_whole(Smoothing *s)
{
    CofRect full = cofi_full_rect(&s->in);
    if (!cofi_rect_holds(cofi_view_rect(&s->in), full) ||
        !cofi_rect_holds(cofi_view_rect(&s->out), full))
        return cofi_call_fail(s->call, COF_ERR_ARGUMENT, "the view is not a whole image");
    if (s->out.full_width != full.width || s->out.full_height != full.height)
        return cofi_mismatch(s->call, "input and output differ in full size");
    return COF_OK;
}

static CofStatus prepare_smoothing(Smoothing *s, const CofWhere *roi)
{
    CofiCall *call = s->call;
    CofRect full = cofi_full_rect(&s->in);
    CofStatus status = cofi_learn_scan(call, s->stats, &s->in, roi, true);
    if (status == COF_OK)
        status = cofi_stats_fit_palette(s->stats, call);
    if (status == COF_OK)
        status = cofi_check_roi(call, roi, &s->in, full, &s->roi);
    if (status == COF_OK)
        status = cofi_label_map_take(&s->map, call, s->in.width, s->in.height,
                                     cofi_learning_radius(s->stats));
    if (status == COF_OK)
        status = cofi_label_map_members(&s->map, call, &s->in, &s->roi, 0);
    if (status != COF_OK)
        return status;
    const CofOptions *o = &call->options;
    CofiFilterJob job =
        cofi_filter_job(o, o->window, cofi_learning_sigma(o, o->window), &s->in, &s->out, full);
    return cofi_filter_open(&s->filter, call, &job);
}

static CofStatus smooth(Smoothing *s, const CofWhere *roi)
{
    CofStatus status = prepare_smoothing(s, roi);
    if (status != COF_OK)
        return status;
    if (s->call->options.repeat == COF_REPEAT_ROLLING) {
        status = roll(s);
    } else {
        status = cofi_filter_label(&s->filter, &s->stats->palette);
        if (status == COF_OK)
            status = learn(s, false);
        if (status == COF_OK)
            status = cofi_filter_passes(s->call, &s->filter, s->model);
    }
    if (status == COF_OK)
        cofi_filter_store(&s->filter);
    return status;
}

/* Learns from the downscaled image. */
static CofStatus smooth_two_scale(Smoothing *s, const CofWhere *roi)
{
    CofiCall *call = s->call;
    CofiTrainingImage training;
    if (call->options.repeat == COF_REPEAT_ROLLING)
        return cofi_check_coarse(call, "coarse learns once: not with rolling");
    CofStatus status = cofi_downscale_training(call, &s->in, roi, &training);
    if (status == COF_OK)
        status = cofi_learn_scan(call, s->stats, &training.image, &training.roi, true);
    if (status == COF_OK)
        status = cofi_stats_fit_palette(s->stats, call);
    if (status == COF_OK)
        status = cofi_learn_add(call, s->stats, &training.image, &training.roi);
    cofi_call_stage(call, COF_STAGE_MODEL);
    if (status == COF_OK)
        status = cofi_model_from_counts(&s->model, call, s->stats);
    CofiFilterImages images = {.model = s->model, .in = &s->in, .out = &s->out};
    return status == COF_OK ? cofi_filter_two_scale(call, &images, &training.image) : status;
}

/* Units of progress of one scan, and one count or one for each pass. */
static double learning_units(const CofOptions *options)
{
    bool rolling = options->repeat == COF_REPEAT_ROLLING;
    double fewer = (double)options->coarse * options->coarse;
    return (1 + COFI_COUNT_UNITS * (rolling ? options->iterations : 1)) / fewer;
}

CofStatus cof_smooth_where(const CofImage *in, const CofImage *out, const CofWhere *roi,
                           const CofOptions *options)
{
    CofiCall call;
    CofStatus status = cofi_call_begin(&call, options);
    if (status != COF_OK)
        return status;
    Smoothing s = {.call = &call};
    cofi_call_expect(&call, cofi_filter_units(&call.options) + learning_units(&call.options));
    status = cofi_check_pair(&call, in, out, &s.in, &s.out);
    if (status == COF_OK)
        status = cof_stats_new(&s.stats, &call.options);
    if (status == COF_OK)
        status = check_whole(&s);
    CofWhere everywhere = roi ? *roi : (CofWhere){0};
    everywhere.part = (CofRect){0};
    if (status == COF_OK)
        status =
            call.options.coarse > 1 ? smooth_two_scale(&s, &everywhere) : smooth(&s, &everywhere);
    cof_stats_free(&s.stats);
    cof_model_free(&s.model);
    return cofi_call_end(&call, status);
}

CofStatus cof_smooth(const CofImage *in, const CofImage *out, const CofOptions *options)
{
    return cof_smooth_where(in, out, NULL, options);
}
