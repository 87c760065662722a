/* SPDX-License-Identifier: BSD-2-Clause */
/* Learning and filtering in one go, with one model (I-CoF) or a new one in each pass (R-CoF). */
#include "filter/smooth.h"

#include "filter/device_filter.h"
#include "filter/filter_labels.h"
#include "filter/filter_pass.h"
#include "filter/filter_store.h"
#include "filter/passes.h"
#include "filter/residual.h"
#include "filter/tiles.h"
#include "filter/scales.h"
#include "image/image.h"
#include "learn/count.h"
#include "learn/early_features.h"
#include "learn/learn.h"
#include "learn/model.h"
#include "options/options.h"

/* State of cofi_smooth(). */
typedef struct Smoothing {
    CofiCall *call;
    CofImage in, out;
    CofiRoi roi;
    CofStats *stats;
    CofModel *models[COF_MAX_PALETTES]; /* of members that are filtered together; else the first one
                                           is that of the member in work, or of all */
    CofModel **model;                   /* of the member in work */
    CofiLabelMap map;
    CofiFilter filter;
    CofiEarlyFeatures early;
    bool has_early;
    CofStats *member; /* of `stats` */
    int index;        /* of the member in work */
    CofiRefinement refinement;
} Smoothing;

/* Learns from the labels of the filter, whose rows are padded differently. */
static CofStatus learn(Smoothing *s)
{
    CofiMark mark = cofi_call_mark(s->call);
    cofi_call_stage(s->call, COF_STAGE_COUNT);
    s->member->brief = true;
    s->map.on_device = s->filter.device;
    s->map.unpadded = s->filter.device ? NULL : s->filter.labels;
    CofStatus status = cofi_learn_count(s->call, s->member, &s->in, &s->map, &s->roi);
    cofi_call_stage(s->call, COF_STAGE_MODEL);
    CofModel *model = NULL;
    if (status == COF_OK)
        status = cofi_model_from_one(&model, s->call, s->member);
    cofi_stats_clear(s->member);
    cofi_call_release(s->call, mark);
    if (status == COF_OK) {
        cofi_model_free(s->model);
        *s->model = model;
        cofi_refine_member(&s->refinement, s->index, &s->member->palette, model);
    }
    return status;
}

/* R-CoF: each pass labels, learns and filters. */
static CofStatus smooth_rolling(Smoothing *s)
{
    int passes = s->call->options.iterations;
    for (int pass = 0; pass < passes; pass++) {
        double change;
        CofStatus status = COF_OK;
        if (pass > 0)
            status = cofi_filter_relabel(&s->filter, &s->member->palette);
        if (status == COF_OK)
            status = learn(s);
        if (status == COF_OK)
            status = cofi_filter_pass(&s->filter, (const CofModel *const *)s->models,
                                      cofi_passes_left(&s->filter.job, pass + 1), &change);
        if (status != COF_OK)
            return status;
        cofi_report_pass(&s->filter, change);
        if (cofi_converged(s->call, change))
            break;
    }
    return cofi_filter_residuals(&s->filter, *s->model);
}

/* What is filtered, whose palettes may still be unknown, but not their largest sizes. */
static CofiFilterJob job_of(Smoothing *s)
{
    const CofOptions *o = &s->call->options;
    CofiFilterJob job = cofi_filter_job(o, o->window, cofi_learning_sigma(o, o->window), &s->in,
                                        &s->out, cofi_full_rect(&s->in));
    job.members = o->palettes;
    job.refinement = s->refinement.radius > 0 ? &s->refinement : NULL;
    for (int i = 0; i < job.members; i++) {
        const CofStats *member = i <= s->stats->n_others ? cofi_stats_member(s->stats, i) : NULL;
        int k = member && member->palette.k > 0 ? member->palette.k : COF_MAX_COLOURS;
        job.labels = k > job.labels ? k : job.labels;
    }
    return job;
}

static CofStatus open_filter(Smoothing *s)
{
    CofiFilterJob job = job_of(s);
    job.early = s->has_early ? &s->early : NULL;
    return cofi_filter_open(&s->filter, s->call, &job);
}

/* Finds the palettes. Meanwhile the input is sent to the device that filters it, or idle threads
 * convert a part of it. */
