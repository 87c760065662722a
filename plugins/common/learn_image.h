/* SPDX-License-Identifier: BSD-2-Clause */
/* Learning from one picture in memory. */
#ifndef COF_LEARN_IMAGE_H
#define COF_LEARN_IMAGE_H

#include <stdbool.h>

#include "cof/cof.h"

/* With a palette of its own, and all pairs counted; on failure *stats stays NULL. */
CofStatus learn_image_stats(const CofImage *image, const CofOptions *options, CofStats **stats);
CofStatus learn_image_model(const CofImage *image, const CofOptions *options, CofModel **model);

/* Does more than one value occur? Of the black that films begin with nothing is learned. */
bool learn_image_has_contrast(const CofStats *stats);

#endif
