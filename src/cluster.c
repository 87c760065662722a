/* SPDX-License-Identifier: BSD-2-Clause */
/* k-means with k-means++ seeding, in one fixed order of operations: the palette is the same on
 * every machine, for any number of threads and any order in which the samples came. */
#include <math.h>
#include <string.h>

#include "arithmetic.h"
#include "kernels/kernels.h"
#include "palette.h"
#include "samples.h"

#define MOST_ROUNDS 100

/* A few seedings are tried for a few rounds each, the more the fewer the centres are (and the more
 * they depend on luck), and the best is brought to rest. */
#define TRIAL_ROUNDS 10
#define MOST_TRIALS 16
#define TRIALS_TIMES_CENTRES 128

/* Sums run over blocks of this many samples, and are joined in the order of the blocks. */
#define BLOCK 1024

typedef struct Clustering {
    CofiRun *run;
    CofiKernels kernels;
    int bands, k, blocks;
    size_t n;
    const float **planes; /* of each band: n values */
    float *centres;       /* k rows of bands */
    uint8_t *labels;      /* n: nearest centre */
    double *distances;    /* n: squared distance to it */
    double *sums;         /* of each block: k x bands */
    uint32_t *sizes;      /* of each block: k */
    double *totals;       /* of each block: one sum */
    float *best_centres;  /* k rows of bands: of the best seeding so far */
    const float *candidate;
    bool *moved; /* of each block: a label changed */
} Clustering;

/* 0 <= result < 1. */
static double next_uniform(uint64_t *state)
{
    uint64_t bits = cofi_mix(*state);
    *state += 0x9e3779b97f4a7c15u;
    return (double)(bits >> 11) * 0x1p-53;
}

static void block_range(const Clustering *c, int block, size_t *first, size_t *last)
{
    *first = (size_t)block * BLOCK;
    *last = *first + BLOCK < c->n ? *first + BLOCK : c->n;
}

static double distance_to_candidate(const Clustering *c, size_t i)
{
    double sum = 0;
    for (int band = 0; band < c->bands; band++) {
        double d = (double)c->planes[band][i] - (double)c->candidate[band];
        sum += d * d;
    }
    return sum;
}

/* What the distances would sum to with the candidate as one more centre. */
static void potential_block(void *context, int block, int worker)
{
    (void)worker;
    Clustering *c = context;
    size_t first, last;
    block_range(c, block, &first, &last);
    double sum = 0;
    for (size_t i = first; i < last; i++) {
        double d = distance_to_candidate(c, i);
        sum += d < c->distances[i] ? d : c->distances[i];
    }
    c->totals[block] = sum;
}

static double joined_totals(const Clustering *c)
{
    double sum = 0;
    for (int block = 0; block < c->blocks; block++)
        sum += c->totals[block];
    return sum;
}

static void read_sample(const Clustering *c, size_t i, float *row)
{
    for (int band = 0; band < c->bands; band++)
        row[band] = c->planes[band][i];
}

/* A sample, with probability in proportion to its distance from the centres so far. */
static size_t pick_far_sample(const Clustering *c, double total, uint64_t *random)
{
    double left = next_uniform(random) * total;
    size_t last_far = 0;
    for (size_t i = 0; i < c->n; i++) {
        if (c->distances[i] > 0)
            last_far = i;
        left -= c->distances[i];
        if (left < 0)
            return i;
    }
    return last_far; /* rounding */
}

static CofStatus add_centre(Clustering *c, int index, const float *centre)
{
    float *slot = c->centres + (ptrdiff_t)index * c->bands;
    memcpy(slot, centre, (size_t)c->bands * sizeof *centre);
    c->candidate = slot;
    for (size_t i = 0; i < c->n; i++) {
        double d = distance_to_candidate(c, i);
        if (d < c->distances[i])
            c->distances[i] = d;
    }
    return cofi_run_tasks(c->run, c->blocks, 0, potential_block, c);
}

/* k-means++: of a few far samples, the one that leaves the smallest sum is the next centre. */
static CofStatus seed_centres(Clustering *c, uint64_t *seed)
{
    float tried[COF_MAX_BANDS], best[COF_MAX_BANDS];
    int trials = 2;
    for (int i = c->k; i > 1; i /= 2)
        trials++;
    for (size_t i = 0; i < c->n; i++)
        c->distances[i] = INFINITY;
    read_sample(c, (size_t)(next_uniform(seed) * (double)c->n), best);
    CofStatus status = add_centre(c, 0, best);
    for (int index = 1; index < c->k && status == COF_OK; index++) {
        double total = joined_totals(c), least = INFINITY;
        for (int trial = 0; trial < trials && status == COF_OK; trial++) {
            read_sample(c, pick_far_sample(c, total, seed), tried);
            c->candidate = tried;
            status = cofi_run_tasks(c->run, c->blocks, 0, potential_block, c);
            double potential = joined_totals(c);
            if (potential < least) {
                least = potential;
                memcpy(best, tried, sizeof best);
            }
        }
        if (status == COF_OK)
            status = add_centre(c, index, best);
    }
    return status;
}

