/* SPDX-License-Identifier: BSD-2-Clause */
/* Public functions of selecting with strokes, one after the other. */
#include "cof/cof.h"

#include <math.h>

#include "api/checks.h"
#include "filter/selection.h"
#include "filter/selection_follow.h"
#include "filter/selection_given.h"
#include "image/stroke.h"

#define MAX_RADIUS 10000.0
#define MAX_COORDINATE 1e9

CofStatus cof_selection_new(CofSelection **selection, const CofImage *image,
                            const CofOptions *options)
{
    CofiCall call;
    CofImage view;
    CofStatus status = cofi_call_begin(&call, options);
    if (status != COF_OK)
        return status;
    status = cofi_check_pointer(&call, selection, "selection");
    if (status == COF_OK)
        status = cofi_check_image(&call, image, "image", &view);
    if (status == COF_OK)
        status = cofi_check_whole(&call, &view, "image");
    if (status == COF_OK) {
        cofi_call_expect(&call, cofi_selection_map_units(&call.options, &view));
        status = cofi_selection_new(&call, &view, selection);
    }
    return cofi_call_end(&call, status);
}

void cof_selection_free(CofSelection **selection)
{
    if (selection)
        cofi_selection_free(selection);
}

static CofStatus check_mark(CofiCall *call, CofStroke mark)
{
    if ((int)mark >= COF_STROKE_ERASE && (int)mark <= COF_STROKE_BACKGROUND)
        return COF_OK;
    return cofi_call_fail_argument(call, COF_ERR_ARGUMENT, "mark", "there is no such mark");
}

static CofStatus check_stroke(CofiCall *call, const double *points, size_t n, double radius)
{
    CofStatus status = cofi_check_pointer(call, points, "points");
    if (status != COF_OK)
        return status;
    if (n < 1)
        return cofi_call_fail_argument(call, COF_ERR_EMPTY, "points", "the stroke has no point");
    for (size_t i = 0; i < 2 * n; i++)
        if (!(fabs(points[i]) <= MAX_COORDINATE))
            return cofi_call_fail_argument(call, COF_ERR_ARGUMENT, "points",
                                           "a coordinate is not within -1e9 to 1e9");
    if (!(radius >= 0 && radius <= MAX_RADIUS))
        return cofi_call_fail_argument(call, COF_ERR_ARGUMENT, "radius",
                                       "radius must be 0 to 10000");
    return COF_OK;
}

/* Draws a stroke of which at least one pixel must lie inside the image. */
static CofStatus draw(CofiCall *call, const CofImage *mask, const double *points, size_t n,
                      double radius, uint8_t value)
{
    CofStatus status = check_stroke(call, points, n, radius);
    if (status == COF_OK && cofi_stroke_draw(mask, points, n, radius, value) == 0)
        status = cofi_call_fail_argument(call, COF_ERR_EMPTY, "points",
                                         "the stroke marks no pixel of the image");
    return status;
}

CofStatus cof_selection_add_stroke(CofSelection *selection, CofStroke mark, const double *points,
                                   size_t n, double radius, const CofOptions *options)
{
    CofiCall call;
    CofStatus status = cofi_call_begin(&call, options);
    if (status != COF_OK)
        return status;
    status = cofi_check_pointer(&call, selection, "selection");
    if (status == COF_OK)
        status = check_mark(&call, mark);
    if (status == COF_OK) {
        CofImage marks = cofi_selection_marks(selection);
        status = draw(&call, &marks, points, n, radius, (uint8_t)mark);
    }
    return cofi_call_end(&call, status);
}

CofStatus cof_selection_add_pixels(CofSelection *selection, CofStroke mark, const CofImage *pixels,
                                   const CofOptions *options)
{
    CofiCall call;
    CofImage view;
    CofStatus status = cofi_call_begin(&call, options);
    if (status != COF_OK)
        return status;
    status = cofi_check_pointer(&call, selection, "selection");
    if (status == COF_OK)
        status = check_mark(&call, mark);
    if (status == COF_OK)
        status = cofi_check_bytes(&call, pixels, "pixels", &selection->image, &view);
    if (status == COF_OK)
        cofi_selection_add(selection, &view, (uint8_t)mark);
    return cofi_call_end(&call, status);
}

