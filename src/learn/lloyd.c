/* SPDX-License-Identifier: BSD-2-Clause */
/* Lloyd's iterations of k-means. Sums run over fixed blocks of samples and are joined in the order
 * of the blocks, so that they do not depend on the number of threads. */
#include "learn/lloyd.h"

#include <assert.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/cpu.h"

#define BLOCK COFI_CLUSTERING_BLOCK

/* Independent sums of a block: neighbouring samples often share a label, and would wait for each
 * other's addition. */
#define PARTS 4

static CofStatus each_block(CofiClustering *c, CofiTask *task)
{
    if (c->call)
        return cofi_call_tasks(c->call, c->blocks, 0, task, c);
    for (int block = 0; block < c->blocks; block++)
        task(c, block, 0);
    return COF_OK;
}

size_t cofi_clustering_block(const CofiClustering *c, int block, const float **planes, int *n)
{
    assert(block >= 0 && block < c->blocks);
    size_t first = (size_t)block * BLOCK;
    *n = (int)(c->n - first < BLOCK ? c->n - first : BLOCK);
    for (int band = 0; band < c->bands; band++)
        planes[band] = c->planes[band] + first;
    return first;
}

void cofi_clustering_sample(const CofiClustering *c, size_t i, float *row)
{
    assert(i < c->n);
    for (int band = 0; band < c->bands; band++)
        row[band] = c->planes[band][i];
}

static size_t sums_size(const CofiClustering *c)
{
    return (size_t)(c->k * c->bands);
}

static double *sums_of(const CofiClustering *c, int block)
{
    return c->sums + (size_t)block * PARTS * sums_size(c);
}

/* Sums of the samples of a block, by label. */
static inline __attribute__((always_inline)) void sum_samples(const float *const *planes, int bands,
                                                              int n, const uint8_t *labels,
                                                              size_t size, double *sums)
{
    for (int i = 0; i < n; i++) {
        double *to = sums + (size_t)(i % PARTS) * size + labels[i] * bands;
        for (int band = 0; band < bands; band++)
            to[band] += (double)planes[band][i];
    }
}

