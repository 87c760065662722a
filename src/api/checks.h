/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of arguments that the public functions share. Each completes a view that the caller gave,
 * or writes a problem that names the argument at fault. A NULL image is at fault, too. An image
 * that is wrong whatever the others are fails with COF_ERR_ARGUMENT; one that does not fit another
 * image or a model fails with COF_ERR_MISMATCH. */
#ifndef COF_CHECKS_H
#define COF_CHECKS_H

#include <stdbool.h>

#include "cof/cof.h"
#include "call/call.h"

CofStatus cofi_check_image(CofiCall *call, const CofImage *image, const char *argument,
                           CofImage *complete);

/* Input and output of the same kind and sample type. */
CofStatus cofi_check_in_out(CofiCall *call, const CofImage *in, const CofImage *out,
                            CofImage *in_view, CofImage *out_view);

/* A byte image (a mask, labels, scribbles) as large as `like`, at its place. */
CofStatus cofi_check_bytes(CofiCall *call, const CofImage *bytes, const char *argument,
                           const CofImage *like, CofImage *complete);

/* A grey F32 image. With `like`, it has its size. */
CofStatus cofi_check_grey_float(CofiCall *call, const CofImage *image, const char *argument,
                                const CofImage *like, CofImage *complete);

/* A grey image of any sample type. */
CofStatus cofi_check_grey(CofiCall *call, const CofImage *image, const char *argument,
                          CofImage *complete);

/* Fails if a complete view is not RGB, with or without alpha. */
CofStatus cofi_check_rgb(CofiCall *call, const CofImage *view, const char *argument);

/* Fails if a complete view is only a part of its full image. */
CofStatus cofi_check_whole(CofiCall *call, const CofImage *view, const char *argument);

/* Fails with COF_ERR_ARGUMENT if the pointer is NULL. */
CofStatus cofi_check_pointer(CofiCall *call, const void *pointer, const char *argument);

/* Fails with COF_ERR_MISMATCH. */
CofStatus cofi_mismatch(CofiCall *call, const char *argument, const char *text);

/* Only statistics can be given a downscaled image. roi may be NULL. */
CofStatus cofi_check_not_downscaled(CofiCall *call, const CofRoi *roi);

#endif
