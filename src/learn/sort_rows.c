/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorts rows of values: keys hold a value of each row and the number of the row. Rows that share
 * the first value are sorted by the second one, and so on. */
#include "learn/sort_rows.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

/* So few keys are sorted by insertion. */
#define FEW_KEYS 24

/* The upper half of a key is sorted by its digits. */
#define DIGIT_BITS 8
#define DIGITS (32 / DIGIT_BITS)
#define DIGIT_VALUES (1 << DIGIT_BITS)

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

static void insertion_sort(uint64_t *keys, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        uint64_t key = keys[i];
        size_t place = i;
        for (; place > 0 && keys[place - 1] > key; place--)
            keys[place] = keys[place - 1];
        keys[place] = key;
    }
}

static unsigned digit_of(uint64_t key, int digit)
{
    return key >> (32 + digit * DIGIT_BITS) & (DIGIT_VALUES - 1);
}

/* Counts become places. */
static void find_places(uint32_t counts[DIGIT_VALUES])
{
    uint32_t next = 0;
    for (int i = 0; i < DIGIT_VALUES; i++) {
        uint32_t count = counts[i];
        counts[i] = next;
        next += count;
    }
}

/* Sorts by digit after digit, from the lowest one on, and leaves out those that all keys share. */
static void radix_sort(uint64_t *keys, uint64_t *other, size_t n)
{
    uint32_t counts[DIGITS][DIGIT_VALUES] = {{0}};
    uint64_t *from = keys, *to = other;
    for (size_t i = 0; i < n; i++)
        for (int digit = 0; digit < DIGITS; digit++)
            counts[digit][digit_of(keys[i], digit)]++;
    for (int digit = 0; digit < DIGITS; digit++) {
        if (counts[digit][digit_of(from[0], digit)] == n)
            continue;
        find_places(counts[digit]);
        for (size_t i = 0; i < n; i++)
            to[counts[digit][digit_of(from[i], digit)]++] = from[i];
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != keys)
        memcpy(keys, from, n * sizeof *keys);
}

/* Sorts keys of n rows, which share the bands before this one. */
static void sort_keys(const float *rows, int bands, int band, uint64_t *keys, uint64_t *other,
                      size_t n)
{
    for (size_t i = 0; i < n; i++) {
        float value = rows[(size_t)row_of(keys[i]) * (size_t)bands + (size_t)band];
        keys[i] = (uint64_t)ordered_bits(value) << 32 | row_of(keys[i]);
    }
    if (n <= FEW_KEYS)
        insertion_sort(keys, n);
    else
        radix_sort(keys, other, n);
}

/* The end of a run of keys that share their values. */
static size_t end_of_run(const uint64_t *keys, size_t first, size_t n)
{
    size_t end = first + 1;
    while (end < n && keys[end] >> 32 == keys[first] >> 32)
        end++;
    return end;
}

/* Sorts each run of rows that share the bands before this one, up to the last band. */
static void sort_ties(const float *rows, int bands, uint64_t *keys, uint64_t *other, size_t n,
                      int band)
{
    for (size_t first = 0; first < n && band < bands;) {
        size_t end = end_of_run(keys, first, n);
        if (end - first > 1) {
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
        memcpy(sorted + i * width, rows + (size_t)row_of(keys[i]) * width, width * sizeof *rows);
}
