/* SPDX-License-Identifier: BSD-2-Clause */
/* Statistics: what was scanned, the palette, and the pairs counted. */
#ifndef COF_STATS_H
#define COF_STATS_H

#include "cof/cof.h"
#include "call/call.h"
#include "learn/palette.h"
#include "learn/scan.h"

struct CofStats {
    CofiLearning learning; /* of another member: with its own colours, levels and seed */
    CofiScan scan;

    bool has_palette; /* the fields below are used, and the scan is not */
    CofiPalette palette;
    int rate;            /* one pair in 2^rate is counted */
    int distances;       /* distinct squared distances in the window */
    int *squares;        /* the squared distances, ascending */
    size_t cells;        /* unordered pairs of labels */
    uint64_t *histogram; /* k */
    uint64_t *counts;    /* of each distance: a count for each cell; NULL: nothing is counted yet */
    bool brief;          /* counts are in the memory of the call that counts, and are to be cleared
                            before the call releases it */

    int n_others; /* other members, each with a palette of its own and without others */
    CofStats *others[COF_MAX_PALETTES - 1];
};

/* The members: 0 are the statistics themselves. */
static inline CofStats *cofi_stats_member(CofStats *stats, int i)
{
    return i == 0 ? stats : stats->others[i - 1];
}
static inline const CofStats *cofi_stats_const_member(const CofStats *stats, int i)
{
    return i == 0 ? stats : stats->others[i - 1];
}

/* The cell of the unordered pair {a, b}. */
static inline size_t cofi_cell(int a, int b)
{
    size_t low = (size_t)(a < b ? a : b), high = (size_t)(a < b ? b : a);
    return high * (high + 1) / 2 + low;
}

/* Lists the distinct squared distances in a window of that radius, ascending, in `squares` (NULL:
 * only counts them). */
#define COFI_MAX_DISTANCES 512
int cofi_distances(int radius, int *squares);

CofiLearning cofi_learning(const CofOptions *options);
int cofi_learning_radius(const CofStats *stats);

/* New statistics; NULL without memory. */
CofStats *cofi_stats_new(const CofiLearning *learning);
void cofi_stats_free(CofStats **stats);

/* Empty statistics with the options of `other` and, if it has them, its palette and rate. */
CofStatus cofi_stats_new_like(CofStats **out, const CofStats *other);

/* Copies n palettes, as many as `stats` is for. */
CofStatus cofi_stats_copy_palettes(CofStats *stats, const CofiPalette *const *palettes, int n);

/* Fits the palettes to all that was scanned. */
CofStatus cofi_stats_fit_palette(CofStats *stats, CofiCall *call);

/* Takes over a palette that was made with this status, with empty counts, and frees the scan. On
 * failure the palette is freed. Another member is added before the first one has its palette. */
CofStatus cofi_stats_use_palette(CofStats *stats, CofiPalette *palette, CofStatus made);
CofStatus cofi_stats_add_member(CofStats *stats, CofiPalette *palette, CofStatus made);

/* Frees all members but the first. */
void cofi_stats_free_others(CofStats *stats);

/* What member i of `learning` learns with. */
CofiLearning cofi_member_learning(const CofiLearning *learning, int i);

/* The number of counts of one member: distances x cells. */
size_t cofi_stats_counts(const CofStats *stats);

/* Sets all counts of one member to 0. */
void cofi_stats_clear(CofStats *stats);

/* Can `from` be added to `into` without overflow? Their palettes are the same. */
bool cofi_counts_fit(const uint64_t *into, const uint64_t *from, size_t n);
bool cofi_sums_fit(const CofStats *into, const CofStats *from);

/* Have both the same palettes? */
bool cofi_same_palettes(const CofStats *a, const CofStats *b);

/* Were both learned with the same options? */
bool cofi_same_learning(const CofStats *a, const CofStats *b);

/* Adds counts. Palette and learning options are the same, and all sums fit. */
CofStatus cofi_stats_add_counts(CofStats *into, const CofStats *from);

/* Multiplies all counts by numerator / denominator, which is at most 1, and rounds down. */
void cofi_stats_decay(CofStats *stats, uint32_t numerator, uint32_t denominator);

#endif
