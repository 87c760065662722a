/* SPDX-License-Identifier: BSD-2-Clause */
/* cof_smooth(): learns and filters in one call. */
#include "cof/cof.h"

#include "api/checks.h"
#include "call/device_call.h"
#include "call/resident.h"
#include "filter/smooth.h"
#include "options/options.h"

static CofStatus check_images(CofiCall *call, const CofImage *in, const CofImage *out,
                              CofImage *in_view, CofImage *out_view)
{
    CofStatus status = cofi_check_in_out(call, in, out, in_view, out_view);
    if (status == COF_OK)
        status = cofi_check_whole(call, in_view, "in");
    if (status == COF_OK)
        status = cofi_check_whole(call, out_view, "out");
    if (status == COF_OK &&
        (out_view->width != in_view->width || out_view->height != in_view->height))
        status = cofi_mismatch(call, "out", "input and output differ in size");
    return status;
}

/* Whether the CPU needs no more of the input than cofi_learn_scan() reads, if the device can filter
 * it. */
static bool stays_on_device(const CofiCall *call, const CofImage *in, const CofRoi *roi)
{
    const CofOptions *o = &call->options;
    return call->device && in && in->sample == COF_SAMPLE_U8 && !in->valid && !roi &&
           (in->kind == COF_KIND_GREY ||
            (in->kind == COF_KIND_RGB && call->module->opened(call->device)->has_double)) &&
           o->downscale == 1 && cofi_filter_downscale(o, o->downscale) == 1;
}

static CofStatus smooth_call(const CofImage *in, const CofImage *out, const CofRoi *roi,
                             const CofOptions *options)
{
    CofiCall call;
    CofImage in_view, out_view, host[2];
    CofStatus status = cofi_call_begin(&call, options);
    if (status != COF_OK)
        return status;
    cofi_call_expect(&call, cofi_smooth_units(&call.options));
    status = cofi_resident_begin(&call, &in, &out, host, !stays_on_device(&call, in, roi));
    if (status == COF_OK)
        status = check_images(&call, in, out, &in_view, &out_view);
    if (status == COF_OK)
        status = cofi_check_not_downscaled(&call, roi);
    if (status == COF_OK)
        status = cofi_smooth(&call, &in_view, &out_view, roi);
    if (status == COF_OK)
        status = cofi_resident_end(&call);
    return cofi_call_end(&call, status);
}

CofStatus cof_smooth(const CofImage *in, const CofImage *out, const CofOptions *options)
{
    return smooth_call(in, out, NULL, options);
}

CofStatus cof_smooth_roi(const CofImage *in, const CofRoi *roi, const CofImage *out,
                         const CofOptions *options)
{
    return smooth_call(in, out, roi, options);
}
