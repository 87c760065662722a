/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of arguments that the public entry points share. */
#include "api/checks.h"

#include "image/image.h"

CofStatus cofi_enter(CofiCall *call, const CofOptions *options, bool sensible, const char *problem)
{
    CofStatus status = cofi_call_begin(call, options);
    if (status != COF_OK || sensible)
        return status;
    return cofi_call_end(call, cofi_call_fail(call, COF_ERR_ARGUMENT, problem));
}

CofStatus cofi_check_image(CofiCall *call, const CofImage *image, CofImage *complete)
{
    const char *problem = cofi_image_complete(image, complete);
    return problem ? cofi_call_fail(call, COF_ERR_ARGUMENT, problem) : COF_OK;
}

CofStatus cofi_mismatch(CofiCall *call, const char *problem)
{
    return cofi_call_fail(call, COF_ERR_MISMATCH, problem);
}

CofStatus cofi_check_pair(CofiCall *call, const CofImage *in, const CofImage *out,
                          CofImage *in_view, CofImage *out_view)
{
    CofStatus status = cofi_check_image(call, in, in_view);
    if (status == COF_OK)
        status = cofi_check_image(call, out, out_view);
    if (status == COF_OK &&
        (in->kind != out->kind || in->sample != out->sample || in->channels != out->channels))
        status = cofi_mismatch(call, "input and output differ in kind or sample type");
    return status;
}

CofStatus cofi_check_coarse(CofiCall *call, const char *problem)
{
    return call->options.coarse > 1 ? cofi_call_fail(call, COF_ERR_OPTION, problem) : COF_OK;
}

CofStatus cofi_check_bytes(CofiCall *call, const CofImage *bytes, const CofImage *like,
                           CofImage *complete)
{
    const char *problem = NULL;
    CofStatus status = cofi_bytes_complete(bytes, like, complete, &problem);
    return status == COF_OK ? status : cofi_call_fail(call, status, problem);
}

CofStatus cofi_end_checks(CofiCall *call, CofStatus status)
{
    call->options.progress = NULL;
    return cofi_call_end(call, status);
}
