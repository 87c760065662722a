/* SPDX-License-Identifier: BSD-2-Clause */
/* Statistics of a video that decay exponentially and restart at a scene cut. */
#ifndef COF_ADAPTIVE_STATS_H
#define COF_ADAPTIVE_STATS_H

#include "cof/cof.h"
#include "colour_histogram.h"

/* Zero-initialise before the first frame. */
typedef struct AdaptiveStats {
    CofStats *stats;           /* NULL before the first frame */
    ColourHistogram histogram; /* of the frames in stats, with the same decay */
} AdaptiveStats;

void adaptive_stats_clear(AdaptiveStats *adaptive);

/* Adds a frame with exponential decay: the frame contributes `rate` (0..1), the history 1 - rate.
 * The palette is kept until a scene cut, which restarts learning. On failure the statistics are
 * unchanged or NULL. */
CofStatus adaptive_stats_add(AdaptiveStats *adaptive, const CofImage *frame, double rate,
                             const CofOptions *options);

#endif
