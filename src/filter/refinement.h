/* SPDX-License-Identifier: BSD-2-Clause */
/* What local linear models of an image are fitted to (filter/refine.h). */
#ifndef COF_REFINEMENT_H
#define COF_REFINEMENT_H

#include <stdbool.h>

#include "cof/cof.h"
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

CofiScale cofi_scale_of_samples(const CofImage *image, bool lab, int channel);

/* The scale of a channel of the guide. Its values are those that the palette has, if it has
 * several; floats may have any range. */
CofiScale cofi_scale_of(const CofiPalette *palette, const CofImage *image, bool lab, int channel);

/* The scale of a channel of I, if there is no guide. */
CofiScale cofi_refine_scale(const CofiRefinement *refinement, CofSpace space, int channel);

/* May a pixel have labels without weights in all palettes? */
bool cofi_refine_some_stay(const CofiRefinement *refinement);

#endif
