/* SPDX-License-Identifier: BSD-2-Clause */
/* Dilation and erosion of masks by a disc. */
#ifndef COF_DILATE_H
#define COF_DILATE_H

#include "cof/cof.h"
#include "call/call.h"

/* The largest radius whose rows can be counted in 16 bits. */
#define COFI_MAX_RADIUS 10000

/* Dilates a complete mask by `radius` pixels; a negative radius erodes. `out` may be the same
 * pixels. Worth one unit of progress. */
CofStatus cofi_dilate(CofiCall *call, const CofImage *mask, const CofImage *out, double radius);

#endif
