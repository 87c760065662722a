/* SPDX-License-Identifier: BSD-2-Clause */
/* Filters an image; if it is too large for the memory of a device, tile by tile. */
#ifndef COF_TILES_H
#define COF_TILES_H

#include "filter/passes.h"

/* Filters `part` of the full image with all passes, and writes it to `out`: with each member of the
 * model, and the mean of their results. */
CofStatus cofi_filter_images(CofiCall *call, const CofiFilterImages *images, CofRect part);

/* How many rows of its part a job filters at a time: all, unless the memory of the device is not
 * sufficient for these but for fewer. */
int cofi_filter_tile_rows(CofiCall *call, const CofiFilterJob *job);

#endif
