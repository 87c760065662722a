/* SPDX-License-Identifier: BSD-2-Clause */
/* The threshold that turns a soft mask into a mask. */
#ifndef COF_MASK_THRESHOLD_H
#define COF_MASK_THRESHOLD_H

#include <stdbool.h>

#include "cof/cof.h"
#include "learn/model.h"

/* Finds the threshold of a soft mask, a complete view of grey floats, for which neighbours on
 * either side of the border of the mask have the smallest mean weight. `labels` are those of the
 * image, row after row; `scribbled` is the number of pixels that the user has marked as foreground;
 * `both`: the background was marked, too. */
CofStatus cofi_mask_threshold(const CofModel *model, const CofImage *soft, const uint8_t *labels,
                              size_t scribbled, bool both, double *threshold);

#endif
