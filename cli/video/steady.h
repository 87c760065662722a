/* SPDX-License-Identifier: BSD-2-Clause */
/* Averages the frames of a video over time, where nothing moves. */
#ifndef COF_STEADY_H
#define COF_STEADY_H

#include "cof/cof.h"

typedef struct Steady Steady;

/* `share` is that of the frames before in each new one, 0..1, where nothing moves. NULL without
 * memory. */
Steady *steady_new(const CofImage *frame, double share);
void steady_free(Steady *steady);

/* Replaces a frame, packed and of 8 or 16 bits, by its mean with those before it. */
void steady_apply(Steady *steady, const CofImage *frame);

#endif
