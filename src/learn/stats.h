/* SPDX-License-Identifier: BSD-2-Clause */
/* Co-occurrence statistics: what was scanned, the palette, counts of pairs. */
#ifndef COF_STATS_H
#define COF_STATS_H

#include "cof/cof.h"
#include "call/call.h"
#include "learn/palette.h"
#include "learn/scan.h"

struct CofStats {
    CofiLearning learning;
    CofiScan scan;

    bool settled;
    CofiPalette palette;
    int rate;            /* one pair in 2^rate is counted */
    int distances;       /* distinct squared distances in the window */
    size_t cells;        /* unordered pairs of labels */
    uint64_t *histogram; /* k */
    uint64_t *counts;    /* of each distance: a count for each cell; NULL: nothing is counted yet */
};

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

/* Makes the palette of all that was scanned. */
CofStatus cofi_stats_fit_palette(CofStats *stats, CofiCall *call);

/* Takes ownership of a palette that was made with status `made`, sets the counts to 0 and drops the
 * scan. If `made` is an error, or on failure, the palette is freed. */
CofStatus cofi_stats_settle_with(CofStats *stats, CofiPalette *palette, CofStatus made);

/* The number of counts: distances x cells. */
size_t cofi_stats_counts(const CofStats *stats);

/* Sets all counts to 0. */
void cofi_stats_clear(CofStats *stats);

/* Can `from` be added to `into` without overflow? */
bool cofi_sums_fit(const uint64_t *into, const uint64_t *from, size_t n);

#endif
