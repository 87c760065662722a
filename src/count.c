/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts pairs of labels, one table per distance (eq. 7, 8). The first pixels of pairs are listed
 * by label, so that the counts of a list are one row of each table: small enough for the
 * first-level cache, and a list after another can be given to any thread. */
#include <stdlib.h>
#include <string.h>

#include "cpu.h"
#include "kernels/kernels.h"
#include "memory.h"
#include "stats.h"

/* About how many first pixels are listed at a time. */
#define BATCH_FIRSTS ((int64_t)1 << 18)
#define MOST_BATCH_PIXELS ((int64_t)1 << 31)

/* A thread takes this many firsts of one label at once: 16 bits can count their pairs at any
 * distance, of which there are at most 32 for each. */
#define CHUNK 1024

/* Rows that a thread looks through at once. */
#define BAND 16

/* Between the tables of two workers, so that neither waits for lines that the other writes. */
#define TABLE_GAP 128

/* What the counts of the chunks under way may take. */
#define WAVE_BYTES ((size_t)1 << 24)

/* Places whose hashes are computed at once. */
#define HASHES 256

/* Columns that are counted side by side, and tables that they share: labels that stand side by side
 * are often the same, and would have to wait for each other in one table. */
#define COLUMNS 16
#define VOTER_TABLES 4

#define NO_LABEL 255

/* Bits of CofiLabelMap.votes. */
enum { VOTES = 1, IS_FIRST = 2 }; /* eight_firsts() knows which bit it is */

/* Of each label there are two lists, one after the other: firsts whose window has only voters, or
 * marks where it has not, and the others, for palettes of 256, which leave no label for a mark. */
#define MOST_LISTS (2 * COF_MAX_COLOURS)

typedef struct Chunk {
    int label;
    int plain; /* how many of the places have only voters around them, or marks */
    const uint32_t *places;
    int n;
} Chunk;

typedef struct Counting {
    CofiKernels kernels;
    CofiRun *run;
    CofiLabelMap *map;
    CofRect firsts; /* in coordinates of the map */
    int x, y;       /* place of the map in the full image */
    int k, radius, rate, distances;
    size_t cells;
    bool marked;         /* labels without a vote are NO_LABEL */
    CofRect inside;      /* if not marked: firsts whose windows have only voters */
    int *distance_of;    /* [|dy|][|dx|]: which distance */
    uint64_t *counts;    /* of each distance: one of each cell */
    uint64_t *histogram; /* k */

    CofRect batch;         /* rows of `firsts` */
    uint32_t *voters;      /* of each band of the map: k */
    uint16_t *some_voters; /* of each worker: VOTER_TABLES x k */
    int *columns;          /* of each worker: a row of firsts */
    uint32_t *listed;      /* firsts of each list; then where the band's places go */
    uint32_t *places;      /* of the batch, by label, from its first row on */
    Chunk *chunks;         /* of a wave */
    int wave;              /* how many those are */
    uint16_t *slots;       /* of each distance: of each chunk: k */
    int most_chunks;       /* of a wave */
    uint16_t *tables;      /* of each worker: of each distance: k */
    uint32_t *sums;        /* of each worker: k x k */
} Counting;

/* Marks what has no vote in a row, borders included. */
static void mark_row(const Counting *c, int y)
{
    const CofiLabelMap *map = c->map;
    ptrdiff_t first = y * map->stride - map->radius;
    uint8_t *labels = map->labels + first;
    const uint8_t *votes = map->votes + first;
    if (y < 0 || y >= map->height) {
        memset(labels, NO_LABEL, (size_t)map->stride);
        return;
    }
    memset(labels, NO_LABEL, (size_t)map->radius);
    memset(labels + map->radius + map->width, NO_LABEL, (size_t)map->radius);
    if (!memchr(votes + map->radius, 0, (size_t)map->width))
        return;
    for (int i = 0; i < map->stride; i++)
        labels[i] = votes[i] ? labels[i] : NO_LABEL;
}

