/* SPDX-License-Identifier: BSD-2-Clause */
/* k-means++ seeding. */
#ifndef COF_SEEDING_H
#define COF_SEEDING_H

#include <stdint.h>

#include "learn/lloyd.h"

/* Fills the centres. Each is the one of a few samples, picked with a probability in proportion to
 * their squared distance from the centres before it, that leaves the smallest sum of distances.
 * Can be cancelled if the clustering has a call. */
CofStatus cofi_seed_centres(CofiClustering *c, uint64_t seed);

#endif
