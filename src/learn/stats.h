/* SPDX-License-Identifier: BSD-2-Clause */
/* What stands near what: values scanned, a palette settled, pairs counted. */
#ifndef COF_STATS_H
#define COF_STATS_H

#include "cof/cof.h"
#include "call/call.h"
#include "image/roi.h"
#include "learn/bottom_k.h"
#include "learn/palette.h"
#include "learn/quantise.h"

/* The options that are fixed when a CofStats is made. */
typedef struct CofiLearning {
    int colours, levels, window;
    double low, high;
    CofSampling sampling;
    uint64_t seed;
} CofiLearning;

/* What scanning has seen. */
typedef struct CofiScan {
    bool known; /* an image was scanned, and all others must be like it: */
    CofKind family;
    CofSample sample;
    int bands;
    uint64_t pixels; /* that may be counted */
    bool ranged;     /* smallest and largest were seen */
    double smallest, largest;
    CofiSamples samples; /* on the grid */
    CofiSamples reserve; /* off it: for images with so many gaps that the grid finds too few */
} CofiScan;

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

/* Takes over a palette that was made with this status, with empty counts; then the scans are of no
 * more use. On failure the palette is freed. */
CofStatus cofi_stats_settle_with(CofStats *stats, CofiPalette *palette, CofStatus made);

/* How many counts there are. */
size_t cofi_stats_counts(const CofStats *stats);

/* Forgets what was counted. */
void cofi_stats_clear(CofStats *stats);

/* Can these be added without overflow? */
bool cofi_sums_fit(const uint64_t *into, const uint64_t *from, size_t n);

/* scan.c. `alone`: this is the whole image and no other follows; without gaps, the grid is then
 * enough. */
CofStatus cofi_scan_image(CofStats *stats, CofiCall *call, const CofImage *image,
                          const CofiRoi *roi, bool alone);
CofStatus cofi_scan_merge(CofStats *into, const CofiScan *from);
CofStatus cofi_scan_settle(CofStats *stats, CofiCall *call);
void cofi_scan_init(CofiScan *scan, const CofStats *stats, int bands);
void cofi_scan_free(CofiScan *scan);
int cofi_sampling_rate(const CofStats *stats);

/* Units of progress of counting an image; scanning is worth 1. */
#define COFI_COUNT_UNITS 10.0

/* count.c: adds the pairs of a map to `stats`, and uses the map up; `reference pixels` in
 * coordinates of the map, which lies at (x, y) of the full image and holds all their neighbours. */
CofStatus cofi_count(CofStats *stats, CofiCall *call, CofiLabelMap *map, int x, int y,
                     CofRect references);

#endif
