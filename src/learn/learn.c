/* SPDX-License-Identifier: BSD-2-Clause */
/* The stages of learning over images: scan, palette, labels, counts, model. */
#include "learn/learn.h"

#include <assert.h>

#include "image/dilate.h"
#include "image/image.h"
#include "image/box_downscale.h"
#include "learn/count.h"
#include "learn/model.h"
#include "learn/scan_image.h"

static CofStatus fail_part(const CofiCall *call)
{
    return cofi_call_fail_option(call, "downscale", "parts of an image cannot be downscaled");
}

static CofStatus downscale_training(CofiCall *call, int n, const CofImage *image, const CofRoi *roi,
                                    CofiTrainingImage *training)
{
    CofRect full = cofi_full_rect(image);
    CofiRoi complete;
    if (!cofi_rect_holds(cofi_view_rect(image), full))
        return fail_part(call);
    CofStatus status = cofi_check_roi(call, roi, image, full, &complete);
    if (status != COF_OK)
        return status;
    if (complete.part.width != full.width || complete.part.height != full.height)
        return fail_part(call);
    status = cofi_downscale(call, image, n, &training->image);
    if (status == COF_OK)
        status = cofi_downscale_roi(call, &complete, n, &training->complete);
    training->roi = (CofRoi){.region = training->complete.region,
                             .mask = complete.has_mask ? &training->complete.mask : NULL};
    call->unit_scale /= (double)n * n;
    return status;
}

CofStatus cofi_training_image(CofiCall *call, int downscale, const CofImage *image,
                              const CofRoi *roi, CofiTrainingImage *training)
{
    assert(downscale >= 1);
    training->image = *image;
    training->roi = roi ? *roi : (CofRoi){0};
    return downscale > 1 ? downscale_training(call, downscale, image, roi, training) : COF_OK;
}

double cofi_training_units(int downscale, double units)
{
    return downscale > 1 ? 1 + units / ((double)downscale * downscale) : units;
}

CofStatus cofi_learn_scan(CofiCall *call, CofStats *stats, const CofImage *image, const CofRoi *roi)
{
    CofiRoi complete;
    CofStatus status = cofi_check_roi(call, roi, image, cofi_view_rect(image), &complete);
    if (status != COF_OK)
        return status;
    if (!cofi_rect_holds(cofi_view_rect(image), complete.part))
        return cofi_call_fail_argument(call, COF_ERR_MISMATCH, "roi",
                                       "the view does not contain the part");
    cofi_call_stage(call, COF_STAGE_PALETTE);
    status = cofi_scan_image(&stats->scan, &stats->learning, call, image, &complete);
    if (status == COF_ERR_MISMATCH)
        return cofi_call_fail_argument(call, status, "image",
                                       "the image differs in kind from those scanned before");
    return status;
}

/* Does a view contain the reference pixels and all their neighbours? */
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
    CofRect references = roi->references;
    references.x -= view->x;
    references.y -= view->y;
    cofi_call_stage(call, COF_STAGE_COUNT);
    return cofi_count(stats, call, map, view->x, view->y, references);
}

/* What is counted: an image, or given labels. The labels of an image are found, unless it is a part
 * that has them. */
typedef struct Counted {
    const CofImage *image, *labels; /* one is NULL */
    const CofPart *part;            /* NULL: none */
} Counted;

static CofStatus fill_map(CofiCall *call, CofiLabelMap *map, const CofStats *stats, int member,
                          const Counted *from, const CofiRoi *roi)
{
    if (from->labels)
        return cofi_label_map_given(map, call, stats->palette.k, from->labels, roi, 1);
    if (from->part)
        return cofi_label_map_known(map, call, from->part->labels[member], from->image, roi, 1);
    return cofi_label_map_fill(map, call, &stats->palette, from->image, roi, 1);
}

