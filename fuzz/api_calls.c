/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions of the public API, each called with what a scene has. */
#include "api_calls.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

static void check_stats_members(const CofStats *stats)
{
    int n = cof_stats_palettes(stats);
    CHECK(n >= 0 && n <= COF_MAX_PALETTES && (n > 0) == (cof_stats_size(stats) > 0));
    CHECK(!cof_stats_member(stats, -1) && !cof_stats_member(stats, n));
    for (int i = 0; i < n; i++)
        CHECK(cof_stats_size(cof_stats_member(stats, i)) > 0);
}

static void check_model_members(const CofModel *model)
{
    int n = cof_model_palettes(model);
    CHECK(n >= 1 && n <= COF_MAX_PALETTES);
    CHECK(!cof_model_member(model, -1) && !cof_model_member(model, n));
    for (int i = 0; i < n; i++)
        CHECK(cof_model_matrix(cof_model_member(model, i)));
}

/* Objects become bytes, which are compared. */
static CofStatus keep_stats(CofStats *stats, CofStatus status, Outcome *o)
{
    check_stats_members(stats);
    if (status == COF_OK)
        CHECK(cof_stats_save(stats, &o->bytes, &o->size, NULL) == COF_OK);
    cof_stats_free(&stats);
    return status;
}

static CofStatus keep_models(CofModel *model, CofModel *second, CofStatus status, Outcome *o)
{
    CHECK((status == COF_OK) == (model != NULL));
    if (model)
        check_model_members(model);
    if (model)
        CHECK(cof_model_save(model, &o->bytes, &o->size, NULL) == COF_OK);
    if (second)
        CHECK(cof_model_save(second, &o->more_bytes, &o->more_size, NULL) == COF_OK);
    cof_model_free(&model);
    cof_model_free(&second);
    return status;
}

/* The functions of the API, called with what the scene has. */

static CofStatus smooth(const Request *r, Outcome *o)
{
    (void)o;
    return cof_smooth(&r->views.image, &r->out, r->options);
}

static CofStatus smooth_roi(const Request *r, Outcome *o)
{
    (void)o;
    return cof_smooth_roi(&r->views.image, r->scene->region, &r->out, r->options);
}

static CofStatus filter(const Request *r, Outcome *o)
{
    (void)o;
    return cof_filter(r->scene->model, NULL, &r->views.image, &r->out, r->options);
}

/* Counts an image with the palette of a model that need not fit, and filters it. */
static CofStatus filter_part(const Request *r, Outcome *o)
{
    CofStats *stats = NULL;
    CofPart *part = NULL;
    (void)o;
    CofStatus status = cof_part_new(&part, &r->views.image, r->options->problem);
    if (status == COF_OK)
        status = cof_stats_new(&stats, r->options);
    if (status == COF_OK)
        status = cof_stats_set_palette_from_model(stats, r->scene->model, r->options->problem);
    if (status == COF_OK)
        status = cof_stats_add_part(stats, part, r->scene->region, r->options);
    if (status == COF_OK)
        status = cof_filter_part(r->scene->model, part, &r->out, r->options);
    cof_part_free(&part);
    cof_stats_free(&stats);
    return status;
}

/* Downscales the image and filters it with a model that need not fit. */
static CofStatus filter_coarse(const Request *r, Outcome *o)
{
    const CofImage *image = &r->views.image;
    CofOptions learned;
    cof_options_init(&learned);
    cof_model_options(r->scene->model, &learned);
    int factor = learned.downscale > 1 ? learned.downscale : 2;
    /* The sizes may be anything; images that exist have few pixels. */
    bool exists = image->width >= 1 && image->height >= 1 && image->channels >= 1 &&
                  (double)image->width * image->height * image->channels <= 1 << 20;
    int width = exists ? (image->width - 1) / factor + 1 : 1;
    int height = exists ? (image->height - 1) / factor + 1 : 1;
    size_t samples = exists ? (size_t)(width * height) * (size_t)image->channels : 1;
    float *pixels = calloc(samples, sizeof *pixels);
    CofImage small = {.data = pixels,
                      .width = width,
                      .height = height,
                      .channels = image->channels,
                      .kind = image->kind,
                      .sample = image->sample};
    CofCoarse *coarse = NULL;
    (void)o;
    CHECK(pixels);
    CofStatus status = cof_downscale(image, factor, &small, NULL, r->options);
    if (status == COF_OK)
        status = cof_coarse_new(&coarse, r->scene->model, &small, r->options);
    if (status == COF_OK)
        status = cof_coarse_filter(coarse, image, &r->out, r->options);
    cof_coarse_free(&coarse);
    if (status == COF_OK)
        status = cof_coarse_new_filtered(&coarse, r->scene->model, &small, &small, r->options);
    cof_coarse_free(&coarse);
    free(pixels);
    return status;
}

