/* SPDX-License-Identifier: BSD-2-Clause */
/* Public functions of CofStats. */
#include "cof/cof.h"

#include <math.h>
#include <string.h>

#include "api/checks.h"
#include "base/status.h"
#include "image/image.h"
#include "learn/count.h"
#include "learn/learn.h"
#include "learn/model.h"
#include "learn/stats.h"
#include "options/options.h"

CofStatus cof_stats_new(CofStats **out, const CofOptions *options)
{
    CofOptions complete;
    CofProblem problem = {0};
    CofStatus status = cofi_options_complete(options, &complete, &problem);
    if (status == COF_OK && !out)
        status =
            cofi_argument_problem(&problem, COF_ERR_ARGUMENT, "out", "a required argument is NULL");
    if (status == COF_OK) {
        CofiLearning learning = cofi_learning(&complete);
        CofStats *stats = cofi_stats_new(&learning);
        if (stats)
            *out = stats;
        else
            status = cofi_status_problem(&problem, COF_ERR_MEMORY);
    }
    if (complete.problem)
        *complete.problem = problem;
    return status;
}

CofStatus cof_stats_new_like(CofStats **out, const CofStats *other, CofProblem *problem)
{
    cofi_no_problem(problem);
    CofStatus status = cofi_check_pointers(
        problem, (const CofiPointer[]){{out, "out"}, {other, "other"}, {NULL, NULL}});
    if (status != COF_OK)
        return status;
    return cofi_status_problem(problem, cofi_stats_new_like(out, other));
}

void cof_stats_free(CofStats **stats)
{
    if (stats)
        cofi_stats_free(stats);
}

/* Begins a call that needs statistics with a palette, or without one yet. */
static CofStatus enter(CofiCall *call, const CofOptions *options, const CofStats *stats,
                       const CofImage *image, bool with_palette)
{
    CofStatus status = cofi_call_begin(call, options);
    if (status != COF_OK)
        return status;
    if (!stats)
        status =
            cofi_call_fail_argument(call, COF_ERR_ARGUMENT, "stats", "a required argument is NULL");
    else if (!image)
        status =
            cofi_call_fail_argument(call, COF_ERR_ARGUMENT, "image", "a required argument is NULL");
    else if (with_palette && !stats->has_palette)
        status = cofi_call_fail_argument(call, COF_ERR_ARGUMENT, "stats",
                                         "the statistics have no palette yet");
    else if (!with_palette && stats->has_palette)
        status = cofi_call_fail_argument(call, COF_ERR_ARGUMENT, "stats",
                                         "the statistics already have a palette");
    return status == COF_OK ? status : cofi_call_end(call, status);
}

CofStatus cof_stats_scan(CofStats *stats, const CofImage *image, const CofRoi *roi,
                         const CofOptions *options)
{
    CofiCall call;
    CofStatus status = enter(&call, options, stats, image, false);
    if (status != COF_OK)
        return status;
    int downscale = roi && roi->downscaled ? 1 : stats->learning.downscale;
    cofi_call_expect(&call, cofi_training_units(downscale, 1));
    CofImage view;
    CofiTrainingImage training;
    status = cofi_check_image(&call, image, "image", &view);
    if (status == COF_OK)
        status = cofi_training_image(&call, downscale, &view, roi, &training);
    if (status == COF_OK)
        status = cofi_learn_scan(&call, stats, &training.image, &training.roi);
    return cofi_call_end(&call, status);
}

CofStatus cof_stats_fit_palette(CofStats *stats, const CofOptions *options)
{
    CofiCall call;
    CofImage none = {0};
    CofStatus status = enter(&call, options, stats, &none, false);
    if (status != COF_OK)
        return status;
    cofi_call_stage(&call, COF_STAGE_PALETTE);
    return cofi_call_end(&call, cofi_stats_fit_palette(stats, &call));
}

static bool palette_sizes_match(CofKind kind, int bands)
{
    if (kind == COF_KIND_BANDS)
        return bands >= 1 && bands <= COF_MAX_BANDS;
    return (unsigned)kind < COF_KIND_BANDS && bands == (int)cofi_family(kind) + 1;
}

static CofStatus check_new_palette(const CofStats *stats, int k, CofProblem *problem)
{
    cofi_no_problem(problem);
    if (!stats)
        return cofi_argument_problem(problem, COF_ERR_ARGUMENT, "stats",
                                     "a required argument is NULL");
    if (stats->has_palette)
        return cofi_argument_problem(problem, COF_ERR_ARGUMENT, "stats",
                                     "the statistics already have a palette");
    if (k < 1 || k > COF_MAX_COLOURS)
        return cofi_argument_problem(problem, COF_ERR_ARGUMENT, "k", "k must be 1 to 256");
    return COF_OK;
}