static void mark_rows(void *context, int first, int last, int worker)
{
    (void)worker;
    const Counting *c = context;
    for (int i = first; i < last; i++)
        mark_row(c, i - c->map->radius);
}

static void band_rows(const Counting *c, int band, int *first, int *last)
{
    int end = c->batch.y + c->batch.height;
    *first = c->batch.y + band * BAND;
    *last = *first + BAND < end ? *first + BAND : end;
}

/* The list of a first. */
static int list_of(const Counting *c, int label, int x, int y)
{
    CofRect r = c->inside;
    bool inside = x >= r.x && x < r.x + r.width && y >= r.y && y < r.y + r.height;
    return 2 * label + !(c->marked || inside);
}

/* Marks the firsts of a row. */
static void mark_firsts(const Counting *c, int y)
{
    uint8_t small[HASHES], *votes = c->map->votes + y * c->map->stride + c->firsts.x;
    for (int x = 0; x < c->firsts.width; x += HASHES, votes += HASHES) {
        int n = c->firsts.width - x < HASHES ? c->firsts.width - x : HASHES;
        c->kernels.hash_row(c->x + c->firsts.x + x, c->y + y, n, UINT64_MAX >> c->rate, small);
        for (int i = 0; i < n; i++)
            votes[i] = votes[i] ? (uint8_t)(VOTES | small[i] * IS_FIRST) : 0;
    }
}

/* Voters of some rows, in VOTER_TABLES of 16 bits. */
typedef struct Voters {
    uint16_t *tables;
    int most; /* nothing in them is larger */
} Voters;

static void fold_voters(const Counting *c, Voters *some, uint32_t *voters)
{
    for (int i = 0; i < VOTER_TABLES; i++)
        for (int label = 0; label < c->k; label++)
            voters[label] += some->tables[i * c->k + label];
    memset(some->tables, 0, VOTER_TABLES * (size_t)c->k * sizeof *some->tables);
    some->most = 0;
}

/* Counts the voters of a row by label. */
static void count_voters(const Counting *c, int y, Voters *some, uint32_t *voters)
{
    enum { MOST_PLACES = 256, MOST_COUNTS = MOST_PLACES * COLUMNS / VOTER_TABLES };
    uint32_t places[MOST_PLACES];
    int tables[COLUMNS];
    for (int i = 0; i < MOST_PLACES; i++)
        places[i] = (uint32_t)(i * COLUMNS);
    for (int i = 0; i < COLUMNS; i++)
        tables[i] = i % VOTER_TABLES;
    bool all_vote = c->marked || c->inside.width > 0;
    int left = c->firsts.width;
    for (ptrdiff_t at = y * c->map->stride + c->firsts.x; left > 0;) {
        const uint8_t *labels = c->map->labels + at, *votes = all_vote ? NULL : c->map->votes + at;
        int n = left / COLUMNS < MOST_PLACES ? left / COLUMNS : MOST_PLACES;
        int width = n > 0 ? COLUMNS : left, step = n > 0 ? n * COLUMNS : left;
        if (some->most > UINT16_MAX - MOST_COUNTS)
            fold_voters(c, some, voters);
        some->most += MOST_COUNTS;
        c->kernels.count_row(labels, votes, places, n > 0 ? n : 1, width, tables, c->k,
                             some->tables);
        at += step;
        left -= step;
    }
}

/* Bit i tells if the i-th of eight pixels is a first. */
static uint64_t eight_firsts(const uint8_t *votes)
{
    uint64_t eight;
    memcpy(&eight, votes, sizeof eight);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    eight = __builtin_bswap64(eight);
#endif
    /* Each byte's bit is multiplied to a place of its own among the highest eight. */
    return (eight >> 1 & 0x0101010101010101u) * 0x0102040810204080u >> 56;
}

