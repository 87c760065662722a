/* SPDX-License-Identifier: BSD-2-Clause */
/* What is known when a frame of a film is filtered, and how it is learned. */
#include "film_lesson.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "chosen.h"
#include "cof_file.h"
#include "complain.h"
#include "model_pair.h"

/* Pixels around the mask that neither model learns from. */
#define GAP 3

/* A cut: so much of the pixels have other labels than before. */
#define CUT 0.5

/* What is faded is a fraction with this denominator. */
#define WHOLE 1000

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
    CofStatus status = cof_stats_new(&stats, &options);
    if (status == COF_OK)
        status = cof_stats_scan(stats, &view, NULL, &options);
    if (status == COF_OK)
        status = cof_stats_settle(stats, &options);
    if (status == COF_OK)
        status = cof_stats_add(stats, &view, NULL, &options);
    if (status == COF_OK)
        return stats;
    complain_cof(film->name, status, &report);
    cof_stats_free(&stats);
    return NULL;
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

static FilmLesson *pair_of(const Arguments *a, const Film *film, void *frame)
{
    CofReport report;
    CofOptions options = reporting(a, &report);
    CofModel *foreground = NULL, *background = NULL;
    Canvas canvas;
    VipsImage *mask = canvas_of(&canvas, film, frame) ? chosen_mask(a, &canvas, film->name) : NULL;
    CofStatus status = COF_OK;
    if (mask) {
        CofImage view = grey_view_of(mask);
        status = cof_model_new_pair(&foreground, &background, &canvas.view, &view, GAP, &options);
        if (status != COF_OK)
            complain_cof(film->name, status, &report);
    }
    bool ok = mask && status == COF_OK;
    VIPS_UNREF(mask);
    canvas_close(&canvas);
    return ok ? lesson_of(background, foreground) : NULL;
}

/* "FILE@FRAME": the frame, and the name without it; for g_free(). */
static char *cut_frame(const char *name, int64_t *frame)
{
    const char *at = name ? strrchr(name, '@') : NULL;
    char *end = NULL;
    gint64 number = at ? g_ascii_strtoll(at + 1, &end, 10) : 0;
    if (!at || end == at + 1 || *end != '\0' || number < 1 || access(name, F_OK) == 0)
        return g_strdup(name);
    *frame = number;
    return g_strndup(name, (gsize)(at - name));
}

FilmLesson *film_lesson_first(const Arguments *a, const Film *film)
{
    if (a->model)
        return load(a);
    Arguments own = *a;
    int64_t number = a->learn_frame > 0 ? a->learn_frame : 1, other = 0;
    char *scribble = cut_frame(a->scribble, &number);
    char *background = cut_frame(a->background_scribble, &other);
    own.scribble = scribble;
    own.background_scribble = background;
    void *frame = g_try_malloc(film->bytes);
    FilmLesson *lesson = NULL;
    if (!frame) {
        complain("memory", "not enough for a frame");
    } else if (other > 0 && other != number) {
        complain(a->background_scribble, "must belong to the frame of the other scribbles");
    } else if (film_grab(film, number, frame)) {
        bool chosen = a->scribble || a->n_strokes > 0 || a->mask;
        CofStats *stats = chosen ? NULL : statistics(a, film, frame);
        if (stats)
            lesson = model_of(a, film, stats);
        else if (chosen)
            lesson = pair_of(&own, film, frame);
        cof_stats_free(&stats);
    }
    g_free(frame);
    g_free(scribble);
    g_free(background);
    return lesson;
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
