/* SPDX-License-Identifier: BSD-2-Clause */
/* Public functions that make masks of scribbles. */
#include "cof/cof.h"

#include "api/checks.h"
#include "filter/passes.h"
#include "filter/select.h"
#include "filter/selection.h"
#include "image/image.h"
#include "options/options.h"

/* What the functions were given, complete. */
typedef struct Selection {
    CofImage image, soft, mask;
    CofiScribbles scribbles;
} Selection;

static CofStatus check_scribbles(CofiCall *call, Selection *s, const CofImage *foreground,
                                 const CofImage *background)
{
    CofiScribbles *scribbles = &s->scribbles;
    CofStatus status =
        cofi_check_bytes(call, foreground, "foreground", &s->image, &scribbles->foreground);
    scribbles->has_background = background != NULL;
    if (status == COF_OK && background)
        status =
            cofi_check_bytes(call, background, "background", &s->image, &scribbles->background);
    /* The scribbles of a tile may lie in other tiles. */
    if (status != COF_OK || !cofi_rect_holds(cofi_view_rect(&s->image), cofi_full_rect(&s->image)))
        return status;
    if (cofi_count_marked(&scribbles->foreground) == 0)
        return cofi_call_fail_argument(call, COF_ERR_EMPTY, "foreground",
                                       "the scribbles mark no pixel");
    if (background && cofi_count_marked(&scribbles->background) == 0)
        return cofi_call_fail_argument(call, COF_ERR_EMPTY, "background",
                                       "the scribbles mark no pixel");
    return COF_OK;
}

static CofStatus check_selection(CofiCall *call, Selection *s, const CofImage *image,
                                 const CofImage *foreground, const CofImage *background)
{
    CofStatus status = cofi_check_image(call, image, "image", &s->image);
    if (status == COF_OK)
        status = check_scribbles(call, s, foreground, background);
    return status;
}

static CofStatus fail_update(CofiCall *call)
{
    return cofi_call_fail_option(call, "update", "scribbles are spread with fixed labels");
}

static CofStatus check_model(CofiCall *call, const CofModel *model, const CofImage *image)
{
    if (call->options.update != COF_UPDATE_NONE)
        return fail_update(call);
    if (!cofi_palette_fits(&model->palette, image))
        return cofi_mismatch(call, "image", "the image is not of the kind the model is for");
    if (cofi_filter_downscale(&call->options, model->recipe.downscale) > 1)
        return cofi_call_fail_option(call, "filter_downscale",
                                     "scribbles cannot be downscaled: set filter_downscale to 1");
    return COF_OK;
}

/* Does the image contain all that the rectangle of `soft` needs? */
static CofStatus check_margin(CofiCall *call, const CofModel *model, const Selection *s)
{
    CofOptions options = cofi_spread_options(&call->options);
    CofRect full = cofi_full_rect(&s->image), part = cofi_view_rect(&s->soft);
    CofRect needed = cofi_rect_grow(part, cofi_filter_margin(model, &options), full);
    if (s->soft.full_width != full.width || s->soft.full_height != full.height)
        return cofi_mismatch(call, "soft", "image and soft mask differ in full size");
    if (!cofi_rect_holds(cofi_view_rect(&s->image), needed))
        return cofi_mismatch(call, "image",
                             "the image does not extend far enough beyond the soft mask");
    if (options.tolerance > 0 && (part.width != full.width || part.height != full.height))
        return cofi_call_fail_option(call, "tolerance",
                                     "tolerance needs a whole image, not a part of one");
    return COF_OK;
}

CofStatus cof_select_spread(const CofModel *model, const CofImage *image,
                            const CofImage *foreground, const CofImage *background,
                            const CofImage *soft, const CofOptions *options)
{
    CofiCall call;
    Selection s;
    CofStatus status = cofi_call_begin(&call, options);
    if (status != COF_OK)
        return status;
    int members = model ? 1 + model->n_others : 1;
    cofi_call_expect(&call, members * cofi_spread_units(&call.options));
    status = cofi_check_pointer(&call, model, "model");
    if (status == COF_OK)
        status = check_selection(&call, &s, image, foreground, background);
    if (status == COF_OK)
        status = check_model(&call, model, &s.image);
    if (status == COF_OK)
        status = cofi_check_grey_float(&call, soft, "soft", NULL, &s.soft);
    if (status == COF_OK)
        status = check_margin(&call, model, &s);
    if (status == COF_OK)
        status = cofi_spread(&call, model, &s.image, &s.scribbles, &s.soft);
    return cofi_call_end(&call, status);
}

