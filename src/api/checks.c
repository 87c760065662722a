/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of arguments that the public entry points share. */
#include "api/checks.h"

#include "image/image.h"

CofStatus cofi_enter(CofiRun *run, const CofOptions *options, bool sensible, const char *problem)
{
    CofStatus status = cofi_run_begin(run, options);
    if (status != COF_OK || sensible)
        return status;
    return cofi_run_end(run, cofi_run_fail(run, COF_ERR_ARGUMENT, problem));
}

CofStatus cofi_check_image(CofiRun *run, const CofImage *image, CofImage *complete)
{
    const char *problem = cofi_image_complete(image, complete);
    return problem ? cofi_run_fail(run, COF_ERR_ARGUMENT, problem) : COF_OK;
}

CofStatus cofi_check_where(CofiRun *run, const CofWhere *where, const CofImage *image, CofRect part,
                           CofiWhere *complete)
{
    const char *problem = NULL;
    CofStatus status = cofi_where_complete(where, image, part, complete, &problem);
    return status == COF_OK ? status : cofi_run_fail(run, status, problem);
}

CofStatus cofi_mismatch(CofiRun *run, const char *problem)
{
    return cofi_run_fail(run, COF_ERR_MISMATCH, problem);
}

CofStatus cofi_check_pair(CofiRun *run, const CofImage *in, const CofImage *out, CofImage *in_view,
                          CofImage *out_view)
{
    CofStatus status = cofi_check_image(run, in, in_view);
    if (status == COF_OK)
        status = cofi_check_image(run, out, out_view);
    if (status == COF_OK &&
        (in->kind != out->kind || in->sample != out->sample || in->channels != out->channels))
        status = cofi_mismatch(run, "input and output differ in kind or sample type");
    return status;
}
