/* SPDX-License-Identifier: BSD-2-Clause */
/* Marker-controlled watershed, by a queue for each level. */
#include "image/flood.h"

#include <stdbool.h>
#include <stddef.h>

#define NONE UINT32_MAX

/* A pixel enters one queue, once, when it gets its label. */
typedef struct Flood {
    const uint16_t *levels;
    uint8_t *labels;
    uint32_t width, height;
    uint32_t *next;         /* of each pixel: the next one in its queue */
    uint32_t *first, *last; /* of each queue */
} Flood;

static void enqueue(Flood *f, uint32_t level, uint32_t pixel)
{
    f->next[pixel] = NONE;
    if (f->first[level] == NONE)
        f->first[level] = pixel;
    else
        f->next[f->last[level]] = pixel;
    f->last[level] = pixel;
}

static void reach(Flood *f, uint32_t level, uint8_t label, uint32_t pixel)
{
    if (f->labels[pixel] != 0)
        return;
    f->labels[pixel] = label;
    enqueue(f, f->levels[pixel] > level ? f->levels[pixel] : level, pixel);
}

static void spread(Flood *f, uint32_t level, uint32_t pixel)
{
    uint32_t x = pixel % f->width, y = pixel / f->width;
    uint8_t label = f->labels[pixel];
    if (x > 0)
        reach(f, level, label, pixel - 1);
    if (x + 1 < f->width)
        reach(f, level, label, pixel + 1);
    if (y > 0)
        reach(f, level, label, pixel - f->width);
    if (y + 1 < f->height)
        reach(f, level, label, pixel + f->width);
}

static bool is_free(const Flood *f, uint32_t x, uint32_t y)
{
    return f->labels[(size_t)y * f->width + x] == 0;
}

/* Most markers of a large image lie inside of others. */
static bool has_free_neighbour(const Flood *f, uint32_t x, uint32_t y)
{
    return (x > 0 && is_free(f, x - 1, y)) || (x + 1 < f->width && is_free(f, x + 1, y)) ||
           (y > 0 && is_free(f, x, y - 1)) || (y + 1 < f->height && is_free(f, x, y + 1));
}

static void enqueue_markers(Flood *f)
{
    for (uint32_t y = 0; y < f->height; y++)
        for (uint32_t x = 0; x < f->width; x++)
            if (!is_free(f, x, y) && has_free_neighbour(f, x, y))
                enqueue(f, 0, y * f->width + x);
}

CofStatus cofi_flood(CofiCall *call, const uint16_t *levels, int width, int height, uint8_t *labels)
{
    CofiMark mark = cofi_call_mark(call);
    size_t pixels = (size_t)width * (size_t)height;
    Flood f = {
        .levels = levels, .labels = labels, .width = (uint32_t)width, .height = (uint32_t)height};
    if (pixels < NONE)
        f.next = cofi_call_take_raw(call, pixels, sizeof *f.next);
    f.first = cofi_call_take_raw(call, COFI_FLOOD_LEVELS, sizeof *f.first);
    f.last = cofi_call_take_raw(call, COFI_FLOOD_LEVELS, sizeof *f.last);
    CofStatus status = f.next && f.first && f.last ? COF_OK : COF_ERR_MEMORY;
    if (status == COF_OK) {
        for (int level = 0; level < COFI_FLOOD_LEVELS; level++)
            f.first[level] = NONE;
        enqueue_markers(&f);
    }
    for (uint32_t level = 0; level < COFI_FLOOD_LEVELS && status == COF_OK; level++) {
        while (f.first[level] != NONE) {
            uint32_t pixel = f.first[level];
            f.first[level] = f.next[pixel];
            spread(&f, level, pixel);
        }
        status = cofi_call_poll(call);
    }
    cofi_call_release(call, mark);
    return status;
}
