/* SPDX-License-Identifier: BSD-2-Clause */
/* What an operation keeps from one run to the next, so that it learns only when it must. */
#include "gegl_kept.h"

#include <sys/stat.h>

#include "gegl_pixels.h"
#include "lesson.h"
#include "model_file.h"

/* How much of all the time learning takes, about. */
#define LEARNING 0.3

/* What statistics depend on. */
typedef struct Lesson {
    uint64_t hash;
    int width, height;
    CofKind kind;
    CofSample sample;
    int colours, levels, window, coarse;
    uint64_t seed;
} Lesson;

/* What a model depends on, but for the statistics. */
typedef struct Recipe {
    double sigma, softness;
    CofNormalise normalise;
    CofPreset preset;
    struct timespec changed; /* of the file; 0: none */
    off_t size;
} Recipe;

struct Kept {
    CofStats *stats; /* of the image that was last learned from */
    Lesson lesson;
    CofModel *model;
    Recipe recipe;
    char *file; /* that the model is from; NULL: the statistics */
    char *told;
};

Kept *kept_new(void)
{
    return g_new0(Kept, 1);
}

static void drop_model(Kept *kept)
{
    cof_model_free(&kept->model);
    g_clear_pointer(&kept->file, g_free);
}

void kept_free(Kept *kept)
{
    if (!kept)
        return;
    drop_model(kept);
    cof_stats_free(&kept->stats);
    g_free(kept->told);
    g_free(kept);
}

bool kept_is_news(Kept *kept, const char *problem)
{
    if (g_strcmp0(kept->told, problem) == 0)
        return false;
    g_free(kept->told);
    kept->told = g_strdup(problem);
    return problem != NULL;
}

static bool is_given(const char *file)
{
    return file && *file;
}

static void describe(char problem[KEPT_PROBLEM], const char *file, const char *words)
{
    g_snprintf(problem, KEPT_PROBLEM, "%.4096s%s%s", is_given(file) ? file : "",
               is_given(file) ? ": " : "", words);
}

void kept_explain(char problem[KEPT_PROBLEM], const char *file, CofStatus status,
                  const CofReport *report)
{
    describe(problem, file, report->problem ? report->problem : cof_status_string(status));
}

static Lesson lesson_of(const CofImage *image, const CofOptions *options)
{
    return (Lesson){.hash = pixels_hash(image),
                    .width = image->width,
                    .height = image->height,
                    .kind = image->kind,
                    .sample = image->sample,
                    .colours = options->colours,
                    .levels = options->levels,
                    .window = options->window,
                    .coarse = options->coarse,
                    .seed = options->seed};
}

static bool same_lesson(const Lesson *a, const Lesson *b)
{
    return a->hash == b->hash && a->width == b->width && a->height == b->height &&
           a->kind == b->kind && a->sample == b->sample && a->colours == b->colours &&
           a->levels == b->levels && a->window == b->window && a->coarse == b->coarse &&
           a->seed == b->seed;
}

static Recipe recipe_of(const char *file, const CofOptions *options)
{
    Recipe recipe = {.sigma = options->sigma,
                     .softness = options->softness,
                     .normalise = options->normalise,
                     .preset = options->preset};
    struct stat state;
    if (file && stat(file, &state) == 0) {
        recipe.changed = state.st_mtim;
        recipe.size = state.st_size;
    }
    return recipe;
}

static bool same_recipe(const Recipe *a, const Recipe *b)
{
    return a->sigma == b->sigma && a->softness == b->softness && a->normalise == b->normalise &&
           a->preset == b->preset && a->changed.tv_sec == b->changed.tv_sec &&
           a->changed.tv_nsec == b->changed.tv_nsec && a->size == b->size;
}

static CofStatus learn(Kept *kept, const CofImage *image, const CofOptions *options, Watch *watch)
{
    Lesson lesson = lesson_of(image, options);
    if (kept->stats && same_lesson(&kept->lesson, &lesson))
        return COF_OK;
    if (!kept->file)
        drop_model(kept);
    cof_stats_free(&kept->stats);
    CofOptions own = *options;
    g_debug("learns from %d x %d pixels", image->width, image->height);
    watch_begin(watch, "Learning", 0, LEARNING, 3, &own);
    kept->lesson = lesson;
    return lesson_stats(image, &own, &kept->stats);
}

static CofStatus model_of_image(Kept *kept, const CofImage *image, const CofOptions *options,
                                Watch *watch)
{
    CofStatus status = learn(kept, image, options, watch);
    Recipe recipe = recipe_of(NULL, options);
    if (status != COF_OK || (kept->model && !kept->file && same_recipe(&kept->recipe, &recipe)))
        return status;
    drop_model(kept);
    g_debug("makes a model of what was learned");
    kept->recipe = recipe;
    return cof_model_new(&kept->model, kept->stats, options);
}

static void model_of_file(Kept *kept, const char *file, const CofOptions *options,
                          char problem[KEPT_PROBLEM])
{
    Recipe recipe = recipe_of(file, options);
    if (kept->model && g_strcmp0(kept->file, file) == 0 && same_recipe(&kept->recipe, &recipe))
        return;
    char why[MODEL_FILE_PROBLEM];
    drop_model(kept);
    g_debug("reads %s", file);
    kept->model = model_file_load(file, options, why);
    kept->recipe = recipe;
    kept->file = kept->model ? g_strdup(file) : NULL;
    if (!kept->model)
        describe(problem, file, why);
}

const CofModel *kept_model(Kept *kept, const char *file, const CofImage *image,
                           const CofOptions *options, Watch *watch, char problem[KEPT_PROBLEM])
{
    if (is_given(file)) {
        model_of_file(kept, file, options, problem);
        return kept->model;
    }
    CofReport report = {.struct_size = sizeof report};
    CofOptions own = *options;
    own.report = &report;
    CofStatus status = model_of_image(kept, image, &own, watch);
    if (status == COF_OK)
        return kept->model;
    kept_explain(problem, NULL, status, &report);
    return NULL;
}
