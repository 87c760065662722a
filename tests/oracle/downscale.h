/* SPDX-License-Identifier: BSD-2-Clause */
/* Smaller images and their way back, pixel by pixel in double precision. Shares no code with the
 * library. */
#ifndef COF_DOWNSCALE_H
#define COF_DOWNSCALE_H

#include "testing.h"

int min_int(int value, int other);
int clamp_index(int i, int n); /* the last stand for what lies beyond 0..n-1 */

bool has_alpha(const TestImage *image);

/* What a pixel counts: alpha, or 1; 0 without data. */
double weight_of(const TestImage *image, int x, int y);

/* Means of n x n pixels. */
TestImage downscaled(Random *random, const TestImage *image, int n);

/* Where at least half of the pixels are set, or, if that is nowhere, any. */
TestImage downscaled_mask(Random *random, const TestImage *mask, int n);

/* As large as `like`, by cubic B-splines. Alpha, and pixels without data, are those of `like`. What
 * is rounded may be nudged first, by some units of the last place. */
TestImage upscaled(Random *random, const TestImage *small, int n, const TestImage *like,
                   double nudge);

#endif
