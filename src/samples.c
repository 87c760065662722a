/* SPDX-License-Identifier: BSD-2-Clause */
/* A set of samples that keeps those with the smallest hashes. */
#include "samples.h"

#include <string.h>

#include "memory.h"

void cofi_samples_init(CofiSamples *samples, int bands, size_t bound)
{
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

int cofi_compare_rows(const float *a, const float *b, int bands)
{
    for (int i = 0; i < bands; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

typedef struct Sorting {
    const uint64_t *hashes; /* or NULL */
    const float *rows;
    int bands;
} Sorting;

static bool in_order(const Sorting *s, size_t a, size_t b)
{
    if (s->hashes && s->hashes[a] != s->hashes[b])
        return s->hashes[a] < s->hashes[b];
    size_t width = (size_t)s->bands;
    return cofi_compare_rows(s->rows + a * width, s->rows + b * width, s->bands) <= 0;
}

static void merge_runs(const Sorting *s, const size_t *order, size_t first, size_t middle,
                       size_t last, size_t *merged)
{
    size_t left = first, right = middle;
    for (size_t i = first; i < last; i++) {
        bool take_left = right >= last || (left < middle && in_order(s, order[left], order[right]));
        merged[i] = take_left ? order[left++] : order[right++];
    }
}

/* Sorts indices by merging runs of twice the length each time; returns the array that holds them.
 */
static size_t *sort_indices(const Sorting *s, size_t n, size_t *order, size_t *other)
{
    for (size_t i = 0; i < n; i++)
        order[i] = i;
    for (size_t run = 1; run < n; run *= 2) {
        for (size_t first = 0; first < n; first += 2 * run) {
            size_t middle = first + run < n ? first + run : n;
            size_t last = first + 2 * run < n ? first + 2 * run : n;
            merge_runs(s, order, first, middle, last, other);
        }
        size_t *swap = order;
        order = other;
        other = swap;
    }
    return order;
}

CofStatus cofi_sort_rows(uint64_t *hashes, float *rows, size_t n, int bands)
{
    size_t width = (size_t)bands;
    size_t *indices = cofi_calloc(n, 2 * sizeof *indices);
    float *old_rows = cofi_copy(rows, n, width * sizeof *rows);
    uint64_t *old_hashes = hashes ? cofi_copy(hashes, n, sizeof *hashes) : NULL;
    CofStatus status = indices && old_rows && (old_hashes || !hashes) ? COF_OK : COF_ERR_MEMORY;
    if (status == COF_OK) {
        Sorting sorting = {old_hashes, old_rows, bands};
        const size_t *order = sort_indices(&sorting, n, indices, indices + n);
        for (size_t i = 0; i < n; i++) {
            memcpy(rows + i * width, old_rows + order[i] * width, width * sizeof *rows);
            if (hashes)
                hashes[i] = old_hashes[order[i]];
        }
    }
    cofi_free(indices);
    cofi_free(old_rows);
    cofi_free(old_hashes);
    return status;
}

CofStatus cofi_samples_trim(CofiSamples *samples)
{
    CofStatus status = cofi_sort_rows(samples->hashes, samples->rows, samples->n, samples->bands);
    if (status != COF_OK || samples->n < samples->bound || samples->n == 0)
        return status;
    samples->n = samples->bound;
    samples->ceiling = samples->hashes[samples->n - 1];
    return COF_OK;
}

static CofStatus make_room(CofiSamples *samples, size_t more)
{
    if (more <= samples->room - samples->n)
        return COF_OK;
    if (more > SIZE_MAX / 4 - samples->n || samples->room > SIZE_MAX / 4)
        return COF_ERR_MEMORY;
    size_t width = (size_t)samples->bands, needed = samples->n + more;
    size_t room = needed < 2 * samples->room ? 2 * samples->room : needed;
    uint64_t *hashes = cofi_calloc(room, sizeof *hashes);
    float *rows = cofi_calloc(room, width * sizeof *rows);
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
    if (make_room(samples, 1) != COF_OK)
        return COF_ERR_MEMORY;
    float *to = samples->rows + samples->n * (size_t)samples->bands;
    for (int band = 0; band < samples->bands; band++)
        to[band] = row[band] + 0.0f;
    samples->hashes[samples->n++] = hash;
    return COF_OK;
}

CofStatus cofi_samples_join(CofiSamples *into, const CofiSamples *from)
{
    if (make_room(into, from->n) != COF_OK)
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
