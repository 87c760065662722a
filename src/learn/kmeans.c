/* SPDX-License-Identifier: BSD-2-Clause */
/* k-means with k-means++ seeding, in one fixed order of operations: the palette is the same on
 * every machine, for any number of threads and any order in which the samples came. */
#include <math.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/cpu.h"
#include "kernels/kernels.h"
#include "learn/bottom_k.h"
#include "learn/palette.h"

#define MAX_ROUNDS 10

/* A few seedings are tried on some of the samples, for a few rounds each; the more the fewer the
 * centres are (and the more they depend on luck). The best is brought to rest with all samples. */
#define TRIAL_ROUNDS 10
#define MAX_TRIALS 16
#define TRIALS_TIMES_CENTRES 64
#define TRIAL_SAMPLES_PER_CENTRE 64
#define MIN_TRIAL_SAMPLES 2048

/* Sums run over blocks of this many samples, and are joined in the order of the blocks. */
#define BLOCK 1024

/* Sums of a block that run side by side: neighbours often have the same label, and would have to
 * wait for each other. */
#define PARTS 4

/* Samples whose distances are summed before one is picked among them. */
#define CHUNK 64

/* Samples and centres that move among them. */
typedef struct Clustering {
    CofiCall *call; /* whose threads share the blocks; NULL: one does all */
    CofiKernels kernels;
    int bands, k, blocks;
    size_t n;
    const float **planes; /* of each band: n values */
    float *centres;       /* k rows of bands */
    uint8_t *labels;      /* n: nearest centre */
    double *distances;    /* n: squared distance to it, when measured */
    double *sums;         /* of each block: PARTS x k x bands, in the end k x bands */
    uint32_t *sizes;      /* of each block: k */
    double *totals;       /* of each block: distances */
    uint32_t *changed;    /* of each block: how many labels changed */
    double *chunks;       /* of each CHUNK: distances */
} Clustering;

/* 0 <= result < 1. */
static double next_uniform(uint64_t *state)
{
    uint64_t bits = cofi_mix(*state);
    *state += 0x9e3779b97f4a7c15u;
    return (double)(bits >> 11) * 0x1p-53;
}

static CofStatus each_block(Clustering *c, CofiTask *task)
{
    if (c->call)
        return cofi_call_tasks(c->call, c->blocks, 0, task, c);
    for (int block = 0; block < c->blocks; block++)
        task(c, block, 0);
    return COF_OK;
}

static size_t block_range(const Clustering *c, int block, const float **planes, int *n)
{
    size_t first = (size_t)block * BLOCK;
    *n = (int)(c->n - first < BLOCK ? c->n - first : BLOCK);
    for (int band = 0; band < c->bands; band++)
        planes[band] = c->planes[band] + first;
    return first;
}

static double joined(const double *sums, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += sums[i];
    return sum;
}

static void read_sample(const Clustering *c, size_t i, float *row)
{
    for (int band = 0; band < c->bands; band++)
        row[band] = c->planes[band][i];
}

/* What the distances sum to with one more centre. */
static double potential(const Clustering *c, const float *centre)
{
    double sum = 0;
    const float *planes[COF_MAX_BANDS];
    for (int block = 0; block < c->blocks; block++) {
        int n;
        size_t first = block_range(c, block, planes, &n);
        sum += c->kernels.shrink(planes, c->bands, n, centre, c->distances + first, NULL);
    }
    return sum;
}

static size_t chunks_of(size_t n)
{
    return (n + CHUNK - 1) / CHUNK;
}

static void add_centre(Clustering *c, int index, const float *centre)
{
    memcpy(c->centres + (ptrdiff_t)index * c->bands, centre, (size_t)c->bands * sizeof *centre);
    const float *planes[COF_MAX_BANDS];
    for (int block = 0; block < c->blocks; block++) {
        int n;
        size_t first = block_range(c, block, planes, &n);
        double *distances = c->distances + first;
        c->kernels.shrink(planes, c->bands, n, centre, distances, distances);
    }
    for (size_t chunk = 0; chunk < chunks_of(c->n); chunk++) {
        size_t first = chunk * CHUNK, n = c->n - first < CHUNK ? c->n - first : CHUNK;
        c->chunks[chunk] = joined(c->distances + first, n);
    }
}

