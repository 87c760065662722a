/* SPDX-License-Identifier: BSD-2-Clause */
/* Statistics: memory, palette and sums of counts. */
#include "learn/stats.h"

#include <assert.h>
#include <math.h>
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

/* The last member has a quarter of the entries. */
CofiLearning cofi_member_learning(const CofiLearning *learning, int i)
{
    assert(i >= 0 && i < learning->palettes);
    CofiLearning member = *learning;
    if (i == 0)
        return member;
    double share = exp2(-2.0 * i / (learning->palettes - 1));
    member.palettes = 1;
    member.colours = (int)fmax(1, floor(learning->colours * share + 0.5));
    member.levels = (int)fmax(2, floor(learning->levels * share + 0.5));
    member.seed = learning->seed + (uint64_t)i;
    return member;
}

CofStatus cofi_stats_add_member(CofStats *stats, CofiPalette *palette, CofStatus made)
{
    int n = stats->n_others;
    assert(!stats->has_palette && n + 1 < stats->learning.palettes);
    CofiLearning learning = cofi_member_learning(&stats->learning, n + 1);
    CofStats *member = made == COF_OK ? cofi_stats_new(&learning) : NULL;
    if (!member) {
        cofi_palette_free(palette);
        return made == COF_OK ? COF_ERR_MEMORY : made;
    }
    member->scan.pixels = stats->scan.pixels; /* for the sampling rate */
    stats->others[stats->n_others++] = member;
    return cofi_stats_use_palette(member, palette, COF_OK);
}

static CofStatus fit_others(CofStats *stats, CofiCall *call)
{
    CofStatus status = COF_OK;
    for (int i = 1; i < stats->learning.palettes && status == COF_OK; i++) {
        CofiPalette palette = {0};
        CofiLearning learning = cofi_member_learning(&stats->learning, i);
        status = cofi_scan_palette(&stats->scan, &learning, call, &palette);
        status = cofi_stats_add_member(stats, &palette, status);
    }
    return status;
}

CofStatus cofi_stats_fit_palette(CofStats *stats, CofiCall *call)
{
    CofiPalette palette = {0};
    CofStatus status = fit_others(stats, call);
    if (status == COF_OK)
        status = cofi_scan_palette(&stats->scan, &stats->learning, call, &palette);
    status = cofi_stats_use_palette(stats, &palette, status);
    if (status != COF_OK)
        cofi_stats_free_others(stats);
    return status;
}

static void free_counts(CofStats *stats)
{
    if (!stats->brief)
        cofi_free(stats->counts);
    stats->counts = NULL;
}

void cofi_stats_clear(CofStats *stats)
{
    assert(stats->has_palette);
    memset(stats->histogram, 0, (size_t)stats->palette.k * sizeof *stats->histogram);
    free_counts(stats);
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
                          .palettes = options->palettes,
                          .window = options->window,
                          .downscale = options->downscale,
                          .low = options->low,
                          .high = options->high,
                          .sampling = options->sampling,
                          .seed = options->seed};
}

CofStatus cofi_stats_copy_palettes(CofStats *stats, const CofiPalette *const *palettes, int n)
{
    assert(n == stats->learning.palettes);
    CofStatus status = COF_OK;
    CofiPalette palette;
    for (int i = 1; i < n && status == COF_OK; i++) {
        status = cofi_palette_copy(&palette, palettes[i]);
        status = cofi_stats_add_member(stats, &palette, status);
    }
    if (status == COF_OK) {
        status = cofi_palette_copy(&palette, palettes[0]);
        status = cofi_stats_use_palette(stats, &palette, status);
    }
    if (status != COF_OK)
        cofi_stats_free_others(stats);
    return status;
}

CofStatus cofi_stats_new_like(CofStats **out, const CofStats *other)
{
    CofStats *stats = cofi_stats_new(&other->learning);
    if (!stats)
        return COF_ERR_MEMORY;
    const CofiPalette *palettes[COF_MAX_PALETTES] = {NULL};
    for (int i = 0; i <= other->n_others; i++)
        palettes[i] = &cofi_stats_const_member(other, i)->palette;
    CofStatus status = COF_OK;
    if (other->has_palette)
        status = cofi_stats_copy_palettes(stats, palettes, 1 + other->n_others);
    for (int i = 0; i <= other->n_others && status == COF_OK; i++)
        cofi_stats_member(stats, i)->rate = cofi_stats_const_member(other, i)->rate;
    if (status != COF_OK)
        cofi_stats_free(&stats);
    else
        *out = stats;
    return status;
}

