/* SPDX-License-Identifier: BSD-2-Clause */
/* cof merge: adds up statistics. */
#include "commands/commands.h"
#include "io/cof_file.h"
#include "ui/error_line.h"

/* Adds a file to *sum, which is NULL before the first file. */
static bool add_file(const char *name, CofStats **sum)
{
    CofStats *stats = NULL;
    CofModel *model = NULL;
    if (!cof_file_load(name, &stats, &model))
        return false;
    if (model) {
        print_error(name, "is a model: only statistics can be merged");
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
        print_error(name, "was not learned with the palette and options of the first");
    else if (status != COF_OK)
        print_error(name, cof_status_string(status));
    return status == COF_OK;
}

bool command_merge(const Arguments *a)
{
    CofStats *sum = NULL;
    bool ok = true;
    for (int i = 0; i < a->n_operands && ok; i++)
        ok = add_file(a->operands[i], &sum);
    ok = ok && cof_file_save_stats(sum, a->output);
    cof_stats_free(&sum);
    return ok;
}
