/* SPDX-License-Identifier: BSD-2-Clause */
/* Public functions of filtering. The rectangle of the output is the part that is computed. */
#include "cof/cof.h"

#include "api/checks.h"
#include "base/status.h"
#include "call/resident.h"
#include "filter/filter.h"
#include "filter/filter_pass.h"
#include "filter/passes.h"
#include "filter/scales.h"
#include "image/image.h"
#include "learn/device_labels.h"
#include "options/options.h"

/* What cof_filter() and its relatives were given, and the same images complete. */
typedef struct FilterRequest {
    const CofModel *model, *foreground;
    bool needs_foreground, only_matte;
    const CofImage *prior, *guide, *labels, *in, *out;
    const CofPart *part; /* whose image is `in` */
    bool needs_labels, needs_part;
    CofImage prior_view, guide_view, labels_view, in_view, out_view;
} FilterRequest;

static bool is_downscaled(const CofiCall *call, const CofModel *model)
{
    return cofi_filter_downscale(&call->options, model->recipe.downscale) > 1;
}

static bool same_size_and_place(const CofImage *view, const CofImage *like)
{
    return view->width == like->width && view->height == like->height &&
           cofi_same_place(view, like);
}

static CofStatus check_guide(CofiCall *call, FilterRequest *request)
{
    CofStatus status = COF_OK;
    if (request->labels)
        return cofi_check_bytes(call, request->labels, "labels", &request->in_view,
                                &request->labels_view);
    if (request->guide) {
        status = cofi_check_image(call, request->guide, "guide", &request->guide_view);
        if (status != COF_OK)
            return status;
        if (!same_size_and_place(&request->guide_view, &request->in_view))
            return cofi_mismatch(call, "guide", "guide and input differ in size or place");
    }
    const CofImage *source = request->guide ? &request->guide_view : &request->in_view;
    if (!cofi_palette_fits(&request->model->palette, source))
        return cofi_mismatch(call, request->guide ? "guide" : "in",
                             "the image is not of the kind the model is for");
    return COF_OK;
}

static CofStatus check_part(CofiCall *call, const FilterRequest *request, CofRect part)
{
    CofRect full = cofi_full_rect(&request->in_view), out_full = cofi_full_rect(&request->out_view);
    CofRect needed = cofi_rect_grow(part, cofi_filter_margin(request->model, &call->options), full);
    if (out_full.width != full.width || out_full.height != full.height)
        return cofi_mismatch(call, "out", "input and output differ in full size");
    if (!cofi_rect_holds(cofi_view_rect(&request->in_view), needed))
        return cofi_mismatch(call, "in", "the input does not extend far enough beyond the output");
    bool whole = part.width == full.width && part.height == full.height;
    if (call->options.tolerance > 0 && !whole)
        return cofi_call_fail_option(call, "tolerance",
                                     "tolerance needs a whole image, not a part of one");
    if (is_downscaled(call, request->model) && !whole)
        return cofi_call_fail_option(
            call, "filter_downscale",
            "parts of an image cannot be downscaled: set filter_downscale to 1");
    return COF_OK;
}

static CofStatus check_matte(CofiCall *call, FilterRequest *request)
{
    CofStatus status = cofi_check_image(call, request->in, "image", &request->in_view);
    if (status == COF_OK)
        status = cofi_check_grey(call, request->out, "matte", &request->out_view);
    return status;
}

static CofStatus check_prior(CofiCall *call, FilterRequest *request)
{
    CofStatus status = cofi_check_grey(call, request->prior, "prior", &request->prior_view);
    if (status != COF_OK)
        return status;
    if (!same_size_and_place(&request->prior_view, &request->in_view))
        return cofi_mismatch(call, "prior", "prior and input differ in size or place");
    return COF_OK;
}

static CofStatus check_foreground(CofiCall *call, FilterRequest *request)
{
    CofStatus status = request->prior ? check_prior(call, request) : COF_OK;
    if (status != COF_OK || !request->foreground)
        return status;
    if (!cofi_palette_equal(&request->foreground->palette, &request->model->palette))
        return cofi_mismatch(call, "foreground",
                             "foreground and background have different palettes");
    if (call->options.update != COF_UPDATE_NONE)
        return cofi_call_fail_option(call, "update",
                                     "labels cannot be updated where there is a foreground");
    if (is_downscaled(call, request->model))
        return cofi_call_fail_option(
            call, "filter_downscale",
            "an image with a foreground cannot be downscaled: set filter_downscale to 1");
    return COF_OK;
}

