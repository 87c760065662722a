/* SPDX-License-Identifier: BSD-2-Clause */
/* Marks for a frame of a video, from the mask of the frame before it. */
#ifndef COF_SELECTION_FOLLOW_H
#define COF_SELECTION_FOLLOW_H

#include "filter/selection.h"

/* Replaces all marks. `last` is a complete view of the frame before, or NULL if nothing has moved;
 * `mask` is its mask, as large as the image. */
CofStatus cofi_selection_follow(CofiCall *call, CofSelection *selection, const CofImage *last,
                                const CofImage *mask);

#endif
