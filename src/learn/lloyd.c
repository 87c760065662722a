/* SPDX-License-Identifier: BSD-2-Clause */
/* Lloyd's iterations of k-means. Sums run over fixed blocks of samples and are joined in the order
 * of the blocks, so that they do not depend on the number of threads. */
#include "learn/lloyd.h"

#include <assert.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/cpu.h"

#define MAX_BLOCK 1024 /* samples */
#define BLOCKS 16

/* Independent sums of a block: neighbouring samples often share a label, and would wait for each
 * other's addition. */
#define PARTS 4

static CofStatus each_block(const CofiClustering *c, CofiTask *task, void *context)
{
    if (c->call)
        return cofi_call_tasks(c->call, c->blocks, 0, task, context);
    for (int block = 0; block < c->blocks; block++)
        task(context, block, 0);
    return COF_OK;
}

/* More samples than two blocks of MAX_BLOCK are divided into about BLOCKS blocks of whole chunks,
 * and into more only if these would be larger than MAX_BLOCK. */
static size_t block_size(size_t n)
{
    size_t size = (n / BLOCKS / COFI_CLUSTERING_CHUNK + 1) * COFI_CLUSTERING_CHUNK;
    return n <= 2 * MAX_BLOCK || size > MAX_BLOCK ? MAX_BLOCK : size;
}