/* A palette from the caller is the only one. */
static CofStatus check_one_palette(const CofStats *stats, CofProblem *problem)
{
    if (stats->learning.palettes == 1)
        return COF_OK;
    return cofi_option_problem(problem, "palettes", "a single palette is given: set palettes to 1");
}

static bool all_finite(const float *values, int n)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(values[i]))
            return false;
    return true;
}

static CofStatus scan_mismatch(CofProblem *problem, const char *argument)
{
    return cofi_argument_problem(problem, COF_ERR_MISMATCH, argument,
                                 "the palette is not for images of the kind that was scanned");
}

CofStatus cof_stats_set_palette(CofStats *stats, const float *centres, int k, int bands,
                                CofKind kind, CofProblem *problem)
{
    CofStatus status = check_new_palette(stats, k, problem);
    if (status == COF_OK)
        status = check_one_palette(stats, problem);
    if (status != COF_OK)
        return status;
    if (!centres)
        return cofi_argument_problem(problem, COF_ERR_ARGUMENT, "centres",
                                     "a required argument is NULL");
    if (!palette_sizes_match(kind, bands))
        return cofi_argument_problem(problem, COF_ERR_ARGUMENT,
                                     (unsigned)kind > COF_KIND_BANDS ? "kind" : "bands",
                                     "the number of bands does not match the kind of image");
    if (!all_finite(centres, k * bands))
        return cofi_argument_problem(problem, COF_ERR_ARGUMENT, "centres",
                                     "a value of the palette is not finite");
    CofiPalette palette;
    status = cofi_palette_given(&palette, cofi_family(kind), bands, k, centres);
    if (status == COF_OK && !cofi_scan_fits(&stats->scan, &palette)) {
        cofi_palette_free(&palette);
        return scan_mismatch(problem, "kind");
    }
    status = cofi_stats_use_palette(stats, &palette, status);
    if (status == COF_OK)
        stats->learning.colours = k; /* as many as were asked for */
    return cofi_status_problem(problem, status);
}

/* Copies of palettes of any type, so that their labels mean the same. */
static CofStatus copy_palettes(CofStats *stats, const CofiPalette *const *from, int n,
                               const char *argument, CofProblem *problem)
{
    CofStatus status = check_new_palette(stats, from[0]->k, problem);
    if (status != COF_OK)
        return status;
    if (from[0]->type == COFI_PALETTE_LABELS)
        return cofi_argument_problem(problem, COF_ERR_ARGUMENT, argument,
                                     "there are only labels, without a palette");
    if (!cofi_scan_fits(&stats->scan, from[0]))
        return scan_mismatch(problem, argument);
    if (n != stats->learning.palettes)
        return cofi_option_problem(problem, "palettes",
                                   "the number of palettes differs from that of their source");
    return cofi_status_problem(problem, cofi_stats_copy_palettes(stats, from, n));
}

CofStatus cof_stats_set_palette_from_stats(CofStats *stats, const CofStats *from,
                                           CofProblem *problem)
{
    cofi_no_problem(problem);
    CofStatus status = cofi_check_pointers(
        problem, (const CofiPointer[]){{stats, "stats"}, {from, "from"}, {NULL, NULL}});
    if (status != COF_OK)
        return status;
    if (!from->has_palette)
        return cofi_argument_problem(problem, COF_ERR_ARGUMENT, "from",
                                     "the statistics have no palette yet");
    const CofiPalette *palettes[COF_MAX_PALETTES] = {NULL};
    for (int i = 0; i <= from->n_others; i++)
        palettes[i] = &cofi_stats_const_member(from, i)->palette;
    return copy_palettes(stats, palettes, 1 + from->n_others, "from", problem);
}

CofStatus cof_stats_set_palette_from_model(CofStats *stats, const CofModel *model,
                                           CofProblem *problem)
{
    cofi_no_problem(problem);
    CofStatus status = cofi_check_pointers(
        problem, (const CofiPointer[]){{stats, "stats"}, {model, "model"}, {NULL, NULL}});
    if (status != COF_OK)
        return status;
    const CofiPalette *palettes[COF_MAX_PALETTES] = {NULL};
    for (int i = 0; i <= model->n_others; i++)
        palettes[i] = &cofi_model_member(model, i)->palette;
    return copy_palettes(stats, palettes, 1 + model->n_others, "model", problem);
}

CofStatus cof_stats_set_labels(CofStats *stats, int k, CofProblem *problem)
{
    CofStatus status = check_new_palette(stats, k, problem);
    if (status == COF_OK)
        status = check_one_palette(stats, problem);
    if (status != COF_OK)
        return status;
    if (stats->learning.downscale > 1)
        return cofi_option_problem(problem, "downscale", "labels cannot be downscaled");
    CofiPalette palette;
    status = cofi_palette_labels(&palette, k);
    return cofi_status_problem(problem, cofi_stats_use_palette(stats, &palette, status));
}

