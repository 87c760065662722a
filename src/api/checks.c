/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of arguments that the public functions share. */
#include "api/checks.h"

#include "image/image.h"

CofStatus cofi_check_pointer(CofiCall *call, const void *pointer, const char *argument)
{
    return pointer ? COF_OK
                   : cofi_call_fail_argument(call, COF_ERR_ARGUMENT, argument,
                                             "a required argument is NULL");
}

CofStatus cofi_check_image(CofiCall *call, const CofImage *image, const char *argument,
                           CofImage *complete)
{
    const char *text = cofi_image_complete(image, complete);
    return text ? cofi_call_fail_argument(call, COF_ERR_ARGUMENT, argument, text) : COF_OK;
}

CofStatus cofi_mismatch(CofiCall *call, const char *argument, const char *text)
{
    return cofi_call_fail_argument(call, COF_ERR_MISMATCH, argument, text);
}

CofStatus cofi_check_in_out(CofiCall *call, const CofImage *in, const CofImage *out,
                            CofImage *in_view, CofImage *out_view)
{
    CofStatus status = cofi_check_image(call, in, "in", in_view);
    if (status == COF_OK)
        status = cofi_check_image(call, out, "out", out_view);
    if (status == COF_OK &&
        (in->kind != out->kind || in->sample != out->sample || in->channels != out->channels))
        status = cofi_mismatch(call, "out", "input and output differ in kind or sample type");
    return status;
}

CofStatus cofi_check_bytes(CofiCall *call, const CofImage *bytes, const char *argument,
                           const CofImage *like, CofImage *complete)
{
    const char *text = NULL;
    CofStatus status = cofi_bytes_complete(bytes, like, complete, &text);
    return status == COF_OK ? status : cofi_call_fail_argument(call, status, argument, text);
}

CofStatus cofi_check_grey_float(CofiCall *call, const CofImage *image, const char *argument,
                                const CofImage *like, CofImage *complete)
{
    CofStatus status = cofi_check_image(call, image, argument, complete);
    if (status != COF_OK)
        return status;
    if (complete->kind != COF_KIND_GREY || complete->sample != COF_SAMPLE_F32)
        return cofi_call_fail_argument(call, COF_ERR_ARGUMENT, argument,
                                       "the image must be grey F32");
    if (like && (complete->width != like->width || complete->height != like->height ||
                 !cofi_same_place(complete, like)))
        return cofi_mismatch(call, argument, "the images differ in size or place");
    return COF_OK;
}

CofStatus cofi_check_grey(CofiCall *call, const CofImage *image, const char *argument,
                          CofImage *complete)
{
    CofStatus status = cofi_check_image(call, image, argument, complete);
    if (status == COF_OK && complete->kind != COF_KIND_GREY)
        status =
            cofi_call_fail_argument(call, COF_ERR_ARGUMENT, argument, "the image must be grey");
    return status;
}

CofStatus cofi_check_rgb(CofiCall *call, const CofImage *view, const char *argument)
{
    return cofi_family(view->kind) == COF_KIND_RGB
               ? COF_OK
               : cofi_call_fail_argument(call, COF_ERR_ARGUMENT, argument, "the image must be RGB");
}

CofStatus cofi_check_whole(CofiCall *call, const CofImage *view, const char *argument)
{
    bool whole = cofi_rect_holds(cofi_view_rect(view), cofi_full_rect(view));
    return whole ? COF_OK
                 : cofi_call_fail_argument(call, COF_ERR_ARGUMENT, argument,
                                           "the view must be a whole image");
}

CofStatus cofi_check_not_downscaled(CofiCall *call, const CofRoi *roi)
{
    return roi && roi->downscaled
               ? cofi_call_fail_argument(call, COF_ERR_ARGUMENT, "roi",
                                         "this function takes no image that is downscaled already")
               : COF_OK;
}