size_t cofi_clustering_block(const CofiClustering *c, int block, const float **planes, int *n)
{
    assert(block >= 0 && block < c->blocks);
    size_t first = (size_t)block * c->block_size;
    *n = (int)(c->n - first < c->block_size ? c->n - first : c->block_size);
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

/* The values of a row: those of a sample, then 1, so that the last sum is the number of samples. */
static int row_width(const CofiClustering *c)
{
    return c->bands + 1;
}

static size_t sums_size(const CofiClustering *c)
{
    return (size_t)(c->k * row_width(c));
}

static double *sums_of(const CofiClustering *c, int block)
{
    return c->sums + (size_t)block * PARTS * sums_size(c);
}

/* Adds the samples of a block to the sums of their labels. */
static void sum_rows(const float *restrict rows, int width, int n, const uint8_t *labels,
                     size_t size, double *restrict sums)
{
    for (int i = 0; i < n; i++) {
        double *to = sums + (size_t)(i % PARTS) * size + labels[i] * width;
        for (int j = 0; j < width; j++)
            to[j] += (double)rows[i * width + j];
    }
}

/* As sum_rows(), for three bands: a row of four values is added at once. */
static void sum_rows_of_four(const float *restrict rows, int n, const uint8_t *labels, size_t size,
                             double *restrict sums)
{
    typedef float Floats __attribute__((vector_size(4 * sizeof(float))));
    typedef double Doubles __attribute__((vector_size(4 * sizeof(double))));
    for (int first = 0; first < n; first += PARTS) {
        int parts = n - first < PARTS ? n - first : PARTS;
        for (int part = 0; part < parts; part++) {
            Floats row;
            Doubles sum;
            double *to = sums + (size_t)part * size + 4 * labels[first + part];
            memcpy(&row, rows + (ptrdiff_t)4 * (first + part), sizeof row);
            memcpy(&sum, to, sizeof sum);
            sum += __builtin_convertvector(row, Doubles);
            memcpy(to, &sum, sizeof sum);
        }
    }
}

static void sum_block(const CofiClustering *c, int block, size_t first, int n,
                      const uint8_t *labels)
{
    const float *rows = c->rows + first * (size_t)row_width(c);
    size_t size = sums_size(c);
    double *sums = sums_of(c, block);
    memset(sums, 0, PARTS * size * sizeof *sums);
    if (row_width(c) == 4)
        sum_rows_of_four(rows, n, labels, size, sums);
    else
        sum_rows(rows, row_width(c), n, labels, size, sums);
    for (int part = 1; part < PARTS; part++)
        for (size_t i = 0; i < size; i++)
            sums[i] += sums[(size_t)part * size + i];
}

static void assign_block(void *context, int block, int worker)
{
    (void)worker;
    CofiClustering *c = context;
    const float *planes[COF_MAX_BANDS];
    int n;
    size_t first = cofi_clustering_block(c, block, planes, &n);
    uint8_t labels[MAX_BLOCK];
    c->kernels.nearest(planes, n, c->prepared, labels, NULL);
    c->changed[block] = memcmp(labels, c->labels + first, (size_t)n) != 0;
    memcpy(c->labels + first, labels, (size_t)n);
    sum_block(c, block, first, n, labels);
}

/* Finds the nearest centre of all samples. */
static CofStatus assign(CofiClustering *c)
{
    cofi_centres_fill(c->prepared, c->centres, c->bands, c->k);
    return each_block(c, assign_block, c);
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

/* Sums of so many blocks are fetched in advance: they are in the caches of other cores. */
#define BLOCKS_AHEAD 8

/* Joins the sums of all blocks in those of the first. */
static void join_sums(const CofiClustering *c)
{
    size_t size = sums_size(c);
    double *restrict all = sums_of(c, 0);
    for (int block = 1; block < c->blocks; block++) {
        const double *sums = sums_of(c, block);
        if (block + BLOCKS_AHEAD < c->blocks)
            cofi_prefetch(sums_of(c, block + BLOCKS_AHEAD), size * sizeof *sums);
        for (size_t i = 0; i < size; i++)
            all[i] += sums[i];
    }
}

/* The joined sums of a label; the last is the number of its samples. */
static const double *joined_sums(const CofiClustering *c, int index)
{
    return sums_of(c, 0) + (ptrdiff_t)index * row_width(c);
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
    const double *sums = joined_sums(c, index);
    double size = sums[c->bands];
    if (size == 0) {
        reseed(c, index);
        return;
    }
    for (int band = 0; band < c->bands; band++)
        c->centres[index * c->bands + band] = (float)(sums[band] / size);
}

static CofStatus move_centres(CofiClustering *c)
{
    bool empty = false;
    join_sums(c);
    for (int index = 0; index < c->k; index++)
        empty |= joined_sums(c, index)[c->bands] == 0;
    CofStatus status = empty ? each_block(c, measure_block, c) : COF_OK;
    for (int index = 0; index < c->k && status == COF_OK; index++)
        move_centre(c, index);
    return status;
}

CofStatus cofi_lloyd_rounds(CofiClustering *c, int rounds)
{
    for (int round = 0; round < rounds; round++) {
        CofStatus status = assign(c);
        bool changed = false;
        for (int block = 0; block < c->blocks; block++)
            changed |= c->changed[block];
        if (status != COF_OK || (round > 0 && !changed))
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
    each_block(c, measure_block, c);
    return cofi_sum(c->totals, (size_t)c->blocks);
}

/* Takes all memory but that of the samples. */
static CofStatus take(CofiClustering *c, CofiCall *call)
{
    size_t bands = (size_t)c->bands, k = (size_t)c->k;
    c->block_size = block_size(c->n);
    size_t blocks = (c->n - 1) / c->block_size + 1, chunks = cofi_clustering_chunks(c->n);
    c->blocks = (int)blocks;
    c->kernels = cofi_kernels(cofi_cpu_flags());
    c->planes = cofi_call_take(call, bands, sizeof *c->planes);
    c->centres = cofi_call_take(call, k * bands, sizeof *c->centres);
    c->prepared = cofi_call_take(call, 1, cofi_centres_size(c->bands, c->k));
    c->labels = cofi_call_take(call, c->n, sizeof *c->labels);
    c->distances = cofi_call_take_raw(call, chunks * COFI_CLUSTERING_CHUNK, sizeof *c->distances);
    c->sums = cofi_call_take_raw(call, blocks * PARTS * sums_size(c), sizeof *c->sums);
    c->totals = cofi_call_take_raw(call, blocks, sizeof *c->totals);
    c->changed = cofi_call_take(call, blocks, sizeof *c->changed);
    c->first = cofi_call_take_raw(call, chunks, sizeof *c->first);
    c->last = cofi_call_take_raw(call, chunks, sizeof *c->last);
    c->chunks = cofi_call_take_raw(call, chunks, sizeof *c->chunks);
    c->largest = cofi_call_take_raw(call, chunks, sizeof *c->largest);
    c->tried = cofi_call_take_raw(call, 2 * chunks, sizeof *c->tried);
    c->rounded = cofi_call_take_raw(call, chunks * COFI_CLUSTERING_CHUNK, sizeof *c->rounded);
    c->near = cofi_call_take_raw(call, chunks, sizeof *c->near);
    bool all = c->planes && c->centres && c->prepared && c->labels && c->distances && c->sums &&
               c->totals && c->changed && c->first && c->last && c->chunks && c->largest &&
               c->tried && c->rounded && c->near;
    return all ? COF_OK : COF_ERR_MEMORY;
}

CofStatus cofi_clustering_take(CofiClustering *c, CofiCall *call, const float *samples, size_t all)
{
    assert(c->n >= 1 && c->n <= all && all <= UINT32_MAX / c->n);
    assert(c->k >= 1 && c->bands >= 1);
    CofStatus status = take(c, call);
    if (status != COF_OK)
        return status;
    /* The last chunk is read as a whole. */
    size_t values = c->n * (size_t)c->bands;
    float *planes = cofi_call_take_raw(call, values + COFI_CLUSTERING_CHUNK, sizeof *planes);
    c->rows = cofi_call_take_raw(call, c->n, (size_t)row_width(c) * sizeof *c->rows);
    if (!planes || !c->rows)
        return COF_ERR_MEMORY;
    memset(planes + values, 0, COFI_CLUSTERING_CHUNK * sizeof *planes);
    for (int band = 0; band < c->bands; band++)
        c->planes[band] = planes + (size_t)band * c->n;
    c->samples = samples;
    c->all = all;
    return COF_OK;
}

CofStatus cofi_clustering_share(CofiClustering *c, CofiCall *call, const CofiClustering *with)
{
    *c = (CofiClustering){.bands = with->bands, .k = with->k, .n = with->n};
    CofStatus status = take(c, call);
    if (status != COF_OK)
        return status;
    memcpy(c->planes, with->planes, (size_t)c->bands * sizeof *c->planes);
    c->rows = with->rows;
    return COF_OK;
}

void cofi_clustering_fill(CofiClustering *c, int block)
{
    size_t first = (size_t)block * c->block_size, bands = (size_t)c->bands;
    size_t end = c->n - first < c->block_size ? c->n : first + c->block_size;
    /* Sample i is sample i * all / n of all. */
    size_t at = first * c->all / c->n, rest = first * c->all % c->n;
    for (size_t i = first; i < end; i++) {
        const float *sample = c->samples + at * bands;
        float *row = c->rows + i * (size_t)row_width(c);
        for (size_t band = 0; band < bands; band++)
            row[band] = c->planes[band][i] = sample[band];
        row[bands] = 1;
        at += c->all / c->n;
        rest += c->all % c->n;
        at += rest >= c->n;
        rest -= rest >= c->n ? c->n : 0;
    }
}
