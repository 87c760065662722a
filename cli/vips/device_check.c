/* SPDX-License-Identifier: BSD-2-Clause */
/* The device of --device. */
#include "vips/device_check.h"

#include "ui/error_line.h"
#include "vips_operations.h"

bool device_check(const Arguments *a)
{
    CofProblem problem;
    if (!a->device || vips_cof_device_ready(a->device, &problem))
        return true;
    print_error("--device", problem.text);
    return false;
}
