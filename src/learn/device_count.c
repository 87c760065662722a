/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts pairs of labels on a device. */
#include "learn/device_count.h"

#include <string.h>

#include "call/device_call.h"
#include "learn/stats.h"

/* Reference pixels after which the sums of the device are read: each has at most 32 neighbours at
 * one distance, so that they fit in 32 bits. */
#define MAX_REFERENCES ((int64_t)1 << 26)

typedef struct Counting {
    CofiCall *call;
    const CofiReferences *references;
    const CofiDeviceTables *tables;
    int batch;
    int64_t pending;           /* at least the number of reference pixels since the last reading */
    uint32_t *pairs, *members; /* sums of the device */
} Counting;

/* Adds both orders of each pair of labels to one cell. */
static void fold_pairs(const Counting *c)
{
    const CofiDeviceTables *t = c->tables;
    int k = c->references->k;
    for (int distance = 1; distance < t->distances; distance++) {
        const uint32_t *pairs = c->pairs + (size_t)distance * (size_t)(k * k);
        uint64_t *cells = t->counts + (size_t)distance * t->cells;
        for (int b = 0; b < k; b++) {
            uint64_t *row = cells + cofi_cell(0, b);
            for (int a = 0; a < b; a++)
                row[a] += ((uint64_t)pairs[b * k + a] + pairs[a * k + b]) << t->rate;
            row[b] += (uint64_t)pairs[b * k + b] << t->rate;
        }
    }
}

static CofStatus read_sums(Counting *c)
{
    CofStatus status = c->call->module->count_read(c->call->device, c->pairs, c->members);
    if (status != COF_OK)
        return status;
    fold_pairs(c);
    for (int label = 0; label < c->references->k; label++)
        c->tables->histogram[label] += c->members[label];
    c->pending = 0;
    return COF_OK;
}

static int64_t max_references(const CofiBlocks *blocks, CofRect rect)
{
    int64_t across = ((int64_t)rect.width >> blocks->across) + 2;
    int64_t down = ((int64_t)rect.height >> blocks->down) + 2;
    return across * down * blocks->turns;
}

static CofStatus count_batch(void *context, int index)
{
    Counting *c = context;
    CofRect rect = c->references->rect;
    int left = rect.height - index * c->batch;
    rect.y += index * c->batch;
    rect.height = left < c->batch ? left : c->batch;
    int64_t references = max_references(&c->references->blocks, rect);
    CofStatus status = COF_OK;
    if (c->pending > 0 && c->pending + references > MAX_REFERENCES)
        status = read_sums(c);
    c->pending += references;
    return status == COF_OK ? c->call->module->count_add(c->call->device, rect) : status;
}

static CofiDeviceCount request_of(const CofiReferences *r, const CofiDeviceTables *tables)
{
    return (CofiDeviceCount){.image = r->map->on_device,
                             .labels = r->map->labels,
                             .members = tables->members,
                             .stride = r->map->stride,
                             .width = r->map->width,
                             .height = r->map->height,
                             .x = r->x,
                             .y = r->y,
                             .k = r->k,
                             .radius = tables->radius,
                             .distances = tables->distances,
                             .distance_of = tables->distance_of,
                             .across = r->blocks.across,
                             .down = r->blocks.down,
                             .turns = r->blocks.turns};
}

CofStatus cofi_device_count(const CofiReferences *references, const CofiDeviceTables *tables,
                            int batch, double units)
{
    CofiCall *call = references->call;
    const CofiLabelMap *map = references->map;
    size_t k = (size_t)references->k, n = (size_t)tables->distances;
    CofiDeviceCount request = request_of(references, tables);
    Counting c = {.call = call, .references = references, .tables = tables, .batch = batch};
    c.pairs = cofi_call_take_raw(call, n, k * k * sizeof *c.pairs);
    c.members = cofi_call_take_raw(call, k, sizeof *c.members);
    if (!c.pairs || !c.members || (int64_t)map->width * map->height > COFI_DEVICE_PIXELS)
        return COF_ERR_MEMORY;
    CofStatus status = call->module->count_start(call->device, &request);
    if (status != COF_OK)
        return cofi_call_check_device(call, status);
    int batches = (references->rect.height - 1) / batch + 1;
    status = cofi_call_steps(call, batches, units, count_batch, &c);
    if (status == COF_OK)
        status = read_sums(&c);
    call->module->count_end(call->device);
    if (status == COF_OK)
        cofi_call_ran_on_device(call, COF_STAGE_COUNT);
    return cofi_call_check_begun(call, status);
}

CofStatus cofi_device_read_map(CofiCall *call, const CofiLabelMap *map)
{
    CofiMark mark = cofi_call_mark(call);
    size_t width = (size_t)map->width;
    uint8_t *packed = cofi_call_take_raw(call, (size_t)map->height, width);
    CofStatus status = COF_ERR_MEMORY;
    if (packed)
        status = cofi_call_check_begun(call, call->module->read_labels(map->on_device, packed));
    for (int y = 0; y < map->height && status == COF_OK; y++)
        memcpy(map->labels + y * map->stride, packed + (size_t)y * width, width);
    cofi_call_release(call, mark);
    return status;
}
