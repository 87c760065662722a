/* SPDX-License-Identifier: BSD-2-Clause */
/* Statistics: memory, palette and sums of counts. */
#include "learn/stats.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "learn/pair_sampling.h"

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

/* Histogram, squared distances and sizes; counts are taken when there are any. */
static CofStatus take_histogram(CofStats *stats, const CofiPalette *palette)
{
    int squares[COFI_MAX_DISTANCES];
    stats->distances = cofi_distances(cofi_learning_radius(stats), squares);
    stats->cells = cofi_cell(palette->k - 1, palette->k - 1) + 1;
    stats->histogram = cofi_calloc((size_t)palette->k, sizeof *stats->histogram);
    stats->squares = cofi_copy(squares, (size_t)stats->distances, sizeof *squares);
    if (stats->histogram && stats->squares)
        return COF_OK;
    cofi_free(stats->histogram);
    cofi_free(stats->squares);
    stats->histogram = NULL;
    stats->squares = NULL;
    return COF_ERR_MEMORY;
}

CofStatus cofi_stats_use_palette(CofStats *stats, CofiPalette *palette, CofStatus made)
{
    assert(!stats->has_palette);
    CofStatus status = made == COF_OK ? take_histogram(stats, palette) : made;
    if (status != COF_OK) {
        cofi_palette_free(palette);
        return status;
    }
    stats->has_palette = true;
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
    return cofi_stats_use_palette(stats, &palette, status);
}

void cofi_stats_clear(CofStats *stats)
{
    assert(stats->has_palette);
    memset(stats->histogram, 0, (size_t)stats->palette.k * sizeof *stats->histogram);
    cofi_free(stats->counts);
    stats->counts = NULL;
}

size_t cofi_stats_counts(const CofStats *stats)
{
    assert(stats->has_palette);
    return (size_t)stats->distances * stats->cells;
}

CofStats *cofi_stats_new(const CofiLearning *learning)
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
                          .downscale = options->downscale,
                          .low = options->low,
                          .high = options->high,
                          .sampling = options->sampling,
                          .seed = options->seed};
}

CofStatus cofi_stats_new_like(CofStats **out, const CofStats *other)
{
    CofStats *stats = cofi_stats_new(&other->learning);
    if (!stats)
        return COF_ERR_MEMORY;
    CofStatus status = COF_OK;
    if (other->has_palette) {
        CofiPalette palette;
        status = cofi_palette_copy(&palette, &other->palette);
        status = cofi_stats_use_palette(stats, &palette, status);
        stats->rate = other->rate;
    }
    if (status != COF_OK)
        cofi_stats_free(&stats);
    else
        *out = stats;
    return status;
}

void cofi_stats_free(CofStats **stats)
{
    if (!*stats)
        return;
    cofi_scan_free(&(*stats)->scan);
    cofi_palette_free(&(*stats)->palette);
    cofi_free((*stats)->histogram);
    cofi_free((*stats)->squares);
    cofi_free((*stats)->counts);
    cofi_free(*stats);
    *stats = NULL;
}

bool cofi_same_learning(const CofStats *first, const CofStats *second)
{
    const CofiLearning *a = &first->learning, *b = &second->learning;
    return a->colours == b->colours && a->levels == b->levels && a->window == b->window &&
           a->downscale == b->downscale && a->low == b->low && a->high == b->high &&
           a->sampling == b->sampling && a->seed == b->seed;
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

CofStatus cofi_stats_add_counts(CofStats *into, const CofStats *from)
{
    assert(into->has_palette && from->has_palette && into->palette.k == from->palette.k);
    size_t n = cofi_stats_counts(into);
    if (from->counts && !into->counts)
        into->counts = cofi_copy(from->counts, n, sizeof *into->counts);
    else if (from->counts)
        add_all(into->counts, from->counts, n);
    if (from->counts && !into->counts)
        return COF_ERR_MEMORY;
    add_all(into->histogram, from->histogram, (size_t)into->palette.k);
    /* Counts are already multiplied by 2^rate; the rate matters only for images added later. */
    if (from->rate > into->rate)
        into->rate = from->rate;
    return COF_OK;
}

static void decay(uint64_t *counts, size_t n, uint64_t numerator, uint64_t denominator)
{
    for (size_t i = 0; i < n; i++)
        counts[i] =
            counts[i] / denominator * numerator + counts[i] % denominator * numerator / denominator;
}

void cofi_stats_decay(CofStats *stats, uint32_t numerator, uint32_t denominator)
{
    assert(denominator > 0 && numerator <= denominator); /* so that nothing overflows */
    decay(stats->histogram, (size_t)stats->palette.k, numerator, denominator);
    if (stats->counts)
        decay(stats->counts, cofi_stats_counts(stats), numerator, denominator);
}
