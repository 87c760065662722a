/* SPDX-License-Identifier: BSD-2-Clause */
/* Learning and filtering with large windows is done on a downscaled image. One pass at full
 * resolution, with the upscaled result as input, then restores boundaries at pixel precision. */
#include "filter/two_scale.h"

#include <assert.h>
#include <math.h>

#include "image/image.h"
#include "image/resample.h"
#include "learn/model.h"
#include "options/options.h"

static CofStatus check_whole(CofiCall *call, const CofImage *image)
{
    bool whole = cofi_rect_holds(cofi_view_rect(image), cofi_full_rect(image));
    return whole ? COF_OK
                 : cofi_call_fail(call, COF_ERR_OPTION, "coarse is not for parts of an image");
}

CofStatus cofi_downscale_training(CofiCall *call, const CofImage *image, const CofWhere *roi,
                                  CofiTrainingImage *training)
{
    assert(call->options.coarse > 1);
    CofRect full = cofi_full_rect(image);
    CofiRoi complete;
    CofStatus status = check_whole(call, image);
    if (status == COF_OK)
        status = cofi_check_roi(call, roi, image, full, &complete);
    if (status != COF_OK)
        return status;
    if (complete.part.width != full.width || complete.part.height != full.height)
        return cofi_call_fail(call, COF_ERR_OPTION, "coarse is not for parts of an image");
    int n = call->options.coarse;
    status = cofi_downscale(call, image, n, &training->image);
    if (status == COF_OK)
        status = cofi_downscale_roi(call, &complete, n, &training->complete);
    training->roi = (CofWhere){.region = training->complete.region,
                               .mask = complete.has_mask ? &training->complete.mask : NULL};
    call->unit_scale = 1.0 / ((double)n * n);
    return status;
}

/* The options of the last pass, whose window covers as much of the full image as the others do of
 * the downscaled one. */
static void widen(CofOptions *options, const CofModel *model, int n)
{
    int window = cofi_filter_window(options, model->recipe.window);
    double sigma = cofi_filter_sigma(options, model->recipe.window, model->recipe.sigma);
    int radius = window / 2 * n;
    if (radius > COF_MAX_FILTER_WINDOW / 2)
        radius = COF_MAX_FILTER_WINDOW / 2;
    options->filter_window = 2 * radius + 1;
    options->filter_sigma = n * sigma;
    options->iterations = 1;
}

/* All passes but the last, in place. */
static CofStatus filter_small(CofiCall *call, const CofModel *model, const CofImage *guide,
                              const CofImage *small)
{
    if (call->options.iterations == 1)
        return COF_OK;
    call->options.iterations--;
    CofiMark mark = cofi_call_mark(call);
    CofiFilterImages images = {.model = model, .guide = guide, .in = small, .out = small};
    CofStatus status = cofi_filter_images(call, &images, cofi_full_rect(small));
    cofi_call_release(call, mark);
    return status;
}

static double squared_distance(const CofiPalette *palette, int a, int b)
{
    double sum = 0;
    for (int band = 0; band < palette->bands; band++) {
        double d = (double)palette->centres[a * palette->bands + band] -
                   (double)palette->centres[b * palette->bands + band];
        sum += d * d;
    }
    return sum;
}

/* Averaging can remove extreme labels from the downscaled image, so they have no statistics. Maps
 * each to the nearest label that is present. */
static void remap_missing_labels(const CofiPalette *palette, const bool *present,
                                 uint8_t *label_remap)
{
    for (int a = 0; a < palette->k; a++) {
        int nearest = a;
        double least = HUGE_VAL;
        for (int b = 0; b < palette->k && !present[a]; b++)
            if (present[b] && squared_distance(palette, a, b) < least) {
                least = squared_distance(palette, a, b);
                nearest = b;
            }
        label_remap[a] = (uint8_t)nearest;
    }
}

static CofStatus find_label_remap(CofiCall *call, const CofModel *model, const CofImage *small,
                                  uint8_t *label_remap)
{
    CofiMark mark = cofi_call_mark(call);
    CofiLabelMap map;
    CofiRoi everywhere;
    bool present[COF_MAX_COLOURS] = {false};
    CofStatus status = cofi_check_roi(call, NULL, small, cofi_full_rect(small), &everywhere);
    if (status == COF_OK)
        status = cofi_label_map_take(&map, call, small->width, small->height, 0);
    if (status == COF_OK)
        status = cofi_label_map_fill(&map, call, &model->palette, small, &everywhere, 0);
    for (int y = 0; y < small->height && status == COF_OK; y++)
        for (int x = 0; x < small->width; x++)
            present[map.labels[y * map.stride + x]] |= map.members[y * map.stride + x] != 0;
    remap_missing_labels(&model->palette, present, label_remap);
    cofi_call_release(call, mark);
    return status;
}

/* Filters `small` in place with all passes but the last, and finds the remap of labels. */
static CofStatus make_small(CofiCall *call, const CofiFilterImages *whole, const CofImage *small,
                            uint8_t *label_remap)
{
    int n = call->options.coarse;
    CofImage guide = *small;
    CofStatus status = whole->guide ? cofi_downscale(call, whole->guide, n, &guide) : COF_OK;
    call->unit_scale = 1.0 / ((double)n * n);
    if (status == COF_OK)
        status = find_label_remap(call, whole->model, &guide, label_remap);
    if (status == COF_OK)
        status = filter_small(call, whole->model, whole->guide ? &guide : NULL, small);
    call->unit_scale = 1;
    return status;
}

CofStatus cofi_filter_two_scale(CofiCall *call, const CofiFilterImages *whole,
                                const CofImage *downscaled)
{
    assert(call->options.coarse > 1);
    assert(!whole->labels && !whole->foreground);
    int n = call->options.coarse;
    uint8_t label_remap[COF_MAX_COLOURS] = {0};
    CofOptions last = call->options;
    widen(&last, whole->model, n);
    CofImage small, large;
    CofStatus status = COF_OK;
    if (downscaled)
        small = *downscaled;
    else
        status = cofi_downscale(call, whole->in, n, &small);
    if (status == COF_OK)
        status = make_small(call, whole, &small, label_remap);
    if (status == COF_OK)
        status = cofi_upscale(call, &small, n, whole->in, &large);
    if (status != COF_OK)
        return status;
    call->options = last;
    const CofImage *guide = whole->guide ? whole->guide : whole->in;
    if (last.repeat == COF_REPEAT_RELABEL)
        guide = NULL; /* labels of the upscaled result, whose contours are smooth */
    CofiFilterImages images = {.model = whole->model,
                               .guide = guide,
                               .in = &large,
                               .out = whole->out,
                               .fallback = whole->in,
                               .label_remap = label_remap};
    return cofi_filter_images(call, &images, cofi_full_rect(&large));
}

double cofi_filter_units(const CofOptions *options)
{
    if (options->coarse == 1)
        return cofi_passes_units(options, options->iterations);
    double downscaling = 1, upscaling = 1, fewer = (double)options->coarse * options->coarse;
    return downscaling + cofi_passes_units(options, options->iterations - 1) / fewer + upscaling +
           cofi_passes_units(options, 1);
}
