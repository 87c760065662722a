/* SPDX-License-Identifier: BSD-2-Clause */
/* What is known when a frame of a film is filtered, and how it is learned. */
#include "film_lesson.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "chosen.h"
#include "cof_file.h"
#include "complain.h"
#include "lesson.h"
#include "model_pair.h"

/* A cut: so much of the pixels have other labels than before. */
#define CUT 0.5

/* What is faded is a fraction with this denominator. */
#define WHOLE 1000000

static void clear(void *data)
{
    FilmLesson *lesson = data;
    cof_model_free(&lesson->model);
    cof_model_free(&lesson->foreground);
}

static FilmLesson *lesson_of(CofModel *model, CofModel *foreground)
{
    FilmLesson *lesson = g_atomic_rc_box_new0(FilmLesson);
    *lesson = (FilmLesson){model, foreground};
    return lesson;
}

FilmLesson *film_lesson_ref(FilmLesson *lesson)
{
    return g_atomic_rc_box_acquire(lesson);
}

void film_lesson_unref(void *lesson)
{
    g_atomic_rc_box_release_full(lesson, clear);
}

static FilmLesson *load(const Arguments *a)
{
    CofModel *model = NULL, *foreground = NULL;
    CofStats *stats = NULL;
    if (model_pair_is(a->model))
        return model_pair_load(&foreground, &model, a->model) ? lesson_of(model, foreground) : NULL;
    if (!cof_file_load(a->model, &stats, &model))
        return NULL;
    CofStatus status = stats ? cof_model_new(&model, stats, &a->options) : COF_OK;
    cof_stats_free(&stats);
    if (status == COF_OK)
        return lesson_of(model, NULL);
    complain(a->model, cof_status_string(status));
    return NULL;
}

static CofOptions reporting(const Arguments *a, CofReport *report)
{
    CofOptions options = a->options;
    *report = (CofReport){.struct_size = sizeof *report};
    options.report = report;
    return options;
}

/* Statistics of a frame, with a palette of its own. */
static CofStats *statistics(const Arguments *a, const Film *film, void *frame)
{
    CofReport report;
    CofOptions options = reporting(a, &report);
    CofStats *stats = NULL;
    CofImage view = film_view(film, frame);
    CofStatus status = lesson_stats(&view, &options, &stats);
    if (status != COF_OK)
        complain_cof(film->name, status, &report);
    return stats;
}

static FilmLesson *model_of(const Arguments *a, const Film *film, const CofStats *stats)
{
    CofReport report;
    CofOptions options = reporting(a, &report);
    CofModel *model = NULL;
    CofStatus status = cof_model_new(&model, stats, &options);
    if (status == COF_OK)
        return lesson_of(model, NULL);
    complain_cof(film->name, status, &report);
    return NULL;
}

/* A frame as a picture that can be scribbled on. */
static bool canvas_of(Canvas *canvas, const Film *film, void *frame)
{
    bool deep = film->sample == COF_U16;
    *canvas = (Canvas){0};
    VipsImage *raw =
        vips_image_new_from_memory(frame, film->bytes, film->width, film->height, film->channels,
                                   deep ? VIPS_FORMAT_USHORT : VIPS_FORMAT_UCHAR);
    VipsInterpretation grey = deep ? VIPS_INTERPRETATION_GREY16 : VIPS_INTERPRETATION_B_W;
    VipsInterpretation colour = deep ? VIPS_INTERPRETATION_RGB16 : VIPS_INTERPRETATION_sRGB;
    bool ok = raw && vips_copy(raw, &canvas->picture, "interpretation",
                               film->kind == COF_GREY ? grey : colour, NULL) == 0;
    VIPS_UNREF(raw);
    if (ok && pixels_open(&canvas->pixels, canvas->picture, "cof") == 0)
        canvas->memory = vips_image_copy_memory(canvas->pixels.image);
    if (!canvas->memory) {
        complain_vips(film->name, "cannot be read");
        return false;
    }
    canvas->view = pixels_whole(&canvas->pixels, canvas->memory);
    return true;
}

/* A frame on which something is chosen. */
typedef struct Chosen {
    int64_t number;
    char *scribble, *background; /* files; NULL: none */
    bool strokes;                /* those, and the mask, belong to it */
    Canvas canvas;
    void *pixels;
    VipsImage *mask, *rest;
} Chosen;

typedef struct Choice {
    const Arguments *arguments;
    const Film *film;
    Chosen *frames;
    int n;
} Choice;

/* "FILE@FRAME": the frame, and the name without it; for g_free(). */
static char *cut_frame(const char *name, int64_t *frame)
{
    const char *at = strrchr(name, '@');
    char *end = NULL;
    gint64 number = at ? g_ascii_strtoll(at + 1, &end, 10) : 0;
    if (!at || end == at + 1 || *end != '\0' || number < 1 || access(name, F_OK) == 0)
        return g_strdup(name);
    *frame = number;
    return g_strndup(name, (gsize)(at - name));
}

