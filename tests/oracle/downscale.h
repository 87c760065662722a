/* SPDX-License-Identifier: BSD-2-Clause */
/* Smaller pictures and their way back, pixel by pixel in double precision. Shares no code with the
 * library. */
#ifndef COF_DOWNSCALE_H
#define COF_DOWNSCALE_H

#include "testing.h"

int smaller(int value, int other);
int inside(int i, int n); /* the last stand for what lies beyond 0..n-1 */

bool has_alpha(const Picture *picture);

/* What a pixel counts: alpha, or 1; 0 without data. */
double weight_of(const Picture *picture, int x, int y);

/* Means of n x n pixels. */
Picture reduced(Random *random, const Picture *picture, int n);

/* Where at least half of the pixels are set, or, if that is nowhere, any. */
Picture reduced_mask(Random *random, const Picture *mask, int n);

/* As large as `like`, by cubic B-splines. Alpha, and pixels without data, are those of `like`. What
 * is rounded may be nudged first, by some units of the last place. */
Picture enlarged(Random *random, const Picture *small, int n, const Picture *like, double nudge);

#endif
