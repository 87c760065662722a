/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists the first pixels of pairs by label: the counts of a list are then one row of each table. */
#include "learn/pair_sampling.h"

#include <string.h>

#include "base/arithmetic.h"

/* A band has at least so many rows; there are not many more bands than this for each thread. */
#define FEWEST_ROWS 16
#define BANDS_PER_THREAD 8

/* Columns that are counted side by side, and tables that they share: labels that stand side by side
 * are often the same, and would have to wait for each other in one table. */
#define COLUMNS 16
#define VOTER_TABLES 4

CofiBlocks cofi_blocks(int rate)
{
    int turns = rate < 2 ? 1 << rate : COFI_MOST_TURNS;
    return (CofiBlocks){.across = rate - rate / 2, .down = rate / 2, .turns = turns};
}

static int lists(const CofiFirsts *f)
{
    return 2 * f->blocks.turns * f->k;
}

static int list_at(const CofiFirsts *f, int label, int turn, bool edge)
{
    return 2 * (label * f->blocks.turns + turn) + edge;
}

/* Voters of some rows, in VOTER_TABLES of 16 bits. */
typedef struct Voters {
    uint16_t *tables;
    int most; /* nothing in them is larger */
} Voters;

static void fold_voters(const CofiFirsts *f, Voters *some, uint32_t *voters)
{
    for (int i = 0; i < VOTER_TABLES; i++)
        for (int label = 0; label < f->k; label++)
            voters[label] += some->tables[i * f->k + label];
    memset(some->tables, 0, VOTER_TABLES * (size_t)f->k * sizeof *some->tables);
    some->most = 0;
}

/* Counts the voters of a row by label. */
static void count_voters(const CofiFirsts *f, int y, Voters *some, uint32_t *voters)
{
    enum { MOST_PLACES = 256, MOST_COUNTS = MOST_PLACES * COLUMNS / VOTER_TABLES };
    uint32_t places[MOST_PLACES];
    int tables[COLUMNS];
    for (int i = 0; i < MOST_PLACES; i++)
        places[i] = (uint32_t)(i * COLUMNS);
    for (int i = 0; i < COLUMNS; i++)
        tables[i] = i % VOTER_TABLES;
    bool all_vote = f->marked || f->inside.width > 0;
    int left = f->rect.width;
    for (ptrdiff_t at = y * f->map->stride + f->rect.x; left > 0;) {
        const uint8_t *labels = f->map->labels + at, *votes = all_vote ? NULL : f->map->votes + at;
        int n = left / COLUMNS < MOST_PLACES ? left / COLUMNS : MOST_PLACES;
        int width = n > 0 ? COLUMNS : left, step = n > 0 ? n * COLUMNS : left;
        if (some->most > UINT16_MAX - MOST_COUNTS)
            fold_voters(f, some, voters);
        some->most += MOST_COUNTS;
        f->kernels->count_row(labels, votes, places, n > 0 ? n : 1, width, tables, f->k,
                              some->tables);
        at += step;
        left -= step;
    }
}

/* Some rows, and the firsts that are found there. */
typedef struct Band {
    CofRect rect;
    uint32_t *listed; /* of each list: how many */
    CofiFirst *found;
    size_t n;
} Band;

static Band band_at(const CofiFirsts *f, int index)
{
    CofRect rect = f->batch;
    rect.y += index * f->band;
    int left = f->batch.y + f->batch.height - rect.y;
    rect.height = left < f->band ? left : f->band;
    return (Band){.rect = rect,
                  .listed = f->listed + (ptrdiff_t)index * lists(f),
                  .found = f->found + (size_t)index * f->most_found};
}

static bool contains(CofRect rect, int64_t x, int64_t y)
{
    return x >= rect.x && x < (int64_t)rect.x + rect.width && y >= rect.y &&
           y < (int64_t)rect.y + rect.height;
}

static inline void note_first(const CofiFirsts *f, Band *band, int64_t x, int64_t y, int turn,
                              bool edge)
{
    ptrdiff_t at = y * f->map->stride + x;
    int label = f->map->labels[at];
    bool votes = f->marked ? label < f->k : f->map->votes[at];
    if (!votes)
        return;
    uint32_t list = (uint32_t)list_at(f, label, turn, edge);
    band->listed[list]++;
    band->found[band->n++] =
        (CofiFirst){.place = (uint32_t)(at - f->batch.y * f->map->stride), .list = list};
}

/* The first of turn 0 stands anywhere in its block, those of the others half a side from it. */
static void search_block(const CofiFirsts *f, Band *band, int64_t block_x, int64_t block_y)
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
            note_first(f, band, x, y, turn, !(inside || contains(f->inside, x, y)));
    }
}

