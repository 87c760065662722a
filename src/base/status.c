/* SPDX-License-Identifier: BSD-2-Clause */
/* Status codes and other enumerations as text, problems, and the version. */
#include "base/status.h"

#include <assert.h>

const char *cof_status_string(CofStatus status)
{
    switch (status) {
    case COF_OK:
        return "success";
    case COF_ERR_ARGUMENT:
        return "an argument is NULL or invalid";
    case COF_ERR_OPTION:
        return "an option is out of range";
    case COF_ERR_MEMORY:
        return "not enough memory";
    case COF_ERR_FORMAT:
        return "not a .cof file, or a damaged one";
    case COF_ERR_VERSION:
        return "a .cof file of a newer version";
    case COF_ERR_MISMATCH:
        return "images, labels, statistics or models do not match";
    case COF_ERR_EMPTY:
        return "nothing to learn from: no valid pixel";
    case COF_ERR_UNSUPPORTED:
        return "not supported by this build or machine";
    case COF_ERR_CANCELLED:
        return "cancelled";
    case COF_ERR_BUSY:
        return "the context is in use by another call";
    }
    return "unknown status";
}

void cofi_no_problem(CofProblem *problem)
{
    if (problem)
        *problem = (CofProblem){0};
}

CofStatus cofi_argument_problem(CofProblem *problem, CofStatus status, const char *argument,
                                const char *text)
{
    assert(status != COF_OK && text);
    if (problem)
        *problem = (CofProblem){.status = status, .argument = argument, .text = text};
    return status;
}

CofStatus cofi_problem(CofProblem *problem, CofStatus status, const char *text)
{
    return cofi_argument_problem(problem, status, NULL, text);
}

CofStatus cofi_option_problem(CofProblem *problem, const char *option, const char *text)
{
    assert(option && text);
    if (problem)
        *problem = (CofProblem){.status = COF_ERR_OPTION, .option = option, .text = text};
    return COF_ERR_OPTION;
}

CofStatus cofi_check_pointers(CofProblem *problem, const CofiPointer *pointers)
{
    for (; pointers->argument; pointers++)
        if (!pointers->pointer)
            return cofi_argument_problem(problem, COF_ERR_ARGUMENT, pointers->argument,
                                         "a required argument is NULL");
    return COF_OK;
}

CofStatus cofi_status_problem(CofProblem *problem, CofStatus status)
{
    if (problem && status != COF_OK && !problem->text)
        *problem = (CofProblem){.status = status, .text = cof_status_string(status)};
    return status;
}

uint32_t cof_version(void)
{
    return COF_VERSION_MAJOR << 16 | COF_VERSION_MINOR << 8 | COF_VERSION_PATCH;
}

const char *cof_stage_name(CofStage stage)
{
    static const char *const names[] = {
        [COF_STAGE_COLOUR] = "colour", [COF_STAGE_PALETTE] = "palette",
        [COF_STAGE_LABELS] = "labels", [COF_STAGE_COUNT] = "count",
        [COF_STAGE_MODEL] = "model",   [COF_STAGE_FILTER] = "filter",
        [COF_STAGE_STORE] = "store",
    };
    return (unsigned)stage < sizeof names / sizeof names[0] ? names[stage] : NULL;
}

const char *cof_kind_name(CofKind kind)
{
    static const char *const names[] = {
        [COF_KIND_GREY] = "grey", [COF_KIND_GREY_ALPHA] = "grey-alpha", [COF_KIND_RGB] = "rgb",
        [COF_KIND_RGBA] = "rgba", [COF_KIND_BANDS] = "bands",
    };
    return (unsigned)kind < sizeof names / sizeof names[0] ? names[kind] : NULL;
}
