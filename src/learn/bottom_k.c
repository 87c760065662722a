/* SPDX-License-Identifier: BSD-2-Clause */
/* A bottom-k sample: the samples with the k smallest hashes. */
#include "learn/bottom_k.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "learn/sort_rows.h"

/* The initial capacity, which is then doubled. */
#define DEFAULT_ROOM 4096

void cofi_samples_init(CofiSamples *samples, int bands, size_t bound)
{
    assert(bands >= 0 && bands <= COF_MAX_BANDS);
    assert(bound > 0);
    *samples = (CofiSamples){.bands = bands, .bound = bound, .ceiling = UINT64_MAX};
}

void cofi_samples_free(CofiSamples *samples)
{
    cofi_free(samples->hashes);
    cofi_free(samples->rows);
    *samples = (CofiSamples){0};
}

bool cofi_samples_want(const CofiSamples *samples, uint64_t hash)
{
    return hash <= samples->ceiling;
}

/* The hash of a row; ties are broken by the values. */
typedef struct Key {
    uint64_t bits;
    size_t row;
} Key;

#define DIGIT_BITS 11
#define DIGITS 6 /* of 64 bits */
#define DIGIT_VALUES (1 << DIGIT_BITS)

static size_t digit_of(uint64_t bits, int digit)
{
    return bits >> (digit * DIGIT_BITS) & (DIGIT_VALUES - 1);
}

/* Prefix sums of the counts of one digit; false if all keys share that digit. */
static bool starts_of(const uint32_t *counts, size_t n, size_t *starts)
{
    size_t next = 0;
    for (int i = 0; i < DIGIT_VALUES; i++) {
        if (counts[i] == n)
            return false;
        starts[i] = next;
        next += counts[i];
    }
    return true;
}

typedef struct DigitTables {
    uint32_t counts[DIGITS][DIGIT_VALUES];
    size_t starts[DIGIT_VALUES];
} DigitTables;

/* LSD radix sort; returns the array that holds the result. */
static Key *sort_keys(DigitTables *tables, Key *keys, Key *other, size_t n)
{
    memset(tables->counts, 0, sizeof tables->counts);
    for (size_t i = 0; i < n; i++)
        for (int digit = 0; digit < DIGITS; digit++)
            tables->counts[digit][digit_of(keys[i].bits, digit)]++;
    for (int digit = 0; digit < DIGITS; digit++) {
        if (!starts_of(tables->counts[digit], n, tables->starts))
            continue;
        for (size_t i = 0; i < n; i++)
            other[tables->starts[digit_of(keys[i].bits, digit)]++] = keys[i];
        Key *swap = keys;
        keys = other;
        other = swap;
    }
    return keys;
}

static bool is_not_after(const float *rows, int bands, const Key *a, const Key *b)
{
    size_t width = (size_t)bands;
    if (a->bits != b->bits)
        return a->bits < b->bits;
    return cofi_compare_rows(rows + a->row * width, rows + b->row * width, bands) <= 0;
}

static void merge_runs(const float *rows, int bands, const Key *keys, size_t first, size_t middle,
                       size_t last, Key *merged)
{
    size_t left = first, right = middle;
    for (size_t i = first; i < last; i++) {
        bool take_left = right >= last ||
                         (left < middle && is_not_after(rows, bands, &keys[left], &keys[right]));
        merged[i] = take_left ? keys[left++] : keys[right++];
    }
}

/* Bottom-up merge sort of n keys, and of equal ones by their rows. */
static void merge_sort(const float *rows, int bands, Key *keys, Key *other, size_t n)
{
    Key *from = keys, *to = other;
    for (size_t length = 1; length < n; length *= 2) {
        for (size_t first = 0; first < n; first += 2 * length) {
            size_t middle = first + length < n ? first + length : n;
            size_t last = first + 2 * length < n ? first + 2 * length : n;
            merge_runs(rows, bands, from, first, middle, last, to);
        }
        Key *swap = from;
        from = to;
        to = swap;
    }
    if (from != keys)
        memcpy(keys, from, n * sizeof *keys);
}

