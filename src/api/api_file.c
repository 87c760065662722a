/* SPDX-License-Identifier: BSD-2-Clause */
/* Public functions that save and load .cof files in memory. */
#include "cof/cof.h"

#include "api/checks.h"
#include "base/memory.h"
#include "base/status.h"
#include "learn/deserialise.h"
#include "learn/serialise.h"

#define CHECK_POINTERS(problem, ...) \
    (cofi_no_problem(problem), \
     cofi_check_pointers(problem, (const CofiPointer[]){__VA_ARGS__, {NULL, NULL}}))

/* What is wrong with the bytes. */
static CofStatus load_problem(CofProblem *problem, CofStatus status)
{
    if (status == COF_ERR_MISMATCH)
        return cofi_argument_problem(problem, status, "bytes", "the .cof file is of another kind");
    if (status == COF_ERR_FORMAT || status == COF_ERR_VERSION)
        return cofi_argument_problem(problem, status, "bytes", cof_status_string(status));
    return cofi_status_problem(problem, status);
}

CofStatus cof_stats_save(const CofStats *stats, void **bytes, size_t *size, CofProblem *problem)
{
    CofStatus status = CHECK_POINTERS(problem, {stats, "stats"}, {bytes, "bytes"}, {size, "size"});
    if (status == COF_OK)
        status = cofi_save_stats(stats, bytes, size);
    return cofi_status_problem(problem, status);
}

CofStatus cof_model_save(const CofModel *model, void **bytes, size_t *size, CofProblem *problem)
{
    CofStatus status = CHECK_POINTERS(problem, {model, "model"}, {bytes, "bytes"}, {size, "size"});
    if (status == COF_OK)
        status = cofi_save_model(model, bytes, size);
    return cofi_status_problem(problem, status);
}

CofStatus cof_model_save_pair(const CofModel *foreground, const CofModel *background, void **bytes,
                              size_t *size, CofProblem *problem)
{
    CofStatus status = CHECK_POINTERS(problem, {foreground, "foreground"},
                                      {background, "background"}, {bytes, "bytes"}, {size, "size"});
    if (status == COF_OK && !cofi_palette_equal(&foreground->palette, &background->palette))
        status = cofi_argument_problem(problem, COF_ERR_MISMATCH, "background",
                                       "foreground and background have different palettes");
    if (status == COF_OK && (foreground->n_others > 0 || background->n_others > 0))
        status = cofi_argument_problem(problem, COF_ERR_ARGUMENT,
                                       foreground->n_others > 0 ? "foreground" : "background",
                                       "models of a pair have a single palette");
    if (status == COF_OK)
        status = cofi_save_pair(foreground, background, bytes, size);
    return cofi_status_problem(problem, status);
}

CofStatus cof_stats_load(CofStats **out, const void *bytes, size_t size, CofProblem *problem)
{
    CofStatus status = CHECK_POINTERS(problem, {out, "out"}, {bytes, "bytes"});
    if (status == COF_OK)
        status = load_problem(problem, cofi_load_stats(out, bytes, size));
    return status;
}

CofStatus cof_model_load(CofModel **out, const void *bytes, size_t size, CofProblem *problem)
{
    CofStatus status = CHECK_POINTERS(problem, {out, "out"}, {bytes, "bytes"});
    if (status == COF_OK)
        status = load_problem(problem, cofi_load_model(out, bytes, size));
    return status;
}

CofStatus cof_model_load_pair(CofModel **foreground, CofModel **background, const void *bytes,
                              size_t size, CofProblem *problem)
{
    CofStatus status = CHECK_POINTERS(problem, {foreground, "foreground"},
                                      {background, "background"}, {bytes, "bytes"});
    if (status == COF_OK)
        status = load_problem(problem, cofi_load_pair(foreground, background, bytes, size));
    return status;
}

CofStatus cof_file_kind(const void *bytes, size_t size, CofFileKind *kind, CofProblem *problem)
{
    CofStatus status = CHECK_POINTERS(problem, {bytes, "bytes"}, {kind, "kind"});
    if (status == COF_OK)
        status = load_problem(problem, cofi_file_kind(bytes, size, kind));
    return status;
}

static CofStatus load_from_stats(CofiCall *call, CofModel **model, const void *bytes, size_t size)
{
    CofStats *stats = NULL;
    CofStatus status = cofi_load_stats(&stats, bytes, size);
    if (status != COF_OK)
        return status;
    if (!stats->has_palette)
        status = cofi_call_fail_argument(call, COF_ERR_EMPTY, "bytes",
                                         "the statistics have no palette yet");
    else
        status = cofi_model_from_counts(model, call, stats);
    cofi_stats_free(&stats);
    return status;
}

/* models: the foreground, or NULL, and the model. */
static CofStatus load_any(CofiCall *call, CofModel *models[2], const void *bytes, size_t size)
{
    CofFileKind kind;
    CofStatus status = cofi_file_kind(bytes, size, &kind);
    if (status != COF_OK)
        return status;
    switch (kind) {
    case COF_FILE_KIND_STATS:
        return load_from_stats(call, &models[1], bytes, size);
    case COF_FILE_KIND_MODEL:
        return cofi_load_model(&models[1], bytes, size);
    case COF_FILE_KIND_PAIR:
        return cofi_load_pair(&models[0], &models[1], bytes, size);
    }
    return COF_ERR_FORMAT;
}

CofStatus cof_load(CofModel **foreground, CofModel **model, const void *bytes, size_t size,
                   const CofOptions *options)
{
    CofiCall call;
    CofModel *models[2] = {NULL, NULL};
    CofStatus status = cofi_call_begin(&call, options);
    if (status != COF_OK)
        return status;
    cofi_call_stage(&call, COF_STAGE_MODEL);
    status = cofi_check_pointer(&call, model, "model");
    if (status == COF_OK)
        status = cofi_check_pointer(&call, bytes, "bytes");
    if (status == COF_OK)
        status = load_any(&call, models, bytes, size);
    if (status == COF_OK && models[0] && !foreground)
        status = cofi_call_fail_argument(&call, COF_ERR_MISMATCH, "bytes",
                                         "the file holds models of a foreground and a background");
    if (status == COF_OK) {
        *model = models[1];
        if (foreground)
            *foreground = models[0];
    } else {
        cofi_model_free(&models[0]);
        cofi_model_free(&models[1]);
        if (!call.options.problem || !call.options.problem->text)
            status = load_problem(call.options.problem, status);
    }
    return cofi_call_end(&call, status);
}

void cof_free(void *bytes)
{
    cofi_free(bytes);
}
