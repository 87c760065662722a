/* SPDX-License-Identifier: BSD-2-Clause */
/* Filtering with refinement. Windows that are too large for the image at full size are those of a
 * smaller one, and refinement makes its result as sharp as the image. */
#include "filter/scales.h"

#include <assert.h>

#include "filter/filter_store.h"
#include "filter/tiles.h"
#include "image/box_downscale.h"
#include "image/image.h"
#include "options/options.h"

static int factor_of(const CofiCall *call, const CofModel *model)
{
    return cofi_filter_downscale(&call->options, model->recipe.downscale);
}

/* The image whose values are labelled. */
static CofStatus take_guide(CofiCall *call, const CofiFilterImages *whole, int n,
                            CofImage *downscaled, const CofImage **guide)
{
    *guide = whole->guide;
    if (!whole->guide || n == 1)
        return COF_OK;
    *guide = downscaled;
    return cofi_downscale(call, whole->guide, n, downscaled);
}

void cofi_plan_refinement(const CofiCall *call, const CofModel *model, const CofImage *small,
                          const CofImage *guide, const CofImage *filtered,
                          CofiRefinement *refinement)
{
    int n = factor_of(call, model);
    *refinement = (CofiRefinement){.in = small,
                                   .guide = guide,
                                   .filtered = filtered,
                                   .n = n,
                                   .radius = cofi_refine_radius(&call->options, n),
                                   .detail = cofi_detail(&call->options)};
    for (int i = 0; i <= model->n_others; i++) {
        const CofModel *member = cofi_model_member(model, i);
        cofi_refine_member(refinement, i, &member->palette, member);
    }
}

CofStatus cofi_filter_small(CofiCall *call, const CofiFilterImages *whole, const CofImage *small,
                            const CofPart *labelled, const CofImage *filtered,
                            CofiRefinement *refinement)
{
    int n = factor_of(call, whole->model);
    bool on_device = n == 1 && !whole->guide;
    CofOptions options = call->options;
    double unit_scale = call->unit_scale;
    CofiFilterImages images = *whole;
    CofImage *guide = cofi_call_take(call, 1, sizeof *guide); /* outlives this function */
    CofStatus status = guide ? take_guide(call, whole, n, guide, &images.guide) : COF_ERR_MEMORY;
    images.in = small;
    images.out = filtered;
    images.part = n > 1 ? labelled : whole->part;
    cofi_plan_refinement(call, whole->model, small, images.guide, filtered, refinement);
    refinement->labels = whole->labels;
    refinement->out = whole->out;
    images.refinement = on_device ? refinement : NULL;
    cofi_options_only_smooth(&call->options);
    call->options.fidelity = options.fidelity;
    call->unit_scale /= (double)n * n;
    CofiMark mark = cofi_call_mark(call);
    if (status == COF_OK)
        status = cofi_filter_images(call, &images, cofi_view_rect(filtered));
    cofi_call_release(call, mark);
    call->unit_scale = unit_scale;
    call->options = options;
    return status;
}

/* A part with the labels of all members of a model; NULL if it has others. */
static const CofPart *labelled_by(const CofModel *model, const CofPart *part)
{
    const CofiPalette *palettes[COF_MAX_PALETTES] = {NULL};
    for (int i = 0; i <= model->n_others; i++)
        palettes[i] = &cofi_model_member(model, i)->palette;
    return part && cofi_part_has(part, palettes, 1 + model->n_others) ? part : NULL;
}

CofStatus cofi_filter_refined(CofiCall *call, const CofiFilterImages *whole, CofRect part,
                              const CofPart *downscaled)
{
    int n = factor_of(call, whole->model), radius = cofi_refine_radius(&call->options, n);
    assert(n == 1 || !(whole->labels || whole->foreground));
    if (radius == 0 || whole->foreground)
        return cofi_filter_images(call, whole, part);
    CofImage small = downscaled ? downscaled->image : *whole->in, filtered;
    CofiRefinement refinement;
    CofiMark mark = cofi_call_mark(call);
    CofStatus status = n > 1 && !downscaled ? cofi_downscale(call, whole->in, n, &small) : COF_OK;
    CofRect rect =
        n > 1 ? cofi_full_rect(&small) : cofi_rect_grow(part, radius, cofi_full_rect(&small));
    if (status == COF_OK)
        status = cofi_take_result(call, &small, rect, &filtered);
    if (status == COF_OK)
        status = cofi_filter_small(call, whole, &small, labelled_by(whole->model, downscaled),
                                   &filtered, &refinement);
    if (status == COF_OK && !refinement.done)
        status = cofi_refine(call, &refinement, whole->in, whole->guide, whole->out);
    cofi_call_release(call, mark);
    return status;
}

double cofi_filter_units(const CofOptions *options, int members, int learned, bool guided)
{
    int n = cofi_filter_downscale(options, learned);
    double passes = cofi_passes_units(options, members, options->iterations);
    if (n == 1)
        return passes + (options->refine > 0);
    return 2 + guided + passes / ((double)n * n);
}
