/* SPDX-License-Identifier: BSD-2-Clause */
/* Statistics that follow a film. */
#ifndef COF_FOLLOWING_H
#define COF_FOLLOWING_H

#include "cof/cof.h"
#include "glance.h"

/* All 0 has seen nothing. */
typedef struct Following {
    CofStats *stats; /* so far; NULL: nothing */
    Glance seen;     /* of the frames that are in them */
} Following;

void following_clear(Following *following);

/* Adds a frame: in what was counted it counts `rate`, 0..1, and what was before the rest. The
 * palette stays until a cut, after which all is learned anew. On failure the statistics are what
 * they were, or NULL. */
CofStatus following_add(Following *following, const CofImage *frame, double rate,
                        const CofOptions *options);

#endif
