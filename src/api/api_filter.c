/* SPDX-License-Identifier: BSD-2-Clause */
/* Public functions that filter with a model. */
#include "cof/cof.h"

#include "api/checks.h"
#include "filter/passes.h"
#include "filter/two_scale.h"
#include "image/image.h"
#include "options/options.h"

/* What cof_filter() and its variants were given, and the same images complete. */
typedef struct FilterRequest {
    const CofModel *model, *foreground;
    bool only_matte;
    const CofImage *prior, *guide, *labels, *in, *out;
    bool by_labels;      /* labels must be given */
    const CofRect *part; /* NULL: the whole image */
    CofImage prior_view, guide_view, labels_view, in_view, out_view;
} FilterRequest;
static CofStatus complete_guide(CofiCall *call, FilterRequest *request)
{
    const char *problem = NULL;
    CofStatus status = COF_OK;
    if (request->labels) {
        status = cofi_bytes_complete(request->labels, &request->in_view, &request->labels_view,
                                     &problem);
        return status == COF_OK ? status : cofi_call_fail(call, status, problem);
    }
    if (request->guide) {
        status = cofi_check_image(call, request->guide, &request->guide_view);
        if (status != COF_OK)
            return status;
        if (request->guide_view.width != request->in_view.width ||
            request->guide_view.height != request->in_view.height)
            return cofi_mismatch(call, "guide and input differ in size");
        if (!cofi_same_place(&request->guide_view, &request->in_view))
            return cofi_mismatch(call, "guide and input lie in different places");
    }
    const CofImage *source = request->guide ? &request->guide_view : &request->in_view;
    if (!cofi_palette_fits(&request->model->palette, source))
        return cofi_mismatch(call, "the image is not of the kind that the model is for");
    return COF_OK;
}

static int margin_of(const CofModel *model, const CofOptions *options)
{
    int window = cofi_filter_window(options, model->recipe.window);
    double sigma = cofi_filter_sigma(options, model->recipe.window, model->recipe.sigma);
    return options->iterations *
           cofi_filter_reach(options->method, options->accuracy, window, sigma);
}

static CofStatus check_part(CofiCall *call, const FilterRequest *request, CofRect part)
{
    const CofOptions *o = &call->options;
    CofRect full = cofi_full_rect(&request->in_view);
    CofRect needed = cofi_rect_grow(part, margin_of(request->model, o), full);
    if (cofi_rect_empty(part) || !cofi_rect_holds(full, part))
        return cofi_call_fail(call, COF_ERR_ARGUMENT, "the part lies outside of the image");
    if (!cofi_rect_holds(cofi_view_rect(&request->in_view), needed))
        return cofi_call_fail(call, COF_ERR_ARGUMENT,
                              "the input does not reach far enough beyond the part");
    if (!cofi_rect_holds(cofi_view_rect(&request->out_view), part))
        return cofi_mismatch(call, "the output does not hold the part");
    CofRect out_full = cofi_full_rect(&request->out_view);
    if (out_full.width != full.width || out_full.height != full.height)
        return cofi_mismatch(call, "input and output differ in full size");
    if (o->until > 0 && (part.width != full.width || part.height != full.height))
        return cofi_call_fail(call, COF_ERR_OPTION, "until is not for parts of an image");
    return COF_OK;
}

static CofStatus check_matte(CofiCall *call, FilterRequest *request)
{
    CofStatus status = cofi_check_image(call, request->in, &request->in_view);
    if (status == COF_OK)
        status = cofi_check_image(call, request->out, &request->out_view);
    if (status == COF_OK && request->out_view.kind != COF_GREY)
        status = cofi_mismatch(call, "the matte must be grey");
    return status;
}

static CofStatus check_foreground(CofiCall *call, FilterRequest *request)
{
    if (request->prior) {
        CofStatus status = cofi_check_image(call, request->prior, &request->prior_view);
        if (status != COF_OK)
            return status;
        if (request->prior_view.kind != COF_GREY)
            return cofi_mismatch(call, "the prior must be grey");
        if (request->prior_view.width != request->in_view.width ||
            request->prior_view.height != request->in_view.height ||
            !cofi_same_place(&request->prior_view, &request->in_view))
            return cofi_mismatch(call, "prior and input differ in size or place");
    }
    if (request->foreground &&
        !cofi_palette_equal(&request->foreground->palette, &request->model->palette))
        return cofi_mismatch(call, "foreground and background have different palettes");
    if (request->foreground && call->options.repeat != COF_REPEAT_FROZEN)
        return cofi_call_fail(call, COF_ERR_OPTION, "a foreground needs labels that are frozen");
    return COF_OK;
}

static CofStatus check_repeat(CofiCall *call, const FilterRequest *request)
{
    CofRepeat repeat = call->options.repeat;
    if (repeat == COF_REPEAT_ROLLING)
        return cofi_call_fail(call, COF_ERR_OPTION, "rolling is for cof_smooth() only");
    if (repeat == COF_REPEAT_RELABEL && (request->guide || request->labels))
        return cofi_call_fail(call, COF_ERR_OPTION, "relabel does not go with a guide or labels");
    return COF_OK;
}

static CofStatus check_coarse(CofiCall *call, const FilterRequest *request, CofRect part)
{
    CofRect full = cofi_full_rect(&request->in_view);
    if (request->labels || request->foreground)
        return cofi_check_coarse(call, "coarse goes with neither labels nor a foreground");
    if (part.width != full.width || part.height != full.height)
        return cofi_check_coarse(call, "coarse is not for parts of an image");
    return COF_OK;
}