void cofi_stats_free_others(CofStats *stats)
{
    while (stats->n_others > 0)
        cofi_stats_free(&stats->others[--stats->n_others]);
}

void cofi_stats_free(CofStats **stats)
{
    if (!*stats)
        return;
    cofi_stats_free_others(*stats);
    cofi_scan_free(&(*stats)->scan);
    cofi_palette_free(&(*stats)->palette);
    cofi_free((*stats)->histogram);
    cofi_free((*stats)->squares);
    free_counts(*stats);
    cofi_free(*stats);
    *stats = NULL;
}

bool cofi_same_learning(const CofStats *first, const CofStats *second)
{
    const CofiLearning *a = &first->learning, *b = &second->learning;
    return a->colours == b->colours && a->levels == b->levels && a->palettes == b->palettes &&
           a->window == b->window && a->downscale == b->downscale && a->low == b->low &&
           a->high == b->high && a->sampling == b->sampling && a->seed == b->seed;
}

bool cofi_same_palettes(const CofStats *a, const CofStats *b)
{
    bool same = a->n_others == b->n_others;
    for (int i = 0; i <= a->n_others && same; i++)
        same = cofi_palette_equal(&cofi_stats_const_member(a, i)->palette,
                                  &cofi_stats_const_member(b, i)->palette);
    return same;
}

bool cofi_counts_fit(const uint64_t *into, const uint64_t *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (into[i] > UINT64_MAX - from[i])
            return false;
    return true;
}

static bool member_fits(const CofStats *into, const CofStats *from)
{
    bool fit = cofi_counts_fit(into->histogram, from->histogram, (size_t)into->palette.k);
    if (into->counts && from->counts)
        fit = fit && cofi_counts_fit(into->counts, from->counts, cofi_stats_counts(into));
    return fit;
}

bool cofi_sums_fit(const CofStats *into, const CofStats *from)
{
    bool fit = true;
    for (int i = 0; i <= into->n_others; i++)
        fit =
            fit && member_fits(cofi_stats_const_member(into, i), cofi_stats_const_member(from, i));
    return fit;
}

static void add_all(uint64_t *into, const uint64_t *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        into[i] += from[i];
}

/* Takes memory for counts that another member has; nothing else fails. */
static CofStatus make_room(CofStats *into, const CofStats *from)
{
    if (!from->counts || into->counts)
        return COF_OK;
    into->counts = cofi_calloc(cofi_stats_counts(into), sizeof *into->counts);
    return into->counts ? COF_OK : COF_ERR_MEMORY;
}

static void add_member(CofStats *into, const CofStats *from)
{
    assert(into->palette.k == from->palette.k);
    if (from->counts)
        add_all(into->counts, from->counts, cofi_stats_counts(into));
    add_all(into->histogram, from->histogram, (size_t)into->palette.k);
    /* Counts are already multiplied by 2^rate; the rate matters only for images added later. */
    if (from->rate > into->rate)
        into->rate = from->rate;
}

CofStatus cofi_stats_add_counts(CofStats *into, const CofStats *from)
{
    assert(into->has_palette && from->has_palette && into->n_others == from->n_others);
    bool had[COF_MAX_PALETTES] = {false};
    CofStatus status = COF_OK;
    for (int i = 0; i <= into->n_others; i++) {
        had[i] = cofi_stats_member(into, i)->counts != NULL;
        if (status == COF_OK)
            status = make_room(cofi_stats_member(into, i), cofi_stats_const_member(from, i));
    }
    for (int i = 0; i <= into->n_others && status != COF_OK; i++)
        if (!had[i])
            free_counts(cofi_stats_member(into, i));
    for (int i = 0; i <= into->n_others && status == COF_OK; i++)
        add_member(cofi_stats_member(into, i), cofi_stats_const_member(from, i));
    return status;
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
    for (int i = 0; i <= stats->n_others; i++) {
        CofStats *member = cofi_stats_member(stats, i);
        decay(member->histogram, (size_t)member->palette.k, numerator, denominator);
        if (member->counts)
            decay(member->counts, cofi_stats_counts(member), numerator, denominator);
    }
}
