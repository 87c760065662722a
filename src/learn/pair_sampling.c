/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses the reference pixels of pairs, and lists them by label. */
#include "learn/pair_sampling.h"

#include <assert.h>
#include <string.h>

#include "base/arithmetic.h"

/* A band has at least MIN_ROWS rows; there are about BANDS_PER_THREAD bands for each thread. */
#define MIN_ROWS 16
#define BANDS_PER_THREAD 8

/* Columns that are counted together, and the tables that they share: adjacent pixels often share a
 * label, and would wait for each other's increment in one table. */
#define COLUMNS 16
#define HISTOGRAM_TABLES 4

/* In auto mode, as many pairs are counted as there are in so many windows of DEFAULT_WINDOW; larger
 * windows have more pairs each, so fewer of them are counted. Large palettes have more kinds of
 * pairs, and need more windows. */
#define MAX_WINDOWS ((uint64_t)1 << 14)
#define MAX_WINDOWS_MEDIUM ((uint64_t)1 << 15)
#define MAX_WINDOWS_LARGE ((uint64_t)1 << 16)
#define DEFAULT_WINDOW 15

int cofi_sampling_rate(CofSampling sampling, int window, int k, uint64_t pixels)
{
    assert(window >= 1 && k >= 1);
    int rate = 0;
    uint64_t most = k <= COFI_FEW_LABELS    ? MAX_WINDOWS
                    : k <= COFI_FAST_LABELS ? MAX_WINDOWS_MEDIUM
                                            : MAX_WINDOWS_LARGE;
    if (window > DEFAULT_WINDOW)
        most = most * DEFAULT_WINDOW / (uint64_t)window;
    if (sampling == COF_SAMPLING_AUTO)
        while (rate < COFI_MAX_RATE && pixels > most << rate)
            rate++;
    return rate;
}

CofiBlocks cofi_blocks(int rate)
{
    assert(rate >= 0 && rate <= COFI_MAX_RATE);
    int turns = rate < 2 ? 1 << rate : COFI_MAX_TURNS;
    return (CofiBlocks){.across = rate - rate / 2, .down = rate / 2, .turns = turns};
}

static int lists(const CofiReferences *f)
{
    return 2 * f->blocks.turns * f->k;
}

static int list_at(const CofiReferences *f, int label, int turn, bool edge)
{
    return 2 * (label * f->blocks.turns + turn) + edge;
}

/* Members of some rows by label, in HISTOGRAM_TABLES of 16 bits. */
typedef struct PartialHistogram {
    uint16_t *tables;
    int most; /* upper bound of all entries */
} PartialHistogram;

static void fold_histogram(const CofiReferences *f, PartialHistogram *some, uint32_t *histograms)
{
    for (int i = 0; i < HISTOGRAM_TABLES; i++)
        for (int label = 0; label < f->k; label++)
            histograms[label] += some->tables[i * f->k + label];
    memset(some->tables, 0, HISTOGRAM_TABLES * (size_t)f->k * sizeof *some->tables);
    some->most = 0;
}

/* Counts the members of a row by label. */
static void count_labels(const CofiReferences *f, int y, PartialHistogram *some,
                         uint32_t *histograms)
{
    enum { MAX_PLACES = 256, MAX_COUNTS = MAX_PLACES * COLUMNS / HISTOGRAM_TABLES };
    uint32_t places[MAX_PLACES];
    int tables[COLUMNS];
    for (int i = 0; i < MAX_PLACES; i++)
        places[i] = (uint32_t)(i * COLUMNS);
    for (int i = 0; i < COLUMNS; i++)
        tables[i] = i % HISTOGRAM_TABLES;
    bool all_members = f->marked || f->inside.width > 0;
    int left = f->rect.width;
    for (ptrdiff_t at = y * f->map->stride + f->rect.x; left > 0;) {
        const uint8_t *labels = f->map->labels + at,
                      *members = all_members ? NULL : f->map->members + at;
        int n = left / COLUMNS < MAX_PLACES ? left / COLUMNS : MAX_PLACES;
        int width = n > 0 ? COLUMNS : left, step = n > 0 ? n * COLUMNS : left;
        if (some->most > UINT16_MAX - MAX_COUNTS)
            fold_histogram(f, some, histograms);
        some->most += MAX_COUNTS;
        f->kernels->count_row(labels, members, places, n > 0 ? n : 1, width, tables, f->k,
                              some->tables);
        at += step;
        left -= step;
    }
}

