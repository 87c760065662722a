/* SPDX-License-Identifier: BSD-2-Clause */
/* The passes of the filter on a device, what lies between them, and the result. */
#include "filter/device_passes.h"

#include <assert.h>

#include "call/device_call.h"
#include "filter/pass_change.h"
#include "image/device_image.h"
#include "image/image.h"
#include "learn/device_labels.h"

/* Taps after which a call asks whether it is cancelled: about a tenth of a second of a CPU, and of
 * a small GPU. */
#define STEP_TAPS_CPU 2e8
#define STEP_TAPS_GPU 4e9

/* The rows of a pass, some at a time. */
typedef struct Strips {
    CofiFilter *filter;
    int rows, strip;
} Strips;

static CofStatus filter_strip(void *context, int index)
{
    const Strips *s = context;
    int first = index * s->strip;
    int last = s->rows - first < s->strip ? s->rows : first + s->strip;
    return s->filter->call->module->pass_rows(s->filter->device, first, last);
}

/* All rows at once, unless progress is reported. */
static int strip_rows(const CofiFilter *f, CofRect rect)
{
    int unit = f->call->module->strip_rows;
    bool is_gpu = f->call->module->opened(f->call->device)->type == COF_DEVICE_TYPE_GPU;
    double taps = (double)f->job.window * f->job.window * rect.width * unit;
    double most = is_gpu ? STEP_TAPS_GPU : STEP_TAPS_CPU;
    int units = taps >= most ? 1 : (int)(most / taps);
    int64_t rows = (int64_t)units * unit;
    return !f->call->options.progress || rows > rect.height ? rect.height : (int)rows;
}

static CofiDevicePass pass_of(const CofiFilter *f, int k, CofRect rect)
{
    CofiDevicePass pass = {.matrix = f->members[0].weights.matrix,
                           .k = k,
                           .stride = cofi_matrix_stride(k),
                           .gauss = f->members[0].weights.gauss,
                           .radius = f->radius,
                           .border = f->job.border,
                           .rect = cofi_filter_in_view(f, rect),
                           .measured = cofi_pass_is_measured(f),
                           .part = cofi_filter_in_view(f, f->job.part),
                           .awaited = f->call->options.report != NULL};
    for (int band = 0; band < f->bands; band++)
        pass.units[band] = (float)cofi_pass_unit(f, band);
    return pass;
}

/* `taps` receives those of the grid, multiplied by its scale. */
static CofiDeviceFast fast_of(const CofiFilter *f, float taps[COFI_MAX_GRID_RADIUS + 1])
{
    const CofiGrid *grid = &f->plan.grid;
    const CofiLowRank *low_rank = f->members[0].low_rank;
    if (!low_rank)
        return (CofiDeviceFast){0};
    for (int i = 0; i <= grid->radius; i++)
        taps[i] = grid->taps[i] * grid->scale;
    return (CofiDeviceFast){.step = grid->step,
                            .radius = grid->radius,
                            .taps = taps,
                            .terms = low_rank->ranks,
                            .each = low_rank->each,
                            .in = low_rank->in[0],
                            .out = low_rank->out[0],
                            .trust = low_rank->trust_threshold};
}

/* Counts the pixels of the part that have data, once. */
static CofStatus count_pixels(CofiFilter *f)
{
    CofRect part = cofi_filter_in_view(f, f->job.part);
    if (f->device_pixels > 0)
        return COF_OK;
    if (f->has_alphas)
        return cofi_call_check_begun(
            f->call, f->call->module->count_valid(f->device, part, &f->device_pixels));
    f->device_pixels = (double)part.width * part.height;
    return COF_OK;
}

/* Makes working values of the samples again for another palette, and residuals of them. */
static CofStatus prepare(CofiFilter *f)
{
    CofStatus status = f->is_stale ? f->call->module->load(f->device) : COF_OK;
    f->is_stale = false;
    return status == COF_OK && f->residual ? f->call->module->subtract(f->device) : status;
}

