/* SPDX-License-Identifier: BSD-2-Clause */
/* A coarse colour histogram, which detects scene cuts in a video. */
#ifndef COF_COLOUR_HISTOGRAM_H
#define COF_COLOUR_HISTOGRAM_H

#include "cof/cof.h"

/* Levels of each of the three channels. */
#define COLOUR_HISTOGRAM_LEVELS 4
#define COLOUR_HISTOGRAM_BINS \
    (COLOUR_HISTOGRAM_LEVELS * COLOUR_HISTOGRAM_LEVELS * COLOUR_HISTOGRAM_LEVELS)

/* share[] sums to 1, or is all 0 before the first frame. */
typedef struct ColourHistogram {
    double share[COLOUR_HISTOGRAM_BINS];
} ColourHistogram;

/* Histogram of a regular subsample of the image. Float samples are clamped to 0..1. */
ColourHistogram colour_histogram_of(const CofImage *image);

/* Half the L1 distance: 0 (equal) to 1 (no common colour). */
double colour_histogram_distance(const ColourHistogram *a, const ColourHistogram *b);

/* into = (1 - rate) x into + rate x fresh. */
void colour_histogram_blend(ColourHistogram *into, const ColourHistogram *fresh, double rate);

#endif
