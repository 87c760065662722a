/* SPDX-License-Identifier: BSD-2-Clause */
/* What a frame looks like at a glance: how much there is of which colours, roughly. */
#ifndef COF_COLOUR_HISTOGRAM_H
#define COF_COLOUR_HISTOGRAM_H

#include "cof/cof.h"

/* Steps of each of up to three channels. */
#define COLOUR_HISTOGRAM_LEVELS 4
#define COLOUR_HISTOGRAM_BINS \
    (COLOUR_HISTOGRAM_LEVELS * COLOUR_HISTOGRAM_LEVELS * COLOUR_HISTOGRAM_LEVELS)

/* Shares of the pixels, whose sum is 1; all 0: nothing was seen. */
typedef struct ColourHistogram {
    double share[COLOUR_HISTOGRAM_BINS];
} ColourHistogram;

/* Of some pixels in the whole image. Floats are taken to be 0..1. */
ColourHistogram colour_histogram_of(const CofImage *image);

/* How much of the pixels have other colours: 0..1. */
double colour_histogram_distance(const ColourHistogram *a, const ColourHistogram *b);

/* into = (1 - rate) x into + rate x fresh. */
void colour_histogram_blend(ColourHistogram *into, const ColourHistogram *fresh, double rate);

#endif
