/* SPDX-License-Identifier: BSD-2-Clause */
/* Learning and filtering in one go. */
#ifndef COF_SMOOTH_H
#define COF_SMOOTH_H

#include "cof/cof.h"
#include "call/call.h"

/* Learns from an image (where `roi` says; it may be NULL) and filters it, with the options of the
 * call. Both are complete views of whole images. */
CofStatus cofi_smooth(CofiCall *call, const CofImage *in, const CofImage *out, const CofRoi *roi);

/* Units of progress of cofi_smooth(). */
double cofi_smooth_units(const CofOptions *options);

#endif