static Chosen *chosen_at(Choice *choice, int64_t number)
{
    for (int i = 0; i < choice->n; i++)
        if (choice->frames[i].number == number)
            return &choice->frames[i];
    choice->frames[choice->n] = (Chosen){.number = number};
    return &choice->frames[choice->n++];
}

static int64_t usual_frame(const Arguments *a)
{
    return a->learn_frame > 0 ? a->learn_frame : 1;
}

/* What is scribbled as background on a frame that has no foreground. */
static const char *background_on(const Choice *choice, const Chosen *c)
{
    const Arguments *a = choice->arguments;
    return c->background                 ? c->background
           : a->n_background_strokes > 0 ? a->background_strokes[0]
                                         : choice->film->name;
}

/* Which scribbles lie on which frames; false after a complaint. */
static bool collect(Choice *choice)
{
    const Arguments *a = choice->arguments;
    choice->frames = g_new0(Chosen, (gsize)(a->n_scribbles + a->n_background_scribbles) + 1);
    if (a->n_strokes > 0 || a->n_background_strokes > 0 || a->mask)
        chosen_at(choice, usual_frame(a))->strokes = true;
    for (int i = 0; i < a->n_scribbles + a->n_background_scribbles; i++) {
        bool foreground = i < a->n_scribbles;
        const char *name =
            foreground ? a->scribbles[i] : a->background_scribbles[i - a->n_scribbles];
        int64_t number = usual_frame(a);
        char *file = cut_frame(name, &number);
        Chosen *chosen = chosen_at(choice, number);
        char **place = foreground ? &chosen->scribble : &chosen->background;
        if (*place) {
            complain(name, "there is another scribble on that frame");
            g_free(file);
            return false;
        }
        *place = file;
    }
    for (int i = 0; i < choice->n; i++)
        if (!choice->frames[i].scribble &&
            !(choice->frames[i].strokes && (a->n_strokes > 0 || a->mask))) {
            complain(background_on(choice, &choice->frames[i]),
                     "on that frame no foreground is scribbled");
            return false;
        }
    return true;
}

/* The mask of one frame, and what is left of the background. */
static bool choose(const Choice *choice, Chosen *c)
{
    const Film *film = choice->film;
    Arguments own = *choice->arguments;
    const char *scribble = c->scribble, *background = c->background;
    own.scribbles = &scribble;
    own.n_scribbles = scribble != NULL;
    own.background_scribbles = &background;
    own.n_background_scribbles = background != NULL;
    if (!c->strokes) {
        own.n_strokes = own.n_background_strokes = 0;
        own.mask = NULL;
    }
    c->pixels = g_try_malloc(film->bytes);
    if (!c->pixels) {
        complain("memory", "not enough for a frame");
        return false;
    }
    if (!film_grab(film, c->number, c->pixels) || !canvas_of(&c->canvas, film, c->pixels))
        return false;
    c->mask = chosen_mask(&own, &c->canvas, film->name);
    if (!c->mask)
        return false;
    c->rest = image_copy_of(c->mask);
    if (!c->rest) {
        complain_vips(film->name, "cannot be masked");
        return false;
    }
    CofImage rest = grey_view_of(c->rest);
    CofStatus status = cof_mask_grow(&rest, &rest, own.gap, &own.options);
    unsigned char *bytes = rest.data;
    for (size_t i = 0; i < (size_t)rest.width * (size_t)rest.height; i++)
        bytes[i] = bytes[i] ? 0 : 255;
    return status == COF_OK || complain_cof(film->name, status, NULL);
}

/* The palette comes from all those frames. */
static CofStatus settle(const Choice *choice, const CofOptions *options, CofStats **stats)
{
    CofStatus status = cof_stats_new(stats, options);
    for (int i = 0; i < choice->n && status == COF_OK; i++)
        status = cof_stats_scan(*stats, &choice->frames[i].canvas.view, NULL, options);
    return status == COF_OK ? cof_stats_settle(*stats, options) : status;
}

static CofStatus learn_side(const Choice *choice, bool inside, const CofStats *like,
                            const CofOptions *options, CofModel **model)
{
    CofStats *stats = NULL;
    CofStatus status = cof_stats_new_like(&stats, like);
    for (int i = 0; i < choice->n && status == COF_OK; i++) {
        const Chosen *c = &choice->frames[i];
        CofImage mask = grey_view_of(inside ? c->mask : c->rest);
        CofWhere where = {.mask = &mask};
        status = cof_stats_add(stats, &c->canvas.view, &where, options);
    }
    if (status == COF_OK)
        status = cof_model_new(model, stats, options);
    cof_stats_free(&stats);
    return status;
}

