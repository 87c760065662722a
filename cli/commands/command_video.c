/* SPDX-License-Identifier: BSD-2-Clause */
/* cof video: a film in, a smoother one out. */
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "io/atomic_file.h"
#include "io/cof_file.h"
#include "io/image_file.h"
#include "io/model_pair.h"
#include "io/paths.h"
#include "options/background_effect.h"
#include "select/scribble_mask.h"
#include "ui/error_line.h"
#include "ui/progress.h"
#include "video/frame_pipeline.h"
#include "video/video_model.h"
#include "subcommands.h"

typedef struct Video {
    const Arguments *arguments;
    Film film;
    Child decoder, encoder;
    FilmLesson *lesson; /* NULL: the follower knows */
    Follower *follower;
    Effect effect;
    CofWork **works; /* of each worker */
    float **mattes;  /* the same */
    gint complained; /* something is said already: of several that fail, one tells why */
} Video;

/* Of all threads, the first. */
static bool may_complain(Video *v)
{
    return g_atomic_int_compare_and_exchange(&v->complained, 0, 1);
}

static bool complain_child(Video *v, const Child *child, const char *name, const char *otherwise)
{
    char *complaint = child_complaint(child);
    if (may_complain(v))
        complain(name, complaint ? complaint : otherwise);
    g_free(complaint);
    return false;
}

static bool read_frame(void *context, int64_t number, void *frame, void **knowledge, bool *end)
{
    Video *v = context;
    (void)number;
    size_t got = child_read(&v->decoder, frame, v->film.bytes);
    *end = got == 0;
    if (got > 0 && got < v->film.bytes)
        return complain_child(v, &v->decoder, v->film.name, "ends in the middle of a frame");
    if (got > 0)
        *knowledge = v->follower ? follower_next(v->follower, frame) : film_lesson_ref(v->lesson);
    if (got > 0 && !*knowledge)
        g_atomic_int_set(&v->complained, 1);
    return got == 0 || *knowledge;
}

/* Grey or tinted where it is background. */
static CofStatus paint(const Video *v, int worker, const FilmLesson *lesson, const CofImage *in,
                       const CofImage *out, const CofOptions *options)
{
    CofImage matte = {.data = v->mattes[worker],
                      .width = in->width,
                      .height = in->height,
                      .channels = 1,
                      .sample = COF_F32};
    CofStatus status = cof_matte(lesson->foreground, lesson->model, NULL, in, &matte, options);
    if (status == COF_OK)
        status = cof_tint(in, out, v->effect.colour, 0, options);
    return status == COF_OK ? cof_blend(&matte, in, out, out, options) : status;
}

static bool work_on_frame(void *context, int worker, const void *knowledge, void *frame, void *to)
{
    Video *v = context;
    const FilmLesson *lesson = knowledge;
    CofReport report = {.struct_size = sizeof report};
    CofOptions options = v->arguments->options;
    options.threads = 1;
    options.work = v->works[worker];
    options.report = &report;
    CofImage in = film_view(&v->film, frame), out = film_view(&v->film, to);
    CofStatus status;
    if (!lesson->foreground)
        status = cof_filter(lesson->model, NULL, &in, &out, &options);
    else if (v->effect.kind == EFFECT_SMOOTH)
        status = cof_focus(lesson->foreground, lesson->model, NULL, NULL, &in, &out, &options);
    else
        status = paint(v, worker, lesson, &in, &out, &options);
    if (status != COF_OK && may_complain(v))
        complain_cof(v->film.name, status, &report);
    return status == COF_OK;
}

static bool write_frame(void *context, int64_t number, const void *out)
{
    Video *v = context;
    progress_frames(number + 1, v->film.frames);
    return child_write(&v->encoder, out, v->film.bytes);
}

static bool take_workers(Video *v, int n)
{
    bool ok = true;
    size_t pixels = (size_t)v->film.width * (size_t)v->film.height;
    v->works = g_new0(CofWork *, (gsize)n);
    v->mattes = g_new0(float *, (gsize)n);
    for (int i = 0; i < n && ok; i++) {
        ok = cof_work_new(&v->works[i], 1) == COF_OK;
        if (v->effect.kind != EFFECT_SMOOTH)
            v->mattes[i] = g_try_new(float, pixels);
        ok = ok && (v->mattes[i] || v->effect.kind == EFFECT_SMOOTH);
    }
    if (!ok)
        complain("memory", "not enough");
    return ok;
}

