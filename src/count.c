/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts pairs of labels, one table per distance (eq. 7, 8). Threads share out the distances, so
 * that each table of counts belongs to one thread and the order of adding does not matter. */
#include <string.h>

#include "kernels/kernels.h"
#include "memory.h"
#include "stats.h"

typedef struct Counting {
    CofiKernels kernels;
    const CofiLabelMap *map;
    CofRect firsts; /* in coordinates of the map */
    int x, y;       /* place of the map in the full image */
    int k, radius, rate;
    bool symmetric; /* every voter is a first: half of the offsets tell the other half */
    int squares[COFI_MOST_DISTANCES];
    size_t cells;
    const size_t *row_places; /* sampled firsts of row i: places[row_places[i] .. [i + 1] - 1] */
    const uint32_t *places;
    uint32_t *tables; /* k x k of each worker */
    uint64_t *counts;
    uint64_t *histogram;
} Counting;

/* Adds a worker's table to the counts of a distance and clears it. */
static void fold(const Counting *c, uint32_t *table, uint64_t weight, uint64_t *counts)
{
    for (int a = 0; a < c->k; a++)
        for (int b = 0; b < c->k; b++)
            counts[cofi_cell(a, b)] += weight * table[a * c->k + b];
    memset(table, 0, (size_t)c->k * (size_t)c->k * sizeof *table);
}

static void count_row(const Counting *c, uint32_t *table, int y, int dx, int dy)
{
    const CofiLabelMap *map = c->map;
    ptrdiff_t p = y * map->stride, q = (y + dy) * map->stride + dx;
    if (c->rate > 0) {
        size_t first = c->row_places[y], last = c->row_places[y + 1];
        c->kernels.count_places(table, c->k, c->places + first, (int)(last - first),
                                map->labels + p, map->labels + q, map->votes + q);
        return;
    }
    p += c->firsts.x;
    q += c->firsts.x;
    c->kernels.count_pairs(table, c->k, map->labels + p, map->votes + p, map->labels + q,
                           map->votes + q, c->firsts.width);
}

static void count_offset(const Counting *c, uint32_t *table, int dx, int dy, uint64_t weight,
                         uint64_t *counts)
{
    uint64_t pending = 0; /* a cell of the table holds at most this much */
    for (int y = c->firsts.y; y < c->firsts.y + c->firsts.height; y++) {
        if (y + dy < 0 || y + dy >= c->map->height)
            continue;
        if (pending + (uint64_t)c->firsts.width > UINT32_MAX) {
            fold(c, table, weight, counts);
            pending = 0;
        }
        count_row(c, table, y, dx, dy);
        pending += (uint64_t)c->firsts.width;
    }
    fold(c, table, weight, counts);
}

static void count_distance(void *context, int distance, int worker)
{
    const Counting *c = context;
    uint32_t *table = c->tables + (size_t)worker * (size_t)c->k * (size_t)c->k;
    uint64_t *counts = c->counts + (size_t)distance * c->cells;
    int square = c->squares[distance], r = c->radius;
    uint64_t weight = c->symmetric && square > 0 ? 2 : (uint64_t)1 << c->rate;
    for (int dy = c->symmetric ? 0 : -r; dy <= r; dy++)
        for (int dx = -r; dx <= r; dx++) {
            bool mirrored = c->symmetric && dy == 0 && dx < 0;
            if (dx * dx + dy * dy == square && !mirrored)
                count_offset(c, table, dx, dy, weight, counts);
        }
}

/* Lists the sampled firsts, row by row; places == NULL: only counts them. */
static size_t list_places(const Counting *c, size_t *row_places, uint32_t *places)
{
    size_t n = 0;
    int bottom = c->firsts.y + c->firsts.height, right = c->firsts.x + c->firsts.width;
    for (int y = 0; y < c->map->height; y++) {
        row_places[y] = n;
        if (y < c->firsts.y || y >= bottom)
            continue;
        const uint8_t *votes = c->map->votes + y * c->map->stride;
        for (int x = c->firsts.x; x < right; x++) {
            if (!votes[x] || !cofi_place_sampled(c->x + x, c->y + y, c->rate))
                continue;
            if (places)
                places[n] = (uint32_t)x;
            n++;
        }
    }
    row_places[c->map->height] = n;
    return n;
}

static CofStatus take_places(Counting *c, CofiRun *run)
{
    if (c->rate == 0)
        return COF_OK;
    size_t *row_places = cofi_run_take(run, (size_t)c->map->height + 1, sizeof *row_places);
    if (!row_places)
        return COF_ERR_MEMORY;
    size_t n = list_places(c, row_places, NULL);
    uint32_t *places = cofi_run_take(run, n, sizeof *places);
    if (!places)
        return COF_ERR_MEMORY;
    list_places(c, row_places, places);
    c->row_places = row_places;
    c->places = places;
    return COF_OK;
}

static void add_histogram(const Counting *c)
{
    for (int y = c->firsts.y; y < c->firsts.y + c->firsts.height; y++)
        for (int x = c->firsts.x; x < c->firsts.x + c->firsts.width; x++) {
            ptrdiff_t p = y * c->map->stride + x;
            c->histogram[c->map->labels[p]] += c->map->votes[p];
        }
}

CofStatus cofi_count(CofStats *stats, CofiRun *run, const CofiLabelMap *map, int x, int y,
                     CofRect firsts, bool all_are_firsts)
{
    size_t k = (size_t)stats->palette.k, n = (size_t)stats->distances * stats->cells;
    Counting c = {.kernels = cofi_kernels(),
                  .map = map,
                  .firsts = firsts,
                  .x = x,
                  .y = y,
                  .k = stats->palette.k,
                  .radius = cofi_learning_radius(stats),
                  .rate = stats->rate,
                  .symmetric = all_are_firsts && stats->rate == 0,
                  .cells = stats->cells};
    cofi_distances(c.radius, c.squares);
    c.tables = cofi_run_take(run, (size_t)run->threads, k * k * sizeof *c.tables);
    c.counts = cofi_run_take(run, n, sizeof *c.counts);
    c.histogram = cofi_run_take(run, k, sizeof *c.histogram);
    if (!c.tables || !c.counts || !c.histogram || take_places(&c, run) != COF_OK)
        return COF_ERR_MEMORY;
    CofStatus status = cofi_run_tasks(run, stats->distances, COFI_COUNT_UNITS, count_distance, &c);
    if (status != COF_OK)
        return status;
    add_histogram(&c);
    if (!cofi_sums_fit(stats->histogram, c.histogram, k) ||
        !cofi_sums_fit(stats->counts, c.counts, n))
        return cofi_run_fail(run, COF_ERR_ARGUMENT, "the counts would grow beyond 64 bits");
    for (size_t a = 0; a < k; a++)
        stats->histogram[a] += c.histogram[a];
    for (size_t i = 0; i < n; i++)
        stats->counts[i] += c.counts[i];
    return COF_OK;
}
