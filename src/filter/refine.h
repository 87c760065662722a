/* SPDX-License-Identifier: BSD-2-Clause */
/* Refinement: edges get back the anti-aliasing of the image, and the result of a downscaled image
 * becomes that of the image.
 *
 * In the window around each pixel, the filtered image J is fitted as a linear function of the image
 * I: J = a I + b, least squares with a ridge. Where J is flat, a is 0, so texture stays away;
 * across an edge, a is 1, so that the edge is that of I. If both are downscaled, a and b are
 * interpolated and applied to the image at full size (He and Sun: Fast Guided Filter, 2015). */
#ifndef COF_REFINE_H
#define COF_REFINE_H

#include "cof/cof.h"
#include "call/call.h"
#include "filter/refinement.h"

/* Writes `out`. `in` and `guide` are the same images at full size, and cover `out`, which may lie
 * in their memory. */
CofStatus cofi_refine(CofiCall *call, const CofiRefinement *refinement, const CofImage *in,
                      const CofImage *guide, const CofImage *out);

#endif
