/* SPDX-License-Identifier: BSD-2-Clause */
/* Learns statistics from one image in memory. */
#ifndef COF_LEARN_IMAGE_H
#define COF_LEARN_IMAGE_H

#include <stdbool.h>

#include "cof/cof.h"

/* Fits a palette to the image and counts its pairs. On failure the output stays NULL. */
CofStatus learn_image_stats(const CofImage *image, const CofOptions *options, CofStats **stats);

/* Does more than one label occur? False for the black frames that many videos start with. */
bool learn_image_has_contrast(const CofStats *stats);

#endif
