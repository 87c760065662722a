/* SPDX-License-Identifier: BSD-2-Clause */
/* The public function that posterises images. */
#include "cof/cof.h"

#include "api/checks.h"
#include "filter/posterise.h"
#include "image/image.h"

static CofStatus check(CofiCall *call, const CofImage *in, int colours, const CofImage *out,
                       CofImage *in_view, CofImage *out_view)
{
    CofStatus status = out ? cofi_check_in_out(call, in, out, in_view, out_view)
                           : cofi_check_image(call, in, "in", in_view);
    if (status == COF_OK && in->kind == COF_KIND_BANDS)
        status =
            cofi_call_fail_argument(call, COF_ERR_ARGUMENT, "in", "the image must be grey or RGB");
    if (status == COF_OK && (colours < 2 || colours > COF_MAX_COLOURS))
        status = cofi_call_fail_argument(call, COF_ERR_ARGUMENT, "colours",
                                         "the number of colours must be 2 to 256");
    if (status == COF_OK)
        status = cofi_check_whole(call, in_view, "in");
    if (status == COF_OK && out &&
        (out_view->width != in_view->width || out_view->height != in_view->height ||
         !cofi_same_place(out_view, in_view)))
        status = cofi_mismatch(call, "out", "input and output differ in size or place");
    return status;
}

CofStatus cof_posterise(const CofImage *in, int colours, const CofImage *out,
                        const CofImage *labels, float *palette, int *n, const CofOptions *options)
{
    CofiCall call;
    CofImage in_view, out_view, labels_view;
    CofStatus status = cofi_call_begin(&call, options);
    if (status != COF_OK)
        return status;
    cofi_call_expect(&call, COFI_POSTERISE_UNITS);
    status = check(&call, in, colours, out, &in_view, &out_view);
    if (status == COF_OK && labels)
        status = cofi_check_bytes(&call, labels, "labels", &in_view, &labels_view);
    CofiPosterised posterised = {out ? &out_view : NULL, labels ? &labels_view : NULL, palette, n};
    if (status == COF_OK)
        status = cofi_posterise(&call, &in_view, colours, &posterised);
    return cofi_call_end(&call, status);
}
