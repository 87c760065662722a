/* SPDX-License-Identifier: BSD-2-Clause */
/* Public functions of filtering the downscaled image, and of refining parts of the image. */
#include "cof/cof.h"

#include <string.h>

#include "api/checks.h"
#include "base/memory.h"
#include "filter/scales.h"
#include "image/image.h"
#include "image/box_downscale.h"
#include "options/options.h"

struct CofCoarse {
    CofiRefinement refinement;
    CofImage small, filtered; /* in memory of their own */
    CofOptions options;       /* of all passes; the pointers are not used */
};

static CofStatus check_downscale(CofiCall *call, const CofImage *in, int factor,
                                 const CofImage *out)
{
    CofRect full = cofi_full_rect(in), small = cofi_full_rect(out), view = cofi_view_rect(out);
    if (factor < 2 || factor > COF_MAX_DOWNSCALE)
        return cofi_call_fail_argument(call, COF_ERR_ARGUMENT, "factor",
                                       "the factor is out of range");
    if (small.width != cofi_downscaled_side(full.width, factor) ||
        small.height != cofi_downscaled_side(full.height, factor))
        return cofi_mismatch(call, "out", "the output is not as large as the downscaled input");
    CofRect covered = {view.x * factor, view.y * factor, view.width * factor, view.height * factor};
    if (!cofi_rect_holds(cofi_view_rect(in), cofi_rect_intersect(covered, full)))
        return cofi_mismatch(call, "in", "the input does not extend far enough");
    if (cofi_images_overlap(in, out))
        return cofi_call_fail_argument(call, COF_ERR_ARGUMENT, "out",
                                       "the output overlaps the input");
    return COF_OK;
}

CofStatus cof_downscale(const CofImage *in, int factor, const CofImage *out, uint8_t *valid,
                        const CofOptions *options)
{
    CofiCall call;
    CofImage in_view, out_view;
    CofStatus status = cofi_call_begin(&call, options);
    if (status != COF_OK)
        return status;
    cofi_call_expect(&call, 1);
    status = cofi_check_in_out(&call, in, out, &in_view, &out_view);
    if (status == COF_OK)
        status = check_downscale(&call, &in_view, factor, &out_view);
    if (status == COF_OK)
        status = cofi_downscale_part(&call, &in_view, factor, &out_view, valid);
    return cofi_call_end(&call, status);
}

void cof_coarse_free(CofCoarse **coarse)
{
    if (!coarse || !*coarse)
        return;
    cofi_free((*coarse)->small.data);
    cofi_free((*coarse)->filtered.data);
    cofi_free((uint8_t *)(*coarse)->small.valid);
    cofi_free(*coarse);
    *coarse = NULL;
}

int cof_coarse_margin(const CofCoarse *coarse)
{
    (void)coarse;
    return 0;
}

static CofStatus check_coarse(CofiCall *call, const CofModel *model, const CofImage *small,
                              CofImage *view)
{
    CofStatus status = cofi_check_pointer(call, model, "model");
    if (status == COF_OK)
        status = cofi_check_image(call, small, "small", view);
    if (status == COF_OK)
        status = cofi_check_whole(call, view, "small");
    if (status != COF_OK)
        return status;
    int factor = cofi_filter_downscale(&call->options, model->recipe.downscale);
    if (factor < 2 || factor != model->recipe.downscale)
        return cofi_call_fail_option(call, "filter_downscale",
                                     "the model was not learned with that factor");
    if (call->options.update == COF_UPDATE_MODEL)
        return cofi_call_fail_option(call, "update", "only cof_smooth() can update the model");
    if (call->options.tolerance > 0)
        return cofi_call_fail_option(call, "tolerance",
                                     "tolerance needs a whole image, not a part of one");
    if (!cofi_palette_fits(&model->palette, view))
        return cofi_mismatch(call, "small", "the image is not of the kind the model is for");
    return COF_OK;
}

static CofStatus check_filtered(CofiCall *call, const CofImage *filtered, const CofImage *small,
                                CofImage *view)
{
    CofStatus status = cofi_check_image(call, filtered, "filtered", view);
    if (status == COF_OK)
        status = cofi_check_whole(call, view, "filtered");
    if (status != COF_OK)
        return status;
    if (view->width != small->width || view->height != small->height)
        return cofi_mismatch(call, "filtered", "the images differ in size");
    if (view->kind != small->kind || view->sample != small->sample ||
        view->channels != small->channels)
        return cofi_mismatch(call, "filtered", "the images differ in kind");
    return COF_OK;
}

static void copy_pixels(const CofImage *from, const CofImage *to)
{
    for (int y = 0; y < from->height; y++)
        for (int channel = 0; channel < from->channels; channel++)
            cofi_copy_row(from, 0, y, to, 0, y, channel, from->width, NULL);
}

/* A packed image in memory of its own. */
static bool take_image(const CofImage *like, CofImage *image)
{
    size_t sample = cofi_sample_size(like->sample), pixel = sample * (size_t)like->channels;
    size_t row = (size_t)like->width * pixel;
    *image = *like;
    image->data = cofi_calloc((size_t)like->height, row);
    image->pixel_stride = (ptrdiff_t)pixel;
    image->channel_stride = (ptrdiff_t)sample;
    image->row_stride = (ptrdiff_t)row;
    image->valid = NULL;
    return image->data != NULL;
}