/* An automatic threshold needs whole images. */
static CofStatus check_threshold(CofiCall *call, const Selection *s)
{
    return call->options.threshold > 0 ? COF_OK : cofi_check_whole(call, &s->image, "image");
}

CofStatus cof_select_threshold(const CofModel *model, const CofImage *image,
                               const CofImage *foreground, const CofImage *background,
                               const CofImage *soft, const CofImage *mask, double *threshold,
                               const CofOptions *options)
{
    CofiCall call;
    Selection s;
    CofStatus status = cofi_call_begin(&call, options);
    if (status != COF_OK)
        return status;
    cofi_call_expect(&call, 1);
    double found = call.options.threshold;
    status = cofi_check_pointer(&call, model, "model");
    if (status == COF_OK)
        status = check_selection(&call, &s, image, foreground, background);
    if (status == COF_OK)
        status = check_model(&call, model, &s.image);
    if (status == COF_OK)
        status = cofi_check_grey_float(&call, soft, "soft", &s.image, &s.soft);
    if (status == COF_OK)
        status = cofi_check_bytes(&call, mask, "mask", &s.image, &s.mask);
    if (status == COF_OK)
        status = check_threshold(&call, &s);
    if (status == COF_OK)
        status =
            cofi_threshold_mask(&call, model, &s.image, &s.scribbles, &s.soft, &s.mask, &found);
    if (status == COF_OK && threshold)
        *threshold = found;
    return cofi_call_end(&call, status);
}

/* Marks of one pixel that contradict each other are a mistake of the caller. */
static CofStatus check_overlap(CofiCall *call, const CofiScribbles *scribbles)
{
    const CofImage *foreground = &scribbles->foreground, *background = &scribbles->background;
    for (int y = 0; y < foreground->height && scribbles->has_background; y++)
        for (int x = 0; x < foreground->width; x++)
            if (*cofi_pixel(foreground, x, y) != 0 && *cofi_pixel(background, x, y) != 0)
                return cofi_call_fail_argument(call, COF_ERR_ARGUMENT, "background",
                                               "a pixel is marked as foreground and background");
    return COF_OK;
}

static CofStatus select_watershed(CofiCall *call, const Selection *s)
{
    CofSelection *selection = NULL;
    cofi_call_expect(call, cofi_selection_map_units(&call->options, &s->image) +
                               COFI_SELECTION_UPDATE_UNITS);
    CofStatus status = cofi_selection_new(call, &s->image, &selection);
    if (status != COF_OK)
        return status;
    cofi_selection_add(selection, &s->scribbles.foreground, COF_STROKE_FOREGROUND);
    if (s->scribbles.has_background)
        cofi_selection_add(selection, &s->scribbles.background, COF_STROKE_BACKGROUND);
    status = cofi_selection_update(call, selection, &s->mask);
    cofi_selection_free(&selection);
    return status;
}

static CofStatus select_spread(CofiCall *call, const Selection *s)
{
    if (call->options.update != COF_UPDATE_NONE)
        return fail_update(call);
    cofi_call_expect(call, cofi_select_units(&call->options, &s->image));
    return cofi_select(call, &s->image, &s->scribbles, &s->mask);
}

CofStatus cof_select(const CofImage *image, const CofImage *foreground, const CofImage *background,
                     const CofImage *mask, const CofOptions *options)
{
    CofiCall call;
    Selection s;
    CofStatus status = cofi_call_begin(&call, options);
    if (status != COF_OK)
        return status;
    status = check_selection(&call, &s, image, foreground, background);
    if (status == COF_OK)
        status = cofi_check_whole(&call, &s.image, "image");
    if (status == COF_OK)
        status = cofi_check_bytes(&call, mask, "mask", &s.image, &s.mask);
    if (status == COF_OK)
        status = check_overlap(&call, &s.scribbles);
    bool spreads = call.options.select_method == COF_SELECT_SPREAD;
    if (status == COF_OK)
        status = spreads ? select_spread(&call, &s) : select_watershed(&call, &s);
    return cofi_call_end(&call, status);
}
