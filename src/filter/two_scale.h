/* SPDX-License-Identifier: BSD-2-Clause */
/* Learning and filtering at a lower resolution, where options.coarse is above 1. */
#ifndef COF_TWO_SCALE_H
#define COF_TWO_SCALE_H

#include "cof/cof.h"
#include "call/call.h"
#include "filter/passes.h"
#include "image/roi.h"

/* A downscaled image to learn from. */
typedef struct CofiTrainingImage {
    CofImage image;
    CofWhere roi;     /* of the downscaled image */
    CofiRoi complete; /* holds the mask of `roi` */
} CofiTrainingImage;

/* Downscales a whole image, and the region of interest with it. The memory belongs to the call. */
CofStatus cofi_downscale_training(CofiCall *call, const CofImage *image, const CofWhere *roi,
                                  CofiTrainingImage *training);

/* Filters a whole image: all passes but the last at the lower resolution, the last one at full
 * resolution. `downscaled` is the downscaled input, which is overwritten; NULL: it is made. */
CofStatus cofi_filter_two_scale(CofiCall *call, const CofiFilterImages *whole,
                                const CofImage *downscaled);

/* Units of progress of filtering with these options, at one scale or two. */
double cofi_filter_units(const CofOptions *options);

#endif
