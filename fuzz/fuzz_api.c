/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzz target: the public API. The input chooses a function, options, images in any layout, a
 * region of interest and a tile. One thread and three, the whole and a tile, in place and apart
 * give the same bytes; nothing else is written; a call that fails or is cancelled changes nothing;
 * finite samples stay finite. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api_calls.h"
#include "fuzz.h"

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
    const Function *f = api_function(input_int(&input, 0, api_function_count() - 1));
    scene_new(&scene, &input);
    if (learn_models(&scene, f))
        check_function(&scene, f, &input);
    guarded_check_padding(&scene.image);
    guarded_check_padding(&scene.mask);
    scene_free(&scene);
    return 0;
}
