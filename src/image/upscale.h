/* SPDX-License-Identifier: BSD-2-Clause */
/* Upscaling by cubic B-splines. */
#ifndef COF_UPSCALE_H
#define COF_UPSCALE_H

#include "cof/cof.h"
#include "call/call.h"

/* Upscales a whole image to the place and size of `like`, a view of the full image, by cubic
 * B-splines, which keep contours smooth but blur a little. Alpha and pixels without data are copied
 * from `like`. The call owns the memory. */
CofStatus cofi_upscale(CofiCall *call, const CofImage *small, int n, const CofImage *like,
                       CofImage *large);

#endif
