/* SPDX-License-Identifier: BSD-2-Clause */
/* Stages of learning that cof_smooth() shares with the functions of CofStats. */
#ifndef COF_API_LEARN_H
#define COF_API_LEARN_H

#include <stdbool.h>

#include "cof/cof.h"
#include "call/call.h"
#include "image/roi.h"
#include "learn/quantise.h"

/* Scans a complete view. `alone`: it is all that will be scanned. */
CofStatus cofi_learn_scan(CofiCall *call, CofStats *stats, const CofImage *image,
                          const CofWhere *roi, bool alone);

/* Counts the pairs of a label map of a complete view. */
CofStatus cofi_learn_count(CofiCall *call, CofStats *stats, const CofImage *view, CofiLabelMap *map,
                           const CofiRoi *roi);

/* Labels a complete view and counts its pairs. */
CofStatus cofi_learn_add(CofiCall *call, CofStats *stats, const CofImage *image,
                         const CofWhere *roi);

#endif
