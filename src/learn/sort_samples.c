/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorts the samples of a palette with all threads: they are distributed to buckets by their first
 * value, and each bucket is sorted. The limits of the buckets come from some of the samples, so
 * that buckets are about equally large. */
#include "learn/sort_samples.h"

#include <assert.h>
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
    float limits[BUCKETS];     /* the largest value of each bucket but the last */
    size_t (*places)[BUCKETS]; /* of each chunk: its samples by bucket, then where they go */
    size_t starts[BUCKETS + 1];
    atomic_bool no_memory;
} Sorting;

static int bucket_of(const Sorting *s, float value)
{
    int bucket = 0;
    for (int half = BUCKETS / 2; half > 0; half /= 2)
        bucket += value > s->limits[bucket + half - 1] ? half : 0;
    return bucket;
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

/* Limits are quantiles of the first values of some samples. */
static CofStatus find_limits(Sorting *s)
{
    enum { TRIED = 8 * BUCKETS };
    float tried[TRIED];
    for (size_t i = 0; i < TRIED; i++)
        tried[i] = s->rows[i * s->n / TRIED * (size_t)s->bands];
    CofStatus status = cofi_sort_rows(NULL, tried, TRIED, 1);
    for (int bucket = 0; bucket < BUCKETS - 1; bucket++)
        s->limits[bucket] = tried[(bucket + 1) * (TRIED / BUCKETS) - 1];
    return status;
}

CofStatus cofi_sort_samples(CofiCall *call, float *rows, size_t n, int bands)
{
    assert(n >= 1 && bands >= 1);
    Sorting s = {.rows = rows, .n = n, .bands = bands, .chunks = (int)((n - 1) / CHUNK + 1)};
    if (n <= CHUNK)
        return cofi_sort_rows(NULL, rows, n, bands);
    CofiMark mark = cofi_call_mark(call);
    s.places = cofi_call_take(call, (size_t)s.chunks, sizeof *s.places);
    s.distributed = cofi_call_take_raw(call, n, (size_t)bands * sizeof *rows);
    CofStatus status = s.places && s.distributed ? find_limits(&s) : COF_ERR_MEMORY;
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
