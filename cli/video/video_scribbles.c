/* SPDX-License-Identifier: BSD-2-Clause */
/* What is scribbled on frames of a film, and what is learned from that: of the foreground, and of
 * the background. */
#include <string.h>
#include <unistd.h>

#include "select/scribble_mask.h"
#include "ui/error_line.h"
#include "video/video_model.h"

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
        chosen_at(choice, film_usual_frame(a))->strokes = true;
    for (int i = 0; i < a->n_scribbles + a->n_background_scribbles; i++) {
        bool foreground = i < a->n_scribbles;
        const char *name =
            foreground ? a->scribbles[i] : a->background_scribbles[i - a->n_scribbles];
        int64_t number = film_usual_frame(a);
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
    mask_invert(c->rest);
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
    CofOptions options = film_options(choice->arguments, &report);
    CofStats *palette = NULL;
    CofModel *foreground = NULL, *background = NULL;
    CofStatus status = settle(choice, &options, &palette);
    if (status == COF_OK)
        status = learn_side(choice, true, palette, &options, &foreground);
    if (status == COF_OK)
        status = learn_side(choice, false, palette, &options, &background);
    cof_stats_free(&palette);
    if (status == COF_OK)
        return film_lesson_new(background, foreground);
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

FilmLesson *film_lesson_chosen(const Arguments *a, const Film *film)
{
    Choice choice = {.arguments = a, .film = film};
    bool ok = collect(&choice);
    for (int i = 0; i < choice.n && ok; i++)
        ok = choose(&choice, &choice.frames[i]);
    FilmLesson *lesson = ok ? learn_both(&choice) : NULL;
    free_choice(&choice);
    return lesson;
}
