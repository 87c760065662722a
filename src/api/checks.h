/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of arguments that the public functions share. */
#ifndef COF_CHECKS_H
#define COF_CHECKS_H

#include <stdbool.h>

#include "cof/cof.h"
#include "call/call.h"

/* Begins a call, and ends it at once with that problem if the arguments are not sensible. */
CofStatus cofi_enter(CofiCall *call, const CofOptions *options, bool sensible, const char *problem);

/* Each completes what the caller gave, or puts what is wrong with it into the report. */
CofStatus cofi_check_image(CofiCall *call, const CofImage *image, CofImage *complete);
CofStatus cofi_check_pair(CofiCall *call, const CofImage *in, const CofImage *out,
                          CofImage *in_view, CofImage *out_view);

/* Completes a byte image (a mask, labels, scribbles) that lies where `like` does. */
CofStatus cofi_check_bytes(CofiCall *call, const CofImage *bytes, const CofImage *like,
                           CofImage *complete);

/* Ends a call that has only checked arguments, without telling the caller of progress. */
CofStatus cofi_end_checks(CofiCall *call, CofStatus status);

/* Fails with COF_ERR_MISMATCH. */
CofStatus cofi_mismatch(CofiCall *call, const char *problem);

/* Fails with COF_ERR_OPTION if options.coarse is above 1. */
CofStatus cofi_check_coarse(CofiCall *call, const char *problem);

#endif
