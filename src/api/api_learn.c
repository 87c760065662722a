/* SPDX-License-Identifier: BSD-2-Clause */
/* Public functions that learn. */
#include "api/api_learn.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "api/checks.h"
#include "filter/two_scale.h"
#include "image/image.h"
#include "learn/count.h"
#include "learn/model.h"
#include "learn/scan_image.h"
#include "learn/soft_model.h"

CofStatus cofi_learn_scan(CofiCall *call, CofStats *stats, const CofImage *image,
                          const CofWhere *roi, bool alone)
{
    assert(!stats->settled);
    CofiRoi complete;
    CofStatus status = cofi_check_roi(call, roi, image, cofi_view_rect(image), &complete);
    if (status != COF_OK)
        return status;
    if (!cofi_rect_holds(cofi_view_rect(image), complete.part))
        return cofi_call_fail(call, COF_ERR_ARGUMENT, "the view does not hold its part");
    cofi_call_stage(call, COF_STAGE_PALETTE);
    status = cofi_scan_image(&stats->scan, &stats->learning, call, image, &complete, alone);
    if (status == COF_ERR_MISMATCH)
        return cofi_mismatch(call, "an image differs in kind from those scanned before");
    return status;
}

/* Units of progress, including one for downscaling. */
static double training_units(const CofOptions *options, double units)
{
    double fewer = (double)options->coarse * options->coarse;
    return options->coarse > 1 ? 1 + units / fewer : units;
}

/* The image to learn from: the caller's, or a downscaled copy. */
static CofStatus prepare_training(CofiCall *call, const CofImage *view, const CofWhere *roi,
                                  CofiTrainingImage *training)
{
    training->image = *view;
    training->roi = roi ? *roi : (CofWhere){0};
    return call->options.coarse > 1 ? cofi_downscale_training(call, view, roi, training) : COF_OK;
}

CofStatus cof_stats_scan(CofStats *stats, const CofImage *image, const CofWhere *roi,
                         const CofOptions *options)
{
    CofiCall call;
    CofImage view;
    bool sensible = stats && image && !stats->settled;
    CofStatus status = cofi_enter(&call, options, sensible,
                                  "an argument is NULL, or the statistics are settled already");
    if (status != COF_OK)
        return status;
    cofi_call_expect(&call, training_units(&call.options, 1));
    status = cofi_check_image(&call, image, &view);
    CofiTrainingImage training;
    if (status == COF_OK)
        status = prepare_training(&call, &view, roi, &training);
    if (status == COF_OK)
        status = cofi_learn_scan(&call, stats, &training.image, &training.roi, false);
    return cofi_call_end(&call, status);
}

CofStatus cof_stats_settle(CofStats *stats, const CofOptions *options)
{
    CofiCall call;
    bool sensible = stats && !stats->settled;
    CofStatus status =
        cofi_enter(&call, options, sensible, "the statistics are NULL or settled already");
    if (status != COF_OK)
        return status;
    cofi_call_stage(&call, COF_STAGE_PALETTE);
    return cofi_call_end(&call, cofi_stats_fit_palette(stats, &call));
}

CofStatus cof_stats_settle_palette(CofStats *stats, const float *centres, int k, int bands,
                                   CofKind kind)
{
    if (!stats || stats->settled || !centres || k < 1 || k > COF_MAX_COLOURS)
        return COF_ERR_ARGUMENT;
    CofKind family = cofi_family(kind);
    bool fits = kind == COF_BANDS ? bands >= 1 && bands <= COF_MAX_BANDS
                                  : (unsigned)kind < COF_BANDS && bands == (int)family + 1;
    if (!fits)
        return COF_ERR_ARGUMENT;
    for (int i = 0; i < k * bands; i++)
        if (!isfinite(centres[i]))
            return COF_ERR_ARGUMENT;
    CofiPalette palette;
    CofStatus status = cofi_palette_given(&palette, family, bands, k, centres);
    return cofi_stats_settle_with(stats, &palette, status);
}

CofStatus cof_stats_settle_labels(CofStats *stats, int k)
{
    if (!stats || stats->settled || k < 1 || k > COF_MAX_COLOURS)
        return COF_ERR_ARGUMENT;
    CofiPalette palette;
    CofStatus status = cofi_palette_labels(&palette, k);
    return cofi_stats_settle_with(stats, &palette, status);
}

/* Does a view hold all reference pixels and their neighbours? */
static bool holds_neighbours(const CofImage *view, const CofiRoi *roi, int radius)
{
    if (cofi_rect_empty(roi->references))
        return true;
    CofRect needed = cofi_rect_grow(roi->references, radius, roi->region);
    return cofi_rect_holds(cofi_view_rect(view), needed);
}