static void give_workers_back(Video *v, int n)
{
    for (int i = 0; v->works && i < n; i++) {
        cof_work_free(&v->works[i]);
        g_free(v->mattes[i]);
    }
    g_free(v->works);
    g_free(v->mattes);
}

/* What became of the two programs. An encoder that has enough ends before the film does. */
static bool end_children(Video *v, bool ok, int64_t frames)
{
    bool decoded = ok ? child_end(&v->decoder) : (child_kill(&v->decoder), false);
    bool encoded = child_end(&v->encoder);
    progress_end();
    if (ok && !decoded)
        return complain_child(v, &v->decoder, v->film.name, "cannot be decoded");
    if (!encoded)
        return complain_child(v, &v->encoder, v->arguments->names[1], "cannot be encoded");
    if (frames == 0 && may_complain(v))
        complain(v->film.name, "has no frames");
    return g_atomic_int_get(&v->complained) == 0;
}

static bool run(Video *v, const char *path)
{
    int workers = vips_concurrency_get();
    AssemblyWork work = {.context = v,
                         .bytes = v->film.bytes,
                         .read = read_frame,
                         .work = work_on_frame,
                         .write = write_frame,
                         .forget = film_lesson_unref};
    v->decoder.errors = v->encoder.errors = v->decoder.pipe = v->encoder.pipe = -1;
    bool ok = take_workers(v, workers) && film_decode(&v->film, &v->decoder) &&
              film_encode(&v->film, path, v->arguments->encode, &v->encoder);
    int64_t frames = 0;
    if (ok) {
        ok = assembly_run(&work, workers, &frames);
        ok = end_children(v, ok, frames);
    }
    child_free(&v->decoder);
    child_free(&v->encoder);
    give_workers_back(v, workers);
    return ok;
}

/* With the first of the models that will be used. */
static bool save_model(const Video *v)
{
    const char *name = v->arguments->save_model;
    void *bytes = NULL;
    size_t size = 0;
    if (!name || !v->lesson)
        return true;
    if (v->lesson->foreground)
        return model_pair_save(v->lesson->foreground, v->lesson->model, name);
    if (cof_model_save(v->lesson->model, &bytes, &size) != COF_OK) {
        complain(name, "not enough memory");
        return false;
    }
    bool ok = cof_file_write(name, bytes, size);
    cof_free(bytes);
    return ok;
}

static bool prepare(Video *v)
{
    const Arguments *a = v->arguments;
    v->effect = effect_read(a->background);
    if (a->adapt > 0)
        v->follower = follower_new(a, &v->film);
    else
        v->lesson = film_lesson_first(a, &v->film);
    if (!v->follower && !v->lesson)
        return false;
    if (v->lesson && v->lesson->foreground && arguments_may_reduce(a)) {
        complain(a->model, "a pair of models goes with neither --look nor --coarse");
        return false;
    }
    if (a->background && v->lesson && !v->lesson->foreground) {
        complain(a->background, "a background needs scribbles, a mask, or a model that has both");
        return false;
    }
    if (v->effect.kind != EFFECT_SMOOTH && v->film.kind == COF_GREY) {
        complain(v->film.name, "a film without colours cannot be greyed or tinted");
        return false;
    }
    return true;
}

/* A look follows the size of the frames, which is known once the film is open. */
static bool open_film(Video *v, Arguments *own)
{
    if (!film_probe(&v->film, own->names[0]))
        return false;
    own->options = arguments_options(own, v->film.width, v->film.height);
    return true;
}

bool command_video(const Arguments *a)
{
    Arguments own = *a;
    Video v = {.arguments = &own};
    const char *output = a->names[1];
    char *path = path_target(output), *temporary = NULL;
    signal(SIGPIPE, SIG_IGN); /* a program that has gone is an error like any other */
    bool special = path_is_special(path);
    if (special)
        complain(output, "is no file");
    bool ok = !special && picture_exists(a->names[0]) && path_can_appear(path, output) &&
              (!a->save_model || path_can_appear(a->save_model, a->save_model)) &&
              open_film(&v, &own) && prepare(&v);
    if (ok) {
        temporary = unfinished_begin(path, output);
        ok = temporary && run(&v, temporary);
    }
    if (temporary)
        ok = unfinished_end(temporary, ok ? path : NULL, output);
    ok = ok && save_model(&v);
    if (v.lesson)
        film_lesson_unref(v.lesson);
    follower_free(v.follower);
    g_free(path);
    return ok;
}
