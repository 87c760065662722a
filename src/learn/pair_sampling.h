/* SPDX-License-Identifier: BSD-2-Clause */
/* The first pixels of pairs: which they are, and lists of them by label. */
#ifndef COF_PAIR_SAMPLING_H
#define COF_PAIR_SAMPLING_H

#include "call/call.h"
#include "kernels/kernels.h"
#include "learn/quantise.h"

/* Of each block of the full image, some pixels are firsts: 1, 2 or 4 in turns. A first takes the
 * rows dy of its window that are its turn modulo the number of turns. Neighbours in a window are
 * alike: some rows of many windows tell more than all rows of a few. */
#define COFI_MOST_TURNS 4

typedef struct CofiBlocks {
    int across, down; /* the sides are powers of two with these exponents */
    int turns;
} CofiBlocks;

/* So that one pair in 2^rate is found. */
CofiBlocks cofi_blocks(int rate);

/* Of each label and turn there are two lists, one after the other: firsts whose window has only
 * voters, or marks where it has not, and the others, for palettes of 256, which leave no label for
 * a mark. */
#define COFI_MOST_LISTS (2 * COFI_MOST_TURNS * COF_MAX_COLOURS)

/* Some places of a list. */
typedef struct CofiPlaces {
    const uint32_t *places;
    int n;
} CofiPlaces;

/* A first, before the lists are laid out. */
typedef struct CofiFirst {
    uint32_t place, list;
} CofiFirst;

typedef struct CofiFirsts {
    const CofiKernels *kernels;
    CofiRun *run;
    const CofiLabelMap *map;
    int x, y;     /* place of the map in the full image */
    CofRect rect; /* where firsts may be, in coordinates of the map */
    int k;
    CofiBlocks blocks;
    bool marked;    /* labels without a vote are marked as such */
    CofRect inside; /* if not marked: firsts whose windows have only voters */

    CofRect batch;         /* rows of `rect` that are looked at together */
    int band;              /* rows that a thread looks through at once */
    uint32_t *voters;      /* of each band: k */
    uint16_t *some_voters; /* of each worker: a few tables of k */
    CofiFirst *found;      /* of each band: its firsts */
    size_t most_found;     /* of them */
    size_t *n_found;       /* of each band: how many there are */
    uint32_t *listed;      /* of each band: firsts of each list; then where its places go */

    uint32_t *places; /* of the batch, by list, from its first row on */
    uint32_t ends[COFI_MOST_LISTS];
} CofiFirsts;

/* Scratch memory for batches of up to so many rows. */
CofStatus cofi_firsts_take(CofiFirsts *firsts, int rows);

/* Lists the firsts of a batch, and adds its voters to a histogram. */
CofStatus cofi_firsts_list(CofiFirsts *firsts, CofRect batch, uint64_t *histogram);

/* Where the last list of a label ends. */
uint32_t cofi_firsts_end(const CofiFirsts *firsts, int label);

/* Those of the places begin.. up to end that are of one list. */
CofiPlaces cofi_firsts_of(const CofiFirsts *firsts, int label, int turn, bool edge, uint32_t begin,
                          uint32_t end);

#endif
