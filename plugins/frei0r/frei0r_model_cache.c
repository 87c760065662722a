/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The model of a video, learned as `cof video` does. */
#include "frei0r_model_cache.h"

#include <stdio.h>

#include "learn_image.h"
#include "option_fields.h"

static ModelSource model_source(const FilterSettings *settings)
{
    if (settings->model)
        return SOURCE_FILE;
    if (settings->adapt > 0)
        return SOURCE_ALL_FRAMES;
    return settings->relearn_interval > 0 ? SOURCE_INTERVAL : SOURCE_FIRST_FRAME;
}

void frei0r_model_cache_clear(Frei0rModelCache *cache)
{
    adaptive_stats_clear(&cache->adaptive);
    cof_model_free(&cache->model);
    *cache = (Frei0rModelCache){.source = SOURCE_NONE};
}

/* Drops what no longer matches the settings. */
static void drop_stale(Frei0rModelCache *cache, const FilterSettings *settings,
                       const CofOptions *options)
{
    ModelSource source = model_source(settings);
    bool new_model = !options_equal(&cache->options, options, COF_OPTION_GROUP_MODEL);
    bool new_stats = !options_equal(&cache->options, options, COF_OPTION_GROUP_LEARN);
    bool new_file = cache->revision != settings->revision;
    if (cache->source != source || (source == SOURCE_FILE ? new_model || new_file : new_stats))
        frei0r_model_cache_clear(cache);
    else if (new_model)
        cof_model_free(&cache->model);
    cache->source = source;
    cache->revision = settings->revision;
    cache->options = *options;
}

static void load(Frei0rModelCache *cache, const char *file, const CofOptions *options)
{
    cache->model = model_file_load(file, options, cache->problem);
    CofKind kind;
    if (!cache->model)
        return;
    if (cof_model_kind(cache->model, &kind) == COF_OK && kind == COF_KIND_RGB)
        return;
    cof_model_free(&cache->model);
    snprintf(cache->problem, sizeof cache->problem, "was not learned from colour images");
}

static CofStatus relearn(Frei0rModelCache *cache, const CofImage *frame, const CofOptions *options)
{
    CofStats *fresh = NULL;
    CofStatus status = learn_image_stats(frame, options, &fresh);
    if (status != COF_OK)
        return status;
    adaptive_stats_clear(&cache->adaptive);
    cof_model_free(&cache->model);
    cache->adaptive.stats = fresh;
    cache->age = 0;
    return COF_OK;
}

/* Learns statistics, or updates them, if they are due. */
static CofStatus learn(Frei0rModelCache *cache, const FilterSettings *settings,
                       const CofImage *frame, const CofOptions *options)
{
    if (cache->source == SOURCE_ALL_FRAMES) {
        cof_model_free(&cache->model);
        return adaptive_stats_add(&cache->adaptive, frame, settings->adapt, options);
    }
    bool old = cache->source == SOURCE_INTERVAL && cache->age >= settings->relearn_interval;
    bool missing = !cache->adaptive.stats || !learn_image_has_contrast(cache->adaptive.stats);
    return missing || old ? relearn(cache, frame, options) : COF_OK;
}

const CofModel *frei0r_model_cache_get(Frei0rModelCache *cache, const FilterSettings *settings,
                                       const CofImage *frame, const CofOptions *options,
                                       const char **about, const char **problem)
{
    drop_stale(cache, settings, options);
    if (cache->source == SOURCE_FILE) {
        if (!cache->model && cache->problem[0] == '\0')
            load(cache, settings->model, options);
        *about = settings->model;
        *problem = cache->problem;
        return cache->model;
    }
    CofStatus status = learn(cache, settings, frame, options);
    if (status == COF_OK && !cache->model)
        status = cof_model_new(&cache->model, cache->adaptive.stats, options);
    cache->age += status == COF_OK;
    *about = "learning";
    *problem = options->problem->text;
    return status == COF_OK ? cache->model : NULL;
}
