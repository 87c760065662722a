/* SPDX-License-Identifier: BSD-2-Clause */
/* How far an object has moved from one image to the next. */
#ifndef COF_MOTION_H
#define COF_MOTION_H

#include "cof/cof.h"
#include "call/call.h"

/* Finds the translation in pixels that takes what `mask` marks in `from` to `to`: up to an eighth
 * of the shorter side, in steps of 1/160 of the longer. Complete views of whole images of one size
 * and layout; 0 and 0 if the mask marks nothing. */
CofStatus cofi_find_motion(CofiCall *call, const CofImage *from, const CofImage *to,
                           const CofImage *mask, int *dx, int *dy);

#endif
