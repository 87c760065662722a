/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorts the samples of a palette with all threads: they are distributed to buckets by their first
 * value, and each bucket is sorted. */
#include "learn/sort_samples.h"

#include <assert.h>
#include <float.h>
#include <stdatomic.h>
#include <string.h>

#include "learn/bottom_k.h"

#define BUCKETS 64

/* Samples that are distributed in one task; fewer are not distributed. */
#define CHUNK 4096

typedef struct Sorting {
    float *rows, *distributed;
    size_t n;
    int bands, chunks;
    float low, scale;
    size_t (*places)[BUCKETS]; /* of each chunk: its samples by bucket, then where they go */
    size_t starts[BUCKETS + 1];
    atomic_bool no_memory;
} Sorting;

/* Rounding keeps the order of the values. */
static int bucket_of(const Sorting *s, float value)
{
    int bucket = (int)((value - s->low) * s->scale);
    return bucket < BUCKETS - 1 ? bucket : BUCKETS - 1;
}

static size_t chunk_end(const Sorting *s, int chunk)
{
    size_t end = ((size_t)chunk + 1) * CHUNK;
    return end < s->n ? end : s->n;
}

static void count_chunk(void *context, int chunk, int worker)
{
    (void)worker;
    const Sorting *s = context;
    size_t *counts = s->places[chunk], width = (size_t)s->bands;
    for (size_t i = (size_t)chunk * CHUNK; i < chunk_end(s, chunk); i++)
        counts[bucket_of(s, s->rows[i * width])]++;
}

static void distribute_chunk(void *context, int chunk, int worker)
{
    (void)worker;
    const Sorting *s = context;
    size_t *places = s->places[chunk], width = (size_t)s->bands;
    for (size_t i = (size_t)chunk * CHUNK; i < chunk_end(s, chunk); i++) {
        const float *row = s->rows + i * width;
        size_t place = places[bucket_of(s, row[0])]++;
        memcpy(s->distributed + place * width, row, width * sizeof *row);
    }
}

static void sort_bucket(void *context, int bucket, int worker)
{
    (void)worker;
    Sorting *s = context;
    size_t width = (size_t)s->bands, first = s->starts[bucket], n = s->starts[bucket + 1] - first;
    float *rows = s->distributed + first * width;
    if (cofi_sort_rows(NULL, rows, n, s->bands) != COF_OK)
        atomic_store(&s->no_memory, true);
    memcpy(s->rows + first * width, rows, n * width * sizeof *rows);
}

/* Counts of all chunks become places, bucket by bucket. */
static void place_chunks(Sorting *s)
{
    size_t next = 0;
    for (int bucket = 0; bucket < BUCKETS; bucket++) {
        s->starts[bucket] = next;
        for (int chunk = 0; chunk < s->chunks; chunk++) {
            size_t count = s->places[chunk][bucket];
            s->places[chunk][bucket] = next;
            next += count;
        }
    }
    s->starts[BUCKETS] = next;
    assert(next == s->n);
}

/* False if the first values are all the same, or too far apart. */
static bool find_range(Sorting *s)
{
    float low = s->rows[0], high = low;
    for (size_t i = 0; i < s->n; i++) {
        float value = s->rows[i * (size_t)s->bands];
        low = value < low ? value : low;
        high = value > high ? value : high;
    }
    s->low = low;
    s->scale = (float)BUCKETS / (high - low);
    return high - low <= FLT_MAX && s->scale > 0 && s->scale <= FLT_MAX;
}

CofStatus cofi_sort_samples(CofiCall *call, float *rows, size_t n, int bands)
{
    assert(n >= 1 && bands >= 1);
    Sorting s = {.rows = rows, .n = n, .bands = bands, .chunks = (int)((n - 1) / CHUNK + 1)};
    if (n <= CHUNK || !find_range(&s))
        return cofi_sort_rows(NULL, rows, n, bands);
    CofiMark mark = cofi_call_mark(call);
    s.places = cofi_call_take(call, (size_t)s.chunks, sizeof *s.places);
    s.distributed = cofi_call_take_raw(call, n, (size_t)bands * sizeof *rows);
    CofStatus status = s.places && s.distributed ? COF_OK : COF_ERR_MEMORY;
    if (status == COF_OK)
        status = cofi_call_tasks(call, s.chunks, 0, count_chunk, &s);
    if (status == COF_OK) {
        place_chunks(&s);
        status = cofi_call_tasks(call, s.chunks, 0, distribute_chunk, &s);
    }
    if (status == COF_OK)
        status = cofi_call_tasks(call, BUCKETS, 0, sort_bucket, &s);
    if (status == COF_OK && atomic_load(&s.no_memory))
        status = COF_ERR_MEMORY;
    cofi_call_release(call, mark);
    return status;
}
