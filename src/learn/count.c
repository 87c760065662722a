/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts pairs of labels, one table per distance (eq. 7, 8). Reference pixels are listed by label,
 * so that the counts of a list are one row of each table, which fits in the first-level cache, and
 * lists can be distributed among threads. */
#include "learn/count.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "base/memory.h"
#include "call/device_call.h"
#include "image/image.h"
#include "kernels/kernels.h"
#include "learn/device_count.h"
#include "learn/pair_sampling.h"

/* The approximate number of reference pixels that are listed at a time. */
#define BATCH_REFERENCES ((int64_t)1 << 18)
#define MAX_BATCH_PIXELS ((int64_t)1 << 31)

/* Reference pixels of a chunk: each has at most 32 neighbours at one distance, so that 16 bits can
 * count the pairs of a chunk. */
#define CHUNK 2032

/* Numbers between two slots, against false sharing. */
#define SLOT_GAP 64

/* The memory for the counts of one wave of chunks. */
#define WAVE_BYTES ((size_t)1 << 24)

typedef struct Chunk {
    int label;
    uint32_t begin, end; /* places of the reference pixels */
} Chunk;

typedef struct Counting {
    CofiKernels kernels;
    CofiCall *call;
    CofiLabelMap *map;
    CofiReferences references;
    int k, radius, rate, distances;
    size_t cells;
    int *distance_of;    /* [|dy|][|dx|]: which distance */
    uint64_t *counts;    /* of each distance: one of each cell */
    bool fresh;          /* counts are not initialised */
    uint64_t *histogram; /* k */

    Chunk *chunks;   /* chunks of one wave */
    int wave;        /* number of chunks in the wave */
    uint16_t *slots; /* of each chunk: k counts of each distance */
    uint32_t *sums;  /* of each worker: k x k */
} Counting;

/* Numbers of a slot, which are contiguous, so that they stay in the first-level cache. */
static size_t slot_size(const Counting *c)
{
    return (size_t)c->distances * (size_t)c->k + SLOT_GAP;
}

/* Counts row dy of the windows of the reference pixels whose turn it is. */
static void count_window_row(const Counting *c, const Chunk *chunk, int dy, uint16_t *counts)
{
    const CofiLabelMap *map = c->map;
    int window = 2 * c->radius + 1, tables[COF_MAX_WINDOW];
    for (int dx = 0; dx < window; dx++)
        tables[dx] = c->distance_of[abs(dy) * (c->radius + 1) + abs(dx - c->radius)];
    ptrdiff_t corner = (c->references.batch.y + dy) * map->stride - c->radius;
    int turn = dy & (c->references.blocks.turns - 1);
    for (int edge = 0; edge < 2; edge++) {
        CofiPlaces some =
            cofi_references_of(&c->references, chunk->label, turn, edge, chunk->begin, chunk->end);
        c->kernels.count_row(map->labels + corner, edge ? map->members + corner : NULL, some.places,
                             some.n, window, tables, c->k, counts);
    }
}

static void count_chunk(void *context, int index, int worker)
{
    (void)worker;
    const Counting *c = context;
    size_t size = slot_size(c);
    uint16_t *counts = c->slots + (size_t)index * size;
    memset(counts, 0, size * sizeof *counts);
    for (int dy = -c->radius; dy <= c->radius; dy++)
        count_window_row(c, &c->chunks[index], dy, counts);
}

/* Chunks that are fetched ahead: their slots are far apart. */
#define AHEAD 2

