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

#include <stdbool.h>

#include "cof/cof.h"
#include "call/call.h"
#include "learn/model.h"
#include "learn/palette.h"

/* Values of a channel become (value - middle) / range, so that sums of squares are precise and one
 * ridge suits all. */
typedef struct CofiScale {
    float middle, range;
} CofiScale;

/* What the models are fitted to. Images of RGB are linear functions of all channels of the guide,
 * others of their own. */
typedef struct CofiRefinement {
    const CofImage *in;       /* I */
    const CofImage *guide;    /* which is I instead; NULL: none */
    const CofImage *labels;   /* given by the caller, at full size; NULL: those of I */
    const CofImage *filtered; /* J, of the kind of `in`; with the pixels within the radius of those
                                 that are refined, where the image has them */
    int n;                    /* the factor by which all of these are downscaled */
    int radius;               /* of the windows */
    int members;
    const CofiPalette *palettes[COF_MAX_PALETTES];  /* of I */
    bool weighs[COF_MAX_PALETTES][COF_MAX_COLOURS]; /* labels that have any weight: pixels of others
                                                        stay as they are */
    const CofImage *out; /* the result of the call. A device that has filtered refines it, too, and
                            leaves `filtered` as it is; NULL: it does not */
    double detail;       /* as in CofiStoring, of `out` */
    bool done;           /* on a device */
} CofiRefinement;

/* Sets the palette and the weights of a member. */
void cofi_refine_member(CofiRefinement *refinement, int member, const CofiPalette *palette,
                        const CofModel *model);

/* The scale of a channel of I, if there is no guide. */
CofiScale cofi_refine_scale(const CofiRefinement *refinement, CofSpace space, int channel);

/* May a pixel have labels without weights in all palettes? */
bool cofi_refine_some_stay(const CofiRefinement *refinement);

/* Writes `out`. `in` and `guide` are the same images at full size, and cover `out`, which may lie
 * in their memory. */
CofStatus cofi_refine(CofiCall *call, const CofiRefinement *refinement, const CofImage *in,
                      const CofImage *guide, const CofImage *out);

#endif