CofStatus cofi_learn_count(CofiCall *call, CofStats *stats, const CofImage *view, CofiLabelMap *map,
                           const CofiRoi *roi)
{
    assert(stats->settled);
    CofRect references = roi->references;
    references.x -= view->x;
    references.y -= view->y;
    cofi_call_stage(call, COF_STAGE_COUNT);
    return cofi_count(stats, call, map, view->x, view->y, references);
}

/* Either image or labels is NULL; the other one is complete. */
static CofStatus add(CofiCall *call, CofStats *stats, const CofImage *image, const CofImage *labels,
                     const CofWhere *roi)
{
    const CofImage *view = image ? image : labels;
    int radius = cofi_learning_radius(stats);
    CofiRoi complete;
    CofStatus status = cofi_check_roi(call, roi, view, cofi_full_rect(view), &complete);
    if (status != COF_OK)
        return status;
    if (!holds_neighbours(view, &complete, radius))
        return cofi_call_fail(call, COF_ERR_ARGUMENT,
                              "a view must reach half the window beyond its part");
    if (cofi_rect_empty(complete.references))
        return COF_OK;
    cofi_call_stage(call, COF_STAGE_LABELS);
    CofiLabelMap map;
    status = cofi_label_map_take(&map, call, view->width, view->height, radius);
    if (status == COF_OK)
        status = image ? cofi_label_map_fill(&map, call, &stats->palette, image, &complete, 1)
                       : cofi_label_map_given(&map, call, stats->palette.k, labels, &complete, 1);
    return status == COF_OK ? cofi_learn_count(call, stats, view, &map, &complete) : status;
}

CofStatus cofi_learn_add(CofiCall *call, CofStats *stats, const CofImage *image,
                         const CofWhere *roi)
{
    assert(stats->settled);
    return add(call, stats, image, NULL, roi);
}

CofStatus cof_stats_add(CofStats *stats, const CofImage *image, const CofWhere *roi,
                        const CofOptions *options)
{
    CofiCall call;
    CofImage view;
    bool sensible = stats && image && stats->settled;
    CofStatus status = cofi_enter(&call, options, sensible,
                                  "an argument is NULL, or the statistics are not settled yet");
    if (status != COF_OK)
        return status;
    cofi_call_expect(&call, training_units(&call.options, 1 + COFI_COUNT_UNITS));
    status = cofi_check_image(&call, image, &view);
    if (status == COF_OK && !cofi_palette_fits(&stats->palette, &view))
        status = cofi_mismatch(&call, "the image is not of the kind that the statistics are for");
    CofiTrainingImage training;
    if (status == COF_OK)
        status = prepare_training(&call, &view, roi, &training);
    if (status == COF_OK)
        status = cofi_learn_add(&call, stats, &training.image, &training.roi);
    return cofi_call_end(&call, status);
}

CofStatus cof_stats_add_labels(CofStats *stats, const CofImage *labels, const CofWhere *roi,
                               const CofOptions *options)
{
    CofiCall call;
    CofImage view;
    const char *problem = NULL;
    bool sensible = stats && labels && stats->settled;
    CofStatus status = cofi_enter(&call, options, sensible,
                                  "an argument is NULL, or the statistics are not settled yet");
    if (status != COF_OK)
        return status;
    cofi_call_expect(&call, 1 + COFI_COUNT_UNITS);
    status = cofi_bytes_complete(labels, labels, &view, &problem);
    if (status != COF_OK)
        status = cofi_call_fail(&call, status, problem);
    else
        status = cofi_check_coarse(&call, "coarse is not for labels");
    if (status == COF_OK)
        status = add(&call, stats, NULL, &view, roi);
    return cofi_call_end(&call, status);
}

CofStatus cof_model_new(CofModel **out, const CofStats *stats, const CofOptions *options)
{
    CofiCall call;
    bool sensible = out && stats && stats->settled;
    CofStatus status = cofi_enter(&call, options, sensible,
                                  "an argument is NULL, or the statistics are not settled yet");
    if (status != COF_OK)
        return status;
    cofi_call_stage(&call, COF_STAGE_MODEL);
    return cofi_call_end(&call, cofi_model_from_counts(out, &call, stats));
}

