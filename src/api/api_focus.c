/* SPDX-License-Identifier: BSD-2-Clause */
/* Public functions that tell a foreground from its background by a mask. */
#include "cof/cof.h"

#include "api/checks.h"
#include "filter/filter_pass.h"
#include "filter/passes.h"
#include "filter/tiles.h"
#include "image/image.h"
#include "image/mask_prior.h"
#include "learn/learn.h"

/* Passes over the background, unless the options say otherwise. */
#define DEFAULT_ITERATIONS 5

/* The image and the mask, complete. */
typedef struct Masked {
    CofImage image, mask;
} Masked;

static CofStatus check_masked(CofiCall *call, Masked *m, const CofImage *image, const char *name,
                              const CofImage *mask)
{
    CofStatus status = cofi_check_image(call, image, name, &m->image);
    if (status == COF_OK)
        status = cofi_check_whole(call, &m->image, name);
    if (status == COF_OK)
        status = cofi_check_bytes(call, mask, "mask", &m->image, &m->mask);
    bool learned = call->options.downscale > 1, filtered = call->options.filter_downscale > 1;
    if (status == COF_OK && (learned || filtered))
        status = cofi_call_fail_option(call, learned ? "downscale" : "filter_downscale",
                                       "an image with a foreground cannot be downscaled");
    return status;
}

CofStatus cof_model_learn_pair(CofModel **foreground, CofModel **background, const CofImage *image,
                               const CofImage *mask, const CofOptions *options)
{
    CofiCall call;
    Masked m;
    CofStatus status = cofi_call_begin(&call, options);
    if (status != COF_OK)
        return status;
    cofi_call_expect(&call, COFI_LEARN_PAIR_UNITS);
    status = cofi_check_pointer(&call, foreground, "foreground");
    if (status == COF_OK)
        status = cofi_check_pointer(&call, background, "background");
    if (status == COF_OK)
        status = check_masked(&call, &m, image, "image", mask);
    if (status == COF_OK)
        status = cofi_learn_pair(&call, &m.image, &m.mask, foreground, background);
    return cofi_call_end(&call, status);
}

/* A packed grey F32 image as large as the mask. */
static bool take_prior(CofiCall *call, const CofImage *mask, CofImage *prior)
{
    size_t row = (size_t)mask->width * sizeof(float);
    *prior = *mask;
    prior->data = cofi_call_take_raw(call, (size_t)mask->height, row);
    prior->sample = COF_SAMPLE_F32;
    prior->row_stride = (ptrdiff_t)row;
    prior->pixel_stride = prior->channel_stride = sizeof(float);
    prior->valid = NULL;
    return prior->data;
}

static CofStatus focus(CofiCall *call, const Masked *m, const CofImage *out)
{
    CofModel *foreground = NULL, *background = NULL;
    CofImage prior;
    if (!take_prior(call, &m->mask, &prior))
        return COF_ERR_MEMORY;
    CofStatus status = cofi_learn_pair(call, &m->image, &m->mask, &foreground, &background);
    if (status == COF_OK)
        status = cofi_mask_prior(call, &m->mask, &prior);
    CofiFilterImages images = {.model = background,
                               .foreground = foreground,
                               .prior = &prior,
                               .in = &m->image,
                               .out = out};
    if (status == COF_OK)
        status = cofi_filter_images(call, &images, cofi_full_rect(&m->image));
    cofi_model_free(&foreground);
    cofi_model_free(&background);
    return status;
}

CofStatus cof_focus_mask(const CofImage *in, const CofImage *mask, const CofImage *out,
                         const CofOptions *options)
{
    CofiCall call;
    Masked m;
    CofImage in_view, out_view;
    CofStatus status = cofi_call_begin(&call, options);
    if (status != COF_OK)
        return status;
    if (!options || options->iterations == 0)
        call.options.iterations = DEFAULT_ITERATIONS;
    call.options.method = COF_METHOD_EXACT;
    cofi_call_expect(&call, COFI_LEARN_PAIR_UNITS + 1 + COFI_PASS_UNITS +
                                cofi_passes_units(&call.options, 1, call.options.iterations));
    status = cofi_check_in_out(&call, in, out, &in_view, &out_view);
    if (status == COF_OK)
        status = check_masked(&call, &m, in, "in", mask);
    if (status == COF_OK)
        status = cofi_check_whole(&call, &out_view, "out");
    if (status == COF_OK && (out_view.width != in_view.width || out_view.height != in_view.height))
        status = cofi_mismatch(&call, "out", "input and output differ in size");
    if (status == COF_OK && call.options.update != COF_UPDATE_NONE)
        status = cofi_call_fail_option(&call, "update",
                                       "labels cannot be updated where there is a foreground");
    if (status == COF_OK)
        status = focus(&call, &m, &out_view);
    return cofi_call_end(&call, status);
}