static CofStatus fit_palettes(Smoothing *s)
{
    CofStatus status = COF_OK;
    if (s->call->device)
        status = open_filter(s);
    if (status == COF_OK && s->filter.device)
        status = cofi_device_filter_send(&s->filter);
    cofi_call_stage(s->call, COF_STAGE_PALETTE);
    int colours = s->stats->learning.colours;
    s->has_early = !s->call->device && cofi_early_features_pay(s->call, &s->in, colours);
    if (status == COF_OK && s->has_early)
        status = cofi_early_features_offer(&s->early, s->call, &s->in, colours);
    if (status == COF_OK)
        status = cofi_stats_fit_palette(s->stats, s->call);
    cofi_early_features_end(s->call);
    return status;
}

static CofStatus prepare_smoothing(Smoothing *s, const CofRoi *roi)
{
    CofiCall *call = s->call;
    CofRect full = cofi_full_rect(&s->in);
    CofStatus status = cofi_learn_scan(call, s->stats, &s->in, roi);
    if (status == COF_OK)
        status = fit_palettes(s);
    if (status == COF_OK)
        status = cofi_check_roi(call, roi, &s->in, full, &s->roi);
    if (status == COF_OK)
        status = cofi_label_map_take(&s->map, call, s->in.width, s->in.height,
                                     cofi_learning_radius(s->stats));
    if (status == COF_OK)
        status = cofi_label_map_members(&s->map, call, &s->in, &s->roi, 0);
    return status == COF_OK && !s->call->device ? open_filter(s) : status;
}

static CofStatus run_passes(Smoothing *s)
{
    return cofi_filter_passes(s->call, &s->filter, (const CofModel *const *)s->models);
}

/* Learns with one palette, and filters with it, or with all if they are filtered together and it is
 * the last. */
static CofStatus smooth_member(Smoothing *s, int member)
{
    s->index = member;
    s->member = cofi_stats_member(s->stats, member);
    cofi_filter_restart(&s->filter, member);
    bool together = s->filter.together;
    s->model = &s->models[together ? member : 0];
    if (s->call->options.update == COF_UPDATE_MODEL && !together)
        return smooth_rolling(s);
    CofStatus status = learn(s);
    bool filters = !together || member == s->stats->n_others;
    return status == COF_OK && filters ? run_passes(s) : status;
}

static CofStatus run(Smoothing *s, const CofRoi *roi)
{
    CofStatus status = prepare_smoothing(s, roi);
    const CofiPalette *palettes[COF_MAX_PALETTES] = {NULL};
    for (int i = 0; i <= s->stats->n_others; i++)
        palettes[i] = &cofi_stats_member(s->stats, i)->palette;
    if (status == COF_OK)
        status = cofi_filter_label(&s->filter, palettes);
    for (int i = 0; i <= s->stats->n_others && status == COF_OK; i++) {
        status = smooth_member(s, i);
        if (status == COF_OK)
            status = cofi_filter_add_to_mean(&s->filter);
    }
    if (status == COF_OK)
        status = cofi_filter_store(&s->filter);
    cofi_device_filter_close(&s->filter);
    return status;
}

/* Learns from the image and filters it as it is. */
static CofStatus smooth(Smoothing *s, const CofRoi *roi)
{
    CofiCall *call = s->call;
    CofOptions options = call->options;
    CofImage out = s->out;
    if (options.refine == 0)
        return run(s, roi);
    s->refinement.out = &out;
    CofStatus status = cofi_take_result(call, &s->in, cofi_full_rect(&s->in), &s->out);
    cofi_options_only_smooth(&call->options);
    call->options.fidelity = options.fidelity;
    if (status == COF_OK)
        status = run(s, roi);
    call->options = options;
    return status == COF_OK && !s->refinement.done
               ? cofi_refine(call, &s->refinement, &s->in, NULL, &out)
               : status;
}

/* Counts of several members outlive the calls that count them. `labelled` may have no labels. */
static CofStatus learn_downscaled(Smoothing *s, const CofiTrainingImage *training,
                                  CofPart *labelled)
{
    CofiMark mark = cofi_call_mark(s->call);
    s->stats->brief = s->stats->n_others == 0;
    CofStatus status = labelled->n > 0
                           ? cofi_learn_add_part(s->call, s->stats, labelled, &training->roi)
                           : cofi_learn_add(s->call, s->stats, &training->image, &training->roi);
    cofi_call_stage(s->call, COF_STAGE_MODEL);
    if (status == COF_OK)
        status = cofi_model_from_counts(&s->models[0], s->call, s->stats);
    cofi_stats_clear(s->stats);
    cofi_call_release(s->call, mark);
    return status;
}

