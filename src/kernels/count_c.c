/* SPDX-License-Identifier: BSD-2-Clause */
/* Counting the labels around places, in C. */
#include "kernels.h"

/* Of a palette of 256, every label is below k. */
static void count_256(const uint8_t *labels, const uint32_t *places, int n, int width,
                      uint32_t *counts)
{
    for (int i = 0; i < n; i++) {
        const uint8_t *row = labels + places[i];
        uint32_t *table = counts;
        int dx = 0;
        for (; dx + 3 < width; dx += 4, table += 4 * 256) {
            table[row[dx]]++;
            table[256 + row[dx + 1]]++;
            table[512 + row[dx + 2]]++;
            table[768 + row[dx + 3]]++;
        }
        for (; dx < width; dx++, table += 256)
            table[row[dx]]++;
    }
}

void cofi_count_row_c(const uint8_t *labels, const uint8_t *votes, const uint32_t *places, int n,
                      int width, int k, uint32_t *counts)
{
    if (!votes && k == 256) {
        count_256(labels, places, n, width, counts);
        return;
    }
    for (int i = 0; i < n; i++)
        for (int dx = 0; dx < width; dx++) {
            uint32_t q = places[i] + (uint32_t)dx;
            if (labels[q] < k)
                counts[dx * k + labels[q]] += votes ? votes[q] & 1 : 1;
        }
}
