/* SPDX-License-Identifier: BSD-2-Clause */
/* All passes of the filter over an image. */
#include "filter/passes.h"

#include <assert.h>

#include "filter/device_filter.h"
#include "filter/device_passes.h"
#include "filter/filter_labels.h"
#include "filter/filter_pass.h"
#include "filter/filter_store.h"
#include "filter/matte.h"
#include "filter/residual.h"
#include "options/options.h"

CofiFilterJob cofi_filter_job(const CofOptions *options, int model_window, double model_sigma,
                              const CofImage *in, const CofImage *out, CofRect part)
{
    return (CofiFilterJob){.members = 1,
                           .in = in,
                           .out = out,
                           .part = part,
                           .window = cofi_filter_window(options, model_window),
                           .iterations = options->iterations,
                           .fidelity = options->fidelity,
                           .detail = cofi_detail(options),
                           .sigma = cofi_filter_sigma(options, model_window, model_sigma),
                           .border = options->border,
                           .space = options->space,
                           .method = options->method,
                           .accuracy = options->accuracy};
}

void cofi_report_pass(const CofiFilter *filter, double change)
{
    CofReport *report = filter->call->options.report;
    if (!report)
        return;
    assert(filter->passes >= 1);
    int pass = filter->passes_before + filter->passes - 1;
    bool first = pass >= report->passes;
    if (first)
        report->passes = pass + 1;
    if (pass < (int)(sizeof report->change / sizeof report->change[0]))
        report->change[pass] = (first ? 0 : report->change[pass]) + change / filter->job.members;
}

bool cofi_converged(const CofiCall *call, double change)
{
    return change < call->options.tolerance;
}

int cofi_filter_margin(const CofModel *model, const CofOptions *options)
{
    int window = cofi_filter_window(options, model->recipe.window);
    double sigma = cofi_filter_sigma(options, model->recipe.window, model->recipe.sigma);
    return cofi_filter_job_passes(options->iterations, options->fidelity) *
               cofi_filter_reach(options->method, options->accuracy, window, sigma) +
           options->refine;
}

double cofi_passes_units(const CofOptions *options, int members, int passes)
{
    assert(members >= 1 && passes >= 0);
    bool again = options->update != COF_UPDATE_NONE && passes > 0;
    int labels = again ? passes : 1, store = 1;
    int all = cofi_filter_job_passes(passes, options->fidelity);
    return members * (labels + COFI_PASS_UNITS * all) + store;
}

int cofi_passes_left(const CofiFilterJob *job, int done)
{
    return cofi_filter_job_passes(job->iterations, job->fidelity) - done;
}

CofStatus cofi_filter_passes(CofiCall *call, CofiFilter *filter, const CofModel *const *models)
{
    for (int pass = 0; pass < filter->job.iterations; pass++) {
        double change;
        CofStatus status = COF_OK;
        if (pass > 0 && call->options.update == COF_UPDATE_LABELS)
            status = cofi_filter_relabel(filter, &models[0]->palette);
        if (status == COF_OK)
            status =
                cofi_filter_pass(filter, models, cofi_passes_left(&filter->job, pass + 1), &change);
        if (status != COF_OK)
            return status;
        cofi_report_pass(filter, change);
        if (cofi_converged(call, change))
            break;
    }
    return cofi_filter_residuals(filter, models[0]);
}

/* Labels of the pixels, of all members. */
static CofStatus label(CofiFilter *filter, const CofiFilterImages *images)
{
    const CofiPalette *palettes[COF_MAX_PALETTES] = {NULL};
    if (images->labels)
        return cofi_filter_label_given(filter, images->model->palette.k);
    if (images->part)
        return cofi_filter_label_known(filter);
    for (int i = 0; i < filter->job.members; i++)
        palettes[i] = &cofi_model_member(images->model, i)->palette;
    return cofi_filter_label(filter, palettes);
}

CofiFilterJob cofi_filter_images_job(const CofiCall *call, const CofiFilterImages *images,
                                     CofRect part)
{
    const CofiRecipe *recipe = &images->model->recipe;
    CofiFilterJob job = cofi_filter_job(&call->options, recipe->window, recipe->sigma, images->in,
                                        images->out, part);
    job.guide = images->labels ? images->labels : images->guide;
    job.known = images->part;
    job.refinement = images->refinement;
    job.members = 1 + images->model->n_others;
    for (int i = 0; i < job.members; i++) {
        int k = cofi_model_member(images->model, i)->palette.k;
        job.labels = k > job.labels ? k : job.labels;
    }
    job.host_only = images->foreground;
    if (images->foreground)
        job.sigma = cofi_box_sigma(&call->options);
    return job;
}

static void add_rows(void *context, int first, int last, int worker)
{
    (void)worker;
    CofiFilter *f = context;
    CofRect part = cofi_filter_in_view(f, f->job.part);
    for (int y = first; y < last; y++) {
        ptrdiff_t at = (ptrdiff_t)(part.y + y) * f->view.width + part.x;
        float *values[COF_MAX_BANDS];
        for (int band = 0; band < f->bands; band++)
            values[band] = f->sets[f->latest][band] + at;
        cofi_palette_mean_row(&f->mean, 0, y, part.width, values, f->changed + at);
    }
}

CofStatus cofi_filter_add_to_mean(CofiFilter *filter)
{
    if (filter->job.members == 1)
        return COF_OK;
    if (filter->device)
        return cofi_device_filter_add_to_mean(filter);
    if (filter->direct)
        return COF_OK;
    return cofi_call_rows(filter->call, filter->job.part.height, 0, add_rows, filter);
}

/* Filters with one member after the other, or with all together once all are prepared. */
static CofStatus filter_members(CofiCall *call, const CofiFilterImages *images, CofiFilter *filter)
{
    const CofModel *models[COF_MAX_PALETTES] = {NULL};
    int members = filter->job.members;
    CofStatus status = COF_OK;
    for (int i = 0; i < members && status == COF_OK; i++) {
        models[i] = cofi_model_member(images->model, i);
        cofi_filter_restart(filter, i);
        if (images->foreground)
            status = cofi_filter_matte(filter, images->foreground, images->model, images->prior,
                                       call->options.likelihood);
        bool filters = !images->only_matte && (!filter->together || i == members - 1);
        if (status == COF_OK && filters)
            status = cofi_filter_passes(call, filter, filter->together ? models : &models[i]);
        if (status == COF_OK && filters)
            status = cofi_filter_add_to_mean(filter);
    }
    return status;
}

CofStatus cofi_filter_tile(CofiCall *call, const CofiFilterImages *images, CofRect part,
                           double *pixels)
{
    CofiFilterJob job = cofi_filter_images_job(call, images, part);
    assert(job.members == 1 || !(images->foreground || images->labels));
    CofiFilter filter;
    CofStatus status = cofi_filter_open(&filter, call, &job);
    if (status == COF_OK)
        status = label(&filter, images);
    if (status == COF_OK)
        status = filter_members(call, images, &filter);
    if (status == COF_OK && images->only_matte)
        cofi_filter_store_matte(&filter);
    else if (status == COF_OK)
        status = cofi_filter_store(&filter);
    *pixels = filter.device ? filter.device_pixels : (double)part.width * part.height;
    cofi_device_filter_close(&filter);
    return status;
}
