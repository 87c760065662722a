/* SPDX-License-Identifier: BSD-2-Clause */
/* The first pixels of pairs: which they are, and lists of them by label. */
#ifndef COF_PAIR_SAMPLING_H
#define COF_PAIR_SAMPLING_H

#include "call/call.h"
#include "kernels/kernels.h"
#include "learn/quantise.h"

/* One pair in 2^result is counted in images of so many pixels, with k labels. */
int cofi_sampling_rate(CofSampling sampling, int window, int k, uint64_t pixels);

/* Of each block of the full image, some pixels are reference pixels: 1, 2 or 4 in turns. A first
 * takes the rows dy of its window that are its turn modulo the number of turns. Neighbours in a
 * window are alike: some rows of many windows tell more than all rows of a few. */
#define COFI_MAX_TURNS 4

typedef struct CofiBlocks {
    int across, down; /* the sides are powers of two with these exponents */
    int turns;
} CofiBlocks;

/* So that one pair in 2^rate is found. */
CofiBlocks cofi_blocks(int rate);

/* Of each label and turn there are two lists, one after the other: reference pixels whose window
 * has only members, or marks where it has not, and the others, for palettes of 256, which leave no
 * label for a mark. */
#define COFI_MAX_LISTS (2 * COFI_MAX_TURNS * COF_MAX_COLOURS)

/* Some places of a list. */
typedef struct CofiPlaces {
    const uint32_t *places;
    int n;
} CofiPlaces;

/* A first, before the lists are laid out. */
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

    CofRect batch;                /* rows of `rect` that are looked at together */
    int band;                     /* rows that a thread looks through at once */
    uint32_t *histograms;         /* of each band: k */
    uint16_t *partial_histograms; /* of each worker: a few tables of k */
    CofiReference *found;         /* of each band: its reference pixels */
    size_t max_found;             /* of them */
    size_t *n_found;              /* of each band: how many there are */
    uint32_t *listed; /* of each band: reference pixels of each list; then where its places go */

    uint32_t *places; /* of the batch, by list, from its first row on */
    uint32_t ends[COFI_MAX_LISTS];
} CofiReferences;

/* Scratch memory for batches of up to so many rows. */
CofStatus cofi_references_take(CofiReferences *references, int rows);

/* Lists the reference pixels of a batch, and adds its members to a histogram. */
CofStatus cofi_references_list(CofiReferences *references, CofRect batch, uint64_t *histogram);

/* Where the last list of a label ends. */
uint32_t cofi_references_end(const CofiReferences *references, int label);

/* Those of the places begin.. up to end that are of one list. */
CofiPlaces cofi_references_of(const CofiReferences *references, int label, int turn, bool edge,
                              uint32_t begin, uint32_t end);

#endif