CofStatus cof_stats_add(CofStats *stats, const CofImage *image, const CofRoi *roi,
                        const CofOptions *options)
{
    CofiCall call;
    CofStatus status = enter(&call, options, stats, image, true);
    if (status != COF_OK)
        return status;
    int downscale = roi && roi->downscaled ? 1 : stats->learning.downscale;
    double units = (1 + stats->n_others) * (1 + COFI_COUNT_UNITS);
    cofi_call_expect(&call, cofi_training_units(downscale, units));
    CofImage view;
    CofiTrainingImage training;
    status = cofi_check_image(&call, image, "image", &view);
    if (status == COF_OK && !cofi_palette_fits(&stats->palette, &view))
        status = cofi_call_fail_argument(&call, COF_ERR_MISMATCH, "image",
                                         "the image is not of the kind the statistics are for");
    if (status == COF_OK)
        status = cofi_training_image(&call, downscale, &view, roi, &training);
    if (status == COF_OK)
        status = cofi_learn_add(&call, stats, &training.image, &training.roi);
    return cofi_call_end(&call, status);
}

CofStatus cof_stats_add_labels(CofStats *stats, const CofImage *labels, const CofRoi *roi,
                               const CofOptions *options)
{
    CofiCall call;
    CofImage none = {0}; /* a NULL is at fault below */
    CofStatus status = enter(&call, options, stats, labels ? labels : &none, true);
    if (status != COF_OK)
        return status;
    cofi_call_expect(&call, 1 + COFI_COUNT_UNITS);
    CofImage view;
    status = cofi_check_bytes(&call, labels, "labels", labels, &view);
    if (status == COF_OK && stats->learning.downscale > 1)
        status = cofi_call_fail_option(&call, "downscale", "labels cannot be downscaled");
    if (status == COF_OK && stats->n_others > 0)
        status = cofi_call_fail_option(&call, "palettes", "labels belong to a single palette");
    if (status == COF_OK)
        status = cofi_check_not_downscaled(&call, roi);
    if (status == COF_OK)
        status = cofi_learn_add_labels(&call, stats, &view, roi);
    cofi_call_rename_argument(&call, "image", "labels");
    return cofi_call_end(&call, status);
}

static CofStatus merge_mismatch(CofProblem *problem, const char *text)
{
    return cofi_argument_problem(problem, COF_ERR_MISMATCH, "from", text);
}

static CofStatus merge_scans(CofStats *into, const CofStats *from, CofProblem *problem)
{
    CofStatus status = cofi_scan_merge(&into->scan, &into->learning, &from->scan);
    if (status == COF_ERR_MISMATCH)
        return merge_mismatch(problem, "the images differ in kind");
    if (status == COF_ERR_ARGUMENT)
        return cofi_argument_problem(problem, status, "from", "the sum of the counts is too large");
    return cofi_status_problem(problem, status);
}

CofStatus cof_stats_merge(CofStats *into, const CofStats *from, CofProblem *problem)
{
    cofi_no_problem(problem);
    CofStatus status = cofi_check_pointers(
        problem, (const CofiPointer[]){{into, "into"}, {from, "from"}, {NULL, NULL}});
    if (status != COF_OK)
        return status;
    if (into == from)
        return cofi_argument_problem(problem, COF_ERR_ARGUMENT, "from",
                                     "into and from are the same");
    if (!cofi_same_learning(into, from))
        return merge_mismatch(problem, "the statistics have different learning options");
    if (into->has_palette != from->has_palette)
        return merge_mismatch(problem, "only one of the statistics has a palette");
    if (!into->has_palette)
        return merge_scans(into, from, problem);
    if (!cofi_same_palettes(into, from))
        return merge_mismatch(problem, "the statistics have different palettes");
    if (!cofi_sums_fit(into, from))
        return cofi_argument_problem(problem, COF_ERR_ARGUMENT, "from",
                                     "the sum of the counts is too large");
    return cofi_status_problem(problem, cofi_stats_add_counts(into, from));
}

CofStatus cof_stats_decay(CofStats *stats, uint32_t numerator, uint32_t denominator,
                          CofProblem *problem)
{
    cofi_no_problem(problem);
    if (!stats || !stats->has_palette)
        return cofi_argument_problem(problem, COF_ERR_ARGUMENT, "stats",
                                     "the statistics are NULL or have no palette yet");
    if (denominator == 0 || numerator > denominator)
        return cofi_argument_problem(problem, COF_ERR_ARGUMENT, "denominator",
                                     "the factor must be 0 to 1");
    cofi_stats_decay(stats, numerator, denominator);
    return COF_OK;
}