static CofStatus filter_guided(const Request *r, Outcome *o)
{
    (void)o;
    return cof_filter(r->scene->model, &r->views.other, &r->views.image, &r->out, r->options);
}

static CofStatus filter_labels(const Request *r, Outcome *o)
{
    (void)o;
    return cof_filter_labels(r->scene->model, &r->views.mask, &r->views.image, &r->out, r->options);
}

static CofStatus focus(const Request *r, Outcome *o)
{
    const CofImage *guide = r->scene->choice & 1 ? &r->views.other : NULL;
    const CofImage *prior = r->scene->choice & 2 ? &r->views.prior : NULL;
    (void)o;
    return cof_focus(r->scene->foreground, r->scene->model, prior, guide, &r->views.image, &r->out,
                     r->options);
}

static CofStatus matte(const Request *r, Outcome *o)
{
    const CofImage *prior = r->scene->choice & 2 ? &r->views.prior : NULL;
    (void)o;
    return cof_matte(r->scene->foreground, r->scene->model, prior, &r->views.image, &r->out,
                     r->options);
}

static CofStatus focus_mask(const Request *r, Outcome *o)
{
    (void)o;
    return cof_focus_mask(&r->views.image, &r->views.mask, &r->out, r->options);
}

static CofStatus label(const Request *r, Outcome *o)
{
    (void)o;
    return cof_model_label(r->scene->model, &r->views.image, &r->out, r->options);
}

static const CofImage *background_of(const Request *r)
{
    return r->scene->choice & 1 ? &r->views.background : NULL;
}

static CofStatus select_marked(const Request *r, Outcome *o)
{
    (void)o;
    return cof_select(&r->views.image, &r->views.mask, background_of(r), &r->out, r->options);
}

/* Marks some pixels with a stroke and others by a mask, with a mask of the strokes in between. */
static CofStatus selection(const Request *r, Outcome *o)
{
    const int choice = r->scene->choice;
    const double points[4] = {r->scene->tile.x, r->scene->tile.y, 4 * r->scene->number,
                              choice & 8 ? 1e300 : 9};
    CofSelection *s = NULL;
    (void)o;
    CofStatus status = cof_selection_new(&s, &r->views.image, r->options);
    if (status == COF_OK)
        status = cof_selection_add_stroke(s, (CofStroke)(choice & 3), points,
                                          1 + (size_t)(choice >> 2 & 1), fabs(r->scene->number),
                                          r->options);
    if (status == COF_OK && (choice & 16))
        status =
            cof_selection_add_pixels(s, COF_STROKE_BACKGROUND, &r->views.background, r->options);
    if (status == COF_OK && (choice & 32))
        status = cof_selection_add_pixels(s, COF_STROKE_FOREGROUND, &r->views.mask, r->options);
    if (status == COF_OK)
        status = cof_selection_update(s, choice & 128 ? NULL : &r->out, r->options);
    if (status == COF_OK)
        status = cof_selection_add_stroke(s, COF_STROKE_BACKGROUND, points, 1, 1, r->options);
    if (status == COF_OK && (choice & 128))
        status = cof_selection_set_mask(s, &r->views.mask, r->options);
    if (status == COF_OK)
        status = cof_selection_correct(s, &r->out, r->options);
    if (status == COF_OK && (choice & 64))
        status = cof_selection_follow(s, &r->views.other, &r->out, r->options);
    cof_selection_free(&s);
    return status;
}