static CofStatus add(CofiCall *call, CofStats *stats, int member, const Counted *from,
                     const CofRoi *roi)
{
    const CofImage *view = from->image ? from->image : from->labels;
    int radius = cofi_learning_radius(stats);
    CofiRoi complete;
    CofStatus status = cofi_check_roi(call, roi, view, cofi_full_rect(view), &complete);
    if (status != COF_OK)
        return status;
    if (!holds_neighbours(view, &complete, radius))
        return cofi_call_fail_argument(call, COF_ERR_MISMATCH, "image",
                                       "the view must extend half a window beyond the part");
    if (cofi_rect_empty(complete.references))
        return COF_OK;
    cofi_call_stage(call, COF_STAGE_LABELS);
    CofiLabelMap map;
    status = cofi_label_map_take(&map, call, view->width, view->height, radius);
    if (status == COF_OK)
        status = fill_map(call, &map, stats, member, from, &complete);
    return status == COF_OK ? cofi_learn_count(call, stats, view, &map, &complete) : status;
}

/* Counts for all members, or, if that fails, for none. */
static CofStatus add_to_members(CofiCall *call, CofStats *stats, const Counted *from,
                                const CofRoi *roi)
{
    if (stats->n_others == 0)
        return add(call, stats, 0, from, roi);
    CofStats *counted = NULL;
    CofStatus status = cofi_stats_new_like(&counted, stats);
    for (int i = 0; i <= stats->n_others && status == COF_OK; i++) {
        CofiMark mark = cofi_call_mark(call);
        status = add(call, cofi_stats_member(counted, i), i, from, roi);
        cofi_call_release(call, mark);
    }
    if (status == COF_OK && !cofi_sums_fit(stats, counted))
        status = cofi_call_fail(call, COF_ERR_ARGUMENT, "the counts would grow beyond 64 bits");
    if (status == COF_OK)
        status = cofi_stats_add_counts(stats, counted);
    cofi_stats_free(&counted);
    return status;
}

CofStatus cofi_learn_add(CofiCall *call, CofStats *stats, const CofImage *image, const CofRoi *roi)
{
    assert(stats->has_palette);
    return add_to_members(call, stats, &(Counted){.image = image}, roi);
}

CofStatus cofi_learn_add_part(CofiCall *call, CofStats *stats, CofPart *part, const CofRoi *roi)
{
    assert(stats->has_palette);
    CofStatus status = cofi_part_label(part, call, stats);
    Counted from = {.image = &part->image, .part = part};
    return status == COF_OK ? add_to_members(call, stats, &from, roi) : status;
}

CofStatus cofi_learn_add_labels(CofiCall *call, CofStats *stats, const CofImage *labels,
                                const CofRoi *roi)
{
    assert(stats->has_palette && stats->n_others == 0);
    return add(call, stats, 0, &(Counted){.labels = labels}, roi);
}

typedef CofStatus LearnStage(CofiCall *call, CofStats *stats, const CofImage *image,
                             const CofRoi *roi);

/* One stage over n images. */
static CofStatus for_each(CofiCall *call, CofStats *stats, const CofImage *images,
                          const CofRoi *rois, int n, LearnStage *stage)
{
    CofStatus status = COF_OK;
    for (int i = 0; i < n && status == COF_OK; i++) {
        CofiMark mark = cofi_call_mark(call);
        double unit_scale = call->unit_scale; /* of a call that has downscaled all images before */
        CofiTrainingImage training;
        CofRoi roi = rois ? rois[i] : (CofRoi){0};
        roi.part = (CofRect){0};
        status = cofi_training_image(call, stats->learning.downscale, &images[i], &roi, &training);
        if (status == COF_OK)
            status = stage(call, stats, &training.image, &training.roi);
        call->unit_scale = unit_scale;
        cofi_call_release(call, mark);
        cofi_call_fail_index(call, status, i);
    }
    return status;
}

CofStatus cofi_learn_model(CofiCall *call, const CofImage *images, const CofRoi *rois, int n,
                           CofModel **model)
{
    CofiMark mark = cofi_call_mark(call);
    CofiLearning learning = cofi_learning(&call->options);
    CofStats *stats = cofi_stats_new(&learning);
    if (!stats)
        return COF_ERR_MEMORY;
    CofStatus status = for_each(call, stats, images, rois, n, cofi_learn_scan);
    cofi_call_stage(call, COF_STAGE_PALETTE);
    if (status == COF_OK)
        status = cofi_stats_fit_palette(stats, call);
    if (status == COF_OK)
        status = for_each(call, stats, images, rois, n, cofi_learn_add);
    cofi_call_stage(call, COF_STAGE_MODEL);
    if (status == COF_OK)
        status = cofi_model_from_counts(model, call, stats);
    cofi_stats_free(&stats);
    cofi_call_release(call, mark);
    return status;
}

