/* SPDX-License-Identifier: BSD-2-Clause */
/* k-means with k-means++ seeding, in one fixed order of operations: the palette is the same on
 * every machine, for any number of threads and any order in which the samples came. */
#include "learn/kmeans.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arithmetic.h"
#include "learn/lloyd.h"
#include "learn/seeding.h"
#include "learn/sort_rows.h"
#include "learn/sort_samples.h"

#define MAX_ROUNDS 10

/* Several seedings are tried on a subset of the samples, for a few rounds each: the fewer centres,
 * the more trials, since the result then depends more on the seeding. The best one is refined with
 * all samples. */
#define TRIAL_ROUNDS 10
#define MAX_TRIALS 16
#define TRIALS_TIMES_CENTRES 64
#define TRIAL_SAMPLES_PER_CENTRE 64
#define MIN_TRIAL_SAMPLES 2048

typedef struct Trials {
    const CofiCall *call;
    int n;
    CofiClustering *all; /* samples */
    CofiClustering clusterings[MAX_TRIALS];
    double inertia[MAX_TRIALS];
    uint64_t seed;
} Trials;

static void try_seeding(Trials *trials, int trial)
{
    CofiClustering *c = &trials->clusterings[trial];
    (void)cofi_seed_centres(c, cofi_mix(trials->seed + (uint64_t)trial));
    if (trial == 0)
        cofi_call_rouse(trials->call);
    cofi_lloyd_rounds(c, TRIAL_ROUNDS);
    trials->inertia[trial] = cofi_lloyd_inertia(c);
}

/* Meanwhile, other threads prepare the refinement. */
static void try_or_fill(void *context, int task, int worker)
{
    (void)worker;
    Trials *trials = context;
    if (task < trials->n)
        try_seeding(trials, task);
    else
        cofi_clustering_fill(trials->all, task - trials->n);
}

static CofStatus try_all(CofiCall *call, Trials *trials)
{
    for (int block = 0; block < trials->clusterings[0].blocks; block++)
        cofi_clustering_fill(&trials->clusterings[0], block);
    return cofi_call_few_tasks(call, trials->n + trials->all->blocks, try_or_fill, trials);
}

static void fill_task(void *context, int block, int worker)
{
    (void)worker;
    cofi_clustering_fill(context, block);
}

static CofStatus fill(CofiCall *call, CofiClustering *c)
{
    return cofi_call_tasks(call, c->blocks, 0, fill_task, c);
}

/* A single trial, of many centres, takes long: its samples are shared by the threads. */
static CofStatus try_alone(CofiCall *call, Trials *trials)
{
    CofiClustering *c = &trials->clusterings[0];
    c->call = call;
    CofStatus status = fill(call, c);
    if (status == COF_OK)
        status = cofi_seed_centres(c, cofi_mix(trials->seed));
    if (status == COF_OK)
        status = cofi_lloyd_rounds(c, TRIAL_ROUNDS);
    return status == COF_OK ? fill(call, trials->all) : status;
}

int cofi_palette_trials(int k)
{
    assert(k >= 1);
    int n = TRIALS_TIMES_CENTRES / k;
    return n < 1 ? 1 : n > MAX_TRIALS ? MAX_TRIALS : n;
}

/* The centres of the best seeding. `all` is filled, too. */
static CofStatus best_seeding(CofiCall *call, CofiClustering *all, uint64_t seed,
                              const float **centres)
{
    int k = all->k;
    size_t few = (size_t)k * TRIAL_SAMPLES_PER_CENTRE;
    few = few < MIN_TRIAL_SAMPLES ? MIN_TRIAL_SAMPLES : few;
    Trials t = {.call = call, .n = cofi_palette_trials(k), .all = all, .seed = seed};
    t.clusterings[0] = (CofiClustering){.bands = all->bands, .k = k, .n = few};
    if (all->n < few)
        t.clusterings[0].n = all->n;
    CofStatus status = cofi_clustering_take(&t.clusterings[0], call, all->samples, all->n);
    for (int i = 1; i < t.n && status == COF_OK; i++)
        status = cofi_clustering_share(&t.clusterings[i], call, &t.clusterings[0]);
    if (status == COF_OK)
        status = t.n == 1 ? try_alone(call, &t) : try_all(call, &t);
    double least = INFINITY;
    for (int i = 0; i < t.n && status == COF_OK; i++) {
        if (i == 0 || t.inertia[i] < least) {
            least = t.inertia[i];
            *centres = t.clusterings[i].centres;
        }
    }
    return status;
}

static CofStatus cluster(CofiClustering *c, CofiCall *call, const float *samples, uint64_t seed)
{
    const float *centres = NULL;
    CofStatus status = cofi_clustering_take(c, call, samples, c->n);
    if (status == COF_OK)
        status = best_seeding(call, c, seed, &centres);
    if (status != COF_OK)
        return status;
    memcpy(c->centres, centres, (size_t)(c->k * c->bands) * sizeof *c->centres);
    return cofi_lloyd_rounds(c, MAX_ROUNDS);
}

/* Copies the distinct rows of a sorted array. Returns their number, or most + 1 if there are more
 * than `most`. */
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
                               CofSample sample, int bands, const float *samples, size_t n, int k,
                               uint64_t seed)
{
    assert(n > 0);
    assert(k >= 1 && k <= COF_MAX_COLOURS);
    assert(bands >= 1 && bands <= COF_MAX_BANDS);
    CofiMark mark = cofi_call_mark(call);
    CofiClustering c = {.call = call, .bands = bands, .k = k, .n = n};
    float *centres = cofi_call_take(call, (size_t)k * (size_t)bands, sizeof *centres);
    float *sorted = cofi_call_take_raw(call, n, (size_t)bands * sizeof *sorted);
    CofStatus status = centres && sorted ? COF_OK : COF_ERR_MEMORY;
    if (status == COF_OK)
        status = cofi_sort_samples(call, samples, n, bands, sorted);
    if (status != COF_OK)
        return status;
    int distinct = distinct_rows(sorted, n, bands, k, centres);
    if (distinct <= k) {
        k = distinct;
    } else {
        status = cluster(&c, call, sorted, seed);
        if (status == COF_OK)
            status = cofi_sort_samples(call, c.centres, (size_t)k, bands, centres);
    }
    if (status == COF_OK)
        status = cofi_palette_given(palette, family, bands, k, centres);
    if (status == COF_OK)
        palette->sample = family == COF_KIND_RGB ? COFI_ANY_SAMPLE : (int)sample;
    cofi_call_release(call, mark);
    return status;
}
