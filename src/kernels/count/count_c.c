/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts the labels around reference pixels, in C. */
#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "kernels/inline.h"
#include "kernels/kernels.h"

/* The number of columns whose tables are looked up before the loop. */
#define COLUMNS 16

/* With a palette of 256 entries, every label is below k and needs no check. With fewer, labels that
 * are not are left out when the tables are added up. */
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

/* From so many places on, it pays to count in tables of known addresses first. */
#define MANY_PLACES 64

/* Columns that are loaded at once, and how many places ahead they are prefetched: places are far
 * apart. */
#define EIGHT 8
#define AHEAD 24

static uint64_t load_eight(const uint8_t *labels)
{
    uint64_t eight;
    memcpy(&eight, labels, sizeof eight);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    eight = __builtin_bswap64(eight);
#endif
    return eight;
}

static void add_counts(const uint16_t found[256], int table, int k, uint16_t *counts)
{
    uint16_t *to = counts + (ptrdiff_t)table * k;
    for (int label = 0; label < k; label++)
        to[label] = (uint16_t)(to[label] + found[label]);
}

/* For up to eight columns of many places. */
static void count_eight(const uint8_t *labels, const uint32_t *places, int n, int width,
                        const int *tables, int k, uint16_t *counts)
{
    uint16_t found[EIGHT][256] = {{0}};
    for (int i = 0; i < n; i++) {
        uint64_t eight = load_eight(labels + places[i]);
        __builtin_prefetch(labels + places[i + AHEAD < n ? i + AHEAD : i]);
        UNROLL
        for (int dx = 0; dx < EIGHT; dx++, eight >>= 8)
            found[dx][eight & 255]++;
    }
    for (int dx = 0; dx < width; dx++)
        add_counts(found[dx], tables[dx], k, counts);
}

/* The width of the usual window. */
#define FIFTEEN 15

static bool is_symmetric(const int *tables, int width)
{
    bool symmetric = true;
    for (int dx = 0; dx < width; dx++)
        symmetric &= tables[dx] == tables[width - 1 - dx];
    return symmetric;
}

/* For 15 columns of many places, of which those at the same distance from the middle have the same
 * table. */
static void count_fifteen(const uint8_t *labels, const uint32_t *places, int n, const int *tables,
                          int k, uint16_t *counts)
{
    uint16_t found[EIGHT][256] = {{0}};
    for (int i = 0; i < n; i++) {
        const uint8_t *row = labels + places[i];
        uint64_t left = load_eight(row), right = load_eight(row + EIGHT - 1);
        __builtin_prefetch(labels + places[i + AHEAD < n ? i + AHEAD : i]);
        UNROLL
        for (int dx = EIGHT - 1; dx >= 0; dx--, left >>= 8)
            found[dx][left & 255]++;
        UNROLL
        for (int dx = 1; dx < EIGHT; dx++)
            found[dx][(right >>= 8) & 255]++;
    }
    for (int dx = 0; dx < EIGHT; dx++)
        add_counts(found[dx], tables[EIGHT - 1 - dx], k, counts);
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
    if (members || (k < 256 && n < MANY_PLACES)) {
        count_plain(labels, members, places, n, width, tables, k, counts);
        return;
    }
    if (n >= MANY_PLACES && width == FIFTEEN && is_symmetric(tables, width)) {
        count_fifteen(labels, places, n, tables, k, counts);
        return;
    }
    for (int dx = 0; dx < width && n >= MANY_PLACES; dx += EIGHT)
        count_eight(labels + dx, places, n, width - dx < EIGHT ? width - dx : EIGHT, tables + dx, k,
                    counts);
    for (int dx = 0; dx < width && n < MANY_PLACES; dx += COLUMNS) {
        int columns = width - dx < COLUMNS ? width - dx : COLUMNS;
        if (columns == 15)
            count_256(labels + dx, places, n, 15, tables + dx, counts);
        else
            count_256(labels + dx, places, n, columns, tables + dx, counts);
    }
}
