/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts pairs of labels. */
#ifndef COF_COUNT_H
#define COF_COUNT_H

#include "cof/cof.h"
#include "call/call.h"
#include "learn/label_map.h"
#include "learn/stats.h"

/* Units of progress of counting an image; scanning is worth 1. */
#define COFI_COUNT_UNITS 10.0

/* Adds the pairs of a label map to `stats`; the labels of the map are overwritten. The map lies at
 * (x, y) of the full image. `references`, in coordinates of the map, is where reference pixels may
 * lie; the map holds all their neighbours. */
CofStatus cofi_count(CofStats *stats, CofiCall *call, CofiLabelMap *map, int x, int y,
                     CofRect references);

#endif