static void sum_block(const CofiClustering *c, int block, const float *const *planes, int n,
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

static void assign_block(void *context, int block, int worker)
{
    (void)worker;
    CofiClustering *c = context;
    const float *planes[COF_MAX_BANDS];
    int n;
    size_t first = cofi_clustering_block(c, block, planes, &n);
    uint8_t labels[BLOCK];
    c->kernels.nearest(planes, n, c->prepared, labels, NULL);
    uint32_t changed = 0;
    for (int i = 0; i < n; i++)
        changed += labels[i] != c->labels[first + (size_t)i];
    c->changed[block] = changed;
    memcpy(c->labels + first, labels, (size_t)n);
    sum_block(c, block, planes, n, labels);
}

/* Finds the nearest centre of all samples. */
static CofStatus assign(CofiClustering *c)
{
    cofi_centres_fill(c->prepared, c->centres, c->bands, c->k);
    return each_block(c, assign_block);
}

static void measure_block(void *context, int block, int worker)
{
    (void)worker;
    CofiClustering *c = context;
    const float *planes[COF_MAX_BANDS];
    int n;
    size_t first = cofi_clustering_block(c, block, planes, &n);
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

static uint64_t size_of(const CofiClustering *c, int index)
{
    uint64_t size = 0;
    for (int block = 0; block < c->blocks; block++)
        size += c->sizes[(size_t)block * (size_t)c->k + (size_t)index];
    return size;
}

static void reseed(CofiClustering *c, int index)
{
    size_t farthest = 0;
    for (size_t i = 1; i < c->n; i++)
        if (c->distances[i] > c->distances[farthest])
            farthest = i;
    cofi_clustering_sample(c, farthest, c->centres + (ptrdiff_t)index * c->bands);
    c->distances[farthest] = 0;
}

static void move_centre(CofiClustering *c, int index)
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

static CofStatus move_centres(CofiClustering *c)
{
    bool empty = false;
    for (int index = 0; index < c->k; index++)
        empty |= size_of(c, index) == 0;
    CofStatus status = empty ? each_block(c, measure_block) : COF_OK;
    for (int index = 0; index < c->k && status == COF_OK; index++)
        move_centre(c, index);
    return status;
}

CofStatus cofi_lloyd_rounds(CofiClustering *c, int rounds)
{
    for (int round = 0; round < rounds; round++) {
        CofStatus status = assign(c);
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

double cofi_lloyd_inertia(CofiClustering *c)
{
    assign(c);
    each_block(c, measure_block);
    return cofi_sum(c->totals, (size_t)c->blocks);
}

/* Takes all memory but that of the samples. */
static CofStatus take(CofiClustering *c, CofiCall *call)
{
    size_t bands = (size_t)c->bands, k = (size_t)c->k;
    size_t blocks = (c->n + BLOCK - 1) / BLOCK;
    c->blocks = (int)blocks;
    c->kernels = cofi_kernels(cofi_cpu_flags());
    c->planes = cofi_call_take(call, bands, sizeof *c->planes);
    c->centres = cofi_call_take(call, k * bands, sizeof *c->centres);
    c->prepared = cofi_call_take(call, 1, cofi_centres_size(c->bands, c->k));
    c->labels = cofi_call_take(call, c->n, sizeof *c->labels);
    c->distances = cofi_call_take_raw(call, c->n, sizeof *c->distances);
    c->sums = cofi_call_take_raw(call, blocks * PARTS * k * bands, sizeof *c->sums);
    c->sizes = cofi_call_take_raw(call, blocks * k, sizeof *c->sizes);
    c->totals = cofi_call_take_raw(call, blocks, sizeof *c->totals);
    c->changed = cofi_call_take(call, blocks, sizeof *c->changed);
    c->chunks = cofi_call_take(call, cofi_clustering_chunks(c->n), sizeof *c->chunks);
    c->largest = cofi_call_take(call, cofi_clustering_chunks(c->n), sizeof *c->largest);
    bool all = c->planes && c->centres && c->prepared && c->labels && c->distances && c->sums &&
               c->sizes && c->totals && c->changed && c->chunks && c->largest;
    return all ? COF_OK : COF_ERR_MEMORY;
}

/* Samples that become planes. */
typedef struct Filling {
    const CofiClustering *clustering;
    const float *samples;
    size_t all;
    float *values;
} Filling;

static void fill_block(void *context, int block, int worker)
{
    (void)worker;
    const Filling *f = context;
    const CofiClustering *c = f->clustering;
    const float *planes[COF_MAX_BANDS];
    int n;
    size_t first = cofi_clustering_block(c, block, planes, &n);
    for (size_t i = first; i < first + (size_t)n; i++) {
        const float *sample =
            f->samples + (c->n == f->all ? i : i * f->all / c->n) * (size_t)c->bands;
        for (int band = 0; band < c->bands; band++)
            f->values[(size_t)band * c->n + i] = sample[band];
    }
}

CofStatus cofi_clustering_take(CofiClustering *c, CofiCall *call, const float *samples, size_t all)
{
    assert(c->n >= 1 && c->n <= all);
    assert(c->k >= 1 && c->bands >= 1);
    CofStatus status = take(c, call);
    if (status != COF_OK)
        return status;
    Filling filling = {.clustering = c, .samples = samples, .all = all};
    filling.values = cofi_call_take_raw(call, c->n, (size_t)c->bands * sizeof *filling.values);
    if (!filling.values)
        return COF_ERR_MEMORY;
    for (int band = 0; band < c->bands; band++)
        c->planes[band] = filling.values + (size_t)band * c->n;
    return cofi_call_tasks(call, c->blocks, 0, fill_block, &filling);
}
