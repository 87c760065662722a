/* SPDX-License-Identifier: BSD-2-Clause */
/* Public functions that read a CofStats or a CofModel. */
#include "cof/cof.h"

#include "learn/model.h"
#include "learn/stats.h"

int cof_stats_palettes(const CofStats *stats)
{
    return stats && stats->has_palette ? 1 + stats->n_others : 0;
}

const CofStats *cof_stats_member(const CofStats *stats, int index)
{
    bool known = index >= 0 && index < cof_stats_palettes(stats);
    return known ? cofi_stats_const_member(stats, index) : NULL;
}

int cof_stats_size(const CofStats *stats)
{
    return stats && stats->has_palette ? stats->palette.k : 0;
}

const float *cof_stats_palette(const CofStats *stats, int *bands)
{
    bool known = stats && stats->has_palette;
    if (bands)
        *bands = known ? stats->palette.bands : 0;
    return known ? stats->palette.centres : NULL;
}

void cof_stats_options(const CofStats *stats, CofOptions *options)
{
    if (!stats || !options)
        return;
    const CofiLearning *learning = &stats->learning;
    options->colours = learning->colours;
    options->levels = learning->levels;
    options->palettes = learning->palettes;
    options->low = learning->low;
    options->high = learning->high;
    options->window = learning->window;
    options->sampling = learning->sampling;
    options->seed = learning->seed;
    options->downscale = learning->downscale;
}

static bool has_only_labels(const CofiPalette *palette)
{
    return palette->type == COFI_PALETTE_LABELS;
}

CofStatus cof_stats_kind(const CofStats *stats, CofKind *kind)
{
    if (!stats || !kind)
        return COF_ERR_ARGUMENT;
    if (stats->has_palette ? has_only_labels(&stats->palette) : !stats->scan.known)
        return COF_ERR_EMPTY;
    *kind = stats->has_palette ? stats->palette.family : stats->scan.family;
    return COF_OK;
}

const uint64_t *cof_stats_histogram(const CofStats *stats)
{
    return stats ? stats->histogram : NULL;
}

const uint64_t *cof_stats_counts(const CofStats *stats, const int **squared_distances,
                                 int *distances)
{
    bool known = stats && stats->has_palette;
    if (squared_distances)
        *squared_distances = known ? stats->squares : NULL;
    if (distances)
        *distances = known ? stats->distances : 0;
    return known ? stats->counts : NULL;
}

int cof_stats_sampling_shift(const CofStats *stats)
{
    return stats && stats->has_palette ? stats->rate : 0;
}

int cof_model_palettes(const CofModel *model)
{
    return model ? 1 + model->n_others : 0;
}

const CofModel *cof_model_member(const CofModel *model, int index)
{
    bool known = index >= 0 && index < cof_model_palettes(model);
    return known ? cofi_model_member(model, index) : NULL;
}

int cof_model_size(const CofModel *model)
{
    return model ? model->palette.k : 0;
}

const float *cof_model_palette(const CofModel *model, int *bands)
{
    if (bands)
        *bands = model ? model->palette.bands : 0;
    return model ? model->palette.centres : NULL;
}

void cof_model_options(const CofModel *model, CofOptions *options)
{
    if (!model || !options)
        return;
    options->window = model->recipe.window;
    options->palettes = 1 + model->n_others;
    options->downscale = model->recipe.downscale;
    options->sigma = model->recipe.sigma;
    options->softness = model->recipe.softness;
    options->normalise = model->recipe.normalise;
    options->separation = model->recipe.separation;
}

CofStatus cof_model_kind(const CofModel *model, CofKind *kind)
{
    if (!model || !kind)
        return COF_ERR_ARGUMENT;
    if (has_only_labels(&model->palette))
        return COF_ERR_EMPTY;
    *kind = model->palette.family;
    return COF_OK;
}

const double *cof_model_matrix(const CofModel *model)
{
    return model ? model->matrix : NULL;
}

const double *cof_model_frequencies(const CofModel *model)
{
    return model ? model->frequencies : NULL;
}