/* Nearest centres of one block, and the block's sums for their new means. */
static void assign_block(void *context, int block, int worker)
{
    (void)worker;
    Clustering *c = context;
    size_t first, last;
    block_range(c, block, &first, &last);
    int n = (int)(last - first);
    const float *planes[COF_MAX_BANDS];
    for (int band = 0; band < c->bands; band++)
        planes[band] = c->planes[band] + first;
    uint8_t labels[BLOCK];
    c->kernels.nearest(planes, c->bands, n, c->centres, c->k, labels, c->distances + first);
    c->moved[block] = memcmp(labels, c->labels + first, (size_t)n) != 0;
    memcpy(c->labels + first, labels, (size_t)n);

    double *sums = c->sums + (size_t)block * (size_t)(c->k * c->bands);
    uint32_t *sizes = c->sizes + (size_t)block * (size_t)c->k;
    memset(sums, 0, (size_t)(c->k * c->bands) * sizeof *sums);
    memset(sizes, 0, (size_t)c->k * sizeof *sizes);
    c->totals[block] = 0;
    for (int i = 0; i < n; i++) {
        c->totals[block] += c->distances[first + (size_t)i];
        sizes[labels[i]]++;
        for (int band = 0; band < c->bands; band++)
            sums[labels[i] * c->bands + band] += (double)planes[band][i];
    }
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
    uint64_t size = 0;
    for (int block = 0; block < c->blocks; block++)
        size += c->sizes[(size_t)block * (size_t)c->k + (size_t)index];
    if (size == 0) {
        reseed(c, index);
        return;
    }
    for (int band = 0; band < c->bands; band++) {
        size_t cell = (size_t)(index * c->bands + band);
        double sum = 0;
        for (int block = 0; block < c->blocks; block++)
            sum += c->sums[(size_t)block * (size_t)(c->k * c->bands) + cell];
        c->centres[cell] = (float)(sum / (double)size);
    }
}

/* At most that many of Lloyd's rounds; ends early when no sample changes its centre. */
static CofStatus lloyd_rounds(Clustering *c, int rounds)
{
    for (int round = 0; round < rounds; round++) {
        CofStatus status = cofi_run_tasks(c->run, c->blocks, 0, assign_block, c);
        if (status != COF_OK)
            return status;
        bool moved = round == 0;
        for (int block = 0; block < c->blocks; block++)
            moved |= c->moved[block];
        if (!moved)
            break;
        for (int index = 0; index < c->k; index++)
            move_centre(c, index);
    }
    return COF_OK;
}

static CofStatus cluster(Clustering *c, uint64_t seed)
{
    size_t bytes = (size_t)(c->k * c->bands) * sizeof *c->centres;
    int trials = TRIALS_TIMES_CENTRES / c->k;
    trials = trials < 1 ? 1 : trials > MOST_TRIALS ? MOST_TRIALS : trials;
    double least = INFINITY;
    CofStatus status = COF_OK;
    for (int trial = 0; trial < trials && status == COF_OK; trial++) {
        status = seed_centres(c, &seed);
        if (status == COF_OK)
            status = lloyd_rounds(c, TRIAL_ROUNDS);
        double inertia = joined_totals(c);
        if (inertia < least) {
            least = inertia;
            memcpy(c->best_centres, c->centres, bytes);
        }
    }
    memcpy(c->centres, c->best_centres, bytes);
    return status == COF_OK ? lloyd_rounds(c, MOST_ROUNDS) : status;
}

static CofStatus allocate(Clustering *c, const float *samples)
{
    size_t bands = (size_t)c->bands, k = (size_t)c->k, blocks = (size_t)c->blocks;
    float *values = cofi_run_take(c->run, c->n, bands * sizeof *values);
    c->planes = cofi_run_take(c->run, bands, sizeof *c->planes);
    c->centres = cofi_run_take(c->run, k * bands, sizeof *c->centres);
    c->best_centres = cofi_run_take(c->run, k * bands, sizeof *c->best_centres);
    c->labels = cofi_run_take(c->run, c->n, sizeof *c->labels);
    c->distances = cofi_run_take(c->run, c->n, sizeof *c->distances);
    c->sums = cofi_run_take(c->run, blocks * k * bands, sizeof *c->sums);
    c->sizes = cofi_run_take(c->run, blocks * k, sizeof *c->sizes);
    c->totals = cofi_run_take(c->run, blocks, sizeof *c->totals);
    c->moved = cofi_run_take(c->run, blocks, sizeof *c->moved);
    if (!values || !c->planes || !c->centres || !c->best_centres || !c->labels || !c->distances ||
        !c->sums || !c->sizes || !c->totals || !c->moved)
        return COF_ERR_MEMORY;
    for (size_t band = 0; band < bands; band++) {
        for (size_t i = 0; i < c->n; i++)
            values[band * c->n + i] = samples[i * bands + band];
        c->planes[band] = values + band * c->n;
    }
    return COF_OK;
}

/* Moves the distinct rows of a sorted array to its front, at most `most`; how many there are. */
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

CofStatus cofi_palette_cluster(CofiPalette *palette, CofiRun *run, CofKind family, CofSample sample,
                               int bands, float *samples, size_t n, int k, uint64_t seed)
{
    CofStatus status = cofi_sort_rows(NULL, samples, n, bands);
    Clustering c = {.run = run, .kernels = cofi_kernels(), .bands = bands, .k = k, .n = n};
    c.blocks = (int)((n + BLOCK - 1) / BLOCK);
    if (status == COF_OK)
        status = allocate(&c, samples);
    if (status != COF_OK)
        return status;
    int distinct = distinct_rows(samples, n, bands, k, c.centres);
    if (distinct <= k) {
        k = distinct;
    } else {
        status = cluster(&c, seed);
        if (status == COF_OK)
            status = cofi_sort_rows(NULL, c.centres, (size_t)k, bands);
    }
    if (status == COF_OK)
        status = cofi_palette_given(palette, family, bands, k, c.centres);
    if (status == COF_OK)
        palette->sample = family == COF_RGB ? COFI_ANY_SAMPLE : (int)sample;
    return status;
}
