/* SPDX-License-Identifier: BSD-2-Clause */
/* Public functions that make models, and labels with them. */
#include "cof/cof.h"

#include "api/checks.h"
#include "image/image.h"
#include "image/roi.h"
#include "learn/label_map.h"
#include "learn/learn.h"
#include "learn/model.h"
#include "learn/soft_model.h"

void cof_model_free(CofModel **model)
{
    if (model)
        cofi_model_free(model);
}

/* Begins a call that makes a model of statistics. */
static CofStatus enter(CofiCall *call, const CofOptions *options, CofModel **out,
                       const CofStats *stats)
{
    CofStatus status = cofi_call_begin(call, options);
    if (status != COF_OK)
        return status;
    cofi_call_stage(call, COF_STAGE_MODEL);
    status = cofi_check_pointer(call, out, "out");
    if (status == COF_OK)
        status = cofi_check_pointer(call, stats, "stats");
    if (status == COF_OK && !stats->has_palette)
        status = cofi_call_fail_argument(call, COF_ERR_ARGUMENT, "stats",
                                         "the statistics have no palette yet");
    return status == COF_OK ? status : cofi_call_end(call, status);
}

CofStatus cof_model_new(CofModel **out, const CofStats *stats, const CofOptions *options)
{
    CofiCall call;
    CofStatus status = enter(&call, options, out, stats);
    if (status != COF_OK)
        return status;
    return cofi_call_end(&call, cofi_model_from_counts(out, &call, stats));
}

CofStatus cof_model_new_matrix(CofModel **out, const CofStats *stats, const double *matrix,
                               const CofOptions *options)
{
    CofiCall call;
    CofStatus status = enter(&call, options, out, stats);
    if (status != COF_OK)
        return status;
    status = cofi_check_pointer(&call, matrix, "matrix");
    if (status == COF_OK && stats->n_others > 0)
        status = cofi_call_fail_argument(&call, COF_ERR_ARGUMENT, "stats",
                                         "a matrix belongs to a single palette");
    if (status == COF_OK)
        status = cofi_model_from_matrix(out, &call, stats, matrix);
    return cofi_call_end(&call, status);
}

/* Completes images that must be whole. */
static CofStatus check_images(CofiCall *call, const CofImage *images, int n, CofImage **views)
{
    CofStatus status = cofi_check_pointer(call, images, "images");
    if (status == COF_OK && n < 1)
        status = cofi_call_fail_argument(call, COF_ERR_ARGUMENT, "n", "n must be 1 or more");
    if (status != COF_OK)
        return status;
    *views = cofi_call_take(call, (size_t)n, sizeof **views);
    if (!*views)
        return COF_ERR_MEMORY;
    for (int i = 0; i < n && status == COF_OK; i++) {
        status = cofi_check_image(call, &images[i], "images", &(*views)[i]);
        if (status == COF_OK)
            status = cofi_check_whole(call, &(*views)[i], "images");
        cofi_call_fail_index(call, status, i);
    }
    return status;
}

/* Completes regions of interest, without their parts. */
static CofStatus check_rois(CofiCall *call, const CofStats *stats, const CofImage *views,
                            const CofRoi *rois, int n, CofiRoi **complete)
{
    *complete = cofi_call_take(call, (size_t)n, sizeof **complete);
    CofStatus status = *complete ? COF_OK : COF_ERR_MEMORY;
    for (int i = 0; i < n && status == COF_OK; i++) {
        CofRoi roi = rois ? rois[i] : (CofRoi){0};
        roi.part = (CofRect){0};
        status = cofi_check_not_downscaled(call, &roi);
        if (status == COF_OK && !cofi_palette_fits(&stats->palette, &views[i]))
            status =
                cofi_mismatch(call, "images", "the image is not of the kind the palette is for");
        if (status == COF_OK)
            status =
                cofi_check_roi(call, &roi, &views[i], cofi_full_rect(&views[i]), &(*complete)[i]);
        cofi_call_fail_index(call, status, i);
    }
    return status;
}

CofStatus cof_model_new_soft(CofModel **out, const CofStats *stats, const CofImage *images,
                             const CofRoi *rois, int n, const CofOptions *options)
{
    CofiCall call;
    CofImage *views = NULL;
    CofiRoi *complete = NULL;
    CofStatus status = enter(&call, options, out, stats);
    if (status != COF_OK)
        return status;
    cofi_call_expect(&call, n * (1.0 + stats->n_others));
    if (stats->learning.downscale > 1)
        status = cofi_call_fail_option(&call, "downscale",
                                       "softly assigned pixels cannot be downscaled");
    if (status == COF_OK)
        status = check_images(&call, images, n, &views);
    if (status == COF_OK)
        status = check_rois(&call, stats, views, rois, n, &complete);
    if (status == COF_OK)
        status = cofi_model_from_pixels(out, &call, stats, views, complete, n);
    cofi_call_rename_argument(&call, "roi", "rois");
    return cofi_call_end(&call, status);
}

CofStatus cof_model_learn(CofModel **out, const CofImage *images, const CofRoi *rois, int n,
                          const CofOptions *options)
{
    CofiCall call;
    CofImage *views = NULL;
    CofStatus status = cofi_call_begin(&call, options);
    if (status != COF_OK)
        return status;
    cofi_call_expect(&call, cofi_learn_model_units(&call.options, n));
    status = cofi_check_pointer(&call, out, "out");
    if (status == COF_OK)
        status = check_images(&call, images, n, &views);
    for (int i = 0; i < n && rois && status == COF_OK; i++) {
        status = cofi_check_not_downscaled(&call, &rois[i]);
        cofi_call_fail_index(&call, status, i);
    }
    if (status == COF_OK)
        status = cofi_learn_model(&call, views, rois, n, out);
    cofi_call_rename_argument(&call, "image", "images");
    cofi_call_rename_argument(&call, "roi", "rois");
    return cofi_call_end(&call, status);
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
    uint8_t *packed = cofi_call_take_raw(call, (size_t)image->height, (size_t)image->width);
    if (status == COF_OK && !packed)
        status = COF_ERR_MEMORY;
    if (status != COF_OK)
        return status;
    cofi_label_map_copy(&map, image, packed);
    for (int y = 0; y < image->height; y++)
        for (int x = 0; x < image->width; x++)
            *cofi_pixel(labels, x, y) = *packed++;
    return status;
}

CofStatus cof_model_label(const CofModel *model, const CofImage *image, const CofImage *labels,
                          const CofOptions *options)
{
    CofiCall call;
    CofImage view, bytes;
    CofStatus status = cofi_call_begin(&call, options);
    if (status != COF_OK)
        return status;
    cofi_call_expect(&call, 1);
    cofi_call_stage(&call, COF_STAGE_LABELS);
    status = cofi_check_pointer(&call, model, "model");
    if (status == COF_OK)
        status = cofi_check_image(&call, image, "image", &view);
    if (status == COF_OK)
        status = cofi_check_bytes(&call, labels, "labels", &view, &bytes);
    if (status == COF_OK && !cofi_palette_fits(&model->palette, &view))
        status = cofi_mismatch(&call, "image", "the image is not of the kind the model is for");
    if (status == COF_OK)
        status = label(&call, model, &view, &bytes);
    return cofi_call_end(&call, status);
}
