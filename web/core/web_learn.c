/* SPDX-License-Identifier: BSD-2-Clause */
/* Statistics and models, for JavaScript. */
#include "web_learn.h"

#include <stdbool.h>
#include <stdlib.h>

CofStats *web_stats_new(void)
{
    CofStats *stats = NULL;
    const CofOptions *options = web_call_options();
    return options && cof_stats_new(&stats, options) == COF_OK ? stats : NULL;
}

CofStats *web_stats_new_like(const CofStats *other)
{
    CofStats *stats = NULL;
    return cof_stats_new_like(&stats, other, &web_session.problem) == COF_OK ? stats : NULL;
}

CofStats *web_stats_load(const void *bytes, size_t size)
{
    CofStats *stats = NULL;
    return cof_stats_load(&stats, bytes, size, &web_session.problem) == COF_OK ? stats : NULL;
}

typedef CofStatus ReadFunction(CofStats *stats, const CofImage *image, const CofRoi *roi,
                               const CofOptions *options);

static CofStatus read(ReadFunction *function, CofStats *stats, const WebImage *image,
                      const WebRoi *words)
{
    CofImage view, mask;
    CofRoi roi;
    const CofOptions *options = web_call_options();
    return options ? function(stats, web_view(image, &view), web_roi(words, &roi, &mask), options)
                   : web_session.problem.status;
}

CofStatus web_stats_scan(CofStats *stats, const WebImage *image, const WebRoi *roi)
{
    return read(cof_stats_scan, stats, image, roi);
}

CofStatus web_stats_add(CofStats *stats, const WebImage *image, const WebRoi *roi)
{
    return read(cof_stats_add, stats, image, roi);
}

CofStatus web_stats_add_labels(CofStats *stats, const WebImage *labels, const WebRoi *roi)
{
    return read(cof_stats_add_labels, stats, labels, roi);
}

CofStatus web_stats_fit_palette(CofStats *stats)
{
    const CofOptions *options = web_call_options();
    return options ? cof_stats_fit_palette(stats, options) : web_session.problem.status;
}

CofStatus web_stats_merge(CofStats *into, const CofStats *from)
{
    return cof_stats_merge(into, from, &web_session.problem);
}

CofStatus web_stats_save(const CofStats *stats)
{
    web_bytes_clear();
    return cof_stats_save(stats, &web_session.bytes, &web_session.size, &web_session.problem);
}

void web_stats_free(CofStats *stats)
{
    cof_stats_free(&stats);
}

int web_stats_size(const CofStats *stats)
{
    return cof_stats_size(stats);
}

const uint64_t *web_stats_histogram(const CofStats *stats)
{
    return cof_stats_histogram(stats);
}

const uint64_t *web_stats_counts(const CofStats *stats)
{
    return cof_stats_counts(stats, NULL, NULL);
}

int web_stats_distances(const CofStats *stats)
{
    int distances = 0;
    const uint64_t *counts = cof_stats_counts(stats, NULL, &distances);
    return counts ? distances : 0;
}

CofModel *web_model_new(const CofStats *stats)
{
    CofModel *model = NULL;
    const CofOptions *options = web_call_options();
    return options && cof_model_new(&model, stats, options) == COF_OK ? model : NULL;
}

CofModel *web_model_of_palette(const CofStats *stats)
{
    CofModel *model = NULL;
    const CofOptions *options = web_call_options();
    size_t k = (size_t)cof_stats_size(stats);
    double *matrix = calloc(k * k + 1, sizeof *matrix);
    if (!matrix)
        web_refuse(COF_ERR_MEMORY, NULL, "not enough memory");
    for (size_t i = 0; matrix && i < k * k; i++)
        matrix[i] = 1;
    bool made = matrix && options && cof_model_new_matrix(&model, stats, matrix, options) == COF_OK;
    free(matrix);
    return made ? model : NULL;
}

CofModel *web_model_load(const void *bytes, size_t size)
{
    CofModel *foreground = NULL, *model = NULL;
    const CofOptions *options = web_call_options();
    if (!options || cof_load(&foreground, &model, bytes, size, options) != COF_OK)
        return NULL;
    cof_model_free(&foreground);
    return model;
}

CofStatus web_model_save(const CofModel *model)
{
    web_bytes_clear();
    return cof_model_save(model, &web_session.bytes, &web_session.size, &web_session.problem);
}

void web_model_free(CofModel *model)
{
    cof_model_free(&model);
}

int web_model_size(const CofModel *model)
{
    return cof_model_size(model);
}

int web_model_palettes(const CofModel *model)
{
    return cof_model_palettes(model);
}

int web_model_bands(const CofModel *model)
{
    int bands = 0;
    return cof_model_palette(model, &bands) ? bands : 0;
}

int web_model_kind(const CofModel *model)
{
    CofKind kind;
    return cof_model_kind(model, &kind) == COF_OK ? (int)kind : -1;
}

const float *web_model_palette(const CofModel *model)
{
    return cof_model_palette(model, NULL);
}

const double *web_model_matrix(const CofModel *model)
{
    return cof_model_matrix(model);
}

const double *web_model_frequencies(const CofModel *model)
{
    return cof_model_frequencies(model);
}

void web_model_options(const CofModel *model)
{
    cof_options_init(&web_session.options);
    cof_model_options(model, &web_session.options);
}

CofStatus web_model_label(const CofModel *model, const WebImage *image, const WebImage *labels)
{
    CofImage view, out;
    const CofOptions *options = web_call_options();
    return options ? cof_model_label(model, web_view(image, &view), web_view(labels, &out), options)
                   : web_session.problem.status;
}

CofStatus web_learn_pair(const WebImage *image, const WebImage *mask)
{
    CofModel *foreground = NULL, *background = NULL;
    CofImage view, marks;
    const CofOptions *options = web_call_options();
    if (!options)
        return web_session.problem.status;
    web_bytes_clear();
    CofStatus status = cof_model_learn_pair(&foreground, &background, web_view(image, &view),
                                            web_view(mask, &marks), options);
    if (status == COF_OK)
        status = cof_model_save_pair(foreground, background, &web_session.bytes, &web_session.size,
                                     &web_session.problem);
    cof_model_free(&foreground);
    cof_model_free(&background);
    return status;
}

CofStatus web_pair_load(CofModel *models[2], const void *bytes, size_t size)
{
    return cof_model_load_pair(&models[0], &models[1], bytes, size, &web_session.problem);
}