static FilmLesson *learn_both(const Choice *choice)
{
    CofReport report;
    CofOptions options = reporting(choice->arguments, &report);
    CofStats *palette = NULL;
    CofModel *foreground = NULL, *background = NULL;
    CofStatus status = settle(choice, &options, &palette);
    if (status == COF_OK)
        status = learn_side(choice, true, palette, &options, &foreground);
    if (status == COF_OK)
        status = learn_side(choice, false, palette, &options, &background);
    cof_stats_free(&palette);
    if (status == COF_OK)
        return lesson_of(background, foreground);
    cof_model_free(&foreground);
    complain_cof(choice->film->name, status, &report);
    return NULL;
}

static void free_choice(Choice *choice)
{
    for (int i = 0; i < choice->n; i++) {
        Chosen *c = &choice->frames[i];
        VIPS_UNREF(c->mask);
        VIPS_UNREF(c->rest);
        canvas_close(&c->canvas);
        g_free(c->pixels);
        g_free(c->scribble);
        g_free(c->background);
    }
    g_free(choice->frames);
}

static FilmLesson *learn_chosen(const Arguments *a, const Film *film)
{
    Choice choice = {.arguments = a, .film = film};
    bool ok = collect(&choice);
    for (int i = 0; i < choice.n && ok; i++)
        ok = choose(&choice, &choice.frames[i]);
    FilmLesson *lesson = ok ? learn_both(&choice) : NULL;
    free_choice(&choice);
    return lesson;
}

static FilmLesson *learn_frame(const Arguments *a, const Film *film)
{
    FilmLesson *lesson = NULL;
    CofStats *stats = NULL;
    void *frame = g_try_malloc(film->bytes);
    if (!frame)
        complain("memory", "not enough for a frame");
    else if (film_grab(film, usual_frame(a), frame))
        stats = statistics(a, film, frame);
    if (stats)
        lesson = model_of(a, film, stats);
    cof_stats_free(&stats);
    g_free(frame);
    return lesson;
}

FilmLesson *film_lesson_first(const Arguments *a, const Film *film)
{
    if (a->model)
        return load(a);
    bool chosen = a->n_scribbles > 0 || a->n_strokes > 0 || a->mask;
    return chosen ? learn_chosen(a, film) : learn_frame(a, film);
}

struct Follower {
    const Arguments *arguments;
    const Film *film;
    CofStats *stats; /* so far; NULL: nothing */
};

Follower *follower_new(const Arguments *a, const Film *film)
{
    Follower *follower = g_new0(Follower, 1);
    *follower = (Follower){.arguments = a, .film = film};
    return follower;
}

/* How much of the pixels have other labels: 0..1. */
static double difference(const CofStats *a, const CofStats *b)
{
    int k = cof_stats_size(a);
    const uint64_t *one = cof_stats_histogram(a), *two = cof_stats_histogram(b);
    double sums[2] = {0}, sum = 0;
    for (int i = 0; i < k; i++) {
        sums[0] += (double)one[i];
        sums[1] += (double)two[i];
    }
    if (sums[0] <= 0 || sums[1] <= 0)
        return 1;
    for (int i = 0; i < k; i++)
        sum += fabs((double)one[i] / sums[0] - (double)two[i] / sums[1]);
    return sum / 2;
}

/* Adds a frame to what was counted; false after a complaint. */
static bool follow(Follower *f, void *frame)
{
    const Arguments *a = f->arguments;
    CofReport report;
    CofOptions options = reporting(a, &report);
    CofImage view = film_view(f->film, frame);
    CofStats *fresh = NULL;
    CofStatus status = f->stats ? cof_stats_new_like(&fresh, f->stats) : COF_OK;
    if (status == COF_OK && fresh)
        status = cof_stats_add(fresh, &view, NULL, &options);
    if (status == COF_OK && (!fresh || difference(f->stats, fresh) > CUT)) {
        cof_stats_free(&fresh);
        cof_stats_free(&f->stats);
        f->stats = statistics(a, f->film, frame);
        return f->stats != NULL;
    }
    if (status == COF_OK)
        status = cof_stats_fade(f->stats, (uint32_t)lrint((1 - a->adapt) * WHOLE), WHOLE);
    if (status == COF_OK)
        status = cof_stats_merge(f->stats, fresh);
    cof_stats_free(&fresh);
    return status == COF_OK || complain_cof(f->film->name, status, &report);
}

FilmLesson *follower_next(Follower *f, void *frame)
{
    return follow(f, frame) ? model_of(f->arguments, f->film, f->stats) : NULL;
}

void follower_free(Follower *f)
{
    if (f)
        cof_stats_free(&f->stats);
    g_free(f);
}
