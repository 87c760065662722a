/* SPDX-License-Identifier: BSD-2-Clause */
/* Lloyd's iterations of k-means. */
#ifndef COF_LLOYD_H
#define COF_LLOYD_H

#include <stdbool.h>

#include "cof/cof.h"
#include "call/call.h"
#include "kernels/kernels.h"

/* Samples, and the centres that are fitted to them. */
typedef struct CofiClustering {
    CofiCall *call; /* its threads share the blocks; NULL: single-threaded */
    CofiKernels kernels;
    int bands, k, blocks;
    size_t n, block_size;  /* samples, and those of a block, which is one task */
    const float *samples;  /* all samples, of which n are chosen at equal distances */
    size_t all;            /* their number */
    float **planes;        /* of each band: n values; a chunk more can be read after the last */
    float *rows;           /* the same as n rows, each followed by 1 */
    float *centres;        /* k rows of bands */
    CofiCentres *prepared; /* the centres for the kernels */
    uint8_t *labels;       /* n: nearest centre */
    double *distances;     /* of each sample: squared distance to it; whole chunks of them */
    double *sums;          /* of each block: PARTS x k rows, in the end k rows */
    double *totals;        /* of each block: sum of the distances */
    bool *changed;         /* of each block: whether a label has */
    double *first, *last;  /* of each chunk: values of the first band */
    double *chunks;        /* of each chunk: sum of the distances */
    double *largest;       /* of each chunk: the largest distance */
    double *tried;         /* of each chunk: the sum with a candidate; then the largest distances */
    float *rounded;        /* of each sample: its distance; zeros up to a multiple of a chunk */
    int *near;             /* chunks that a centre may be near to */
} CofiClustering;

/* Samples of a chunk, whose distances are summed to pick samples faster. */
#define COFI_CLUSTERING_CHUNK COFI_SHRINK_CHUNK
static inline size_t cofi_clustering_chunks(size_t n)
{
    return (n + COFI_CLUSTERING_CHUNK - 1) / COFI_CLUSTERING_CHUNK;
}

/* Takes memory for c->n of the samples (sorted rows of c->bands values), evenly spread over all of
 * them, and for c->k centres. Each block must then be filled, in any order. */
CofStatus cofi_clustering_take(CofiClustering *c, CofiCall *call, const float *samples, size_t all);
void cofi_clustering_fill(CofiClustering *c, int block);

/* Takes memory for centres that are fitted to the samples of another clustering. */
CofStatus cofi_clustering_share(CofiClustering *c, CofiCall *call, const CofiClustering *with);

/* The samples of a block, as planes; returns the index of the first. */
size_t cofi_clustering_block(const CofiClustering *c, int block, const float **planes, int *n);
void cofi_clustering_sample(const CofiClustering *c, size_t i, float *row);

/* At most that many rounds; ends early when no sample changes its centre. */
CofStatus cofi_lloyd_rounds(CofiClustering *c, int rounds);

/* The sum of squared distances of all samples to their nearest centre. */
double cofi_lloyd_inertia(CofiClustering *c);

#endif
