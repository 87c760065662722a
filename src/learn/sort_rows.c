/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorts rows of values: keys hold a value of each row and the number of the row. Rows that share
 * the first value are sorted by the second one, and so on. */
#include "learn/sort_rows.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

/* So few rows are sorted by insertion. */
#define FEW_ROWS 24

/* The upper half of a key, less the smallest one, is sorted by digits of at most so many bits. */
#define MAX_DIGIT_BITS 10

int cofi_compare_rows(const float *a, const float *b, int bands)
{
    for (int i = 0; i < bands; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

/* Maps a float to an integer of the same order; both zeros map to one. */
static uint32_t ordered_bits(float value)
{
    uint32_t bits;
    value += 0.0f;
    memcpy(&bits, &value, sizeof bits);
    return bits >> 31 ? ~bits : bits | 0x80000000u;
}

static uint32_t row_of(uint64_t key)
{
    return (uint32_t)key;
}

static const float *find_row(const float *rows, int bands, uint64_t key)
{
    return rows + (size_t)row_of(key) * (size_t)bands;
}

/* Sorts keys of n rows, which share the bands before this one, by all others. */
static void insertion_sort(const float *rows, int bands, int band, uint64_t *keys, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        uint64_t key = keys[i];
        const float *row = find_row(rows, bands, key) + band;
        size_t place = i;
        for (; place > 0; place--) {
            const float *before = find_row(rows, bands, keys[place - 1]) + band;
            if (cofi_compare_rows(before, row, bands - band) <= 0)
                break;
            keys[place] = keys[place - 1];
        }
        keys[place] = key;
    }
}

static uint32_t value_of(uint64_t key)
{
    return (uint32_t)(key >> 32);
}

/* Counts become places. */
static void find_places(uint32_t *counts, int n)
{
    uint32_t next = 0;
    for (int i = 0; i < n; i++) {
        uint32_t count = counts[i];
        counts[i] = next;
        next += count;
    }
}

/* Sorts by one digit of the values less `low`: the bits of the mask after a shift. */
static void sort_by_digit(const uint64_t *keys, uint64_t *sorted, size_t n, uint32_t low, int shift,
                          uint32_t mask)
{
    uint32_t places[1 << MAX_DIGIT_BITS];
    memset(places, 0, (mask + 1) * sizeof *places);
    for (size_t i = 0; i < n; i++)
        places[(value_of(keys[i]) - low) >> shift & mask]++;
    find_places(places, (int)mask + 1);
    for (size_t i = 0; i < n; i++)
        sorted[places[(value_of(keys[i]) - low) >> shift & mask]++] = keys[i];
}

/* Sorts by as few digits of about the same size as the range of the values needs, from the lowest
 * one on. */
static void radix_sort(uint64_t *keys, uint64_t *other, size_t n)
{
    uint32_t low = UINT32_MAX, high = 0;
    for (size_t i = 0; i < n; i++) {
        low = value_of(keys[i]) < low ? value_of(keys[i]) : low;
        high = value_of(keys[i]) > high ? value_of(keys[i]) : high;
    }
    if (low == high)
        return;
    int bits = 32 - __builtin_clz(high - low);
    int digits = (bits + MAX_DIGIT_BITS - 1) / MAX_DIGIT_BITS, size = (bits + digits - 1) / digits;
    uint64_t *from = keys, *to = other;
    for (int digit = 0; digit < digits; digit++) {
        sort_by_digit(from, to, n, low, digit * size, ((uint32_t)1 << size) - 1);
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != keys)
        memcpy(keys, from, n * sizeof *keys);
}

/* Sorts keys of n rows by this band. */
static void sort_keys(const float *rows, int bands, int band, uint64_t *keys, uint64_t *other,
                      size_t n)
{
    for (size_t i = 0; i < n; i++) {
        float value = find_row(rows, bands, keys[i])[band];
        keys[i] = (uint64_t)ordered_bits(value) << 32 | row_of(keys[i]);
    }
    radix_sort(keys, other, n);
}

/* The end of a run of keys that share their values. */
static size_t end_of_run(const uint64_t *keys, size_t first, size_t n)
{
    size_t end = first + 1;
    while (end < n && value_of(keys[end]) == value_of(keys[first]))
        end++;
    return end;
}

/* Sorts each run of rows that share the bands before this one, up to the last band. */
static void sort_ties(const float *rows, int bands, uint64_t *keys, uint64_t *other, size_t n,
                      int band)
{
    for (size_t first = 0; first < n && band < bands;) {
        size_t end = end_of_run(keys, first, n);
        if (end - first <= FEW_ROWS) {
            insertion_sort(rows, bands, band, keys + first, end - first);
        } else {
            sort_keys(rows, bands, band, keys + first, other, end - first);
            sort_ties(rows, bands, keys + first, other, end - first, band + 1);
        }
        first = end;
    }
}

void cofi_sort_rows(const float *rows, size_t n, int bands, float *sorted, uint64_t *keys)
{
    assert(bands >= 1);
    assert(n <= UINT32_MAX);
    size_t width = (size_t)bands;
    for (size_t i = 0; i < n; i++)
        keys[i] = i;
    sort_keys(rows, bands, 0, keys, keys + n, n);
    sort_ties(rows, bands, keys, keys + n, n, 1);
    for (size_t i = 0; i < n; i++)
        memcpy(sorted + i * width, find_row(rows, bands, keys[i]), width * sizeof *rows);
}