/* Some rows, and the reference pixels that are found there. */
typedef struct Band {
    CofRect rect;
    uint32_t *listed; /* of each list: number of its reference pixels */
    CofiReference *found;
    size_t n;
} Band;

static Band band_at(const CofiReferences *f, int index)
{
    CofRect rect = f->batch;
    rect.y += index * f->band;
    int left = f->batch.y + f->batch.height - rect.y;
    rect.height = left < f->band ? left : f->band;
    return (Band){.rect = rect,
                  .listed = f->listed + (ptrdiff_t)index * lists(f),
                  .found = f->found + (size_t)index * f->max_found};
}

static bool contains(CofRect rect, int64_t x, int64_t y)
{
    return x >= rect.x && x < (int64_t)rect.x + rect.width && y >= rect.y &&
           y < (int64_t)rect.y + rect.height;
}

static inline void note_reference(const CofiReferences *f, Band *band, int64_t x, int64_t y,
                                  int turn, bool edge)
{
    ptrdiff_t at = (ptrdiff_t)y * f->map->stride + (ptrdiff_t)x;
    int label = f->map->labels[at];
    bool members = f->marked ? label < f->k : f->map->members[at];
    if (!members)
        return;
    uint32_t list = (uint32_t)list_at(f, label, turn, edge);
    band->listed[list]++;
    band->found[band->n++] =
        (CofiReference){.place = (uint32_t)(at - f->batch.y * f->map->stride), .list = list};
}

/* The reference pixel of turn 0 lies at a random place of its block, the others half a side away
 * from it. */
static void search_block(const CofiReferences *f, Band *band, int64_t block_x, int64_t block_y)
{
    uint64_t hash = cofi_place_hash((int)block_x, (int)block_y);
    int64_t width = (int64_t)1 << f->blocks.across, height = (int64_t)1 << f->blocks.down;
    int64_t left = block_x * width - f->x, top = block_y * height - f->y;
    int64_t right = left + width - 1, bottom = top + height - 1;
    bool whole = contains(band->rect, left, top) && contains(band->rect, right, bottom);
    bool inside =
        f->marked || (contains(f->inside, left, top) && contains(f->inside, right, bottom));
    for (int turn = 0; turn < f->blocks.turns; turn++) {
        int64_t across = (int64_t)hash ^ (turn & 1 ? width / 2 : 0);
        int64_t down = (int64_t)(hash >> 32) ^ (turn & 2 ? height / 2 : 0);
        int64_t x = left + (across & (width - 1)), y = top + (down & (height - 1));
        if (whole || contains(band->rect, x, y))
            note_reference(f, band, x, y, turn, !(inside || contains(f->inside, x, y)));
    }
}

static void search_band(const CofiReferences *f, Band *band)
{
    int64_t left = (int64_t)f->x + band->rect.x, right = left + band->rect.width - 1;
    int64_t top = (int64_t)f->y + band->rect.y, bottom = top + band->rect.height - 1;
    for (int64_t y = top >> f->blocks.down; y <= bottom >> f->blocks.down; y++)
        for (int64_t x = left >> f->blocks.across; x <= right >> f->blocks.across; x++)
            search_block(f, band, x, y);
}

/* Finds the reference pixels of a band, and counts its pixels by label. */
static void find_references(void *context, int index, int worker)
{
    const CofiReferences *f = context;
    Band band = band_at(f, index);
    uint32_t *histograms = f->histograms + (ptrdiff_t)index * f->k;
    PartialHistogram some = {.tables = f->partial_histograms +
                                       (ptrdiff_t)worker * HISTOGRAM_TABLES * f->k};
    memset(histograms, 0, (size_t)f->k * sizeof *histograms);
    memset(band.listed, 0, (size_t)lists(f) * sizeof *band.listed);
    for (int i = 0; i < band.rect.height; i++)
        count_labels(f, band.rect.y + i, &some, histograms);
    fold_histogram(f, &some, histograms);
    search_band(f, &band);
    f->n_found[index] = band.n;
}

static void list_references(void *context, int index, int worker)
{
    (void)worker;
    const CofiReferences *f = context;
    Band band = band_at(f, index);
    for (size_t i = 0; i < f->n_found[index]; i++)
        f->places[band.listed[band.found[i].list]++] = band.found[i].place;
}