/* Sums the counts of one distance over the chunks of each label; chunks are sorted by label. */
static void join_chunks(const Counting *c, int distance, uint32_t *sums)
{
    size_t k = (size_t)c->k;
    const Chunk *chunk = c->chunks, *end = c->chunks + c->wave;
    const uint16_t *row = c->slots + (size_t)distance * k;
    for (int label = 0; label < c->k; label++, sums += k) {
        bool first = true;
        for (; chunk < end && chunk->label == label; chunk++, row += slot_size(c), first = false) {
            if (end - chunk > AHEAD)
                cofi_prefetch(row + AHEAD * slot_size(c), k * sizeof *row);
            for (size_t other = 0; other < k; other++)
                sums[other] = (first ? 0 : sums[other]) + row[other];
        }
        if (first)
            memset(sums, 0, k * sizeof *sums);
    }
}

#define TILE 16

/* Transposes a tile of ordered pairs. */
static void transpose_tile(const uint32_t *sums, int k, int rows, int columns, uint32_t *transposed)
{
    for (int b = 0; b < columns; b++)
        for (int a = 0; a < rows; a++)
            transposed[a * TILE + b] = sums[b * k + a];
}

/* Adds both orders of a pair of labels to one cell. Compilers vectorise these loops. */
static void fold_row(const uint32_t *restrict sums, const uint32_t *restrict transposed, int n,
                     int rate, bool fresh, uint64_t *restrict cells)
{
    for (int i = 0; i < n && fresh; i++)
        cells[i] = ((uint64_t)sums[i] + transposed[i]) << rate;
    for (int i = 0; i < n && !fresh; i++)
        cells[i] += ((uint64_t)sums[i] + transposed[i]) << rate;
}

/* Folds the tile at (top, left) of one distance, as far as it lies on or below the diagonal. */
static void fold_tile(const Counting *c, const uint32_t *sums, int top, int left, uint64_t *cells)
{
    uint32_t transposed[TILE * TILE];
    int k = c->k, rows = k - top < TILE ? k - top : TILE,
        columns = k - left < TILE ? k - left : TILE;
    const uint32_t *others = sums + left * k + top;
    if (rows == TILE && columns == TILE)
        transpose_tile(others, k, TILE, TILE, transposed);
    else
        transpose_tile(others, k, rows, columns, transposed);
    for (int i = 0; i < rows; i++) {
        const uint32_t *row = sums + (top + i) * k + left;
        uint64_t *to = cells + cofi_cell(top + i, left);
        if (top == left)
            transposed[i * TILE + i] = 0; /* a label and itself have one order */
        fold_row(row, transposed + i * TILE, top > left ? columns : i + 1, c->rate, c->fresh, to);
    }
}

/* Adds the counts of a wave at one distance; distance 0 is not sampled. */
static void fold_distance(void *context, int index, int worker)
{
    const Counting *c = context;
    int k = c->k, distance = index + 1;
    uint32_t *sums = c->sums + (size_t)worker * (size_t)(k * k);
    join_chunks(c, distance, sums);
    for (int top = 0; top < k; top += TILE)
        for (int left = 0; left <= top; left += TILE)
            fold_tile(c, sums, top, left, c->counts + (size_t)distance * c->cells);
}

/* The number of chunks that are counted before they are added up. */
static int wave_size(const Counting *c, uint32_t references)
{
    size_t most = WAVE_BYTES / (slot_size(c) * sizeof *c->slots),
           threads = (size_t)c->call->threads;
    size_t chunks = references / CHUNK + (size_t)c->k;
    most = most > 2 * threads ? most : 2 * threads;
    return (int)(chunks < most ? chunks : most);
}

