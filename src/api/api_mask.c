/* SPDX-License-Identifier: BSD-2-Clause */
/* Public functions of masks. */
#include "cof/cof.h"

#include <math.h>

#include "api/checks.h"
#include "image/dilate.h"
#include "image/image.h"
#include "image/mask_prior.h"

CofStatus cof_mask_dilate(const CofImage *mask, double radius, const CofImage *out,
                          const CofOptions *options)
{
    CofiCall call;
    CofImage mask_view, out_view;
    CofStatus status = cofi_call_begin(&call, options);
    if (status != COF_OK)
        return status;
    cofi_call_expect(&call, 1);
    if (!(fabs(radius) <= COFI_MAX_RADIUS))
        status = cofi_call_fail_argument(&call, COF_ERR_ARGUMENT, "radius",
                                         "radius must be -10000 to 10000");
    if (status == COF_OK)
        status = cofi_check_bytes(&call, mask, "mask", mask, &mask_view);
    if (status == COF_OK)
        status = cofi_check_whole(&call, &mask_view, "mask");
    if (status == COF_OK)
        status = cofi_check_bytes(&call, out, "out", &mask_view, &out_view);
    if (status == COF_OK)
        status = cofi_dilate(&call, &mask_view, &out_view, radius);
    return cofi_call_end(&call, status);
}

CofStatus cof_mask_prior(const CofImage *mask, const CofImage *prior, const CofOptions *options)
{
    CofiCall call;
    CofImage mask_view, prior_view;
    CofStatus status = cofi_call_begin(&call, options);
    if (status != COF_OK)
        return status;
    cofi_call_expect(&call, 1);
    status = cofi_check_bytes(&call, mask, "mask", mask, &mask_view);
    if (status == COF_OK)
        status = cofi_check_grey_float(&call, prior, "prior", &mask_view, &prior_view);
    if (status == COF_OK)
        status = cofi_check_whole(&call, &mask_view, "mask");
    if (status == COF_OK)
        status = cofi_mask_prior(&call, &mask_view, &prior_view);
    return cofi_call_end(&call, status);
}
