/* SPDX-License-Identifier: BSD-2-Clause */
/* What is known when a frame of a film is filtered, and how it is learned. */
#include "video/video_model.h"

#include "io/cof_file.h"
#include "io/model_pair.h"
#include "select/scribble_mask.h"
#include "ui/error_line.h"
#include "lesson.h"

static void clear(void *data)
{
    FilmLesson *lesson = data;
    cof_model_free(&lesson->model);
    cof_model_free(&lesson->foreground);
}

FilmLesson *film_lesson_new(CofModel *model, CofModel *foreground)
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
        return model_pair_load(&foreground, &model, a->model) ? film_lesson_new(model, foreground)
                                                              : NULL;
    if (!cof_file_load(a->model, &stats, &model))
        return NULL;
    CofStatus status = stats ? cof_model_new(&model, stats, &a->options) : COF_OK;
    cof_stats_free(&stats);
    if (status == COF_OK)
        return film_lesson_new(model, NULL);
    complain(a->model, cof_status_string(status));
    return NULL;
}

CofOptions film_options(const Arguments *a, CofReport *report)
{
    CofOptions options = a->options;
    *report = (CofReport){.struct_size = sizeof *report};
    options.report = report;
    return options;
}

/* With a palette of its own. */
static CofStats *film_statistics(const Arguments *a, const Film *film, void *frame)
{
    CofReport report;
    CofOptions options = film_options(a, &report);
    CofStats *stats = NULL;
    CofImage view = film_view(film, frame);
    CofStatus status = lesson_stats(&view, &options, &stats);
    if (status != COF_OK)
        complain_cof(film->name, status, &report);
    return stats;
}

FilmLesson *film_lesson_of_stats(const Arguments *a, const Film *film, const CofStats *stats)
{
    CofReport report;
    CofOptions options = film_options(a, &report);
    CofModel *model = NULL;
    CofStatus status = cof_model_new(&model, stats, &options);
    if (status == COF_OK)
        return film_lesson_new(model, NULL);
    complain_cof(film->name, status, &report);
    return NULL;
}

int64_t film_usual_frame(const Arguments *a)
{
    return a->learn_frame > 0 ? a->learn_frame : 1;
}

/* Statistics of a frame, or, if none is asked for, of the first of some whose values differ: a film
 * may begin with black. */
static CofStats *frame_statistics(const Arguments *a, const Film *film, void *frame)
{
    int64_t n = film_usual_frame(a), last = a->learn_frame > 0 ? n : film->frames / 2;
    CofStats *stats = NULL;
    for (bool again = true; again; n *= 2) {
        cof_stats_free(&stats);
        if (film_grab(film, n, frame))
            stats = film_statistics(a, film, frame);
        again = stats && !lesson_teaches(stats) && 2 * n <= last;
    }
    return stats;
}

static FilmLesson *learn_frame(const Arguments *a, const Film *film)
{
    FilmLesson *lesson = NULL;
    CofStats *stats = NULL;
    void *frame = g_try_malloc(film->bytes);
    if (!frame)
        complain("memory", "not enough for a frame");
    else
        stats = frame_statistics(a, film, frame);
    if (stats)
        lesson = film_lesson_of_stats(a, film, stats);
    cof_stats_free(&stats);
    g_free(frame);
    return lesson;
}

FilmLesson *film_lesson_first(const Arguments *a, const Film *film)
{
    if (a->model)
        return load(a);
    bool chosen = a->n_scribbles > 0 || a->n_strokes > 0 || a->mask;
    return chosen ? film_lesson_chosen(a, film) : learn_frame(a, film);
}