double cofi_learn_model_units(const CofOptions *options, int n)
{
    return n *
           (cofi_training_units(options->downscale, 1) +
            cofi_training_units(options->downscale, options->palettes * (1 + COFI_COUNT_UNITS)));
}

/* A model of the pairs inside a mask, with the palette of `like`. */
static CofStatus learn_inside(CofiCall *call, const CofStats *like, const CofImage *image,
                              const CofImage *mask, CofModel **model)
{
    CofStats *stats = NULL;
    CofRoi roi = {.mask = mask};
    CofiMark mark = cofi_call_mark(call);
    CofStatus status = cofi_stats_new_like(&stats, like);
    if (status == COF_OK)
        status = cofi_learn_add(call, stats, image, &roi);
    cofi_call_stage(call, COF_STAGE_MODEL);
    if (status == COF_OK)
        status = cofi_model_from_counts(model, call, stats);
    if (stats)
        cofi_stats_free(&stats);
    cofi_call_release(call, mark);
    return status;
}

/* Marks the pixels that lie more than `gap` pixels outside of the mask. */
static CofStatus mark_outside(CofiCall *call, const CofImage *mask, double gap, CofImage *outside)
{
    *outside = *mask;
    outside->pixel_stride = outside->channel_stride = 1;
    outside->row_stride = mask->width;
    outside->valid = NULL;
    outside->data = cofi_call_take(call, (size_t)mask->height, (size_t)mask->width);
    CofStatus status = outside->data ? cofi_dilate(call, mask, outside, gap) : COF_ERR_MEMORY;
    unsigned char *bytes = outside->data;
    size_t n = (size_t)mask->width * (size_t)mask->height;
    for (size_t i = 0; i < n && status == COF_OK; i++)
        bytes[i] = bytes[i] ? 0 : 255;
    return status;
}

static CofStatus learn_both(CofiCall *call, CofStats *stats, const CofImage *image,
                            const CofImage *mask, CofModel *models[2])
{
    CofImage outside;
    CofStatus status = mark_outside(call, mask, call->options.gap, &outside);
    if (status == COF_OK)
        status = cofi_learn_scan(call, stats, image, NULL);
    cofi_call_stage(call, COF_STAGE_PALETTE);
    if (status == COF_OK)
        status = cofi_stats_fit_palette(stats, call);
    if (status != COF_OK)
        return status;
    status = learn_inside(call, stats, image, mask, &models[0]);
    if (status == COF_ERR_EMPTY)
        return cofi_call_fail_argument(call, status, "mask",
                                       "there is nothing to learn from inside the mask");
    if (status == COF_OK)
        status = learn_inside(call, stats, image, &outside, &models[1]);
    if (status == COF_ERR_EMPTY)
        return cofi_call_fail_argument(call, status, "mask",
                                       "there is nothing to learn from outside the mask");
    return status;
}

CofStatus cofi_learn_pair(CofiCall *call, const CofImage *image, const CofImage *mask,
                          CofModel **foreground, CofModel **background)
{
    CofiMark mark = cofi_call_mark(call);
    CofModel *models[2] = {NULL, NULL};
    CofiLearning learning = cofi_learning(&call->options);
    learning.palettes = 1; /* mattes compare labels of one palette */
    CofStats *stats = cofi_stats_new(&learning);
    if (!stats)
        return COF_ERR_MEMORY;
    CofStatus status = learn_both(call, stats, image, mask, models);
    cofi_stats_free(&stats);
    cofi_call_release(call, mark);
    if (status != COF_OK) {
        cofi_model_free(&models[0]);
        cofi_model_free(&models[1]);
        return status;
    }
    *foreground = models[0];
    *background = models[1];
    return COF_OK;
}
