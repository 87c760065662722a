/* SPDX-License-Identifier: BSD-2-Clause */
/* Caches the statistics and the model of an operation between runs. */
#include "gegl_model_cache.h"

#include <sys/stat.h>

#include "gegl_buffer.h"
#include "learn_image.h"
#include "model_file.h"
#include "option_fields.h"

/* Approximate share of the total time that learning takes. */
#define LEARNING_SHARE 0.3

/* Everything that the statistics depend on: the image and the learning options. */
typedef struct StatsKey {
    uint64_t hash;
    int width, height;
    CofKind kind;
    CofSample sample;
    CofOptions options;
} StatsKey;

/* Everything that the model depends on, apart from the statistics. */
typedef struct ModelKey {
    CofOptions options;
    struct timespec changed; /* modification time of the file; 0: no file */
    off_t size;
} ModelKey;

struct GeglModelCache {
    CofStats *stats; /* of the last image */
    StatsKey stats_key;
    CofModel *model;
    ModelKey model_key;
    char *file; /* source of the model; NULL: the statistics */
    char *last_problem;
};

GeglModelCache *gegl_model_cache_new(void)
{
    return g_new0(GeglModelCache, 1);
}

static void drop_model(GeglModelCache *cache)
{
    cof_model_free(&cache->model);
    g_clear_pointer(&cache->file, g_free);
}

void gegl_model_cache_free(GeglModelCache *cache)
{
    if (!cache)
        return;
    drop_model(cache);
    cof_stats_free(&cache->stats);
    g_free(cache->last_problem);
    g_free(cache);
}

bool gegl_model_cache_is_new_problem(GeglModelCache *cache, const char *problem)
{
    if (g_strcmp0(cache->last_problem, problem) == 0)
        return false;
    g_free(cache->last_problem);
    cache->last_problem = g_strdup(problem);
    return problem != NULL;
}

static bool is_given(const char *file)
{
    return file && *file;
}

static void describe(char problem[MAX_PROBLEM], const char *file, const char *words)
{
    g_snprintf(problem, MAX_PROBLEM, "%.4096s%s%s", is_given(file) ? file : "",
               is_given(file) ? ": " : "", words);
}

void gegl_model_cache_explain(char problem[MAX_PROBLEM], const char *file, const CofProblem *reason)
{
    describe(problem, file, reason->text);
}

static StatsKey stats_key_of(const CofImage *image, const CofOptions *options)
{
    return (StatsKey){.hash = image_hash(image),
                      .width = image->width,
                      .height = image->height,
                      .kind = image->kind,
                      .sample = image->sample,
                      .options = *options};
}

static bool same_stats_key(const StatsKey *a, const StatsKey *b)
{
    return a->hash == b->hash && a->width == b->width && a->height == b->height &&
           a->kind == b->kind && a->sample == b->sample &&
           options_equal(&a->options, &b->options, COF_OPTION_GROUP_LEARN);
}

static ModelKey model_key_of(const char *file, const CofOptions *options)
{
    ModelKey model_key = {.options = *options};
    struct stat state;
    if (file && stat(file, &state) == 0) {
#ifdef __APPLE__
        model_key.changed = state.st_mtimespec;
#else
        model_key.changed = state.st_mtim;
#endif
        model_key.size = state.st_size;
    }
    return model_key;
}

/* The general options have the variant, which determines automatic sigmas. */
static bool same_model_key(const ModelKey *a, const ModelKey *b)
{
    return options_equal(&a->options, &b->options, COF_OPTION_GROUP_GENERAL) &&
           options_equal(&a->options, &b->options, COF_OPTION_GROUP_MODEL) &&
           a->changed.tv_sec == b->changed.tv_sec && a->changed.tv_nsec == b->changed.tv_nsec &&
           a->size == b->size;
}

static CofStatus learn(GeglModelCache *cache, const CofImage *image, const CofOptions *options,
                       GeglProgress *progress)
{
    StatsKey stats_key = stats_key_of(image, options);
    if (cache->stats && same_stats_key(&cache->stats_key, &stats_key))
        return COF_OK;
    if (!cache->file)
        drop_model(cache);
    cof_stats_free(&cache->stats);
    CofOptions own = *options;
    g_debug("learns from %d x %d pixels", image->width, image->height);
    gegl_progress_begin(progress, "Learning", 0, LEARNING_SHARE, 3, &own);
    cache->stats_key = stats_key;
    return learn_image_stats(image, &own, &cache->stats);
}

static CofStatus model_from_image(GeglModelCache *cache, const CofImage *image,
                                  const CofOptions *options, GeglProgress *progress)
{
    CofStatus status = learn(cache, image, options, progress);
    ModelKey model_key = model_key_of(NULL, options);
    if (status != COF_OK ||
        (cache->model && !cache->file && same_model_key(&cache->model_key, &model_key)))
        return status;
    drop_model(cache);
    g_debug("makes a model of what was learned");
    cache->model_key = model_key;
    return cof_model_new(&cache->model, cache->stats, options);
}

static void model_from_file(GeglModelCache *cache, const char *file, const CofOptions *options,
                            char problem[MAX_PROBLEM])
{
    ModelKey model_key = model_key_of(file, options);
    if (cache->model && g_strcmp0(cache->file, file) == 0 &&
        same_model_key(&cache->model_key, &model_key))
        return;
    char why[MODEL_FILE_PROBLEM];
    drop_model(cache);
    g_debug("reads %s", file);
    cache->model = model_file_load(file, options, why);
    cache->model_key = model_key;
    cache->file = cache->model ? g_strdup(file) : NULL;
    if (!cache->model)
        describe(problem, file, why);
}

const CofModel *gegl_model_cache_get(GeglModelCache *cache, const char *file, const CofImage *image,
                                     const CofOptions *options, GeglProgress *progress,
                                     char problem[MAX_PROBLEM])
{
    if (is_given(file)) {
        model_from_file(cache, file, options, problem);
        return cache->model;
    }
    if (model_from_image(cache, image, options, progress) == COF_OK)
        return cache->model;
    gegl_model_cache_explain(problem, NULL, options->problem);
    return NULL;
}
