/* SPDX-License-Identifier: BSD-2-Clause */
/* Palettes by k-means. */
#ifndef COF_KMEANS_H
#define COF_KMEANS_H

#include "cof/cof.h"
#include "call/call.h"
#include "learn/palette.h"

/* Fixed. k-means of n samples (rows of `bands` values), in any order. The palette has
 * k centres, or fewer if there are fewer distinct samples. */
CofStatus cofi_palette_cluster(CofiPalette *palette, CofiCall *call, CofKind family,
                               CofSample sample, int bands, const float *samples, size_t n, int k,
                               uint64_t seed);

/* The number of seedings that are tried for k centres, each by one thread. A single one is shared
 * by all threads. */
int cofi_palette_trials(int k);

#endif
