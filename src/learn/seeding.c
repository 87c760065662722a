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

/* Lists the chunks in which a centre may shrink a distance; returns their number. Samples are
 * sorted by their first band, and differences and squares are rounded in their order. */
static int find_near_chunks(const CofiClustering *c, const float *centre)
{
    const double *firsts = c->first, *lasts = c->last, *largest = c->largest;
    double at = (double)centre[0];
    int n = 0, chunks = (int)cofi_clustering_chunks(c->n), *near = c->near;
    for (int chunk = 0; chunk < chunks; chunk++) {
        double above = firsts[chunk] - at, below = at - lasts[chunk];
        double beyond = above > below ? above : below;
        beyond = beyond > 0 ? beyond : 0;
        near[n] = chunk;
        n += beyond * beyond < largest[chunk];
    }
    return n;
}

/* Finds the distances of the samples in n chunks of c->near with one more centre. */
static void shrink(const CofiClustering *c, const float *centre, int n, const CofiShrunk *to)
{
    c->kernels.shrink((const float *const *)c->planes, c->bands, centre, c->near, n, c->distances,
                      to);
}

/* The sum of the distances with one more centre. */
static double potential(const CofiClustering *c, const float *centre)
{
    size_t chunks = cofi_clustering_chunks(c->n);
    memcpy(c->tried, c->chunks, chunks * sizeof *c->tried);
    shrink(c, centre, find_near_chunks(c, centre),
           &(CofiShrunk){.sums = c->tried, .largest = c->tried + chunks});
    return cofi_sum(c->tried, chunks);
}

static void add_centre(CofiClustering *c, int index, const float *centre)
{
    memcpy(c->centres + (ptrdiff_t)index * c->bands, centre, (size_t)c->bands * sizeof *centre);
    shrink(c, centre, find_near_chunks(c, centre),
           &(CofiShrunk){.sums = c->chunks,
                         .largest = c->largest,
                         .distances = c->distances,
                         .rounded = c->rounded});
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

/* About by how much a centre would shrink the sum of the distances. */
static double gain_of(const CofiClustering *c, const float *centre)
{
    int n = find_near_chunks(c, centre);
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

/* Distances before there is a centre; 0 beyond the last sample, so that it counts for nothing. */
static void start_distances(CofiClustering *c)
{
    size_t chunks = cofi_clustering_chunks(c->n);
    for (size_t i = 0; i < chunks * CHUNK; i++)
        c->distances[i] = i < c->n ? INFINITY : 0;
    for (size_t chunk = 0; chunk < chunks; chunk++) {
        size_t first = chunk * CHUNK, last = c->n - first < CHUNK ? c->n - 1 : first + CHUNK - 1;
        c->first[chunk] = (double)c->planes[0][first];
        c->last[chunk] = (double)c->planes[0][last];
        c->largest[chunk] = INFINITY;
    }
}

CofStatus cofi_seed_centres(CofiClustering *c, uint64_t seed)
{
    assert(c->n >= 1);
    Candidate candidates[MAX_CANDIDATES];
    int n = count_candidates(c->k);
    size_t chunks = cofi_clustering_chunks(c->n);
    start_distances(c);
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