static CofStatus stroke(const Request *r, Outcome *o)
{
    const double points[4] = {r->scene->number, r->scene->tile.y, r->scene->tile.x,
                              r->scene->choice & 8 ? -1e300 : 9};
    (void)o;
    return cof_mask_stroke(&r->out, points, 1 + (size_t)(r->scene->choice & 1),
                           fabs(r->scene->number), r->scene->choice, r->options);
}

static CofStatus spread(const Request *r, Outcome *o)
{
    (void)o;
    return cof_select_spread(r->scene->model, &r->views.image, &r->views.mask, background_of(r),
                             &r->out, r->options);
}

static CofStatus threshold(const Request *r, Outcome *o)
{
    return cof_select_threshold(r->scene->model, &r->views.image, &r->views.mask, background_of(r),
                                &r->views.prior, &r->out, &o->number, r->options);
}

static CofStatus dilate(const Request *r, Outcome *o)
{
    (void)o;
    return cof_mask_dilate(&r->views.mask, r->scene->number, &r->out, r->options);
}

static CofStatus make_prior(const Request *r, Outcome *o)
{
    (void)o;
    return cof_mask_prior(&r->views.mask, &r->out, r->options);
}

static CofStatus blend(const Request *r, Outcome *o)
{
    (void)o;
    return cof_blend(&r->views.prior, &r->views.image, &r->views.other, &r->out, r->options);
}

static CofStatus tint(const Request *r, Outcome *o)
{
    double colour[3] = {(r->scene->choice & 3) / 3.0, (r->scene->choice >> 2 & 3) / 3.0,
                        (r->scene->choice >> 4 & 3) / 3.0};
    double chroma = r->scene->choice & 64 ? r->scene->number * 8 : 0;
    (void)o;
    return cof_tint(&r->views.image, colour, chroma, &r->out, r->options);
}

static CofStatus recolour(const Request *r, Outcome *o)
{
    double colour[3] = {(r->scene->choice & 3) / 3.0, (r->scene->choice >> 2 & 3) / 3.0, 0.5};
    (void)o;
    return cof_recolour(&r->views.image, &r->views.mask, colour, &r->out, NULL, r->options);
}

static CofStatus posterise(const Request *r, Outcome *o)
{
    int n = 0;
    CofStatus status =
        cof_posterise(&r->views.image, r->scene->choice & 255, &r->out, NULL, NULL, &n, r->options);
    o->number = n;
    return status;
}

static CofStatus mean_chroma(const Request *r, Outcome *o)
{
    const CofImage *mask = r->scene->choice & 1 ? &r->views.mask : NULL;
    return cof_mean_chroma(&r->views.image, mask, &o->number, r->options);
}

static CofStatus margin(const Request *r, Outcome *o)
{
    int pixels = 0;
    CofStatus status = cof_filter_margin(r->scene->model, &pixels, r->options);
    o->number = pixels;
    return status;
}

static CofStatus learn(const Request *r, Outcome *o)
{
    CofModel *model = NULL;
    CofImage images[2] = {r->views.image, r->views.other};
    CofRoi rois[2] = {r->scene->roi, {.region = r->scene->tile}};
    CofStatus status = cof_model_learn(&model, images, r->scene->region ? rois : NULL,
                                       1 + (r->scene->choice & 1), r->options);
    return keep_models(model, NULL, status, o);
}

static CofStatus learn_pair(const Request *r, Outcome *o)
{
    CofModel *front = NULL, *back = NULL;
    CofStatus status =
        cof_model_learn_pair(&front, &back, &r->views.image, &r->views.mask, r->options);
    return keep_models(front, back, status, o);
}

/* Scans and counts in one part, or in two parts that are scanned and counted on their own. */
static CofStatus learn_stats(const Request *r, CofStats **stats, const CofRoi *roi)
{
    CofStats *second = NULL;
    CofStatus status = cof_stats_new(stats, r->options);
    if (status == COF_OK)
        status = cof_stats_scan(*stats, &r->views.image, roi, r->options);
    if (status == COF_OK && (r->scene->choice & 2))
        status = cof_stats_scan(*stats, &r->views.other, NULL, r->options);
    if (status == COF_OK)
        status = cof_stats_fit_palette(*stats, r->options);
    if (status == COF_OK)
        status = cof_stats_new_like(&second, *stats, NULL);
    if (status == COF_OK)
        status = cof_stats_add(*stats, &r->views.image, roi, r->options);
    if (status == COF_OK && (r->scene->choice & 2))
        status = cof_stats_add(second, &r->views.other, NULL, r->options);
    if (status == COF_OK)
        status = cof_stats_merge(*stats, second, NULL);
    cof_stats_free(&second);
    return status;
}