CofStatus cofi_device_filter_pass(CofiFilter *f, const CofModel *model, CofRect rect, bool is_fast,
                                  double *change)
{
    assert(f->device && f->bands <= 3);
    const CofiDeviceModule *module = f->call->module;
    cofi_weights_fill(&f->members[0].weights, model->matrix, model->palette.k);
    CofiDevicePass pass = pass_of(f, model->palette.k, rect);
    float taps[COFI_MAX_GRID_RADIUS + 1];
    CofiDeviceFast fast = fast_of(f, taps);
    if (is_fast)
        pass.fast = &fast;
    Strips strips = {f, rect.height, strip_rows(f, rect)};
    int steps = (rect.height - 1) / strips.strip + 1;
    CofStatus status = prepare(f);
    if (status == COF_OK)
        status = module->pass_start(f->device, &pass);
    if (status == COF_OK)
        status = cofi_call_steps(f->call, steps, COFI_PASS_UNITS, filter_strip, &strips);
    if (status == COF_OK)
        status = module->pass_end(f->device, change);
    if (status == COF_OK && f->correcting)
        status = module->add_kept(f->device);
    if (status != COF_OK)
        return cofi_call_check_begun(f->call, status);
    f->residual = f->correcting = false;
    cofi_call_ran_on_device(f->call, COF_STAGE_FILTER);
    if (pass.measured)
        status = count_pixels(f);
    *change = f->device_pixels > 0 ? *change / (f->device_pixels * f->bands) : 0;
    f->passes++;
    return status;
}

CofStatus cofi_device_filter_keep(CofiFilter *f)
{
    return cofi_call_check_begun(f->call, f->call->module->keep(f->device));
}

CofStatus cofi_device_filter_add_to_mean(CofiFilter *f)
{
    return cofi_call_check_begun(f->call, f->call->module->add_to_mean(f->device));
}

/* The labels of a palette, which passes may have updated, are those of the input again. */
static CofStatus restore_labels(const CofiFilter *f, int member, const CofiPalette *palette)
{
    if (f->call->options.update == COF_UPDATE_NONE)
        return COF_OK;
    return cofi_device_can_label(f->call, palette, f->job.in->sample)
               ? cofi_device_label(f->call, f->device, &f->colour, palette)
               : f->call->module->write_labels(f->device, f->member_labels[member]);
}

/* Marks pixels whose labels have weights. */
static CofStatus mark_weights(const CofiFilter *f, const CofiRefinement *r)
{
    CofStatus status = COF_OK;
    for (int i = 0; i < r->members && status == COF_OK; i++) {
        uint8_t weighs[COF_MAX_COLOURS];
        for (int label = 0; label < COF_MAX_COLOURS; label++)
            weighs[label] = r->weighs[i][label];
        f->call->module->choose(f->device, i);
        status = restore_labels(f, i, r->palettes[i]);
        if (status == COF_OK)
            status = f->call->module->mark(f->device, weighs, i == 0);
    }
    return status;
}

static CofStatus refine(void *context, int index)
{
    (void)index;
    const CofiFilter *f = context;
    const CofiRefinement *r = f->job.refinement;
    if (r->detail == 1)
        return COF_OK;
    CofiDeviceRefine request = {.rect = cofi_filter_in_view(f, cofi_view_rect(r->out)),
                                .radius = r->radius,
                                .some_stay = cofi_refine_some_stay(r),
                                .detail = r->detail};
    for (int band = 0; band < f->bands; band++) {
        CofiScale scale = cofi_refine_scale(r, f->job.space, band);
        request.middle[band] = scale.middle;
        request.range[band] = scale.range;
    }
    CofStatus status = request.some_stay ? mark_weights(f, r) : COF_OK;
    return status == COF_OK ? f->call->module->refine(f->device, &request) : status;
}

CofStatus cofi_device_filter_store(CofiFilter *f)
{
    CofiRefinement *refinement = f->job.refinement;
    const CofImage *out = refinement ? refinement->out : f->job.out;
    CofRect to = refinement ? cofi_view_rect(out) : f->job.part, part = cofi_filter_in_view(f, to);
    to.x -= out->x;
    to.y -= out->y;
    CofStatus status = COF_OK;
    if (refinement)
        status = cofi_call_steps(f->call, 1, 1, refine, f);
    else if (f->job.detail != 1)
        status = f->call->module->store(f->device, f->job.detail);
    status = cofi_call_check_begun(f->call, status);
    if (status == COF_OK)
        status =
            cofi_device_image_fetch(f->call, f->device, f->view.width, part.x, part.y, out, to, 1);
    if (status == COF_OK)
        cofi_call_ran_on_device(f->call, COF_STAGE_STORE);
    if (refinement)
        refinement->done = status == COF_OK;
    return status;
}
