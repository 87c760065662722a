/* SPDX-License-Identifier: BSD-2-Clause */
/* The life of a CofStats: made, settled, merged, read. */
#include "learn/stats.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "learn/pair_sampling.h"
#include "options/options.h"

int cofi_distances(int radius, int *squares)
{
    assert(radius >= 0 && radius <= COF_MAX_WINDOW / 2);
    bool present[2 * (COF_MAX_WINDOW / 2) * (COF_MAX_WINDOW / 2) + 1] = {false};
    for (int dy = 0; dy <= radius; dy++)
        for (int dx = 0; dx <= radius; dx++)
            present[dx * dx + dy * dy] = true;
    int n = 0;
    for (int square = 0; square <= 2 * radius * radius; square++)
        if (present[square]) {
            if (squares)
                squares[n] = square;
            n++;
        }
    return n;
}

int cofi_learning_radius(const CofStats *stats)
{
    return stats->learning.window / 2;
}

static CofStatus take_histogram(CofStats *stats, const CofiPalette *palette)
{
    stats->distances = cofi_distances(cofi_learning_radius(stats), NULL);
    stats->cells = cofi_cell(palette->k - 1, palette->k - 1) + 1;
    stats->histogram = cofi_calloc((size_t)palette->k, sizeof *stats->histogram);
    return stats->histogram ? COF_OK : COF_ERR_MEMORY;
}

CofStatus cofi_stats_settle_with(CofStats *stats, CofiPalette *palette, CofStatus made)
{
    assert(!stats->settled);
    CofStatus status = made == COF_OK ? take_histogram(stats, palette) : made;
    if (status != COF_OK) {
        cofi_palette_free(palette);
        return status;
    }
    stats->settled = true;
    stats->palette = *palette;
    stats->rate = cofi_sampling_rate(stats->learning.sampling, stats->learning.window, palette->k,
                                     stats->scan.pixels);
    cofi_scan_free(&stats->scan);
    return COF_OK;
}

CofStatus cofi_stats_fit_palette(CofStats *stats, CofiCall *call)
{
    CofiPalette palette = {0};
    CofStatus status = cofi_scan_palette(&stats->scan, &stats->learning, call, &palette);
    return cofi_stats_settle_with(stats, &palette, status);
}

void cofi_stats_clear(CofStats *stats)
{
    assert(stats->settled);
    memset(stats->histogram, 0, (size_t)stats->palette.k * sizeof *stats->histogram);
    cofi_free(stats->counts);
    stats->counts = NULL;
}

size_t cofi_stats_counts(const CofStats *stats)
{
    assert(stats->settled);
    return (size_t)stats->distances * stats->cells;
}

static CofStats *new_stats(const CofiLearning *learning)
{
    CofStats *stats = cofi_calloc(1, sizeof *stats);
    if (stats)
        stats->learning = *learning;
    return stats;
}

CofiLearning cofi_learning(const CofOptions *options)
{
    return (CofiLearning){.colours = options->colours,
                          .levels = options->levels,
                          .window = options->window,
                          .low = options->low,
                          .high = options->high,
                          .sampling = options->sampling,
                          .seed = options->seed};
}

CofStatus cof_stats_new(CofStats **out, const CofOptions *options)
{
    if (!out)
        return COF_ERR_ARGUMENT;
    CofOptions complete;
    const char *problem;
    CofStatus status = cofi_options_complete(options, &complete, &problem);
    if (status != COF_OK) {
        if (complete.report)
            complete.report->problem = problem;
        return status;
    }
    CofiLearning learning = cofi_learning(&complete);
    CofStats *stats = new_stats(&learning);
    if (!stats)
        return COF_ERR_MEMORY;
    *out = stats;
    return COF_OK;
}

CofStatus cof_stats_new_like(CofStats **out, const CofStats *other)
{
    if (!out || !other)
        return COF_ERR_ARGUMENT;
    CofStats *stats = new_stats(&other->learning);
    if (!stats)
        return COF_ERR_MEMORY;
    CofStatus status = COF_OK;
    if (other->settled) {
        CofiPalette palette;
        status = cofi_palette_copy(&palette, &other->palette);
        status = cofi_stats_settle_with(stats, &palette, status);
        stats->rate = other->rate;
    }
    if (status != COF_OK)
        cof_stats_free(&stats);
    else
        *out = stats;
    return status;
}

