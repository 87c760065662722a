/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzz target: the public API. The input chooses a function, options, images in any layout, a
 * region of interest and a tile. One thread and three, the whole and a tile, in place and apart
 * give the same bytes; nothing else is written; a call that fails or is cancelled changes nothing;
 * finite samples stay finite. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api_scene.h"
#include "fuzz.h"

enum { NEEDS_MODEL = 1, NEEDS_PAIR = 2, TILES = 4, IN_PLACE = 8, SEVERAL_CALLS = 16 };

typedef enum OutKind { OUT_NONE, OUT_IMAGE, OUT_BYTES, OUT_FLOAT, OUT_GREY } OutKind;

/* What a call produced: pixels, a number, or an object as bytes. */
typedef struct Outcome {
    CofStatus status;
    GuardedImage out;
    double number;
    void *bytes, *more_bytes;
    size_t size, more_size;
} Outcome;

/* The arguments of a call. */
typedef struct Request {
    const Scene *scene;
    SceneViews views;
    CofImage out;
    const CofOptions *options;
} Request;

typedef CofStatus Call(const Request *r, Outcome *o);

typedef struct Function {
    Call *call;
    OutKind out;
    unsigned flags;
} Function;

/* Objects become bytes, which are compared. */
static CofStatus keep_stats(CofStats *stats, CofStatus status, Outcome *o)
{
    if (status == COF_OK)
        CHECK(cof_stats_save(stats, &o->bytes, &o->size, NULL) == COF_OK);
    cof_stats_free(&stats);
    return status;
}

static CofStatus keep_models(CofModel *model, CofModel *second, CofStatus status, Outcome *o)
{
    CHECK((status == COF_OK) == (model != NULL));
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
};

/* Progress. */

typedef struct Watch {
    double last;          /* of this call; -1: there are several calls */
    int calls, cancel_at; /* 0: never */
} Watch;

static int watch(void *user, double done)
{
    Watch *w = user;
    CHECK(done >= 0 && done <= 1 && done >= w->last);
    if (w->last >= 0)
        w->last = done;
    return ++w->calls == w->cancel_at;
}

/* Running a function. */

static GuardedImage new_output(const Scene *s, OutKind kind, uint8_t layout)
{
    const CofImage *v = &s->image.view;
    GuardedImage out;
    if (kind == OUT_IMAGE)
        out = guarded_new(layout, v->width, v->height, v->channels, v->kind, v->sample);
    else
        out = guarded_new(layout, v->width, v->height, 1, COF_KIND_GREY,
                          kind == OUT_GREY    ? (CofSample)(s->choice >> 3 & 7) % 3
                          : kind == OUT_FLOAT ? COF_SAMPLE_F32
                                              : COF_SAMPLE_U8);
    Input pattern = {(const uint8_t *)"\0\7", 2};
    guarded_fill(&out, &pattern, false);
    return out;
}

static void check_problem(const CofProblem *problem, CofStatus status)
{
    CHECK(status == COF_OK || problem->status == COF_OK || problem->text != NULL);
}

/* Calls a function with whole images. */
static Outcome run_whole(const Scene *s, const Function *f, const CofOptions *options,
                         uint8_t layout)
{
    Outcome o = {.out = new_output(s, f->out, layout)};
    CofProblem problem = {0};
    CofOptions watched = *options;
    GuardedImage before = guarded_copy(&o.out, 0);
    Request r = {s, scene_whole(s), o.out.view, &watched};
    watched.problem = &problem;
    o.status = f->call(&r, &o);
    check_problem(&problem, o.status);
    guarded_check_padding(&o.out);
    CHECK(o.status == COF_OK || guarded_equal(&o.out, &before));
    guarded_free(&before);
    return o;
}

static void free_outcome(Outcome *o)
{
    guarded_free(&o->out);
    cof_free(o->bytes);
    cof_free(o->more_bytes);
}

static bool same_bytes(const void *a, size_t a_size, const void *b, size_t b_size)
{
    return a_size == b_size && (a_size == 0 || memcmp(a, b, a_size) == 0);
}

static void check_same(const Outcome *a, const Outcome *b)
{
    CHECK(a->status == b->status);
    CHECK(guarded_equal(&a->out, &b->out));
    CHECK(same_bytes(&a->number, sizeof a->number, &b->number, sizeof b->number));
    CHECK(same_bytes(a->bytes, a->size, b->bytes, b->size));
    CHECK(same_bytes(a->more_bytes, a->more_size, b->more_bytes, b->more_size));
}

/* Three threads of a context, another layout, and a report. */
static void check_threads(const Scene *s, const Function *f, const Outcome *one)
{
    static CofContext *context;
    CofReport report = {.struct_size = sizeof report};
    CofOptions options = s->options;
    if (!context)
        CHECK(cof_context_new(&context, 3, NULL) == COF_OK);
    options.threads = 3;
    options.context = context;
    if (s->choice & 128)
        options.report = &report;
    Outcome three = run_whole(s, f, &options, s->out_layout);
    check_same(one, &three);
    free_outcome(&three);
}

