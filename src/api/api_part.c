/* SPDX-License-Identifier: BSD-2-Clause */
/* Public functions of CofPart, but for cof_filter_part(). */
#include "cof/cof.h"

#include "api/checks.h"
#include "base/status.h"
#include "image/image.h"
#include "learn/count.h"
#include "learn/learn.h"
#include "learn/part.h"

CofStatus cof_part_new(CofPart **out, const CofImage *image, CofProblem *problem)
{
    CofImage view;
    cofi_no_problem(problem);
    CofStatus status = cofi_check_pointers(
        problem, (const CofiPointer[]){{out, "out"}, {image, "image"}, {NULL, NULL}});
    if (status != COF_OK)
        return status;
    const char *fault = cofi_image_complete(image, &view);
    if (fault)
        return cofi_argument_problem(problem, COF_ERR_ARGUMENT, "image", fault);
    CofPart *part = cofi_part_new(&view);
    if (!part)
        return cofi_status_problem(problem, COF_ERR_MEMORY);
    *out = part;
    return COF_OK;
}

void cof_part_free(CofPart **part)
{
    if (part)
        cofi_part_free(part);
}

static CofStatus check(CofiCall *call, const CofStats *stats, const CofPart *part,
                       const CofRoi *roi)
{
    CofStatus status = cofi_check_pointer(call, stats, "stats");
    if (status == COF_OK)
        status = cofi_check_pointer(call, part, "part");
    if (status != COF_OK)
        return status;
    if (!stats->has_palette)
        return cofi_call_fail_argument(call, COF_ERR_ARGUMENT, "stats",
                                       "the statistics have no palette yet");
    if (!cofi_palette_fits(&stats->palette, &part->image))
        return cofi_mismatch(call, "part", "the image is not of the kind the statistics are for");
    if (stats->learning.downscale > 1 && !(roi && roi->downscaled))
        return cofi_call_fail_option(call, "downscale", "parts of an image cannot be downscaled");
    return COF_OK;
}

CofStatus cof_stats_add_part(CofStats *stats, CofPart *part, const CofRoi *roi,
                             const CofOptions *options)
{
    CofiCall call;
    CofStatus status = cofi_call_begin(&call, options);
    if (status != COF_OK)
        return status;
    status = check(&call, stats, part, roi);
    if (status == COF_OK) {
        cofi_call_expect(&call, (1 + stats->n_others) * (2 + COFI_COUNT_UNITS));
        status = cofi_learn_add_part(&call, stats, part, roi);
    }
    cofi_call_rename_argument(&call, "image", "part");
    return cofi_call_end(&call, status);
}