/* A sample, with probability in proportion to its distance from the centres so far. */
static size_t pick_far_sample(const Clustering *c, double total, uint64_t *random)
{
    double left = next_uniform(random) * total;
    size_t chunk = 0, last_far = 0;
    while (chunk + 1 < chunks_of(c->n) && left >= c->chunks[chunk])
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

/* k-means++: of a few far samples, the one that leaves the smallest sum is the next centre. */
static void seed_centres(Clustering *c, uint64_t seed)
{
    float tried[COF_MAX_BANDS], best[COF_MAX_BANDS];
    for (size_t i = 0; i < c->n; i++)
        c->distances[i] = INFINITY;
    read_sample(c, (size_t)(next_uniform(&seed) * (double)c->n), best);
    add_centre(c, 0, best);
    for (int index = 1; index < c->k; index++) {
        double total = joined(c->chunks, chunks_of(c->n)), least = INFINITY;
        for (int i = 0; i < candidates(c->k); i++) {
            read_sample(c, pick_far_sample(c, total, &seed), tried);
            double sum = potential(c, tried);
            if (sum < least) {
                least = sum;
                memcpy(best, tried, sizeof best);
            }
        }
        add_centre(c, index, best);
    }
}

static size_t sums_size(const Clustering *c)
{
    return (size_t)(c->k * c->bands);
}

static double *sums_of(const Clustering *c, int block)
{
    return c->sums + (size_t)block * PARTS * sums_size(c);
}

/* Sums of the samples of a block, by label. */
static inline __attribute__((always_inline)) void sum_samples(const float *const *planes, int bands,
                                                              int n, const uint8_t *labels,
                                                              size_t size, double *sums)
{
    for (int i = 0; i < n; i++) {
        double *to = sums + (i % PARTS) * size + labels[i] * bands;
        for (int band = 0; band < bands; band++)
            to[band] += (double)planes[band][i];
    }
}

static void sum_block(const Clustering *c, int block, const float *const *planes, int n,
                      const uint8_t *labels)
{
    size_t size = sums_size(c);
    double *sums = sums_of(c, block);
    uint32_t *sizes = c->sizes + (size_t)block * (size_t)c->k;
    memset(sums, 0, PARTS * size * sizeof *sums);
    memset(sizes, 0, (size_t)c->k * sizeof *sizes);
    for (int i = 0; i < n; i++)
        sizes[labels[i]]++;
    if (c->bands == 3)
        sum_samples(planes, 3, n, labels, size, sums);
    else
        sum_samples(planes, c->bands, n, labels, size, sums);
    for (size_t i = size; i < PARTS * size; i++)
        sums[i % size] += sums[i];
}

/* Nearest centres of one block, and the block's sums for their new means. */
static void assign_block(void *context, int block, int worker)
{
    (void)worker;
    Clustering *c = context;
    const float *planes[COF_MAX_BANDS];
    int n;
    size_t first = block_range(c, block, planes, &n);
    uint8_t labels[BLOCK];
    c->kernels.nearest(planes, c->bands, n, c->centres, c->k, labels, NULL);
    uint32_t changed = 0;
    for (int i = 0; i < n; i++)
        changed += labels[i] != c->labels[first + (size_t)i];
    c->changed[block] = changed;
    memcpy(c->labels + first, labels, (size_t)n);
    sum_block(c, block, planes, n, labels);
}

/* Distances to the centres that were assigned. */
static void measure_block(void *context, int block, int worker)
{
    (void)worker;
    Clustering *c = context;
    const float *planes[COF_MAX_BANDS];
    int n;
    size_t first = block_range(c, block, planes, &n);
    double total = 0;
    for (int i = 0; i < n; i++) {
        const float *centre = c->centres + c->labels[first + (size_t)i] * c->bands;
        double sum = 0;
        for (int band = 0; band < c->bands; band++) {
            double d = (double)planes[band][i] - (double)centre[band];
            sum += d * d;
        }
        c->distances[first + (size_t)i] = sum;
        total += sum;
    }
    c->totals[block] = total;
}

static uint64_t size_of(const Clustering *c, int index)
{
    uint64_t size = 0;
    for (int block = 0; block < c->blocks; block++)
        size += c->sizes[(size_t)block * (size_t)c->k + (size_t)index];
    return size;
}

/* The sample farthest from its centre becomes a centre of its own. */
static void reseed(Clustering *c, int index)
{
    size_t farthest = 0;
    for (size_t i = 1; i < c->n; i++)
        if (c->distances[i] > c->distances[farthest])
            farthest = i;
    read_sample(c, farthest, c->centres + (ptrdiff_t)index * c->bands);
    c->distances[farthest] = 0;
}

static void move_centre(Clustering *c, int index)
{
    uint64_t size = size_of(c, index);
    if (size == 0) {
        reseed(c, index);
        return;
    }
    for (int band = 0; band < c->bands; band++) {
        size_t cell = (size_t)(index * c->bands + band);
        double sum = 0;
        for (int block = 0; block < c->blocks; block++)
            sum += sums_of(c, block)[cell];
        c->centres[cell] = (float)(sum / (double)size);
    }
}

static CofStatus move_centres(Clustering *c)
{
    bool empty = false;
    for (int index = 0; index < c->k; index++)
        empty |= size_of(c, index) == 0;
    CofStatus status = empty ? each_block(c, measure_block) : COF_OK;
    for (int index = 0; index < c->k && status == COF_OK; index++)
        move_centre(c, index);
    return status;
}

/* At most that many of Lloyd's rounds; ends early when no sample changes its centre. */
static CofStatus lloyd_rounds(Clustering *c, int rounds)
{
    for (int round = 0; round < rounds; round++) {
        CofStatus status = each_block(c, assign_block);
        uint64_t changed = 0;
        for (int block = 0; block < c->blocks && status == COF_OK; block++)
            changed += c->changed[block];
        if (status != COF_OK || (round > 0 && changed == 0))
            return status;
        status = move_centres(c);
        if (status != COF_OK)
            return status;
    }
    return COF_OK;
}

/* Takes all but the planes and their values. */
static CofStatus take(Clustering *c, CofiCall *call)
{
    size_t bands = (size_t)c->bands, k = (size_t)c->k;
    size_t blocks = (c->n + BLOCK - 1) / BLOCK;
    c->blocks = (int)blocks;
    c->kernels = cofi_kernels(cofi_cpu_flags());
    c->planes = cofi_call_take(call, bands, sizeof *c->planes);
    c->centres = cofi_call_take(call, k * bands, sizeof *c->centres);
    c->labels = cofi_call_take(call, c->n, sizeof *c->labels);
    c->distances = cofi_call_take(call, c->n, sizeof *c->distances);
    c->sums = cofi_call_take(call, blocks * PARTS * k * bands, sizeof *c->sums);
    c->sizes = cofi_call_take(call, blocks * k, sizeof *c->sizes);
    c->totals = cofi_call_take(call, blocks, sizeof *c->totals);
    c->changed = cofi_call_take(call, blocks, sizeof *c->changed);
    c->chunks = cofi_call_take(call, chunks_of(c->n), sizeof *c->chunks);
    bool all = c->planes && c->centres && c->labels && c->distances && c->sums && c->sizes &&
               c->totals && c->changed && c->chunks;
    return all ? COF_OK : COF_ERR_MEMORY;
}

/* Planes of `n` of the samples, evenly spread. */
static CofStatus take_samples(Clustering *c, CofiCall *call, const float *samples, size_t all)
{
    CofStatus status = take(c, call);
    if (status != COF_OK)
        return status;
    float *values = cofi_call_take(call, c->n, (size_t)c->bands * sizeof *values);
    if (!values)
        return COF_ERR_MEMORY;
    for (int band = 0; band < c->bands; band++)
        c->planes[band] = values + (size_t)band * c->n;
    for (size_t i = 0; i < c->n; i++) {
        const float *sample = samples + (c->n == all ? i : i * all / c->n) * (size_t)c->bands;
        for (int band = 0; band < c->bands; band++)
            values[(size_t)band * c->n + i] = sample[band];
    }
    return COF_OK;
}

typedef struct Trials {
    Clustering clusterings[MAX_TRIALS];
    uint64_t seed;
} Trials;

static void try_seeding(void *context, int trial, int worker)
{
    (void)worker;
    Trials *trials = context;
    Clustering *c = &trials->clusterings[trial];
    seed_centres(c, cofi_mix(trials->seed + (uint64_t)trial));
    lloyd_rounds(c, TRIAL_ROUNDS);
    each_block(c, assign_block);
    each_block(c, measure_block);
}

/* The centres of the best seeding. */
static CofStatus best_seeding(CofiCall *call, const float *samples, size_t n, int bands, int k,
                              uint64_t seed, const float **centres)
{
    int trials = TRIALS_TIMES_CENTRES / k;
    trials = trials < 1 ? 1 : trials > MAX_TRIALS ? MAX_TRIALS : trials;
    size_t few = (size_t)k * TRIAL_SAMPLES_PER_CENTRE;
    few = few < MIN_TRIAL_SAMPLES ? MIN_TRIAL_SAMPLES : few;
    Trials t = {.seed = seed};
    CofStatus status = COF_OK;
    for (int i = 0; i < trials && status == COF_OK; i++) {
        t.clusterings[i] = (Clustering){.bands = bands, .k = k, .n = n < few ? n : few};
        status = take_samples(&t.clusterings[i], call, samples, n);
    }
    if (status == COF_OK)
        status = cofi_call_tasks(call, trials, 0, try_seeding, &t);
    double least = INFINITY;
    for (int i = 0; i < trials && status == COF_OK; i++) {
        double inertia = joined(t.clusterings[i].totals, (size_t)t.clusterings[i].blocks);
        if (i == 0 || inertia < least) {
            least = inertia;
            *centres = t.clusterings[i].centres;
        }
    }
    return status;
}

static CofStatus cluster(Clustering *c, CofiCall *call, const float *samples, uint64_t seed)
{
    const float *centres = NULL;
    CofStatus status = best_seeding(call, samples, c->n, c->bands, c->k, seed, &centres);
    if (status == COF_OK)
        status = take_samples(c, call, samples, c->n);
    if (status != COF_OK)
        return status;
    memcpy(c->centres, centres, (size_t)(c->k * c->bands) * sizeof *c->centres);
    return lloyd_rounds(c, MAX_ROUNDS);
}

/* Copies the distinct rows of a sorted array, at most `most`; how many there are, or more. */
static int distinct_rows(const float *rows, size_t n, int bands, int most, float *distinct)
{
    int found = 0;
    for (size_t i = 0; i < n; i++) {
        const float *row = rows + i * (size_t)bands;
        if (i > 0 && cofi_compare_rows(row, row - bands, bands) == 0)
            continue;
        if (found == most)
            return most + 1;
        memcpy(distinct + (ptrdiff_t)found++ * bands, row, (size_t)bands * sizeof *row);
    }
    return found;
}

CofStatus cofi_palette_cluster(CofiPalette *palette, CofiCall *call, CofKind family,
                               CofSample sample, int bands, float *samples, size_t n, int k,
                               uint64_t seed)
{
    CofiMark mark = cofi_call_mark(call);
    Clustering c = {.call = call, .bands = bands, .k = k, .n = n};
    float *centres = cofi_call_take(call, (size_t)k * (size_t)bands, sizeof *centres);
    CofStatus status = centres ? cofi_sort_rows(NULL, samples, n, bands) : COF_ERR_MEMORY;
    if (status != COF_OK)
        return status;
    int distinct = distinct_rows(samples, n, bands, k, centres);
    if (distinct <= k) {
        k = distinct;
    } else {
        status = cluster(&c, call, samples, seed);
        centres = c.centres;
        if (status == COF_OK)
            status = cofi_sort_rows(NULL, centres, (size_t)k, bands);
    }
    if (status == COF_OK)
        status = cofi_palette_given(palette, family, bands, k, centres);
    if (status == COF_OK)
        palette->sample = family == COF_RGB ? COFI_ANY_SAMPLE : (int)sample;
    cofi_call_release(call, mark);
    return status;
}
