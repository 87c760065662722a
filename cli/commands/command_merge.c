/* SPDX-License-Identifier: BSD-2-Clause */
/* cof merge: the sum of statistics. */
#include "io/cof_file.h"
#include "ui/error_line.h"
#include "subcommands.h"

/* Adds a file to *sum, which is NULL at first. */
static bool add_file(const char *name, CofStats **sum)
{
    CofStats *stats = NULL;
    CofModel *model = NULL;
    if (!cof_file_load(name, &stats, &model))
        return false;
    if (model) {
        complain(name, "is a model: only statistics can be merged");
        cof_model_free(&model);
        return false;
    }
    if (!*sum) {
        *sum = stats;
        return true;
    }
    CofStatus status = cof_stats_merge(*sum, stats);
    cof_stats_free(&stats);
    if (status == COF_ERR_MISMATCH)
        complain(name, "was not learned with the palette and options of the first");
    else if (status != COF_OK)
        complain(name, cof_status_string(status));
    return status == COF_OK;
}

bool command_merge(const Arguments *a)
{
    CofStats *sum = NULL;
    bool ok = true;
    for (int i = 0; i < a->n_names && ok; i++)
        ok = add_file(a->names[i], &sum);
    ok = ok && cof_file_save_stats(sum, a->output);
    cof_stats_free(&sum);
    return ok;
}
