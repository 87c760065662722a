/* SPDX-License-Identifier: BSD-2-Clause */
/* Two-scale filtering, for windows that are too large to run all passes at full size: all passes
 * but the last run on the downscaled image. The last one runs on the upscaled result, with the
 * labels of the full image, so that boundaries are as sharp as its pixels. */
#include "filter/two_scale.h"

#include <assert.h>
#include <math.h>

#include "filter/tiles.h"
#include "image/box_downscale.h"
#include "image/image.h"
#include "image/upscale.h"
#include "learn/model.h"
#include "options/options.h"

/* The options of the last pass: the window covers as much of the full image as it did before. */
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
    options->fidelity = 0; /* the small image is corrected */
}

/* The options of the passes before it. */
static CofOptions small_options(const CofOptions *options)
{
    CofOptions small = *options;
    cofi_options_only_smooth(&small);
    small.fidelity = options->fidelity;
    small.iterations--;
    return small;
}

/* The last pass, too, is repeated for the residual. */
static int small_passes(const CofOptions *options)
{
    return cofi_filter_job_passes(options->iterations - 1, options->fidelity, 1);
}

/* All passes but the last, in place. */
static CofStatus filter_small(CofiCall *call, const CofModel *model, const CofImage *guide,
                              const CofImage *small, const CofPart *labelled)
{
    if (small_passes(&call->options) == 0)
        return COF_OK;
    call->options = small_options(&call->options);
    CofiMark mark = cofi_call_mark(call);
    CofiFilterImages images = {
        .model = model, .guide = guide, .part = labelled, .in = small, .out = small, .further = 1};
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

/* Each label that is not known is mapped to the nearest label that is. */
static void remap_unknown_labels(const CofiPalette *palette, const bool *known,
                                 uint8_t *label_remap)
{
    for (int a = 0; a < palette->k; a++) {
        int nearest = a;
        double least = HUGE_VAL;
        for (int b = 0; b < palette->k && !known[a]; b++)
            if (known[b] && squared_distance(palette, a, b) < least) {
                least = squared_distance(palette, a, b);
                nearest = b;
            }
        label_remap[a] = (uint8_t)nearest;
    }
}

/* `labels` are those of the image; NULL: they are found. */
static CofStatus find_present_labels(CofiCall *call, const CofModel *model, const CofImage *image,
                                     const uint8_t *labels, bool *present)
{
    CofiLabelMap map;
    CofiRoi everywhere;
    CofStatus status = cofi_check_roi(call, NULL, image, cofi_full_rect(image), &everywhere);
    if (status == COF_OK)
        status = cofi_label_map_take(&map, call, image->width, image->height, 0);
    if (status == COF_OK && labels)
        status = cofi_label_map_known(&map, call, labels, image, &everywhere, 0);
    else if (status == COF_OK)
        status = cofi_label_map_fill(&map, call, &model->palette, image, &everywhere, 0);
    for (int y = 0; y < image->height && status == COF_OK; y++)
        for (int x = 0; x < image->width; x++)
            if (map.members[y * map.stride + x])
                present[map.labels[y * map.stride + x]] = true;
    return status;
}

/* The label that replaces each label of one member. Averaging can remove extreme labels, so that
 * they have no statistics: `learned` is the labelled image at the scale of the model. `small` is
 * that at the scale of the filter; where it is not the same, it may be that of a larger image,
 * which has more labels: those with a frequency are known, too. */
static CofStatus find_label_remap(CofiCall *call, const CofModel *model, const CofImage *small,
                                  const uint8_t *small_labels, const CofImage *learned,
                                  uint8_t *label_remap)
{
    CofiMark mark = cofi_call_mark(call);
    bool known[COF_MAX_COLOURS] = {false}, present[COF_MAX_COLOURS] = {false};
    CofStatus status = find_present_labels(call, model, small, small_labels, present);
    if (status == COF_OK && learned != small)
        status = find_present_labels(call, model, learned, NULL, known);
    for (int a = 0; a < model->palette.k; a++)
        known[a] |= present[a] && (learned == small || model->frequencies[a] > 0);
    remap_unknown_labels(&model->palette, known, label_remap);
    cofi_call_release(call, mark);
    return status;
}

/* Of all members. `small` is as above. */
static CofStatus find_label_remaps(CofiCall *call, const CofiFilterImages *whole,
                                   const CofImage *small, const CofPart *labelled,
                                   CofiCoarse *coarse)
{
    const CofModel *model = whole->model;
    CofiMark mark = cofi_call_mark(call);
    const CofImage *source = whole->guide ? whole->guide : whole->in, *learned = source;
    CofImage downscaled;
    CofStatus status = COF_OK;
    if (model->recipe.downscale == coarse->n) {
        learned = small;
    } else if (model->recipe.downscale > 1) {
        status = cofi_downscale(call, source, model->recipe.downscale, &downscaled);
        learned = &downscaled;
    }
    for (int i = 0; i <= model->n_others && status == COF_OK; i++)
        status = find_label_remap(call, cofi_model_member(model, i), small,
                                  labelled ? labelled->labels[i] : NULL, learned,
                                  coarse->label_remaps[i]);
    cofi_call_release(call, mark);
    return status;
}

CofStatus cofi_coarse_make(CofiCall *call, const CofiFilterImages *whole, const CofImage *small,
                           const CofPart *labelled, CofiCoarse *coarse)
{
    assert(!(labelled && whole->guide));
    int n = cofi_filter_downscale(&call->options, whole->model->recipe.downscale);
    *coarse = (CofiCoarse){.model = whole->model, .n = n, .small = *small};
    CofImage guide = *small;
    CofOptions options = call->options;
    CofStatus status = whole->guide ? cofi_downscale(call, whole->guide, n, &guide) : COF_OK;
    if (status == COF_OK)
        status = find_label_remaps(call, whole, &guide, labelled, coarse);
    double unit_scale = call->unit_scale;
    call->unit_scale /= (double)n * n;
    if (status == COF_OK)
        status = filter_small(call, whole->model, whole->guide ? &guide : NULL, small, labelled);
    call->unit_scale = unit_scale;
    call->options = options;
    return status;
}

CofStatus cofi_coarse_filter(CofiCall *call, const CofiCoarse *coarse, const CofImage *guide,
                             const CofImage *in, const CofImage *out)
{
    CofImage large;
    CofStatus status = cofi_upscale(call, &coarse->small, coarse->n, in, &large);
    if (status != COF_OK)
        return status;
    widen(&call->options, coarse->model, coarse->n);
    guide = guide ? guide : in;
    if (call->options.update == COF_UPDATE_LABELS)
        guide = NULL; /* the upscaled result is labelled itself */
    CofiFilterImages images = {.model = coarse->model,
                               .guide = guide,
                               .in = &large,
                               .out = out,
                               .fallback = in,
                               .label_remaps = coarse->label_remaps};
    return cofi_filter_images(call, &images, cofi_view_rect(out));
}

int cofi_coarse_margin(const CofModel *model, const CofOptions *options)
{
    CofOptions last = *options;
    widen(&last, model, cofi_filter_downscale(options, model->recipe.downscale));
    return cofi_filter_margin(model, &last);
}

/* A part with the labels of all members of a model; NULL if it has others. */
static const CofPart *labelled_by(const CofModel *model, const CofPart *part)
{
    const CofiPalette *palettes[COF_MAX_PALETTES] = {NULL};
    for (int i = 0; i <= model->n_others; i++)
        palettes[i] = &cofi_model_member(model, i)->palette;
    return part && cofi_part_has(part, palettes, 1 + model->n_others) ? part : NULL;
}

CofStatus cofi_filter_two_scale(CofiCall *call, const CofiFilterImages *whole,
                                const CofPart *downscaled)
{
    assert(!whole->labels && !whole->foreground);
    int n = cofi_filter_downscale(&call->options, whole->model->recipe.downscale);
    assert(n > 1);
    CofiCoarse coarse;
    CofImage small;
    CofStatus status = COF_OK;
    if (downscaled)
        small = downscaled->image;
    else
        status = cofi_downscale(call, whole->in, n, &small);
    if (status == COF_OK)
        status =
            cofi_coarse_make(call, whole, &small, labelled_by(whole->model, downscaled), &coarse);
    return status == COF_OK ? cofi_coarse_filter(call, &coarse, whole->guide, whole->in, whole->out)
                            : status;
}

double cofi_coarse_units(const CofOptions *options, int members)
{
    CofOptions small = small_options(options);
    return small_passes(options) > 0 ? cofi_passes_units(&small, members, small.iterations, 1) : 0;
}

double cofi_last_units(const CofOptions *options, int members)
{
    CofOptions last = *options;
    last.fidelity = 0;
    return cofi_passes_units(&last, members, 1, 0);
}

double cofi_filter_units(const CofOptions *options, int members, int learned, bool guided)
{
    int n = cofi_filter_downscale(options, learned);
    if (n == 1)
        return cofi_passes_units(options, members, options->iterations, 0);
    double resampling = 2 + guided + (learned != n && learned > 1);
    return resampling + cofi_coarse_units(options, members) / ((double)n * n) +
           cofi_last_units(options, members);
}
