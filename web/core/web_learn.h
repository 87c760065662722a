/* SPDX-License-Identifier: BSD-2-Clause */
/* Statistics and models, for JavaScript. A function that returns a pointer returns NULL on failure;
 * the session has the problem. */
#ifndef COF_WEB_LEARN_H
#define COF_WEB_LEARN_H

#include "web_session.h"
#include "web_views.h"

CofStats *web_stats_new(void) WEB_EXPORT(stats_new);
CofStats *web_stats_new_like(const CofStats *other) WEB_EXPORT(stats_new_like);
CofStats *web_stats_load(const void *bytes, size_t size) WEB_EXPORT(stats_load);
CofStatus web_stats_scan(CofStats *stats, const WebImage *image, const WebRoi *roi)
    WEB_EXPORT(stats_scan);
CofStatus web_stats_fit_palette(CofStats *stats) WEB_EXPORT(stats_fit_palette);
CofStatus web_stats_add(CofStats *stats, const WebImage *image, const WebRoi *roi)
    WEB_EXPORT(stats_add);
/* `labels` are those of the palette, of which there is one. */
CofStatus web_stats_add_labels(CofStats *stats, const WebImage *labels, const WebRoi *roi)
    WEB_EXPORT(stats_add_labels);
CofStatus web_stats_merge(CofStats *into, const CofStats *from) WEB_EXPORT(stats_merge);
/* The result is web_bytes(). */
CofStatus web_stats_save(const CofStats *stats) WEB_EXPORT(stats_save);
void web_stats_free(CofStats *stats) WEB_EXPORT(stats_free);
int web_stats_size(const CofStats *stats) WEB_EXPORT(stats_size);
const uint64_t *web_stats_histogram(const CofStats *stats) WEB_EXPORT(stats_histogram);
/* Triangles of counts, one for each squared distance, as cof_stats_counts() has them. */
const uint64_t *web_stats_counts(const CofStats *stats) WEB_EXPORT(stats_counts);
int web_stats_distances(const CofStats *stats) WEB_EXPORT(stats_distances);

CofModel *web_model_new(const CofStats *stats) WEB_EXPORT(model_new);
/* A model that only labels: the palette of the statistics, of which there is one. */
CofModel *web_model_of_palette(const CofStats *stats) WEB_EXPORT(model_of_palette);
/* Any .cof file; of a pair, the background. */
CofModel *web_model_load(const void *bytes, size_t size) WEB_EXPORT(model_load);
/* The result is web_bytes(). */
CofStatus web_model_save(const CofModel *model) WEB_EXPORT(model_save);
void web_model_free(CofModel *model) WEB_EXPORT(model_free);
int web_model_size(const CofModel *model) WEB_EXPORT(model_size);
int web_model_palettes(const CofModel *model) WEB_EXPORT(model_palettes);
int web_model_bands(const CofModel *model) WEB_EXPORT(model_bands);
int web_model_kind(const CofModel *model) WEB_EXPORT(model_kind); /* -1: labels only */
const float *web_model_palette(const CofModel *model) WEB_EXPORT(model_palette);
const double *web_model_matrix(const CofModel *model) WEB_EXPORT(model_matrix);
const double *web_model_frequencies(const CofModel *model) WEB_EXPORT(model_frequencies);
/* Copies the options of the model to those of the session. */
void web_model_options(const CofModel *model) WEB_EXPORT(model_options);
CofStatus web_model_label(const CofModel *model, const WebImage *image, const WebImage *labels)
    WEB_EXPORT(model_label);

/* Models of what a mask marks and of the rest. The result is web_bytes(), a .cof file of a pair. */
CofStatus web_learn_pair(const WebImage *image, const WebImage *mask) WEB_EXPORT(learn_pair);
/* Loads a pair; the foreground is the first pointer, the background the second. */
CofStatus web_pair_load(CofModel *models[2], const void *bytes, size_t size) WEB_EXPORT(pair_load);

#endif
