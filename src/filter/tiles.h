/* SPDX-License-Identifier: BSD-2-Clause */
/* Filters an image that is too large for the memory of a device tile by tile. */
#ifndef COF_TILES_H
#define COF_TILES_H

#include "filter/passes.h"

/* As cofi_filter_images(), so many rows at a time, each with the margin that its passes need. The
 * output is written once all tiles are filtered, since they read the same margins, and so that it
 * is untouched if one fails. */
CofStatus cofi_filter_tiles(CofiCall *call, const CofiFilterImages *images, CofRect part, int rows);

#endif