/* The same for up to 64. */
static uint64_t firsts_of(const uint8_t *votes, int n)
{
    uint64_t firsts = 0;
    int i = 0;
    for (; i + 8 <= n; i += 8)
        firsts |= eight_firsts(votes + i) << i;
    for (; i < n; i++)
        firsts |= (uint64_t)(votes[i] / IS_FIRST) << i;
    return firsts;
}

/* Columns of the firsts of a row; returns how many there are. */
static int firsts_of_row(const Counting *c, int y, int *columns)
{
    const uint8_t *votes = c->map->votes + y * c->map->stride;
    int end = c->firsts.x + c->firsts.width, n = 0;
    for (int x = c->firsts.x; x < end; x += 64) {
        uint64_t firsts = end - x < 64 ? firsts_of(votes + x, end - x) : firsts_of(votes + x, 64);
        for (; firsts != 0; firsts &= firsts - 1)
            columns[n++] = x + __builtin_ctzll(firsts);
    }
    return n;
}

/* Finds the firsts of a band, and how many pixels it has of each label. */
static void find_firsts(void *context, int band, int worker)
{
    const Counting *c = context;
    int first, last, *columns = c->columns + (ptrdiff_t)worker * c->firsts.width;
    band_rows(c, band, &first, &last);
    uint32_t *voters = c->voters + (ptrdiff_t)band * c->k;
    Voters some = {.tables = c->some_voters + (ptrdiff_t)worker * VOTER_TABLES * c->k};
    uint32_t *listed = c->listed + (ptrdiff_t)band * 2 * c->k;
    memset(voters, 0, (size_t)c->k * sizeof *voters);
    memset(listed, 0, 2 * (size_t)c->k * sizeof *listed);
    for (int y = first; y < last; y++) {
        const uint8_t *labels = c->map->labels + y * c->map->stride;
        count_voters(c, y, &some, voters);
        mark_firsts(c, y);
        for (int i = 0, n = firsts_of_row(c, y, columns); i < n; i++)
            listed[list_of(c, labels[columns[i]], columns[i], y)]++;
    }
    fold_voters(c, &some, voters);
}

static void list_firsts(void *context, int band, int worker)
{
    const Counting *c = context;
    int first, last, *columns = c->columns + (ptrdiff_t)worker * c->firsts.width;
    band_rows(c, band, &first, &last);
    uint32_t *next = c->listed + (ptrdiff_t)band * 2 * c->k;
    for (int y = first; y < last; y++) {
        const uint8_t *labels = c->map->labels + y * c->map->stride;
        uint32_t row = (uint32_t)((y - c->batch.y) * c->map->stride);
        for (int i = 0, n = firsts_of_row(c, y, columns); i < n; i++) {
            int list = list_of(c, labels[columns[i]], columns[i], y);
            c->places[next[list]++] = row + (uint32_t)columns[i];
        }
    }
}

/* Numbers of firsts become the places where their lists go; the end of each list is kept in `ends`.
 */
static void lay_out(Counting *c, int bands, uint32_t ends[MOST_LISTS])
{
    uint32_t next = 0;
    for (int list = 0; list < 2 * c->k; list++) {
        for (int band = 0; band < bands; band++) {
            uint32_t *listed = &c->listed[(ptrdiff_t)band * 2 * c->k + list];
            uint32_t n = *listed;
            *listed = next;
            next += n;
        }
        ends[list] = next;
    }
    for (int band = 0; band < bands; band++)
        for (int label = 0; label < c->k; label++)
            c->histogram[label] += c->voters[(ptrdiff_t)band * c->k + label];
}