/* Learns from the image as it is or downscaled, then filters it. */
static CofStatus smooth_in_steps(Smoothing *s, const CofRoi *roi)
{
    CofiCall *call = s->call;
    int learned = call->options.downscale,
        filtered = cofi_filter_downscale(&call->options, learned);
    double unit_scale = call->unit_scale;
    CofiTrainingImage training;
    if (call->options.update == COF_UPDATE_MODEL)
        return cofi_call_fail_option(call, learned > 1 ? "downscale" : "filter_downscale",
                                     "the model cannot be updated with a downscaled image");
    CofStatus status = cofi_training_image(call, learned, &s->in, roi, &training);
    if (status == COF_OK)
        status = cofi_learn_scan(call, s->stats, &training.image, &training.roi);
    if (status == COF_OK)
        status = cofi_stats_fit_palette(s->stats, call);
    /* Labels that are learned from are also those of the filter, and devices have their own. */
    CofPart small = {.image = training.image};
    if (status == COF_OK && filtered == learned && !call->device)
        status = cofi_part_take(&small, call, &training.image, s->stats);
    if (status == COF_OK)
        status = learn_downscaled(s, &training, &small);
    call->unit_scale = unit_scale;
    CofiFilterImages images = {.model = s->models[0], .in = &s->in, .out = &s->out};
    if (status != COF_OK)
        return status;
    return cofi_filter_refined(call, &images, cofi_full_rect(&s->in),
                               filtered > 1 && filtered == learned ? &small : NULL);
}

/* Is the memory of the device only sufficient for tiles, which one model filters? They are labelled
 * once more than the image as a whole. */
static bool needs_tiles(Smoothing *s)
{
    CofiFilterJob job = job_of(s);
    bool needs = s->call->options.update != COF_UPDATE_MODEL &&
                 cofi_filter_tile_rows(s->call, &job) < job.part.height;
    if (needs)
        cofi_call_expect(s->call, s->call->options.palettes);
    return needs;
}

/* Units of progress of learning: a scan, and one count or one in each pass. With a downscaled image
 * also labels; the filter downscales the image if both use the same factor. */
static double learning_units(const CofOptions *options)
{
    int learned = options->downscale, filtered = cofi_filter_downscale(options, learned);
    bool repeated = options->update == COF_UPDATE_MODEL;
    int members = options->palettes;
    if (learned == 1 && filtered == 1)
        return 1 + members * COFI_COUNT_UNITS * (repeated ? options->iterations : 1);
    double units = (1 + members * (1 + COFI_COUNT_UNITS)) / ((double)learned * learned);
    return units + (learned > 1 && learned != filtered);
}

double cofi_smooth_units(const CofOptions *options)
{
    return cofi_filter_units(options, options->palettes, options->downscale, false) +
           learning_units(options);
}

CofStatus cofi_smooth(CofiCall *call, const CofImage *in, const CofImage *out, const CofRoi *roi)
{
    Smoothing s = {.call = call, .in = *in, .out = *out};
    int learned = call->options.downscale,
        filtered = cofi_filter_downscale(&call->options, learned);
    CofiLearning learning = cofi_learning(&call->options);
    s.refinement = (CofiRefinement){.in = &s.in,
                                    .filtered = &s.out,
                                    .n = 1,
                                    .radius = call->options.refine,
                                    .detail = cofi_detail(&call->options)};
    CofRoi whole = roi ? *roi : (CofRoi){0};
    whole.part = (CofRect){0};
    CofiMark mark = cofi_call_mark(call);
    CofStatus status = COF_ERR_MEMORY;
    if ((s.stats = cofi_stats_new(&learning))) {
        bool in_steps = learned > 1 || filtered > 1 || needs_tiles(&s);
        status = in_steps ? smooth_in_steps(&s, &whole) : smooth(&s, &whole);
    }
    cofi_stats_free(&s.stats);
    for (int i = 0; i < COF_MAX_PALETTES; i++)
        cofi_model_free(&s.models[i]);
    cofi_call_release(call, mark);
    return status;
}