/* Checks the frame before: an image like that of the selection. */
static CofStatus check_last(CofiCall *call, const CofSelection *selection, const CofImage *last,
                            CofImage *view)
{
    const CofImage *image = &selection->image;
    CofStatus status = cofi_check_image(call, last, "last", view);
    if (status == COF_OK)
        status = cofi_check_whole(call, view, "last");
    if (status == COF_OK && (view->width != image->width || view->height != image->height ||
                             view->kind != image->kind || view->channels != image->channels ||
                             view->sample != image->sample))
        status = cofi_call_fail_argument(call, COF_ERR_MISMATCH, "last",
                                         "last differs from the image in size or layout");
    return status;
}

CofStatus cof_selection_follow(CofSelection *selection, const CofImage *last, const CofImage *mask,
                               const CofOptions *options)
{
    CofiCall call;
    CofImage last_view, mask_view;
    CofStatus status = cofi_call_begin(&call, options);
    if (status != COF_OK)
        return status;
    status = cofi_check_pointer(&call, selection, "selection");
    if (status == COF_OK && last)
        status = check_last(&call, selection, last, &last_view);
    if (status == COF_OK)
        status = cofi_check_bytes(&call, mask, "mask", &selection->image, &mask_view);
    if (status == COF_OK)
        status = cofi_selection_follow(&call, selection, last ? &last_view : NULL, &mask_view);
    return cofi_call_end(&call, status);
}

CofStatus cof_selection_set_mask(CofSelection *selection, const CofImage *mask,
                                 const CofOptions *options)
{
    CofiCall call;
    CofImage view;
    CofStatus status = cofi_call_begin(&call, options);
    if (status != COF_OK)
        return status;
    status = cofi_check_pointer(&call, selection, "selection");
    if (status == COF_OK)
        status = cofi_check_bytes(&call, mask, "mask", &selection->image, &view);
    if (status == COF_OK)
        status = cofi_selection_set_mask(selection, &view);
    return cofi_call_end(&call, status);
}

typedef CofStatus Updating(CofiCall *call, CofSelection *selection, const CofImage *mask);

static CofStatus update(CofSelection *selection, const CofImage *mask, const CofOptions *options,
                        Updating *updating)
{
    CofiCall call;
    CofImage view;
    CofStatus status = cofi_call_begin(&call, options);
    if (status != COF_OK)
        return status;
    cofi_call_expect(&call, COFI_SELECTION_UPDATE_UNITS);
    status = cofi_check_pointer(&call, selection, "selection");
    if (status == COF_OK && mask)
        status = cofi_check_bytes(&call, mask, "mask", &selection->image, &view);
    if (status == COF_OK)
        status = updating(&call, selection, mask ? &view : NULL);
    return cofi_call_end(&call, status);
}

CofStatus cof_selection_update(CofSelection *selection, const CofImage *mask,
                               const CofOptions *options)
{
    return update(selection, mask, options, cofi_selection_update);
}

CofStatus cof_selection_correct(CofSelection *selection, const CofImage *mask,
                                const CofOptions *options)
{
    return update(selection, mask, options, cofi_selection_correct);
}

CofStatus cof_mask_stroke(const CofImage *mask, const double *points, size_t n, double radius,
                          int value, const CofOptions *options)
{
    CofiCall call;
    CofImage view;
    CofStatus status = cofi_call_begin(&call, options);
    if (status != COF_OK)
        return status;
    status = cofi_check_bytes(&call, mask, "mask", mask, &view);
    if (status == COF_OK)
        status = cofi_check_whole(&call, &view, "mask");
    if (status == COF_OK && (value < 0 || value > UINT8_MAX))
        status =
            cofi_call_fail_argument(&call, COF_ERR_ARGUMENT, "value", "value must be 0 to 255");
    if (status == COF_OK)
        status = draw(&call, &view, points, n, radius, (uint8_t)value);
    return cofi_call_end(&call, status);
}