/* One chunk: in tables of the worker, which stay in the first-level cache. */
static void count_chunk(void *context, int index, int worker)
{
    const Counting *c = context;
    const Chunk *chunk = &c->chunks[index];
    const CofiLabelMap *map = c->map;
    int window = 2 * c->radius + 1, tables[COF_MAX_WINDOW];
    size_t k = (size_t)c->k, size = (size_t)c->distances * k;
    uint16_t *counts = c->tables + (size_t)worker * (size + TABLE_GAP);
    memset(counts, 0, size * sizeof *counts);
    for (int dy = -c->radius; dy <= c->radius; dy++) {
        for (int dx = 0; dx < window; dx++)
            tables[dx] = c->distance_of[abs(dy) * (c->radius + 1) + abs(dx - c->radius)];
        ptrdiff_t corner = (c->batch.y + dy) * map->stride - c->radius;
        c->kernels.count_row(map->labels + corner, NULL, chunk->places, chunk->plain, window,
                             tables, c->k, counts);
        c->kernels.count_row(map->labels + corner, map->votes + corner,
                             chunk->places + chunk->plain, chunk->n - chunk->plain, window, tables,
                             c->k, counts);
    }
    for (int distance = 0; distance < c->distances; distance++)
        memcpy(c->slots + ((size_t)distance * (size_t)c->most_chunks + (size_t)index) * k,
               counts + (size_t)distance * k, k * sizeof *counts);
}

/* The counts of one distance: of each label, what its chunks have counted. */
static void join_chunks(const Counting *c, int distance, uint32_t *sums)
{
    size_t k = (size_t)c->k;
    memset(sums, 0, k * k * sizeof *sums);
    for (int i = 0; i < c->wave; i++) {
        const uint16_t *row =
            c->slots + ((size_t)distance * (size_t)c->most_chunks + (size_t)i) * k;
        uint32_t *sum = sums + (size_t)c->chunks[i].label * k;
        for (size_t other = 0; other < k; other++)
            sum[other] += row[other];
    }
}

#define TILE 16

/* Rows top.. and columns left.. of one distance, as far as they are below the diagonal: both orders
 * of labels go to one cell. */
static void fold_tile(const uint32_t *sums, int k, int top, int left, int rate, uint64_t *cells)
{
    uint32_t turned[TILE][TILE] = {{0}};
    int bottom = top + TILE < k ? top + TILE : k, right = left + TILE < k ? left + TILE : k;
    for (int b = left; b < right; b++)
        for (int a = top; a < bottom; a++)
            turned[a - top][b - left] = a == b ? 0 : sums[b * k + a];
    for (int a = top; a < bottom; a++) {
        uint64_t *to = cells + cofi_cell(a, left);
        int n = right <= a ? right - left : a + 1 - left;
        for (int i = 0; i < n; i++)
            to[i] += ((uint64_t)sums[a * k + left + i] + turned[a - top][i]) << rate;
    }
}

/* Adds what the chunks of a wave have counted at one distance. */
static void fold_distance(void *context, int distance, int worker)
{
    const Counting *c = context;
    int k = c->k;
    uint32_t *sums = c->sums + (size_t)worker * (size_t)(k * k);
    join_chunks(c, distance, sums);
    for (int top = 0; top < k; top += TILE)
        for (int left = 0; left <= top; left += TILE)
            fold_tile(sums, k, top, left, c->rate, c->counts + (size_t)distance * c->cells);
}

/* The most chunks that are counted before they are added up, if there are that many. */
static int wave_size(const Counting *c, uint32_t firsts)
{
    size_t slot = (size_t)c->distances * (size_t)c->k * sizeof *c->slots;
    size_t most = WAVE_BYTES / slot, threads = (size_t)c->run->threads;
    size_t chunks = firsts / CHUNK + (size_t)c->k;
    most = most > 2 * threads ? most : 2 * threads;
    return (int)(chunks < most ? chunks : most);
}

/* The next chunk: places from `at` on, of one label. */
static Chunk next_chunk(const Counting *c, const uint32_t ends[MOST_LISTS], int label, uint32_t at)
{
    uint32_t end = ends[2 * label + 1], most = at + CHUNK < end ? at + CHUNK : end;
    uint32_t plain_end = ends[2 * label] < at ? at : ends[2 * label];
    return (Chunk){.label = label,
                   .plain = (int)((plain_end < most ? plain_end : most) - at),
                   .places = c->places + at,
                   .n = (int)(most - at)};
}

