/* SPDX-License-Identifier: BSD-2-Clause */
/* Failures of the operations: the libvips error and what it is about. */
#include "vips_problem.h"

#include <string.h>

/* Each thread has its own, so that operations on several threads do not report each other's
 * problems. Status COF_OK: none. */
static _Thread_local VipsCofProblem first;

static void record(const Argument *argument, const CofProblem *problem)
{
    if (first.status == COF_OK) {
        first = (VipsCofProblem){.status = problem->status,
                                 .option = problem->option,
                                 .argument = problem->argument,
                                 .index = argument->index};
        g_strlcpy(first.text, problem->text, sizeof first.text);
    }
    vips_error(argument->operation, "%s", problem->text);
}

void vips_cof_problem_clear(void)
{
    first = (VipsCofProblem){.status = COF_OK};
}

gboolean vips_cof_problem(VipsCofProblem *problem)
{
    *problem = first;
    return problem->status != COF_OK;
}

/* Some arguments of the library have the same name here. Others, such as "image" and "bytes", stand
 * for the argument that the call worked on. If a mask or a region leaves no pixels to learn from,
 * the problem is reported for the mask or the region, not for the image. */
static const char *name_of(const Argument *argument, const CofProblem *problem)
{
    static const char *const same[] = {"guide", "labels", "matrix"};
    const char *name = problem->argument ? problem->argument : "";
    for (size_t i = 0; i < G_N_ELEMENTS(same); i++)
        if (strcmp(name, same[i]) == 0)
            return same[i];
    if (problem->status == COF_ERR_EMPTY && argument->mask)
        return "mask";
    if (argument->region && (problem->status == COF_ERR_EMPTY || strcmp(name, "roi") == 0))
        return "region";
    return argument->name;
}

int problem_fail(const Argument *argument, const CofProblem *problem)
{
    CofProblem own = *problem;
    own.argument = own.option ? NULL : name_of(argument, problem);
    if (!own.text)
        own.text = cof_status_string(own.status);
    record(argument, &own);
    return -1;
}

int problem_refuse(const Argument *argument, CofStatus status, const char *text)
{
    record(argument, &(CofProblem){.status = status, .argument = argument->name, .text = text});
    return -1;
}

int problem_refuse_option(const char *operation, const char *option, const char *text)
{
    record(&(Argument){.operation = operation},
           &(CofProblem){.status = COF_ERR_OPTION, .option = option, .text = text});
    return -1;
}
