/* SPDX-License-Identifier: BSD-2-Clause */
/* Blends two images with a matte, tints images and measures their chroma. All views are complete.
 * None of these can be cancelled: an output is either untouched or whole. Each is worth one unit of
 * progress. */
#ifndef COF_BLEND_H
#define COF_BLEND_H

#include "cof/cof.h"
#include "call/call.h"

/* matte x in + (1 - matte) x other. All have one size; `out` may be `in` or `other`. */
CofStatus cofi_blend(CofiCall *call, const CofImage *matte, const CofImage *in,
                     const CofImage *other, const CofImage *out);

/* Gives an RGB image the hue and chroma of a colour, 0..1; see cof_tint(). */
CofStatus cofi_tint(CofiCall *call, const CofImage *in, const double colour[3],
                    double reference_chroma, const CofImage *out);

/* The mean chroma of an RGB image inside a mask (NULL: everywhere). COF_ERR_EMPTY if no pixel can
 * be measured. */
CofStatus cofi_mean_chroma(CofiCall *call, const CofImage *image, const CofImage *mask,
                           double *chroma);

#endif
