/* SPDX-License-Identifier: BSD-2-Clause */
/* Naive downscaling and upscaling in double precision. Shares no code with the library. */
#ifndef COF_DOWNSCALE_H
#define COF_DOWNSCALE_H

#include "testing.h"

int min_int(int value, int other);
int clamp_index(int i, int n); /* clamps to 0..n-1 */

bool has_alpha(const TestImage *image);

/* The weight of a pixel: alpha, or 1; 0 if invalid. */
double weight_of(const TestImage *image, int x, int y);

/* Averages cells of n x n pixels. */
TestImage downscaled(Random *random, const TestImage *image, int n);

/* Sets cells of which at least half the pixels are set or, if there are none, cells with any. */
TestImage downscaled_mask(Random *random, const TestImage *mask, int n);

/* Interpolates with cubic B-splines to the size of `like`. Alpha and invalid pixels are those of
 * `like`. Values are offset by `nudge` units in the last place before rounding. */
TestImage upscaled(Random *random, const TestImage *small, int n, const TestImage *like,
                   double nudge);

#endif
