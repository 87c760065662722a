/* SPDX-License-Identifier: BSD-2-Clause */
/* cof merge: adds up statistics. */
#include <glib.h>

#include "commands/commands.h"
#include "io/cof_file.h"
#include "options/arguments_files.h"
#include "ui/error_line.h"

/* Adds a file to *sum, which is NULL before the first file. */
static bool add_file(const char *name, CofStats **sum)
{
    CofFile file;
    CofProblem problem;
    if (!cof_file_load(name, &file))
        return false;
    if (file.kind != COF_FILE_KIND_STATS) {
        print_error(name, "is a model; only statistics can be merged");
        cof_file_free(&file);
        return false;
    }
    if (!*sum) {
        *sum = file.stats;
        return true;
    }
    CofStatus status = cof_stats_merge(*sum, file.stats, &problem);
    cof_file_free(&file);
    return status == COF_OK || print_cof_problem(name, &problem);
}

bool command_merge(const Arguments *a)
{
    CofStats *sum = NULL;
    bool ok = true;
    for (int i = 0; i < a->n_operands && ok; i++)
        ok = add_file(a->operands[i], &sum);
    char *output = arguments_output(a, 0);
    ok = ok && cof_file_save_stats(sum, output);
    g_free(output);
    cof_stats_free(&sum);
    return ok;
}
