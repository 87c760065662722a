/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorts the samples of a palette with all threads: they are distributed to buckets by their first
 * value, and each bucket is sorted. The limits of the buckets come from some of the samples, so
 * that buckets are about equally large. */
#include "learn/sort_samples.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "learn/sort_rows.h"

#define BUCKETS 64

/* Equal parts of the range of the limits, which tell about which bucket a value is in. */
#define CELLS 512

/* Samples that are distributed in one task: those of a megapixel, about 10,000, are shared by 16
 * threads. */
#define CHUNK 640

/* One thread sorts so few samples in less time than several would need to begin. */
#define FEW_SAMPLES 4096

typedef struct Sorting {
    const float *rows;
    float *distributed, *sorted;
    uint64_t *keys; /* two for each sample */
    size_t n;
    int bands, chunks;
    float limits[BUCKETS];     /* the largest value of each bucket; infinity for the last */
    float low, scale;          /* of the cells */
    uint8_t first[CELLS];      /* the first bucket of each cell */
    uint8_t *buckets;          /* of each sample */
    size_t (*places)[BUCKETS]; /* of each chunk: its samples by bucket, then where they go */
    size_t starts[BUCKETS + 1];
} Sorting;

/* Never decreases with the value. */
static int cell_of(const Sorting *s, float value)
{
    float at = (value - s->low) * s->scale;
    at = at > 0 ? at : 0; /* also if it is not a number */
    return (int)(at < CELLS - 1 ? at : CELLS - 1);
}

static int bucket_of(const Sorting *s, float value)
{
    int bucket = s->first[cell_of(s, value)];
    while (value > s->limits[bucket])
        bucket++;
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
    for (size_t i = (size_t)chunk * CHUNK; i < chunk_end(s, chunk); i++) {
        s->buckets[i] = (uint8_t)bucket_of(s, s->rows[i * width]);
        counts[s->buckets[i]]++;
    }
}

static void distribute_chunk(void *context, int chunk, int worker)
{
    (void)worker;
    const Sorting *s = context;
    size_t *places = s->places[chunk], width = (size_t)s->bands;
    for (size_t i = (size_t)chunk * CHUNK; i < chunk_end(s, chunk); i++) {
        const float *row = s->rows + i * width;
        size_t place = places[s->buckets[i]]++;
        memcpy(s->distributed + place * width, row, width * sizeof *row);
    }
}

static void sort_bucket(void *context, int bucket, int worker)
{
    (void)worker;
    Sorting *s = context;
    size_t width = (size_t)s->bands, first = s->starts[bucket], n = s->starts[bucket + 1] - first;
    if (n > 0)
        cofi_sort_rows(s->distributed + first * width, n, s->bands, s->sorted + first * width,
                       s->keys + 2 * first);
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

/* A value of a cell is in no bucket whose limit lies in a cell before. */
static void find_cells(Sorting *s)
{
    s->low = s->limits[0];
    float range = s->limits[BUCKETS - 2] - s->low;
    s->scale = range > 0 && range < FLT_MAX ? CELLS / range : 0;
    for (int cell = 0, bucket = 0; cell < CELLS; cell++) {
        while (bucket < BUCKETS - 1 && cell_of(s, s->limits[bucket]) < cell)
            bucket++;
        s->first[cell] = (uint8_t)bucket;
    }
}

/* Limits are quantiles of the first values of some samples. */
static void find_limits(Sorting *s)
{
    enum { TRIED = 8 * BUCKETS };
    float tried[TRIED], sorted[TRIED];
    for (size_t i = 0; i < TRIED; i++)
        tried[i] = s->rows[i * s->n / TRIED * (size_t)s->bands];
    cofi_sort_rows(tried, TRIED, 1, sorted, s->keys);
    for (int bucket = 0; bucket < BUCKETS - 1; bucket++)
        s->limits[bucket] = sorted[(bucket + 1) * (TRIED / BUCKETS) - 1];
    s->limits[BUCKETS - 1] = INFINITY;
    find_cells(s);
}

static CofStatus sort_with_threads(CofiCall *call, Sorting *s)
{
    find_limits(s);
    CofStatus status = cofi_call_tasks(call, s->chunks, 0, count_chunk, s);
    if (status == COF_OK) {
        place_chunks(s);
        status = cofi_call_tasks(call, s->chunks, 0, distribute_chunk, s);
    }
    return status == COF_OK ? cofi_call_tasks(call, BUCKETS, 0, sort_bucket, s) : status;
}

/* Takes the memory that only threads need. */
static CofStatus sort_large(CofiCall *call, Sorting *s)
{
    s->chunks = (int)((s->n - 1) / CHUNK + 1);
    s->places = cofi_call_take(call, (size_t)s->chunks, sizeof *s->places);
    s->buckets = cofi_call_take_raw(call, s->n, sizeof *s->buckets);
    s->distributed = cofi_call_take_raw(call, s->n, (size_t)s->bands * sizeof *s->distributed);
    bool all = s->places && s->buckets && s->distributed;
    return all ? sort_with_threads(call, s) : COF_ERR_MEMORY;
}

CofStatus cofi_sort_samples(CofiCall *call, const float *rows, size_t n, int bands, float *sorted)
{
    assert(n >= 1 && bands >= 1);
    Sorting s = {.rows = rows, .n = n, .bands = bands, .sorted = sorted};
    CofiMark mark = cofi_call_mark(call);
    s.keys = cofi_call_take_raw(call, n, 2 * sizeof *s.keys);
    CofStatus status = s.keys ? COF_OK : COF_ERR_MEMORY;
    if (status == COF_OK && (!COFI_HAS_THREADS || call->threads == 1 || n <= FEW_SAMPLES))
        cofi_sort_rows(rows, n, bands, sorted, s.keys);
    else if (status == COF_OK)
        status = sort_large(call, &s);
    cofi_call_release(call, mark);
    return status;
}