/* Turns the lengths of the lists into their offsets, band by band: the lengths of a band lie side
 * by side, perhaps in the cache of another core. */
static void lay_out(CofiReferences *f, int bands)
{
    int n = lists(f);
    uint32_t *restrict ends = f->ends, next = 0;
    memset(ends, 0, (size_t)n * sizeof *ends);
    for (int band = 0; band < bands; band++) {
        const uint32_t *restrict listed = f->listed + (ptrdiff_t)band * n;
        for (int list = 0; list < n; list++)
            ends[list] += listed[list];
    }
    for (int list = 0; list < n; list++) {
        uint32_t length = ends[list];
        ends[list] = next;
        next += length;
    }
    for (int band = 0; band < bands; band++) {
        uint32_t *restrict listed = f->listed + (ptrdiff_t)band * n;
        for (int list = 0; list < n; list++) {
            uint32_t length = listed[list];
            listed[list] = ends[list];
            ends[list] += length;
        }
    }
}

static int band_rows(const CofiReferences *f, int rows)
{
    int shared = (rows - 1) / (BANDS_PER_THREAD * f->call->threads) + 1;
    return shared > MIN_ROWS ? shared : MIN_ROWS;
}

/* The largest number of reference pixels in a band: those of all blocks that it intersects. */
static size_t max_found(const CofiReferences *f)
{
    size_t across = ((size_t)f->rect.width - 1) / ((size_t)1 << f->blocks.across) + 2;
    size_t down = ((size_t)f->band - 1) / ((size_t)1 << f->blocks.down) + 2;
    return across * down * (size_t)f->blocks.turns;
}

CofStatus cofi_references_take(CofiReferences *f, int rows)
{
    assert(rows >= 1);
    assert(f->k >= 1 && f->k <= COF_MAX_COLOURS);
    size_t k = (size_t)f->k, threads = (size_t)f->call->threads;
    f->band = band_rows(f, rows);
    size_t bands = (size_t)((rows - 1) / f->band + 1);
    f->histograms = cofi_call_take_raw(f->call, bands, k * sizeof *f->histograms);
    f->partial_histograms =
        cofi_call_take(f->call, threads, HISTOGRAM_TABLES * k * sizeof *f->partial_histograms);
    f->max_found = max_found(f);
    f->found = cofi_call_take_raw(f->call, bands, f->max_found * sizeof *f->found);
    f->n_found = cofi_call_take_raw(f->call, bands, sizeof *f->n_found);
    f->listed = cofi_call_take_raw(f->call, bands, (size_t)lists(f) * sizeof *f->listed);
    f->ends = cofi_call_take_raw(f->call, (size_t)lists(f), sizeof *f->ends);
    bool all =
        f->histograms && f->partial_histograms && f->found && f->n_found && f->listed && f->ends;
    return all ? COF_OK : COF_ERR_MEMORY;
}

CofStatus cofi_references_list(CofiReferences *f, CofRect batch, uint64_t *histogram)
{
    assert(batch.height >= 1);
    f->batch = batch;
    int bands = (batch.height - 1) / f->band + 1;
    CofStatus status = cofi_call_tasks(f->call, bands, 0, find_references, f);
    if (status != COF_OK)
        return status;
    lay_out(f, bands);
    f->places = cofi_call_take_raw(f->call, cofi_references_end(f, f->k - 1), sizeof *f->places);
    if (!f->places)
        return COF_ERR_MEMORY;
    for (int band = 0; band < bands; band++)
        for (int label = 0; label < f->k; label++)
            histogram[label] += f->histograms[(ptrdiff_t)band * f->k + label];
    return cofi_call_tasks(f->call, bands, 0, list_references, f);
}

uint32_t cofi_references_end(const CofiReferences *f, int label)
{
    return f->ends[list_at(f, label, f->blocks.turns - 1, true)];
}

CofiPlaces cofi_references_of(const CofiReferences *f, int label, int turn, bool edge,
                              uint32_t begin, uint32_t end)
{
    assert(label >= 0 && label < f->k);
    assert(turn >= 0 && turn < f->blocks.turns);
    int list = list_at(f, label, turn, edge);
    uint32_t first = list > 0 ? f->ends[list - 1] : 0, last = f->ends[list];
    first = first > begin ? first : begin;
    last = last < end ? last : end;
    return (CofiPlaces){.places = f->places + first, .n = last > first ? (int)(last - first) : 0};
}