/* The input is the output. */
static void check_in_place(const Scene *s, const Function *f, const Outcome *apart)
{
    Outcome o = {.out = guarded_copy(&s->image, s->out_layout)};
    Request r = {s, scene_whole(s), o.out.view, &s->options};
    r.views.image = o.out.view;
    o.status = f->call(&r, &o);
    CHECK(o.status == apart->status);
    guarded_check_padding(&o.out);
    CHECK(guarded_equal(&o.out, o.status == COF_OK ? &apart->out : &s->image));
    guarded_free(&o.out);
}

static int at_most(int a, int b)
{
    return a < b ? a : b;
}

static CofRect grow(CofRect rect, int pixels, const CofImage *full)
{
    int right = at_most(rect.x + rect.width + pixels, full->width);
    int bottom = at_most(rect.y + rect.height + pixels, full->height);
    rect.x = rect.x > pixels ? rect.x - pixels : 0;
    rect.y = rect.y > pixels ? rect.y - pixels : 0;
    rect.width = right - rect.x;
    rect.height = bottom - rect.y;
    return rect;
}

/* A tile of the output has the bytes of the whole. */
static void check_tile(const Scene *s, const Function *f, const Outcome *whole)
{
    int pixels;
    if (whole->status != COF_OK || s->options.tolerance > 0 ||
        cof_filter_margin(s->model, &pixels, &s->options) != COF_OK)
        return;
    Outcome o = {.out = new_output(s, f->out, s->out_layout)};
    Request r = {s, scene_part(s, grow(s->tile, pixels, &s->image.view)),
                 guarded_part(&o.out, s->tile), &s->options};
    GuardedImage expected = guarded_copy(&o.out, 0);
    for (int y = s->tile.y; y < s->tile.y + s->tile.height; y++)
        for (int x = s->tile.x; x < s->tile.x + s->tile.width; x++)
            for (int c = 0; c < o.out.view.channels; c++)
                memcpy(guarded_sample(&expected, x, y, c), guarded_sample(&whole->out, x, y, c),
                       o.out.view.sample == COF_SAMPLE_U8    ? 1
                       : o.out.view.sample == COF_SAMPLE_U16 ? 2
                                                             : 4);
    CHECK(f->call(&r, &o) == COF_OK);
    CHECK(guarded_equal(&o.out, &expected));
    guarded_check_padding(&o.out);
    guarded_free(&expected);
    guarded_free(&o.out);
}

static void check_cancel(const Scene *s, const Function *f, const Outcome *finished, int cancel_at)
{
    CofOptions options = s->options;
    Watch w = {.last = f->flags & SEVERAL_CALLS ? -1 : 0, .cancel_at = cancel_at};
    options.progress = watch;
    options.user = &w;
    Outcome o = run_whole(s, f, &options, 0);
    CHECK(o.status == finished->status || o.status == COF_ERR_CANCELLED || cancel_at > 0);
    if (cancel_at == 0 && f->out != OUT_NONE)
        check_same(finished, &o);
    free_outcome(&o);
}

/* A view that is not valid is refused. */
static void check_spoiled(const Scene *s, const Function *f, int how, bool spoil_output)
{
    Outcome o = {.out = new_output(s, f->out, 0)};
    CofOptions options = s->options;
    CofProblem problem = {0};
    GuardedImage before = guarded_copy(&o.out, 0);
    Request r = {s, scene_whole(s), o.out.view, &options};
    options.problem = &problem;
    spoil(spoil_output ? &r.out : &r.views.image, how);
    o.status = f->call(&r, &o);
    check_problem(&problem, o.status);
    CHECK(guarded_equal(&o.out, &before) || o.status == COF_OK);
    guarded_free(&before);
    free_outcome(&o);
}

static bool learn_models(Scene *s, const Function *f)
{
    CofStatus status = COF_OK;
    CofOptions options = s->options;
    options.threads = 1;
    if (f->flags & NEEDS_MODEL)
        status = cof_model_learn(&s->model, &s->image.view, NULL, 1, &options);
    else if (f->flags & NEEDS_PAIR)
        status = cof_model_learn_pair(&s->foreground, &s->model, &s->image.view, &s->mask.view,
                                      &options);
    return status == COF_OK;
}

static void check_function(Scene *s, const Function *f, Input *input)
{
    uint8_t checks = input_byte(input);
    CofOptions options = s->options;
    options.threads = 1;
    Outcome one = run_whole(s, f, &options, 0);
    bool finite =
        guarded_finite(&s->image) && guarded_finite(&s->other) && guarded_finite(&s->prior);
    CHECK(!finite || (guarded_finite(&one.out) && isfinite(one.number)));
    check_threads(s, f, &one);
    if (f->flags & IN_PLACE)
        check_in_place(s, f, &one);
    if (f->flags & TILES)
        check_tile(s, f, &one);
    if (checks & 1)
        check_cancel(s, f, &one, input_int(input, 0, 30));
    if (checks & 2)
        check_spoiled(s, f, input_int(input, 0, SPOIL_COUNT - 1), checks & 4);
    free_outcome(&one);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Input input = {data, size};
    Scene scene;
    const Function *f =
        &functions[input_int(&input, 0, (int)(sizeof functions / sizeof functions[0]) - 1)];
    scene_new(&scene, &input);
    if (learn_models(&scene, f))
        check_function(&scene, f, &input);
    guarded_check_padding(&scene.image);
    guarded_check_padding(&scene.mask);
    scene_free(&scene);
    return 0;
}