static CofStatus filter_checked(CofiCall *call, const FilterRequest *request, CofRect part)
{
    CofStatus status = check_coarse(call, request, part);
    if (status != COF_OK)
        return status;
    CofiFilterImages images = {.model = request->model,
                               .foreground = request->foreground,
                               .only_matte = request->only_matte,
                               .guide = request->guide ? &request->guide_view : NULL,
                               .labels = request->labels ? &request->labels_view : NULL,
                               .prior = request->prior ? &request->prior_view : NULL,
                               .in = &request->in_view,
                               .out = &request->out_view};
    return call->options.coarse == 1 ? cofi_filter_images(call, &images, part)
                                     : cofi_filter_two_scale(call, &images, NULL);
}

static CofStatus filter_request(FilterRequest request, const CofOptions *options)
{
    CofiCall call;
    CofStatus status =
        cofi_enter(&call, options, request.model && (request.labels || !request.by_labels),
                   "the model is NULL, or the labels are");
    if (status != COF_OK)
        return status;
    if (request.foreground)
        call.options.method = COF_METHOD_EXACT;
    if (request.only_matte)
        call.options.iterations = 1;
    cofi_call_expect(&call, cofi_filter_units(&call.options) +
                                (request.foreground && !request.only_matte ? COFI_PASS_UNITS : 0));
    status = request.only_matte ? check_matte(&call, &request)
                                : cofi_check_pair(&call, request.in, request.out, &request.in_view,
                                                  &request.out_view);
    if (status == COF_OK)
        status = complete_guide(&call, &request);
    if (status == COF_OK)
        status = check_repeat(&call, &request);
    if (status == COF_OK)
        status = check_foreground(&call, &request);
    CofRect part = {0};
    if (status == COF_OK) {
        part = request.part ? *request.part : cofi_full_rect(&request.in_view);
        status = check_part(&call, &request, part);
    }
    if (status == COF_OK)
        status = filter_checked(&call, &request, part);
    return cofi_call_end(&call, status);
}

CofStatus cof_filter(const CofModel *model, const CofImage *guide, const CofImage *in,
                     const CofImage *out, const CofOptions *options)
{
    return filter_request((FilterRequest){.model = model, .guide = guide, .in = in, .out = out},
                          options);
}

CofStatus cof_filter_part(const CofModel *model, const CofImage *guide, const CofImage *in,
                          const CofImage *out, CofRect part, const CofOptions *options)
{
    FilterRequest request = {.model = model, .guide = guide, .in = in, .out = out, .part = &part};
    return filter_request(request, options);
}

CofStatus cof_filter_labels(const CofModel *model, const CofImage *labels, const CofImage *in,
                            const CofImage *out, const CofOptions *options)
{
    FilterRequest request = {
        .model = model, .labels = labels, .by_labels = true, .in = in, .out = out};
    return filter_request(request, options);
}

CofStatus cof_filter_labels_part(const CofModel *model, const CofImage *labels, const CofImage *in,
                                 const CofImage *out, CofRect part, const CofOptions *options)
{
    FilterRequest request = {
        .model = model, .labels = labels, .by_labels = true, .in = in, .out = out, .part = &part};
    return filter_request(request, options);
}

/* Focus and matte need both models; a NULL model is rejected by the checks. */
static CofStatus focus_request(FilterRequest request, const CofOptions *options)
{
    if (!request.foreground)
        request.model = NULL;
    return filter_request(request, options);
}

CofStatus cof_focus(const CofModel *foreground, const CofModel *background, const CofImage *prior,
                    const CofImage *guide, const CofImage *in, const CofImage *out,
                    const CofOptions *options)
{
    FilterRequest request = {.model = background,
                             .foreground = foreground,
                             .prior = prior,
                             .guide = guide,
                             .in = in,
                             .out = out};
    return focus_request(request, options);
}

CofStatus cof_focus_part(const CofModel *foreground, const CofModel *background,
                         const CofImage *prior, const CofImage *guide, const CofImage *in,
                         const CofImage *out, CofRect part, const CofOptions *options)
{
    FilterRequest request = {.model = background,
                             .foreground = foreground,
                             .prior = prior,
                             .guide = guide,
                             .in = in,
                             .out = out,
                             .part = &part};
    return focus_request(request, options);
}

CofStatus cof_matte(const CofModel *foreground, const CofModel *background, const CofImage *prior,
                    const CofImage *image, const CofImage *matte, const CofOptions *options)
{
    FilterRequest request = {.model = background,
                             .foreground = foreground,
                             .only_matte = true,
                             .prior = prior,
                             .in = image,
                             .out = matte};
    return focus_request(request, options);
}

CofStatus cof_matte_part(const CofModel *foreground, const CofModel *background,
                         const CofImage *prior, const CofImage *image, const CofImage *matte,
                         CofRect part, const CofOptions *options)
{
    FilterRequest request = {.model = background,
                             .foreground = foreground,
                             .only_matte = true,
                             .prior = prior,
                             .in = image,
                             .out = matte,
                             .part = &part};
    return focus_request(request, options);
}

int cof_margin(const CofModel *model, const CofOptions *options)
{
    if (!model)
        return COF_ERR_ARGUMENT;
    CofOptions complete;
    const char *problem;
    CofStatus status = cofi_options_complete(options, &complete, &problem);
    if (status != COF_OK)
        return status;
    return complete.coarse == 1 ? margin_of(model, &complete) : COF_ERR_OPTION;
}