static bool copy_small(const CofImage *from, CofImage *small)
{
    size_t width = (size_t)from->width;
    if (!take_image(from, small))
        return false;
    copy_pixels(from, small);
    if (!from->valid)
        return true;
    uint8_t *valid = cofi_calloc((size_t)from->height, width);
    for (int y = 0; y < from->height && valid; y++)
        memcpy(valid + (size_t)y * width, from->valid + y * from->valid_stride, width);
    small->valid = valid;
    small->valid_stride = from->width;
    return valid != NULL;
}

/* A NULL `filtered` means that the passes are run. */
static CofStatus make_coarse(CofiCall *call, const CofModel *model, const CofImage *view,
                             const CofImage *filtered, CofCoarse **out)
{
    CofCoarse *coarse = cofi_calloc(1, sizeof *coarse);
    if (!coarse || !copy_small(view, &coarse->small) || !take_image(view, &coarse->filtered)) {
        cof_coarse_free(&coarse);
        return COF_ERR_MEMORY;
    }
    CofiFilterImages whole = {.model = model};
    CofStatus status = COF_OK;
    coarse->options = call->options;
    cofi_plan_refinement(call, model, &coarse->small, NULL, &coarse->filtered, &coarse->refinement);
    if (filtered)
        copy_pixels(filtered, &coarse->filtered);
    else
        status = cofi_filter_small(call, &whole, &coarse->small, NULL, &coarse->filtered,
                                   &coarse->refinement);
    if (status == COF_OK)
        *out = coarse;
    else
        cof_coarse_free(&coarse);
    return status;
}

static double coarse_units(const CofiCall *call, const CofModel *model)
{
    double n = model->recipe.downscale;
    return cofi_passes_units(&call->options, 1 + model->n_others, call->options.iterations) /
           (n * n);
}

CofStatus cof_coarse_new(CofCoarse **coarse, const CofModel *model, const CofImage *small,
                         const CofOptions *options)
{
    CofiCall call;
    CofImage view;
    CofStatus status = cofi_call_begin(&call, options);
    if (status != COF_OK)
        return status;
    status = cofi_check_pointer(&call, coarse, "coarse");
    if (status == COF_OK)
        status = check_coarse(&call, model, small, &view);
    if (status == COF_OK) {
        cofi_call_expect(&call, coarse_units(&call, model));
        status = make_coarse(&call, model, &view, NULL, coarse);
    }
    return cofi_call_end(&call, status);
}

CofStatus cof_coarse_new_filtered(CofCoarse **coarse, const CofModel *model, const CofImage *small,
                                  const CofImage *filtered, const CofOptions *options)
{
    CofiCall call;
    CofImage view, filtered_view;
    CofStatus status = cofi_call_begin(&call, options);
    if (status != COF_OK)
        return status;
    cofi_call_expect(&call, 1);
    status = cofi_check_pointer(&call, coarse, "coarse");
    if (status == COF_OK)
        status = check_coarse(&call, model, small, &view);
    if (status == COF_OK)
        status = check_filtered(&call, filtered, &view, &filtered_view);
    if (status == COF_OK)
        status = make_coarse(&call, model, &view, &filtered_view, coarse);
    return cofi_call_end(&call, status);
}

static CofStatus check_part(CofiCall *call, const CofCoarse *coarse, const CofImage *in,
                            const CofImage *out)
{
    const CofImage *small = &coarse->small;
    CofRect full = cofi_full_rect(in), out_full = cofi_full_rect(out);
    if (in->kind != small->kind || in->sample != small->sample || in->channels != small->channels)
        return cofi_mismatch(call, "in", "the image is not of the kind of the small one");
    if (cofi_downscaled_side(full.width, coarse->refinement.n) != small->width ||
        cofi_downscaled_side(full.height, coarse->refinement.n) != small->height)
        return cofi_mismatch(call, "in", "the image does not have the size of the small one");
    if (out_full.width != full.width || out_full.height != full.height)
        return cofi_mismatch(call, "out", "input and output differ in full size");
    if (!cofi_rect_holds(cofi_view_rect(in), cofi_view_rect(out)))
        return cofi_mismatch(call, "in", "the input does not cover the output");
    return COF_OK;
}

/* Takes what says how a call is executed from the caller, and all else from cof_coarse_new(). */
static void use_options(CofiCall *call, const CofOptions *options)
{
    CofOptions own = *options;
    own.threads = call->options.threads;
    own.context = call->options.context;
    own.problem = call->options.problem;
    own.report = call->options.report;
    own.progress = call->options.progress;
    own.user = call->options.user;
    call->options = own;
}

CofStatus cof_coarse_filter(const CofCoarse *coarse, const CofImage *in, const CofImage *out,
                            const CofOptions *options)
{
    CofiCall call;
    CofImage in_view, out_view;
    CofStatus status = cofi_call_begin(&call, options);
    if (status != COF_OK)
        return status;
    status = cofi_check_pointer(&call, coarse, "coarse");
    if (status == COF_OK)
        status = cofi_check_in_out(&call, in, out, &in_view, &out_view);
    if (status == COF_OK)
        status = check_part(&call, coarse, &in_view, &out_view);
    if (status == COF_OK) {
        use_options(&call, &coarse->options);
        cofi_call_expect(&call, 1);
        status = cofi_refine(&call, &coarse->refinement, &in_view, NULL, &out_view);
    }
    return cofi_call_end(&call, status);
}
