/* SPDX-License-Identifier: BSD-2-Clause */
/* What stands near what: values scanned, a palette settled, pairs counted. */
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
    uint64_t *counts;    /* of each distance: one of each cell; NULL: nothing is counted yet */
};

/* The cell of {a, b}. */
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

/* Takes over a palette that was made with this status, with empty counts; then the scans are of no
 * more use. On failure the palette is freed. */
CofStatus cofi_stats_settle_with(CofStats *stats, CofiPalette *palette, CofStatus made);

/* How many counts there are. */
size_t cofi_stats_counts(const CofStats *stats);

/* Forgets what was counted. */
void cofi_stats_clear(CofStats *stats);

/* Can these be added without overflow? */
bool cofi_sums_fit(const uint64_t *into, const uint64_t *from, size_t n);

#endif
