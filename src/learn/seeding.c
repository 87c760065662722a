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

/* After distances in a chunk have changed. */
static void update_chunk(CofiClustering *c, size_t chunk)
{
    const double *distances = c->distances + chunk * CHUNK;
    float *rounded = c->rounded + chunk * CHUNK;
    double sum = 0, largest = 0;
    for (size_t i = 0; i < chunk_size(c, chunk); i++) {
        sum += distances[i];
        largest = distances[i] > largest ? distances[i] : largest;
        rounded[i] = (float)distances[i];
    }
    c->chunks[chunk] = sum;
    c->largest[chunk] = largest;
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
        for (size_t i = 0, chunk = first / CHUNK; i * CHUNK < (size_t)n; i++, chunk++)
            if (!far[i])
                update_chunk(c, chunk);
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

/* The samples of which one becomes the next centre. */
#define MAX_CANDIDATES 10

typedef struct Candidate {
    size_t sample;
    float centre[COF_MAX_BANDS];
    double gain; /* about by how much it would shrink the sum of the distances */
} Candidate;

static int count_candidates(int k)
{
    int n = 2;
    for (int i = k; i > 1; i /= 2)
        n++;
    assert(n <= MAX_CANDIDATES);
    return n;
}

/* As the kernel finds it, from the chunks that the centre is not far from. */
static double gain_of(const CofiClustering *c, const float *centre)
{
    int n = 0;
    for (int chunk = 0; chunk < (int)cofi_clustering_chunks(c->n); chunk++) {
        c->near[n] = chunk;
        n += !is_far(c, (size_t)chunk, centre);
    }
    return c->kernels.gain((const float *const *)c->planes, c->bands, centre, c->rounded, c->near,
                           n);
}

/* Single precision holds such sums, and all terms that matter. */
static bool has_usual_size(double total)
{
    return total > 1e-25 && total < 1e30;
}

static bool is_repeated(const Candidate *candidates, int i)
{
    for (int j = 0; j < i; j++)
        if (candidates[j].sample == candidates[i].sample)
            return true;
    return false;
}

/* The candidate that leaves the smallest sum of the distances. Only those whose gains cannot be
 * told apart from the largest one are compared in double precision. */
static const Candidate *best_candidate(const CofiClustering *c, Candidate *candidates, int n,
                                       double total)
{
    double most = 0, least = INFINITY;
    const Candidate *best = NULL, *close[MAX_CANDIDATES];
    int n_close = 0;
    for (int i = 0; i < n; i++) {
        candidates[i].gain = has_usual_size(total) ? gain_of(c, candidates[i].centre) : 0;
        most = candidates[i].gain > most ? candidates[i].gain : most;
    }
    double limit = most - 2 * COFI_GAIN_ERROR * total;
    for (int i = 0; i < n; i++)
        if (!(candidates[i].gain < limit) && !is_repeated(candidates, i))
            close[n_close++] = &candidates[i];
    for (int i = 0; i < n_close; i++) {
        double sum = n_close > 1 ? potential(c, close[i]->centre) : 0;
        if (i == 0 || sum < least) {
            least = sum;
            best = close[i];
        }
    }
    return best;
}

CofStatus cofi_seed_centres(CofiClustering *c, uint64_t seed)
{
    assert(c->n >= 1);
    Candidate candidates[MAX_CANDIDATES];
    int n = count_candidates(c->k);
    size_t chunks = cofi_clustering_chunks(c->n);
    for (size_t i = 0; i < c->n; i++)
        c->distances[i] = INFINITY;
    for (size_t i = c->n; i < chunks * CHUNK; i++)
        c->rounded[i] = 0;
    for (size_t chunk = 0; chunk < chunks; chunk++)
        c->largest[chunk] = INFINITY;
    cofi_clustering_sample(c, (size_t)(next_uniform(&seed) * (double)c->n), candidates[0].centre);
    add_centre(c, 0, candidates[0].centre);
    for (int index = 1; index < c->k; index++) {
        double total = cofi_sum(c->chunks, chunks);
        for (int i = 0; i < n; i++) {
            candidates[i].sample = pick_far_sample(c, total, &seed);
            cofi_clustering_sample(c, candidates[i].sample, candidates[i].centre);
        }
        add_centre(c, index, best_candidate(c, candidates, n, total)->centre);
        if (c->call && cofi_call_poll(c->call) != COF_OK)
            return COF_ERR_CANCELLED;
    }
    return COF_OK;
}