static CofStatus stages(const Request *r, Outcome *o)
{
    CofStats *stats = NULL;
    CofModel *model = NULL;
    CofStatus status = learn_stats(r, &stats, r->scene->region);
    if (status == COF_OK && (r->scene->choice & 4))
        status = cof_stats_decay(stats, 3, 7, NULL);
    CofStatus made = status == COF_OK ? cof_model_new(&model, stats, r->options) : COF_ERR_EMPTY;
    if (made == COF_OK)
        CHECK(cof_model_save(model, &o->more_bytes, &o->more_size, NULL) == COF_OK);
    cof_model_free(&model);
    return keep_stats(stats, status, o);
}

/* The left and the right part of an image, scanned and counted on their own, are the whole. */
static CofStatus parts(const Request *r, Outcome *o)
{
    const CofImage *image = &r->views.image;
    int cut = r->scene->tile.x + 1, reach = r->options->window / 2;
    CofStats *whole = NULL, *joined = NULL;
    CofStatus status = cof_stats_new(&whole, r->options);
    if (status != COF_OK || r->options->downscale > 1 || cut >= image->width)
        return keep_stats(whole, status, o);
    CHECK(cof_stats_new(&joined, r->options) == COF_OK);
    status = cof_stats_scan(whole, image, NULL, r->options);
    int left = cut + reach < image->width ? cut + reach : image->width;
    int right = cut - reach > 0 ? cut - reach : 0;
    const CofRect rects[2] = {{0, 0, cut, image->height},
                              {cut, 0, image->width - cut, image->height}};
    const CofRect views[2] = {{0, 0, left, image->height},
                              {right, 0, image->width - right, image->height}};
    for (int i = 0; i < 2 && status == COF_OK; i++) {
        CofImage part = guarded_part(&r->scene->image, rects[i]);
        status = cof_stats_scan(joined, &part, NULL, r->options);
    }
    if (status == COF_OK)
        status = cof_stats_fit_palette(whole, r->options);
    if (status == COF_OK) {
        status = cof_stats_fit_palette(joined, r->options);
        CHECK(status == COF_OK || status == COF_ERR_CANCELLED);
    }
    if (status == COF_OK)
        status = cof_stats_add(whole, image, NULL, r->options);
    for (int i = 1; i >= 0 && status == COF_OK; i--) {
        CofImage part = guarded_part(&r->scene->image, views[i]);
        CofRoi roi = {.part = rects[i]};
        status = cof_stats_add(joined, &part, &roi, r->options);
    }
    if (status == COF_OK) {
        CHECK(cof_stats_save(joined, &o->more_bytes, &o->more_size, NULL) == COF_OK);
        CHECK(cof_stats_save(whole, &o->bytes, &o->size, NULL) == COF_OK);
        CHECK(o->size == o->more_size && memcmp(o->bytes, o->more_bytes, o->size) == 0);
    }
    cof_stats_free(&whole);
    cof_stats_free(&joined);
    return status;
}

static CofStatus labels(const Request *r, Outcome *o)
{
    CofStats *stats = NULL;
    CofStatus status = cof_stats_new(&stats, r->options);
    if (status == COF_OK)
        status = cof_stats_set_labels(stats, r->scene->choice % 8, NULL);
    if (status == COF_OK)
        status = cof_stats_add_labels(stats, &r->views.mask, r->scene->region, r->options);
    return keep_stats(stats, status, o);
}

/* Counts with the palette of a model or of other statistics. */
static CofStatus copied_palette(const Request *r, Outcome *o)
{
    CofStats *stats = NULL, *other = NULL;
    CofStatus status = cof_stats_new(&stats, r->options);
    if (status == COF_OK && (r->scene->choice & 1))
        status = cof_stats_scan(stats, &r->views.other, NULL, r->options);
    if (status == COF_OK)
        status = cof_stats_set_palette_from_model(stats, r->scene->model, NULL);
    if (status == COF_OK)
        status = cof_stats_new(&other, r->options);
    if (status == COF_OK)
        status = cof_stats_set_palette_from_stats(other, stats, NULL);
    if (status == COF_OK)
        status = cof_stats_add(stats, &r->views.image, r->scene->region, r->options);
    cof_stats_free(&other);
    return keep_stats(stats, status, o);
}