/* Counts the lists of the batch, a wave of chunks at a time. */
static CofStatus count_lists(Counting *c, const uint32_t ends[MOST_LISTS], double units)
{
    uint32_t at = 0, all = ends[2 * c->k - 1];
    int wave = wave_size(c, all), label = 0;
    c->most_chunks = wave;
    c->chunks = cofi_run_take(c->run, (size_t)wave, sizeof *c->chunks);
    c->slots = cofi_run_take_raw(c->run, (size_t)wave * (size_t)c->distances,
                                 (size_t)c->k * sizeof *c->slots);
    if (!c->chunks || !c->slots)
        return COF_ERR_MEMORY;
    while (at < all) {
        uint32_t first = at;
        for (c->wave = 0; c->wave < wave && at < all; c->wave++) {
            while (at == ends[2 * label + 1])
                label++;
            c->chunks[c->wave] = next_chunk(c, ends, label, at);
            at += (uint32_t)c->chunks[c->wave].n;
        }
        double share = units * (at - first) / all;
        CofStatus status = cofi_run_tasks(c->run, c->wave, share, count_chunk, c);
        if (status == COF_OK)
            status = cofi_run_tasks(c->run, c->distances, 0, fold_distance, c);
        if (status != COF_OK)
            return status;
    }
    return COF_OK;
}

static CofStatus count_batch(Counting *c, double units)
{
    int bands = (c->batch.height - 1) / BAND + 1;
    uint32_t ends[MOST_LISTS];
    CofiMark mark = cofi_run_mark(c->run);
    CofStatus status = cofi_run_tasks(c->run, bands, 0, find_firsts, c);
    if (status != COF_OK)
        return status;
    lay_out(c, bands, ends);
    c->places = cofi_run_take_raw(c->run, ends[2 * c->k - 1], sizeof *c->places);
    if (!c->places)
        return COF_ERR_MEMORY;
    status = cofi_run_tasks(c->run, bands, 0, list_firsts, c);
    if (status == COF_OK)
        status = count_lists(c, ends, units);
    cofi_run_release(c->run, mark);
    return status;
}

/* Rows whose firsts are listed together. */
static int batch_rows(const Counting *c)
{
    int64_t rows = (BATCH_FIRSTS << c->rate) / c->firsts.width;
    int64_t most = MOST_BATCH_PIXELS / c->map->stride;
    rows = rows < most ? rows : most;
    return rows < 1 ? 1 : rows > c->firsts.height ? c->firsts.height : (int)rows;
}

static CofStatus take_memory(Counting *c)
{
    CofiRun *run = c->run;
    size_t k = (size_t)c->k, radius = (size_t)c->radius;
    size_t threads = (size_t)run->threads;
    size_t bands = (size_t)(batch_rows(c) - 1) / BAND + 1;
    c->distance_of = cofi_run_take(run, (radius + 1) * (radius + 1), sizeof *c->distance_of);
    c->voters = cofi_run_take(run, bands, k * sizeof *c->voters);
    c->some_voters = cofi_run_take(run, threads, VOTER_TABLES * k * sizeof *c->some_voters);
    c->columns = cofi_run_take(run, threads, (size_t)c->firsts.width * sizeof *c->columns);
    c->listed = cofi_run_take(run, bands, 2 * k * sizeof *c->listed);
    c->tables =
        cofi_run_take(run, threads, ((size_t)c->distances * k + TABLE_GAP) * sizeof *c->tables);
    c->sums = cofi_run_take(run, threads, k * k * sizeof *c->sums);
    bool all = c->distance_of && c->voters && c->some_voters && c->columns && c->listed &&
               c->tables && c->sums;
    return all ? COF_OK : COF_ERR_MEMORY;
}