/* Counts the lists of the batch, a wave of chunks at a time. */
static CofStatus count_lists(Counting *c, double units)
{
    uint32_t at = 0, all = cofi_references_end(&c->references, c->k - 1);
    int wave = wave_size(c, all), label = 0;
    c->chunks = cofi_call_take(c->call, (size_t)wave, sizeof *c->chunks);
    c->slots = cofi_call_take_raw(c->call, (size_t)wave, slot_size(c) * sizeof *c->slots);
    if (!c->chunks || !c->slots)
        return COF_ERR_MEMORY;
    while (at < all) {
        uint32_t first = at;
        for (c->wave = 0; c->wave < wave && at < all; c->wave++) {
            while (at == cofi_references_end(&c->references, label))
                label++;
            uint32_t end = cofi_references_end(&c->references, label);
            end = end - at < CHUNK ? end : at + CHUNK;
            c->chunks[c->wave] = (Chunk){.label = label, .begin = at, .end = end};
            at = end;
        }
        double share = units * (at - first) / all;
        CofStatus status = cofi_call_tasks(c->call, c->wave, share, count_chunk, c);
        if (status == COF_OK)
            status = cofi_call_tasks(c->call, c->distances - 1, 0, fold_distance, c);
        if (status != COF_OK)
            return status;
        c->fresh = false;
    }
    return COF_OK;
}

static CofStatus count_batch(Counting *c, CofRect batch, double units)
{
    CofiMark mark = cofi_call_mark(c->call);
    CofStatus status = cofi_references_list(&c->references, batch, c->histogram);
    if (status == COF_OK)
        status = count_lists(c, units);
    cofi_call_release(c->call, mark);
    return status;
}

static_assert(BATCH_REFERENCES <= INT64_MAX >> COFI_MAX_RATE, "batch_rows() must not overflow");

/* Rows whose reference pixels are listed together. */
static int batch_rows(const Counting *c)
{
    const CofRect *rect = &c->references.rect;
    int64_t rows = (BATCH_REFERENCES << c->rate) / c->references.blocks.turns / rect->width;
    int64_t most = MAX_BATCH_PIXELS / c->map->stride;
    rows = rows < most ? rows : most;
    return rows < 1 ? 1 : rows > rect->height ? rect->height : (int)rows;
}

static CofStatus take_memory(Counting *c)
{
    CofiCall *call = c->call;
    size_t k = (size_t)c->k, radius = (size_t)c->radius;
    size_t threads = (size_t)call->threads;
    c->distance_of = cofi_call_take(call, (radius + 1) * (radius + 1), sizeof *c->distance_of);
    c->sums = cofi_call_take_raw(call, threads, k * k * sizeof *c->sums);
    c->histogram = cofi_call_take(call, k, sizeof *c->histogram);
    if (!c->distance_of || !c->sums || !c->histogram)
        return COF_ERR_MEMORY;
    return cofi_references_take(&c->references, batch_rows(c));
}

static void fill_distances(Counting *c)
{
    int squares[COFI_MAX_DISTANCES], side = c->radius + 1;
    int n = cofi_distances(c->radius, squares);
    for (int i = 0; i < side * side; i++) {
        int dy = i / side, dx = i % side, distance = 0;
        while (distance < n && squares[distance] != dx * dx + dy * dy)
            distance++;
        c->distance_of[i] = distance;
    }
}

/* Where windows hold only members, if all pixels of the map are members. */
static CofRect inside_of(const CofiLabelMap *map)
{
    int r = map->radius;
    if (!map->only_members)
        return (CofRect){0};
    return (CofRect){r, r, map->width - 2 * r, map->height - 2 * r};
}

/* COF_ERR_MEMORY if the memory of the device is not sufficient. */
static CofStatus count_on_device(Counting *c)
{
    CofiDeviceTables tables = {.radius = c->radius,
                               .distances = c->distances,
                               .distance_of = c->distance_of,
                               .members = c->map->only_members ? NULL : c->map->members,
                               .rate = c->rate,
                               .histogram = c->histogram,
                               .counts = c->counts,
                               .cells = c->cells};
    memset(c->counts, 0, (size_t)c->distances * c->cells * sizeof *c->counts);
    c->fresh = false;
    CofStatus status = COF_OK;
    if (c->map->unpadded)
        status = cofi_label_map_complete(c->map, c->call, false);
    if (status != COF_OK)
        return status;
    return cofi_device_count(&c->references, &tables, batch_rows(c), COFI_COUNT_UNITS);
}