/* A palette and a matrix that the caller gives, and the exact soft assignment. */
static CofStatus given(const Request *r, Outcome *o)
{
    enum { K = 3 };
    float centres[K * COF_MAX_BANDS];
    double matrix[K * K];
    CofStats *stats = NULL;
    CofModel *model = NULL, *soft = NULL;
    CofKind kind = r->views.image.kind;
    int bands = kind == COF_KIND_BANDS ? r->views.image.channels : kind < COF_KIND_RGB ? 1 : 3;
    for (int i = 0; i < K * COF_MAX_BANDS; i++)
        centres[i] = (float)(r->scene->number + i);
    for (int i = 0; i < K * K; i++)
        matrix[i] = r->scene->choice / 64.0 + i % K + i / K;
    CofStatus status = cof_stats_new(&stats, r->options);
    if (status == COF_OK)
        status = cof_stats_set_palette(stats, centres, 1 + r->scene->choice % K, bands, kind, NULL);
    if (status == COF_OK && (r->scene->choice & 16))
        status = cof_stats_add(stats, &r->views.image, r->scene->region, r->options);
    if (status == COF_OK && cof_stats_size(stats) == K)
        status = cof_model_new_matrix(&model, stats, matrix, r->options);
    if (status == COF_OK)
        status = cof_model_new_soft(&soft, stats, &r->views.image, r->scene->region, 1, r->options);
    cof_stats_free(&stats);
    if (soft)
        return keep_models(soft, model, status, o);
    cof_model_free(&model);
    return status;
}

static const Function functions[] = {
    {smooth, OUT_IMAGE, IN_PLACE},
    {smooth_roi, OUT_IMAGE, IN_PLACE},
    {filter, OUT_IMAGE, NEEDS_MODEL | TILES | IN_PLACE},
    {filter_guided, OUT_IMAGE, NEEDS_MODEL | TILES | IN_PLACE},
    {filter_labels, OUT_IMAGE, NEEDS_MODEL | TILES | IN_PLACE},
    {focus, OUT_IMAGE, NEEDS_PAIR | TILES | IN_PLACE},
    {matte, OUT_GREY, NEEDS_PAIR | TILES},
    {focus_mask, OUT_IMAGE, IN_PLACE},
    {label, OUT_BYTES, NEEDS_MODEL},
    {select_marked, OUT_BYTES, 0},
    {spread, OUT_FLOAT, NEEDS_MODEL},
    {threshold, OUT_BYTES, NEEDS_MODEL},
    {dilate, OUT_BYTES, 0},
    {make_prior, OUT_FLOAT, 0},
    {blend, OUT_IMAGE, IN_PLACE},
    {tint, OUT_IMAGE, IN_PLACE},
    {recolour, OUT_IMAGE, IN_PLACE},
    {mean_chroma, OUT_NONE, 0},
    {margin, OUT_NONE, NEEDS_MODEL},
    {learn, OUT_NONE, 0},
    {learn_pair, OUT_NONE, 0},
    {stages, OUT_NONE, SEVERAL_CALLS},
    {parts, OUT_NONE, SEVERAL_CALLS},
    {labels, OUT_NONE, SEVERAL_CALLS},
    {given, OUT_NONE, SEVERAL_CALLS},
    {copied_palette, OUT_NONE, NEEDS_MODEL | SEVERAL_CALLS},
    {filter_coarse, OUT_IMAGE, NEEDS_MODEL | SEVERAL_CALLS},
    {filter_part, OUT_IMAGE, NEEDS_MODEL | SEVERAL_CALLS},
    {selection, OUT_BYTES, SEVERAL_CALLS},
    {stroke, OUT_BYTES, 0},
    {posterise, OUT_IMAGE, IN_PLACE},
};

const Function *api_function(int index)
{
    return &functions[index];
}

int api_function_count(void)
{
    return (int)(sizeof functions / sizeof functions[0]);
}