static CofStatus check_update(CofiCall *call, const FilterRequest *request)
{
    CofUpdate update = call->options.update;
    if (update == COF_UPDATE_MODEL)
        return cofi_call_fail_option(call, "update", "only cof_smooth() can update the model");
    if (update == COF_UPDATE_LABELS && (request->guide || request->labels))
        return cofi_call_fail_option(call, "update",
                                     "given labels, or those of a guide, cannot be updated");
    if (request->labels && is_downscaled(call, request->model))
        return cofi_call_fail_option(call, "filter_downscale",
                                     "labels cannot be downscaled: set filter_downscale to 1");
    return COF_OK;
}

static CofStatus fail_palettes(CofiCall *call, const char *argument)
{
    return cofi_call_fail_argument(call, COF_ERR_ARGUMENT, argument,
                                   "a model with several palettes cannot be used here");
}

static CofStatus check_models(CofiCall *call, const FilterRequest *request)
{
    CofStatus status = cofi_check_pointer(call, request->model,
                                          request->needs_foreground ? "background" : "model");
    if (status == COF_OK && request->needs_foreground)
        status = cofi_check_pointer(call, request->foreground, "foreground");
    if (status == COF_OK && request->needs_labels)
        status = cofi_check_pointer(call, request->labels, "labels");
    if (status == COF_OK && request->needs_part)
        status = cofi_check_pointer(call, request->part, "part");
    if (status == COF_OK && request->needs_labels && request->model->n_others > 0)
        status = fail_palettes(call, "model");
    if (status == COF_OK && request->needs_foreground && request->model->n_others > 0)
        status = fail_palettes(call, "background");
    if (status == COF_OK && request->needs_foreground && request->foreground->n_others > 0)
        status = fail_palettes(call, "foreground");
    return status;
}

static CofStatus check_request(CofiCall *call, FilterRequest *request)
{
    CofStatus status = request->only_matte
                           ? check_matte(call, request)
                           : cofi_check_in_out(call, request->in, request->out, &request->in_view,
                                               &request->out_view);
    if (status == COF_OK)
        status = check_guide(call, request);
    if (status == COF_OK)
        status = check_update(call, request);
    if (status == COF_OK)
        status = check_foreground(call, request);
    return status == COF_OK ? check_part(call, request, cofi_view_rect(&request->out_view))
                            : status;
}

/* The part, if the model has the palettes that its labels are of. */
static const CofPart *labelled_part(const FilterRequest *request)
{
    const CofiPalette *palettes[COF_MAX_PALETTES] = {NULL};
    int n = 1 + request->model->n_others;
    for (int i = 0; i < n; i++)
        palettes[i] = &cofi_model_member(request->model, i)->palette;
    return request->part && cofi_part_has(request->part, palettes, n) ? request->part : NULL;
}

static CofStatus filter_checked(CofiCall *call, const FilterRequest *request)
{
    CofiFilterImages images = {.model = request->model,
                               .foreground = request->foreground,
                               .only_matte = request->only_matte,
                               .guide = request->guide ? &request->guide_view : NULL,
                               .labels = request->labels ? &request->labels_view : NULL,
                               .part = labelled_part(request),
                               .prior = request->prior ? &request->prior_view : NULL,
                               .in = &request->in_view,
                               .out = &request->out_view};
    return cofi_filter_refined(call, &images, cofi_view_rect(&request->out_view), NULL);
}

static double request_units(const CofiCall *call, const FilterRequest *request)
{
    bool matte = request->foreground && !request->only_matte;
    return cofi_filter_units(&call->options, 1 + request->model->n_others,
                             request->model->recipe.downscale, request->guide != NULL) +
           (matte ? COFI_PASS_UNITS : 0);
}

/* Can images be in buffers? */
static bool takes_buffers(const FilterRequest *request)
{
    return !request->needs_foreground && !request->needs_labels && !request->needs_part;
}

