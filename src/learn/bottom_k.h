/* SPDX-License-Identifier: BSD-2-Clause */
/* A set of samples that keeps those with the smallest hashes, however many are added: which ones
 * does not depend on the order in which they came. */
#ifndef COF_BOTTOM_K_H
#define COF_BOTTOM_K_H

#include <stdbool.h>

#include "cof/cof.h"

typedef struct CofiSamples {
    int bands;
    size_t bound;     /* how many are kept */
    size_t n, room;   /* n may exceed the bound until cofi_samples_trim() */
    uint64_t *hashes; /* of their places */
    float *rows;      /* of `bands` values */
    uint64_t ceiling; /* larger hashes will not be kept */
} CofiSamples;

void cofi_samples_init(CofiSamples *samples, int bands, size_t bound);
void cofi_samples_free(CofiSamples *samples);

/* Would a sample with that hash be kept, as far as is known now? */
bool cofi_samples_want(const CofiSamples *samples, uint64_t hash);

/* -0 becomes 0, so that equal rows have equal bytes. Only without memory does it fail; then nothing
 * has changed. */
CofStatus cofi_samples_add(CofiSamples *samples, uint64_t hash, const float *row);
CofStatus cofi_samples_join(CofiSamples *into, const CofiSamples *from);

/* Sorts by hash, then by value, and drops what is beyond the bound. */
CofStatus cofi_samples_trim(CofiSamples *samples);

/* Orders n rows of `bands` values by the first, then the second ...; if there are hashes (else
 * NULL), by those before, and they go along. */
CofStatus cofi_sort_rows(uint64_t *hashes, float *rows, size_t n, int bands);
int cofi_compare_rows(const float *a, const float *b, int bands);

#endif
