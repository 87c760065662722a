/* SPDX-License-Identifier: BSD-2-Clause */
/* Sampling of pairs: which pixels are reference pixels, and lists of them by label. */
#ifndef COF_PAIR_SAMPLING_H
#define COF_PAIR_SAMPLING_H

#include "call/call.h"
#include "kernels/kernels.h"
#include "learn/label_map.h"

/* The largest rate. Beyond it, numbers of pixels and counts would exceed 64 bits; images that would
 * need it do not exist, but files can claim it. */
#define COFI_MAX_RATE 44

/* The rate for images of so many pixels with k labels: one pair in 2^rate is counted. */
int cofi_sampling_rate(CofSampling sampling, int window, int k, uint64_t pixels);

/* Each block of the full image has 1, 2 or 4 reference pixels, which take turns: a reference pixel
 * is paired with the rows dy of its window that equal its turn modulo the number of turns. Since
 * neighbours are alike, some rows of many windows tell more than all rows of a few. */
#define COFI_MAX_TURNS 4

typedef struct CofiBlocks {
    int across, down; /* the sides are powers of two with these exponents */
    int turns;
} CofiBlocks;

/* The blocks with which one pair in 2^rate is counted. */
CofiBlocks cofi_blocks(int rate);

/* Each label and turn has two consecutive lists: reference pixels whose window needs no test of
 * membership, and the others. The second is used only for palettes of 256, which leave no label to
 * mark non-members with. */
#define COFI_MAX_LISTS (2 * COFI_MAX_TURNS * COF_MAX_COLOURS)

/* A slice of a list. */
typedef struct CofiPlaces {
    const uint32_t *places;
    int n;
} CofiPlaces;

/* A reference pixel, before the lists are laid out. */
typedef struct CofiReference {
    uint32_t place, list;
} CofiReference;

typedef struct CofiReferences {
    const CofiKernels *kernels;
    CofiCall *call;
    const CofiLabelMap *map;
    int x, y;     /* place of the map in the full image */
    CofRect rect; /* where reference pixels may be, in coordinates of the map */
    int k;
    CofiBlocks blocks;
    bool marked;    /* labels of pixels that are no members are replaced by a mark */
    CofRect inside; /* if not marked: reference pixels whose windows have only members */

    CofRect batch;                /* rows of `rect` that are listed together */
    int band;                     /* rows of a task */
    uint32_t *histograms;         /* of each band: k counts */
    uint16_t *partial_histograms; /* of each worker: a few tables of k */
    CofiReference *found;         /* of each band: its reference pixels */
    size_t max_found;             /* capacity of a band */
    size_t *n_found;              /* of each band: number of reference pixels */
    uint32_t *listed;             /* of each band: lengths of the lists, then their offsets */

    uint32_t *places; /* reference pixels of the batch, by list; relative to its first row */
    uint32_t *ends;   /* of each list: where it ends in `places` */
} CofiReferences;

/* Takes memory for batches of up to so many rows. */
CofStatus cofi_references_take(CofiReferences *references, int rows);

/* Lists the reference pixels of a batch, and adds its members to a histogram. */
CofStatus cofi_references_list(CofiReferences *references, CofRect batch, uint64_t *histogram);

/* Where the last list of a label ends. */
uint32_t cofi_references_end(const CofiReferences *references, int label);

/* The part of a list that lies in begin..end-1 of the places. */
CofiPlaces cofi_references_of(const CofiReferences *references, int label, int turn, bool edge,
                              uint32_t begin, uint32_t end);

#endif