/* Completes the images and regions of cof_model_new_soft(). */
static CofStatus complete_learning_images(CofiCall *call, const CofStats *palette,
                                          const CofImage *images, const CofWhere *roi, int n,
                                          CofImage *views, CofiRoi *places)
{
    for (int i = 0; i < n; i++) {
        CofStatus status = cofi_check_image(call, &images[i], &views[i]);
        if (status != COF_OK)
            return status;
        if (!cofi_palette_fits(&palette->palette, &views[i]))
            return cofi_mismatch(call, "the image is not of the kind that the palette is for");
        CofRect full = cofi_full_rect(&views[i]);
        if (!cofi_rect_holds(cofi_view_rect(&views[i]), full))
            return cofi_call_fail(call, COF_ERR_ARGUMENT, "the view is not a whole image");
        CofWhere whole = roi ? roi[i] : (CofWhere){0};
        whole.part = (CofRect){0};
        status = cofi_check_roi(call, &whole, &views[i], full, &places[i]);
        if (status != COF_OK)
            return status;
    }
    return COF_OK;
}

CofStatus cof_model_new_soft(CofModel **out, const CofStats *palette, const CofImage *images,
                             const CofWhere *roi, int n, const CofOptions *options)
{
    CofiCall call;
    bool sensible = out && palette && palette->settled && images && n >= 1;
    CofStatus status = cofi_enter(&call, options, sensible,
                                  "an argument is NULL, or the palette is not settled yet");
    if (status != COF_OK)
        return status;
    cofi_call_expect(&call, n);
    cofi_call_stage(&call, COF_STAGE_MODEL);
    CofImage *views = cofi_call_take(&call, (size_t)n, sizeof *views);
    CofiRoi *places = cofi_call_take(&call, (size_t)n, sizeof *places);
    status = cofi_check_coarse(&call, "coarse does not go with pixels that are softly assigned");
    if (status == COF_OK)
        status = views && places
                     ? complete_learning_images(&call, palette, images, roi, n, views, places)
                     : COF_ERR_MEMORY;
    if (status == COF_OK)
        status = cofi_model_from_pixels(out, &call, palette, views, places, n);
    return cofi_call_end(&call, status);
}

CofStatus cof_model_new_matrix(CofModel **out, const CofStats *palette, const double *matrix,
                               const CofOptions *options)
{
    CofiCall call;
    bool sensible = out && palette && palette->settled && matrix;
    CofStatus status = cofi_enter(&call, options, sensible,
                                  "an argument is NULL, or the palette is not settled yet");
    if (status != COF_OK)
        return status;
    cofi_call_stage(&call, COF_STAGE_MODEL);
    return cofi_call_end(&call, cofi_model_from_matrix(out, &call, palette, matrix));
}

static CofStatus label(CofiCall *call, const CofModel *model, const CofImage *image,
                       const CofImage *labels)
{
    CofiLabelMap map;
    CofiRoi everywhere;
    CofStatus status = cofi_check_roi(call, NULL, image, cofi_full_rect(image), &everywhere);
    if (status == COF_OK)
        status = cofi_label_map_take(&map, call, image->width, image->height, 0);
    if (status == COF_OK)
        status = cofi_label_map_fill(&map, call, &model->palette, image, &everywhere, 1);
    for (int y = 0; y < image->height && status == COF_OK; y++) {
        unsigned char *to = cofi_pixel(labels, 0, y);
        uint8_t *valid = map.members + y * map.stride; /* members exclude transparent pixels */
        memset(valid, 1, (size_t)image->width);
        cofi_valid_row(image, 0, y, image->width, valid);
        for (int x = 0; x < image->width; x++)
            to[x * labels->step] = valid[x] ? map.labels[y * map.stride + x] : 0;
    }
    return status;
}

CofStatus cof_model_label(const CofModel *model, const CofImage *image, const CofImage *labels,
                          const CofOptions *options)
{
    CofiCall call;
    CofImage view, bytes;
    const char *problem = NULL;
    bool sensible = model && image && labels;
    CofStatus status = cofi_enter(&call, options, sensible, "an argument is NULL");
    if (status != COF_OK)
        return status;
    cofi_call_expect(&call, 1);
    cofi_call_stage(&call, COF_STAGE_LABELS);
    status = cofi_check_image(&call, image, &view);
    if (status == COF_OK) {
        status = cofi_bytes_complete(labels, &view, &bytes, &problem);
        if (status != COF_OK)
            cofi_call_fail(&call, status, problem);
    }
    if (status == COF_OK && !cofi_palette_fits(&model->palette, &view))
        status = cofi_mismatch(&call, "the image is not of the kind that the model is for");
    if (status == COF_OK)
        status = label(&call, model, &view, &bytes);
    return cofi_call_end(&call, status);
}