void cof_stats_free(CofStats **stats)
{
    if (!stats || !*stats)
        return;
    cofi_scan_free(&(*stats)->scan);
    cofi_palette_free(&(*stats)->palette);
    cofi_free((*stats)->histogram);
    cofi_free((*stats)->counts);
    cofi_free(*stats);
    *stats = NULL;
}

static bool same_learning(const CofiLearning *a, const CofiLearning *b)
{
    return a->colours == b->colours && a->levels == b->levels && a->window == b->window &&
           a->low == b->low && a->high == b->high && a->sampling == b->sampling &&
           a->seed == b->seed;
}

bool cofi_sums_fit(const uint64_t *into, const uint64_t *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (into[i] > UINT64_MAX - from[i])
            return false;
    return true;
}

static void add_all(uint64_t *into, const uint64_t *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        into[i] += from[i];
}

/* part <= whole, so that nothing overflows. */
static void fade_all(uint64_t *counts, size_t n, uint64_t part, uint64_t whole)
{
    for (size_t i = 0; i < n; i++)
        counts[i] = counts[i] / whole * part + counts[i] % whole * part / whole;
}

CofStatus cof_stats_fade(CofStats *stats, uint32_t part, uint32_t whole)
{
    if (!stats || !stats->settled || whole == 0 || part > whole)
        return COF_ERR_ARGUMENT;
    fade_all(stats->histogram, (size_t)stats->palette.k, part, whole);
    if (stats->counts)
        fade_all(stats->counts, cofi_stats_counts(stats), part, whole);
    return COF_OK;
}

CofStatus cof_stats_merge(CofStats *into, const CofStats *from)
{
    if (!into || !from || into == from)
        return COF_ERR_ARGUMENT;
    if (into->settled != from->settled || !same_learning(&into->learning, &from->learning))
        return COF_ERR_MISMATCH;
    if (!into->settled)
        return cofi_scan_merge(&into->scan, &into->learning, &from->scan);
    if (!cofi_palette_equal(&into->palette, &from->palette))
        return COF_ERR_MISMATCH;
    size_t k = (size_t)into->palette.k, n = cofi_stats_counts(into);
    if (!cofi_sums_fit(into->histogram, from->histogram, k) ||
        (into->counts && from->counts && !cofi_sums_fit(into->counts, from->counts, n)))
        return COF_ERR_ARGUMENT;
    if (from->counts && !into->counts)
        into->counts = cofi_copy(from->counts, n, sizeof *into->counts);
    else if (from->counts)
        add_all(into->counts, from->counts, n);
    if (from->counts && !into->counts)
        return COF_ERR_MEMORY;
    add_all(into->histogram, from->histogram, k);
    /* Counts carry their own weight; the rate only matters for what is added later. */
    if (from->rate > into->rate)
        into->rate = from->rate;
    return COF_OK;
}

int cof_stats_size(const CofStats *stats)
{
    return stats && stats->settled ? stats->palette.k : 0;
}

const float *cof_stats_palette(const CofStats *stats, int *bands)
{
    bool settled = stats && stats->settled;
    if (bands)
        *bands = settled ? stats->palette.bands : 0;
    return settled ? stats->palette.centres : NULL;
}

void cof_stats_options(const CofStats *stats, CofOptions *options)
{
    if (!stats || !options)
        return;
    const CofiLearning *learning = &stats->learning;
    options->colours = learning->colours;
    options->levels = learning->levels;
    options->low = learning->low;
    options->high = learning->high;
    options->window = learning->window;
    options->sampling = learning->sampling;
    options->seed = learning->seed;
}

CofKind cof_stats_kind(const CofStats *stats)
{
    return stats && stats->settled ? stats->palette.family : COF_BANDS;
}

const uint64_t *cof_stats_histogram(const CofStats *stats)
{
    return stats ? stats->histogram : NULL;
}

uint64_t cof_stats_count(const CofStats *stats, int squared_distance, int a, int b)
{
    int k = cof_stats_size(stats);
    if (a < 0 || b < 0 || a >= k || b >= k)
        return 0;
    int squares[COFI_MAX_DISTANCES];
    int n = cofi_distances(cofi_learning_radius(stats), squares);
    for (int i = 0; i < n; i++)
        if (squares[i] == squared_distance && stats->counts)
            return stats->counts[(size_t)i * stats->cells + cofi_cell(a, b)];
    return 0;
}

int cof_stats_rate(const CofStats *stats)
{
    return stats && stats->settled ? stats->rate : 0;
}
