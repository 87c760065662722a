/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts the labels around reference pixels, in C. */
#include <assert.h>

#include "kernels/kernels.h"

/* The number of columns whose tables are looked up before the loop. */
#define COLUMNS 16

/* With a palette of 256 entries, every label is below k and needs no check. */
static void count_256(const uint8_t *labels, const uint32_t *places, int n, int width,
                      const int *tables, uint16_t *counts)
{
    uint16_t *table[COLUMNS];
    for (int dx = 0; dx < width; dx++)
        table[dx] = counts + tables[dx] * 256;
    for (int i = 0; i < n; i++) {
        const uint8_t *row = labels + places[i];
        for (int dx = 0; dx < width; dx++)
            table[dx][row[dx]]++;
    }
}

static void count_plain(const uint8_t *labels, const uint8_t *members, const uint32_t *places,
                        int n, int width, const int *tables, int k, uint16_t *counts)
{
    for (int i = 0; i < n; i++)
        for (int dx = 0; dx < width; dx++) {
            uint32_t q = places[i] + (uint32_t)dx;
            uint16_t *count = counts + tables[dx] * k + labels[q];
            if (labels[q] < k)
                *count = (uint16_t)(*count + (members ? members[q] & 1 : 1));
        }
}

void cofi_count_row_c(const uint8_t *labels, const uint8_t *members, const uint32_t *places, int n,
                      int width, const int *tables, int k, uint16_t *counts)
{
    assert(k >= 1 && k <= 256 && n >= 0 && width >= 0);
    if (members || k < 256) {
        count_plain(labels, members, places, n, width, tables, k, counts);
        return;
    }
    for (int dx = 0; dx < width; dx += COLUMNS) {
        int columns = width - dx < COLUMNS ? width - dx : COLUMNS;
        if (columns == 15)
            count_256(labels + dx, places, n, 15, tables + dx, counts);
        else
            count_256(labels + dx, places, n, columns, tables + dx, counts);
    }
}