static CofStatus count_batches(Counting *c)
{
    if (!c->references.marked)
        c->references.inside = inside_of(c->map);
    CofStatus status = cofi_label_map_complete(c->map, c->call, c->references.marked);
    CofRect rect = c->references.rect, batch = rect;
    batch.height = batch_rows(c);
    for (; batch.y < rect.y + rect.height && status == COF_OK; batch.y += batch.height) {
        int left = rect.y + rect.height - batch.y;
        batch.height = left < batch.height ? left : batch.height;
        status = count_batch(c, batch, COFI_COUNT_UNITS * batch.height / rect.height);
    }
    return status;
}

static CofStatus count_all(Counting *c)
{
    fill_distances(c);
    CofStatus status = c->call->device ? count_on_device(c) : count_batches(c);
    if (c->call->device && status == COF_ERR_MEMORY) {
        cofi_call_left_to_cpu(c->call, COFI_DEVICE_MEMORY);
        status = c->map->on_device ? cofi_device_read_map(c->call, c->map) : COF_OK;
        if (status == COF_OK)
            status = count_batches(c);
    }
    /* Distance 0: a pixel and itself are not sampled, since every pixel is such a pair. */
    memset(c->counts, 0, (c->fresh ? (size_t)c->distances : 1) * c->cells * sizeof *c->counts);
    for (int a = 0; a < c->k; a++)
        c->counts[cofi_cell(a, a)] = c->histogram[a];
    return status;
}

/* Adds the complete counts to the statistics. */
static CofStatus add_counts(const Counting *c, CofStats *stats)
{
    size_t k = (size_t)c->k, n = cofi_stats_counts(stats);
    if (!cofi_counts_fit(stats->histogram, c->histogram, k) ||
        (stats->counts && !cofi_counts_fit(stats->counts, c->counts, n)))
        return cofi_call_fail(c->call, COF_ERR_ARGUMENT, "the counts would grow beyond 64 bits");
    for (size_t a = 0; a < k; a++)
        stats->histogram[a] += c->histogram[a];
    for (size_t i = 0; i < n && stats->counts; i++)
        stats->counts[i] += c->counts[i];
    return COF_OK;
}

/* The first counts become those of the statistics; later ones are scratch that is added. */
static CofStatus count_into(Counting *c, CofStats *stats)
{
    bool first = !stats->counts, lasting = first && !stats->brief;
    size_t n = cofi_stats_counts(stats), size = sizeof *c->counts;
    c->fresh = true;
    c->counts = lasting ? cofi_malloc(n, size) : cofi_call_take_raw(c->call, n, size);
    CofStatus status = c->counts ? take_memory(c) : COF_ERR_MEMORY;
    if (status == COF_OK)
        status = count_all(c);
    if (status == COF_OK)
        status = add_counts(c, stats);
    if (first && status == COF_OK)
        stats->counts = c->counts;
    else if (lasting)
        cofi_free(c->counts);
    return status;
}

CofStatus cofi_count(CofStats *stats, CofiCall *call, CofiLabelMap *map, int x, int y,
                     CofRect references)
{
    assert(stats->has_palette);
    assert(map->radius >= cofi_learning_radius(stats));
    assert(!cofi_rect_empty(references));
    Counting c = {.kernels = cofi_kernels(cofi_cpu_flags()),
                  .call = call,
                  .map = map,
                  .k = stats->palette.k,
                  .radius = cofi_learning_radius(stats),
                  .rate = stats->rate,
                  .distances = stats->distances,
                  .cells = stats->cells};
    c.references = (CofiReferences){.kernels = &c.kernels,
                                    .call = call,
                                    .map = map,
                                    .x = x,
                                    .y = y,
                                    .rect = references,
                                    .k = c.k,
                                    .blocks = cofi_blocks(c.rate),
                                    .marked = c.k <= COFI_NO_LABEL};
    return count_into(&c, stats);
}
