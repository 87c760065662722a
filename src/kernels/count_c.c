/* SPDX-License-Identifier: BSD-2-Clause */
/* Counting the labels around places, in C. */
#include "kernels.h"

void cofi_count_row_c(const uint8_t *labels, const uint8_t *votes, const uint32_t *places, int n,
                      int width, int k, uint32_t *counts)
{
    for (int i = 0; i < n; i++) {
        const uint8_t *row = labels + places[i];
        if (votes) {
            for (int dx = 0; dx < width; dx++)
                counts[dx * k + row[dx]] += votes[places[i] + (uint32_t)dx] & 1;
        } else {
            for (int dx = 0; dx < width; dx++)
                if (row[dx] < k)
                    counts[dx * k + row[dx]]++;
        }
    }
}