static void search_band(const CofiFirsts *f, Band *band)
{
    int64_t left = (int64_t)f->x + band->rect.x, right = left + band->rect.width - 1;
    int64_t top = (int64_t)f->y + band->rect.y, bottom = top + band->rect.height - 1;
    for (int64_t y = top >> f->blocks.down; y <= bottom >> f->blocks.down; y++)
        for (int64_t x = left >> f->blocks.across; x <= right >> f->blocks.across; x++)
            search_block(f, band, x, y);
}

/* Finds the firsts of a band, and counts its pixels by label. */
static void find_firsts(void *context, int index, int worker)
{
    const CofiFirsts *f = context;
    Band band = band_at(f, index);
    uint32_t *voters = f->voters + (ptrdiff_t)index * f->k;
    Voters some = {.tables = f->some_voters + (ptrdiff_t)worker * VOTER_TABLES * f->k};
    memset(voters, 0, (size_t)f->k * sizeof *voters);
    memset(band.listed, 0, (size_t)lists(f) * sizeof *band.listed);
    for (int i = 0; i < band.rect.height; i++)
        count_voters(f, band.rect.y + i, &some, voters);
    fold_voters(f, &some, voters);
    search_band(f, &band);
    f->n_found[index] = band.n;
}

static void list_firsts(void *context, int index, int worker)
{
    (void)worker;
    const CofiFirsts *f = context;
    Band band = band_at(f, index);
    for (size_t i = 0; i < f->n_found[index]; i++)
        f->places[band.listed[band.found[i].list]++] = band.found[i].place;
}

/* Numbers of firsts become the places where their lists go. */
static void lay_out(CofiFirsts *f, int bands)
{
    uint32_t next = 0;
    for (int list = 0; list < lists(f); list++) {
        for (int band = 0; band < bands; band++) {
            uint32_t *listed = &f->listed[(ptrdiff_t)band * lists(f) + list];
            uint32_t n = *listed;
            *listed = next;
            next += n;
        }
        f->ends[list] = next;
    }
}

static int band_rows(const CofiFirsts *f, int rows)
{
    int shared = (rows - 1) / (BANDS_PER_THREAD * f->run->threads) + 1;
    return shared > FEWEST_ROWS ? shared : FEWEST_ROWS;
}

/* The most firsts in a band: of every block that it has a part in. */
static size_t most_found(const CofiFirsts *f)
{
    size_t across = ((size_t)f->rect.width - 1) / ((size_t)1 << f->blocks.across) + 2;
    size_t down = ((size_t)f->band - 1) / ((size_t)1 << f->blocks.down) + 2;
    return across * down * (size_t)f->blocks.turns;
}

CofStatus cofi_firsts_take(CofiFirsts *f, int rows)
{
    size_t k = (size_t)f->k, threads = (size_t)f->run->threads;
    f->band = band_rows(f, rows);
    size_t bands = (size_t)((rows - 1) / f->band + 1);
    f->voters = cofi_run_take(f->run, bands, k * sizeof *f->voters);
    f->some_voters = cofi_run_take(f->run, threads, VOTER_TABLES * k * sizeof *f->some_voters);
    f->most_found = most_found(f);
    f->found = cofi_run_take_raw(f->run, bands, f->most_found * sizeof *f->found);
    f->n_found = cofi_run_take(f->run, bands, sizeof *f->n_found);
    f->listed = cofi_run_take(f->run, bands, (size_t)lists(f) * sizeof *f->listed);
    bool all = f->voters && f->some_voters && f->found && f->n_found && f->listed;
    return all ? COF_OK : COF_ERR_MEMORY;
}

CofStatus cofi_firsts_list(CofiFirsts *f, CofRect batch, uint64_t *histogram)
{
    f->batch = batch;
    int bands = (batch.height - 1) / f->band + 1;
    CofStatus status = cofi_run_tasks(f->run, bands, 0, find_firsts, f);
    if (status != COF_OK)
        return status;
    lay_out(f, bands);
    f->places = cofi_run_take_raw(f->run, cofi_firsts_end(f, f->k - 1), sizeof *f->places);
    if (!f->places)
        return COF_ERR_MEMORY;
    for (int band = 0; band < bands; band++)
        for (int label = 0; label < f->k; label++)
            histogram[label] += f->voters[(ptrdiff_t)band * f->k + label];
    return cofi_run_tasks(f->run, bands, 0, list_firsts, f);
}

uint32_t cofi_firsts_end(const CofiFirsts *f, int label)
{
    return f->ends[list_at(f, label, f->blocks.turns - 1, true)];
}

CofiPlaces cofi_firsts_of(const CofiFirsts *f, int label, int turn, bool edge, uint32_t begin,
                          uint32_t end)
{
    int list = list_at(f, label, turn, edge);
    uint32_t first = list > 0 ? f->ends[list - 1] : 0, last = f->ends[list];
    first = first > begin ? first : begin;
    last = last < end ? last : end;
    return (CofiPlaces){.places = f->places + first, .n = last > first ? (int)(last - first) : 0};
}
