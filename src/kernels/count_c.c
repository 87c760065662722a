/* SPDX-License-Identifier: BSD-2-Clause */
/* Counting pairs of labels, in C. */
#include "kernels.h"

void cofi_count_pairs_c(uint32_t *table, int k, const uint8_t *p, const uint8_t *p_votes,
                        const uint8_t *q, const uint8_t *q_votes, int n)
{
    for (int i = 0; i < n; i++)
        table[p[i] * k + q[i]] += p_votes[i] & q_votes[i];
}

void cofi_count_places_c(uint32_t *table, int k, const uint32_t *places, int n, const uint8_t *p,
                         const uint8_t *q, const uint8_t *q_votes)
{
    for (int i = 0; i < n; i++) {
        uint32_t x = places[i];
        table[p[x] * k + q[x]] += q_votes[x];
    }
}
