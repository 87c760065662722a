/* SPDX-License-Identifier: BSD-2-Clause */
/* From scribbles to a soft mask, and from a soft mask to a mask. All views are complete. */
#ifndef COF_SELECT_H
#define COF_SELECT_H

#include <stdbool.h>

#include "cof/cof.h"
#include "call/call.h"
#include "learn/model.h"

/* Scribbles on an image, byte images as large as the image. */
typedef struct CofiScribbles {
    CofImage foreground, background;
    bool has_background;
} CofiScribbles;

size_t cofi_count_marked(const CofImage *mask);

/* The options that spread scribbles, and their units of progress. */
CofOptions cofi_spread_options(const CofOptions *options);
double cofi_spread_units(const CofOptions *options);

/* Spreads scribbles over the rectangle of `soft`, grey F32. The image contains the margin. */
CofStatus cofi_spread(CofiCall *call, const CofModel *model, const CofImage *image,
                      const CofiScribbles *scribbles, const CofImage *soft);

/* Makes a mask of a soft mask, both as large as the image. *threshold 0 becomes the automatic
 * one. */
CofStatus cofi_threshold_mask(CofiCall *call, const CofModel *model, const CofImage *image,
                              const CofiScribbles *scribbles, const CofImage *soft,
                              const CofImage *mask, double *threshold);

/* Learns from a whole image, spreads scribbles and makes a mask of them. */
CofStatus cofi_select(CofiCall *call, const CofImage *image, const CofiScribbles *scribbles,
                      const CofImage *mask);
double cofi_select_units(const CofOptions *options, const CofImage *image); /* of progress */

#endif
