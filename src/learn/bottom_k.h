/* SPDX-License-Identifier: BSD-2-Clause */
/* A bottom-k sample: of all samples added it keeps those with the k smallest hashes, so that the
 * result does not depend on their order. */
#ifndef COF_BOTTOM_K_H
#define COF_BOTTOM_K_H

#include <stdbool.h>

#include "cof/cof.h"

typedef struct CofiSamples {
    int bands;
    size_t bound;     /* k: how many are kept */
    size_t n, room;   /* n may exceed the bound until cofi_samples_trim() */
    uint64_t *hashes; /* of the coordinates of the samples */
    float *rows;      /* rows of `bands` values */
    uint64_t ceiling; /* samples with larger hashes are rejected */
} CofiSamples;

void cofi_samples_init(CofiSamples *samples, int bands, size_t bound);
void cofi_samples_free(CofiSamples *samples);

/* May a sample with that hash be among the k smallest? */
bool cofi_samples_want(const CofiSamples *samples, uint64_t hash);

/* Makes room for more samples, so that adding them takes no memory. */
CofStatus cofi_samples_reserve(CofiSamples *samples, size_t more);

/* Adds a sample, or all samples of another set. -0 becomes 0, so that equal rows have equal bytes.
 * Fails only without memory, and changes nothing then. */
CofStatus cofi_samples_add(CofiSamples *samples, uint64_t hash, const float *row);
CofStatus cofi_samples_join(CofiSamples *into, const CofiSamples *from);

/* Sorts by hash, then by value, and drops what is beyond the bound. */
CofStatus cofi_samples_trim(CofiSamples *samples);

#endif