/* Whether the CPU looks at no pixel of the images, if the device can filter them. */
static bool stays_on_device(const CofiCall *call, const FilterRequest *request)
{
    const CofImage *in = request->in, *out = request->out;
    bool is_plain = in && !in->valid && in->kind != COF_KIND_BANDS;
    bool is_whole = in && out && in->width == out->width && in->height == out->height;
    return call->device && is_plain && is_whole && !request->guide &&
           !is_downscaled(call, request->model) &&
           cofi_device_can_label(call, &request->model->palette, in->sample);
}

static CofStatus filter_request(FilterRequest request, const CofOptions *options)
{
    CofiCall call;
    CofStatus status = cofi_call_begin(&call, options);
    if (status != COF_OK)
        return status;
    if (request.needs_foreground)
        call.options.method = COF_METHOD_EXACT;
    if (request.only_matte) {
        call.options.iterations = 1;
        call.options.tolerance = 0;
        cofi_options_only_smooth(&call.options);
    }
    CofImage host[2];
    status = check_models(&call, &request);
    if (status == COF_OK && takes_buffers(&request))
        status = cofi_resident_begin(&call, &request.in, &request.out, host,
                                     !stays_on_device(&call, &request));
    if (status == COF_OK) {
        cofi_call_expect(&call, request_units(&call, &request));
        status = check_request(&call, &request);
    }
    if (status == COF_OK)
        status = filter_checked(&call, &request);
    if (status == COF_OK)
        status = cofi_resident_end(&call);
    if (request.needs_part)
        cofi_call_rename_argument(&call, "in", "part");
    if (request.only_matte) {
        cofi_call_rename_argument(&call, "in", "image");
        cofi_call_rename_argument(&call, "out", "matte");
    }
    return cofi_call_end(&call, status);
}

CofStatus cof_filter(const CofModel *model, const CofImage *guide, const CofImage *in,
                     const CofImage *out, const CofOptions *options)
{
    FilterRequest request = {.model = model, .guide = guide, .in = in, .out = out};
    return filter_request(request, options);
}

CofStatus cof_filter_labels(const CofModel *model, const CofImage *labels, const CofImage *in,
                            const CofImage *out, const CofOptions *options)
{
    FilterRequest request = {
        .model = model, .labels = labels, .needs_labels = true, .in = in, .out = out};
    return filter_request(request, options);
}

CofStatus cof_filter_part(const CofModel *model, const CofPart *part, const CofImage *out,
                          const CofOptions *options)
{
    FilterRequest request = {.model = model,
                             .needs_part = true,
                             .part = part,
                             .in = part ? &part->image : NULL,
                             .out = out};
    return filter_request(request, options);
}

CofStatus cof_focus(const CofModel *foreground, const CofModel *background, const CofImage *prior,
                    const CofImage *guide, const CofImage *in, const CofImage *out,
                    const CofOptions *options)
{
    FilterRequest request = {.model = background,
                             .foreground = foreground,
                             .needs_foreground = true,
                             .prior = prior,
                             .guide = guide,
                             .in = in,
                             .out = out};
    return filter_request(request, options);
}

CofStatus cof_matte(const CofModel *foreground, const CofModel *background, const CofImage *prior,
                    const CofImage *image, const CofImage *matte, const CofOptions *options)
{
    FilterRequest request = {.model = background,
                             .foreground = foreground,
                             .needs_foreground = true,
                             .only_matte = true,
                             .prior = prior,
                             .in = image,
                             .out = matte};
    return filter_request(request, options);
}

/* A question, not work: it needs no context and leaves the report as it is. */
CofStatus cof_filter_margin(const CofModel *model, int *margin, const CofOptions *options)
{
    CofOptions complete;
    CofProblem problem = {0};
    CofStatus status = cofi_options_complete(options, &complete, &problem);
    if (status == COF_OK && (!model || !margin))
        status = cofi_argument_problem(&problem, COF_ERR_ARGUMENT, model ? "margin" : "model",
                                       "a required argument is NULL");
    if (status == COF_OK && cofi_filter_downscale(&complete, model->recipe.downscale) > 1)
        status = cofi_option_problem(
            &problem, "filter_downscale",
            "parts of an image cannot be downscaled: set filter_downscale to 1");
    if (complete.iterations == 0)
        complete.iterations = 1;
    if (status == COF_OK)
        *margin = cofi_filter_margin(model, &complete);
    if (complete.problem)
        *complete.problem = problem;
    return status;
}
