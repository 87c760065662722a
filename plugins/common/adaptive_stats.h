/* SPDX-License-Identifier: BSD-2-Clause */
/* Statistics that follow a film. */
#ifndef COF_ADAPTIVE_STATS_H
#define COF_ADAPTIVE_STATS_H

#include "cof/cof.h"
#include "colour_histogram.h"

/* All 0 has seen nothing. */
typedef struct AdaptiveStats {
    CofStats *stats;           /* so far; NULL: nothing */
    ColourHistogram histogram; /* of the frames that are in them */
} AdaptiveStats;

void adaptive_stats_clear(AdaptiveStats *adaptive);

/* Adds a frame: in what was counted it counts `rate`, 0..1, and what was before the rest. The
 * palette stays until a cut, after which all is learned anew. On failure the statistics are what
 * they were, or NULL. */
CofStatus adaptive_stats_add(AdaptiveStats *adaptive, const CofImage *frame, double rate,
                             const CofOptions *options);

#endif
