/* SPDX-License-Identifier: BSD-2-Clause */
/* What a frame looks like at a glance: how much there is of which colours, roughly. */
#ifndef COF_GLANCE_H
#define COF_GLANCE_H

#include "cof/cof.h"

/* Steps of each of up to three channels. */
#define GLANCE_LEVELS 4
#define GLANCE_CELLS (GLANCE_LEVELS * GLANCE_LEVELS * GLANCE_LEVELS)

/* Shares of the pixels, whose sum is 1; all 0: nothing was seen. */
typedef struct Glance {
    double share[GLANCE_CELLS];
} Glance;

/* Of some pixels in the whole image. Floats are taken to be 0..1. */
Glance glance_at(const CofImage *image);

/* How much of the pixels have other colours: 0..1. */
double glance_difference(const Glance *a, const Glance *b);

/* into = (1 - rate) x into + rate x fresh. */
void glance_mix(Glance *into, const Glance *fresh, double rate);

#endif