static void fill_distances(Counting *c)
{
    int squares[COFI_MOST_DISTANCES], side = c->radius + 1;
    int n = cofi_distances(c->radius, squares);
    for (int i = 0; i < side * side; i++) {
        int dy = i / side, dx = i % side, distance = 0;
        while (distance < n && squares[distance] != dx * dx + dy * dy)
            distance++;
        c->distance_of[i] = distance;
    }
}

/* Where windows see only voters, if all pixels of the map are. */
static CofRect inside_of(const CofiLabelMap *map)
{
    for (int y = 0; y < map->height; y++)
        if (memchr(map->votes + y * map->stride, 0, (size_t)map->width))
            return (CofRect){0};
    int r = map->radius;
    return (CofRect){r, r, map->width - 2 * r, map->height - 2 * r};
}

static CofStatus count_all(Counting *c)
{
    CofStatus status = COF_OK;
    fill_distances(c);
    if (!c->marked)
        c->inside = inside_of(c->map);
    if (c->marked)
        status = cofi_run_rows(c->run, c->map->height + 2 * c->map->radius, 0, mark_rows, c);
    int rows = batch_rows(c), bottom = c->firsts.y + c->firsts.height;
    for (int y = c->firsts.y; y < bottom && status == COF_OK; y += rows) {
        c->batch =
            (CofRect){c->firsts.x, y, c->firsts.width, bottom - y < rows ? bottom - y : rows};
        status = count_batch(c, COFI_COUNT_UNITS * c->batch.height / c->firsts.height);
    }
    return status;
}

static bool nothing_counted(const CofStats *stats)
{
    for (int a = 0; a < stats->palette.k; a++)
        if (stats->histogram[a] > 0)
            return false;
    return true;
}

/* Where nothing is counted yet, straight into the stats: what fails can be undone. */
static CofStatus count_first(Counting *c, CofStats *stats)
{
    c->counts = stats->counts;
    c->histogram = stats->histogram;
    CofStatus status = take_memory(c);
    if (status == COF_OK)
        status = count_all(c);
    if (status != COF_OK)
        cofi_stats_clear(stats);
    return status;
}

/* What comes later is added when all of it is there. */
static CofStatus count_more(Counting *c, CofStats *stats)
{
    size_t k = (size_t)c->k, n = (size_t)c->distances * c->cells;
    c->counts = cofi_run_take(c->run, n, sizeof *c->counts);
    c->histogram = cofi_run_take(c->run, k, sizeof *c->histogram);
    CofStatus status = c->counts && c->histogram ? take_memory(c) : COF_ERR_MEMORY;
    if (status == COF_OK)
        status = count_all(c);
    if (status != COF_OK)
        return status;
    if (!cofi_sums_fit(stats->histogram, c->histogram, k) ||
        !cofi_sums_fit(stats->counts, c->counts, n))
        return cofi_run_fail(c->run, COF_ERR_ARGUMENT, "the counts would grow beyond 64 bits");
    for (size_t a = 0; a < k; a++)
        stats->histogram[a] += c->histogram[a];
    for (size_t i = 0; i < n; i++)
        stats->counts[i] += c->counts[i];
    return COF_OK;
}

CofStatus cofi_count(CofStats *stats, CofiRun *run, CofiLabelMap *map, int x, int y, CofRect firsts)
{
    Counting c = {.kernels = cofi_kernels(cofi_cpu_flags()),
                  .run = run,
                  .map = map,
                  .firsts = firsts,
                  .x = x,
                  .y = y,
                  .k = stats->palette.k,
                  .radius = cofi_learning_radius(stats),
                  .rate = stats->rate,
                  .distances = stats->distances,
                  .cells = stats->cells,
                  .marked = stats->palette.k <= NO_LABEL};
    return nothing_counted(stats) ? count_first(&c, stats) : count_more(&c, stats);
}
