/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is known of a film, as `cof video` learns it. */
#include "frei0r_knowledge.h"

#include <stdio.h>

#include "lesson.h"

static Source source_of(const Settings *settings)
{
    if (settings->model)
        return FROM_FILE;
    if (settings->adapt > 0)
        return FROM_ALL;
    return settings->every > 0 ? FROM_EVERY : FROM_FIRST;
}

void knowledge_clear(Knowledge *k)
{
    following_clear(&k->followed);
    cof_model_free(&k->model);
    *k = (Knowledge){.source = FROM_NOTHING};
}

/* Forgets what no longer holds. */
static void keep_up(Knowledge *k, const Settings *settings, const CofOptions *options)
{
    Source source = source_of(settings);
    bool softer = k->softness != options->softness;
    bool other = source == FROM_FILE
                     ? softer || k->edition != settings->edition
                     : k->window != options->window || k->colours != options->colours ||
                           k->coarse != options->coarse;
    if (other || k->source != source)
        knowledge_clear(k);
    else if (softer)
        cof_model_free(&k->model);
    k->source = source;
    k->edition = settings->edition;
    k->window = options->window;
    k->colours = options->colours;
    k->coarse = options->coarse;
    k->softness = options->softness;
}

static void load(Knowledge *k, const char *file, const CofOptions *options)
{
    k->model = model_file_load(file, options, k->problem);
    if (!k->model)
        return;
    if (cof_model_palette(k->model, NULL) && cof_model_kind(k->model) == COF_RGB)
        return;
    cof_model_free(&k->model);
    snprintf(k->problem, sizeof k->problem, "was not learned from colour pictures");
}

static CofStatus learn_anew(Knowledge *k, const CofImage *frame, const CofOptions *options)
{
    CofStats *fresh = NULL;
    CofStatus status = lesson_stats(frame, options, &fresh);
    if (status != COF_OK)
        return status;
    following_clear(&k->followed);
    cof_model_free(&k->model);
    k->followed.stats = fresh;
    k->age = 0;
    return COF_OK;
}

/* Makes statistics, or adds to them, if it is time to. */
static CofStatus learn(Knowledge *k, const Settings *settings, const CofImage *frame,
                       const CofOptions *options)
{
    if (k->source == FROM_ALL) {
        cof_model_free(&k->model);
        return following_add(&k->followed, frame, settings->adapt, options);
    }
    bool old = k->source == FROM_EVERY && k->age >= settings->every;
    bool nothing = !k->followed.stats || !lesson_teaches(k->followed.stats);
    return nothing || old ? learn_anew(k, frame, options) : COF_OK;
}

const CofModel *knowledge_model(Knowledge *k, const Settings *settings, const CofImage *frame,
                                const CofOptions *options, const char **about, const char **problem)
{
    keep_up(k, settings, options);
    if (k->source == FROM_FILE) {
        if (!k->model && k->problem[0] == '\0')
            load(k, settings->model, options);
        *about = settings->model;
        *problem = k->problem;
        return k->model;
    }
    CofStatus status = learn(k, settings, frame, options);
    if (status == COF_OK && !k->model)
        status = cof_model_new(&k->model, k->followed.stats, options);
    k->age += status == COF_OK;
    *about = "learning";
    *problem = cof_status_string(status);
    return status == COF_OK ? k->model : NULL;
}