static const Key *sorted_keys(const uint64_t *hashes, const float *rows, size_t n, int bands,
                              DigitTables *tables, Key *keys)
{
    for (size_t i = 0; i < n; i++)
        keys[i] = (Key){hashes[i], i};
    Key *sorted = sort_keys(tables, keys, keys + n, n);
    Key *other = sorted == keys ? keys + n : keys;
    for (size_t first = 0; first < n;) {
        size_t last = first + 1;
        while (last < n && sorted[last].bits == sorted[first].bits)
            last++;
        merge_sort(rows, bands, sorted + first, other + first, last - first);
        first = last;
    }
    return sorted;
}

/* Sorts rows by their hashes, and equal ones by their values. */
static CofStatus sort_by_hash(uint64_t *hashes, float *rows, size_t n, int bands)
{
    assert(bands >= 0 && bands <= COF_MAX_BANDS);
    size_t width = (size_t)bands;
    DigitTables *tables = cofi_malloc(1, sizeof *tables);
    Key *keys = cofi_malloc(n, 2 * sizeof *keys);
    float *old_rows = cofi_copy(rows, n, width * sizeof *rows);
    CofStatus status = tables && keys && old_rows ? COF_OK : COF_ERR_MEMORY;
    if (status == COF_OK) {
        const Key *sorted = sorted_keys(hashes, old_rows, n, bands, tables, keys);
        for (size_t i = 0; i < n; i++) {
            memcpy(rows + i * width, old_rows + sorted[i].row * width, width * sizeof *rows);
            hashes[i] = sorted[i].bits;
        }
    }
    cofi_free(tables);
    cofi_free(keys);
    cofi_free(old_rows);
    return status;
}

CofStatus cofi_samples_trim(CofiSamples *samples)
{
    CofStatus status = sort_by_hash(samples->hashes, samples->rows, samples->n, samples->bands);
    if (status != COF_OK || samples->n < samples->bound || samples->n == 0)
        return status;
    samples->n = samples->bound;
    samples->ceiling = samples->hashes[samples->n - 1];
    return COF_OK;
}

CofStatus cofi_samples_reserve(CofiSamples *samples, size_t more)
{
    if (more <= samples->room - samples->n)
        return COF_OK;
    if (more > SIZE_MAX / 4 - samples->n || samples->room > SIZE_MAX / 4)
        return COF_ERR_MEMORY;
    size_t width = (size_t)samples->bands, needed = samples->n + more;
    size_t room = samples->room > 0 ? 2 * samples->room : DEFAULT_ROOM;
    room = needed < room ? room : needed;
    uint64_t *hashes = cofi_malloc(room, sizeof *hashes);
    float *rows = cofi_malloc(room, width * sizeof *rows);
    if (!hashes || !rows) {
        cofi_free(hashes);
        cofi_free(rows);
        return COF_ERR_MEMORY;
    }
    if (samples->n > 0) {
        memcpy(hashes, samples->hashes, samples->n * sizeof *hashes);
        memcpy(rows, samples->rows, samples->n * width * sizeof *rows);
    }
    cofi_free(samples->hashes);
    cofi_free(samples->rows);
    samples->hashes = hashes;
    samples->rows = rows;
    samples->room = room;
    return COF_OK;
}

CofStatus cofi_samples_add(CofiSamples *samples, uint64_t hash, const float *row)
{
    if (!cofi_samples_want(samples, hash))
        return COF_OK;
    if (samples->n >= 2 * samples->bound && cofi_samples_trim(samples) != COF_OK)
        return COF_ERR_MEMORY;
    if (cofi_samples_reserve(samples, 1) != COF_OK)
        return COF_ERR_MEMORY;
    float *to = samples->rows + samples->n * (size_t)samples->bands;
    for (int band = 0; band < samples->bands; band++)
        to[band] = row[band] + 0.0f;
    samples->hashes[samples->n++] = hash;
    return COF_OK;
}

CofStatus cofi_samples_join(CofiSamples *into, const CofiSamples *from)
{
    assert(into->bands == from->bands || from->n == 0);
    if (cofi_samples_reserve(into, from->n) != COF_OK)
        return COF_ERR_MEMORY;
    if (from->n == 0)
        return COF_OK;
    size_t width = (size_t)from->bands, n = into->n;
    memcpy(into->hashes + n, from->hashes, from->n * sizeof *from->hashes);
    memcpy(into->rows + n * width, from->rows, from->n * width * sizeof *from->rows);
    into->n += from->n;
    if (into->n <= 2 * into->bound)
        return COF_OK;
    CofStatus status = cofi_samples_trim(into);
    if (status != COF_OK)
        into->n = n;
    return status;
}
