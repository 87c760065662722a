/* SPDX-License-Identifier: BSD-2-Clause */
/* k-means++ seeding. */
#include "learn/seeding.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/arithmetic.h"

/* A uniform random number, 0 <= result < 1. */
static double next_uniform(uint64_t *state)
{
    uint64_t bits = cofi_mix(*state);
    *state += 0x9e3779b97f4a7c15u;
    return (double)(bits >> 11) * 0x1p-53;
}

#define CHUNK COFI_CLUSTERING_CHUNK
#define BLOCK_CHUNKS (COFI_CLUSTERING_BLOCK / CHUNK)

static size_t chunk_size(const CofiClustering *c, size_t chunk)
{
    size_t left = c->n - chunk * CHUNK;
    return left < CHUNK ? left : CHUNK;
}

/* Whether a centre is so far from all samples of a chunk that it shrinks no distance. Samples are
 * sorted by their first band, and differences and squares are rounded in their order. */
static bool is_far(const CofiClustering *c, size_t chunk, const float *centre)
{
    const float *values = c->planes[0] + chunk * CHUNK;
    double above = (double)values[0] - (double)centre[0];
    double below = (double)centre[0] - (double)values[chunk_size(c, chunk) - 1];
    double beyond = above > below ? above : below;
    return beyond > 0 && beyond * beyond >= c->largest[chunk];
}

/* Which chunks of a block a centre is far from. */
static void find_far_chunks(const CofiClustering *c, size_t first, int n, const float *centre,
                            uint8_t far[BLOCK_CHUNKS])
{
    size_t chunk = first / CHUNK;
    for (int i = 0; i * CHUNK < n; i++)
        far[i] = is_far(c, chunk + (size_t)i, centre);
}

/* The sum of the distances with one more centre. */
static double potential(const CofiClustering *c, const float *centre)
{
    double sum = 0;
    const float *planes[COF_MAX_BANDS];
    for (int block = 0; block < c->blocks; block++) {
        int n;
        uint8_t far[BLOCK_CHUNKS];
        size_t first = cofi_clustering_block(c, block, planes, &n);
        find_far_chunks(c, first, n, centre, far);
        sum += c->kernels.shrink(planes, c->bands, n, centre, far, c->distances + first, NULL);
    }
    return sum;
}

static double largest_of(const double *values, size_t n)
{
    double largest = 0;
    for (size_t i = 0; i < n; i++)
        largest = values[i] > largest ? values[i] : largest;
    return largest;
}

static void add_centre(CofiClustering *c, int index, const float *centre)
{
    memcpy(c->centres + (ptrdiff_t)index * c->bands, centre, (size_t)c->bands * sizeof *centre);
    const float *planes[COF_MAX_BANDS];
    for (int block = 0; block < c->blocks; block++) {
        int n;
        uint8_t far[BLOCK_CHUNKS];
        size_t first = cofi_clustering_block(c, block, planes, &n);
        double *distances = c->distances + first;
        find_far_chunks(c, first, n, centre, far);
        c->kernels.shrink(planes, c->bands, n, centre, far, distances, distances);
        for (size_t i = 0, chunk = first / CHUNK; i * CHUNK < (size_t)n; i++, chunk++) {
            if (far[i])
                continue;
            c->chunks[chunk] = cofi_sum(c->distances + chunk * CHUNK, chunk_size(c, chunk));
            c->largest[chunk] = largest_of(c->distances + chunk * CHUNK, chunk_size(c, chunk));
        }
    }
}

/* Picks a sample with a probability in proportion to its squared distance from the centres so far.
 */
static size_t pick_far_sample(const CofiClustering *c, double total, uint64_t *random)
{
    double left = next_uniform(random) * total;
    size_t chunk = 0, last_far = 0;
    while (chunk + 1 < cofi_clustering_chunks(c->n) && left >= c->chunks[chunk])
        left -= c->chunks[chunk++];
    for (size_t i = chunk * CHUNK; i < c->n; i++) {
        if (c->distances[i] > 0)
            last_far = i;
        left -= c->distances[i];
        if (left < 0)
            return i;
    }
    return last_far; /* rounding */
}

static int candidates(int k)
{
    int n = 2;
    for (int i = k; i > 1; i /= 2)
        n++;
    return n;
}

CofStatus cofi_seed_centres(CofiClustering *c, uint64_t seed)
{
    assert(c->n >= 1);
    float tried[COF_MAX_BANDS], best[COF_MAX_BANDS];
    for (size_t i = 0; i < c->n; i++)
        c->distances[i] = INFINITY;
    for (size_t chunk = 0; chunk < cofi_clustering_chunks(c->n); chunk++)
        c->largest[chunk] = INFINITY;
    cofi_clustering_sample(c, (size_t)(next_uniform(&seed) * (double)c->n), best);
    add_centre(c, 0, best);
    for (int index = 1; index < c->k; index++) {
        double total = cofi_sum(c->chunks, cofi_clustering_chunks(c->n)), least = INFINITY;
        for (int i = 0; i < candidates(c->k); i++) {
            cofi_clustering_sample(c, pick_far_sample(c, total, &seed), tried);
            double sum = potential(c, tried);
            if (sum < least) {
                least = sum;
                memcpy(best, tried, sizeof best);
            }
        }
        add_centre(c, index, best);
        if (c->call && cofi_call_poll(c->call) != COF_OK)
            return COF_ERR_CANCELLED;
    }
    return COF_OK;
}
