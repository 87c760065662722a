/* SPDX-License-Identifier: BSD-2-Clause */
/* The device of --device. */
#include "vips/device_check.h"

#include "ui/error_line.h"
#include "vips_operations.h"

/* Prints why the device cannot be used and, if there are others, where their names are. */
static bool refuse(const Arguments *a, const CofProblem *problem)
{
    char *name = g_strconcat("--device ", a->device, NULL);
    char *text =
        g_strconcat(problem->text, cof_device_count() > 0 ? "; see cof info --devices" : "", NULL);
    print_error(name, text);
    g_free(text);
    g_free(name);
    return false;
}

bool device_check(const Arguments *a)
{
    CofProblem problem;
    return !a->device || vips_cof_device_ready(a->device, &problem) || refuse(a, &problem);
}

bool device_open(Arguments *a)
{
    CofProblem problem;
    return !a->device ||
           cof_context_new_device(&a->options.context, a->device, a->options.threads, &problem) ==
               COF_OK ||
           refuse(a, &problem);
}
