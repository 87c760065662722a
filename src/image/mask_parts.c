/* SPDX-License-Identifier: BSD-2-Clause */
/* Connected parts of a mask, found by following neighbours. */
#include "image/mask_parts.h"

#include <stdbool.h>
#include <string.h>

static bool has_room(const uint8_t *bytes, int width, int height, int radius, int x, int y)
{
    for (int i = -radius; i <= radius; i++) {
        int column = x + i, row = y + i;
        if (column >= 0 && column < width && !bytes[(ptrdiff_t)y * width + column])
            return false;
        if (row >= 0 && row < height && !bytes[(ptrdiff_t)row * width + x])
            return false;
    }
    return true;
}

void cofi_shrink(const uint8_t *bytes, int width, int height, int radius, uint8_t *out)
{
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            *out++ = has_room(bytes, width, height, radius, x, y);
}

typedef struct Parts {
    uint8_t *bytes;
    uint32_t width, height;
    uint8_t *seen;
    uint32_t *pixels; /* of the part, in the order in which they were found */
    size_t n;
} Parts;

static void find(Parts *p, uint32_t pixel, uint8_t value)
{
    if (p->seen[pixel] || p->bytes[pixel] != value)
        return;
    p->seen[pixel] = 1;
    p->pixels[p->n++] = pixel;
}

/* Appends all pixels that are connected to those from `first` on. */
static void follow(Parts *p, size_t first, uint8_t value)
{
    for (size_t i = first; i < p->n; i++) {
        uint32_t pixel = p->pixels[i], x = pixel % p->width, y = pixel / p->width;
        if (x > 0)
            find(p, pixel - 1, value);
        if (x + 1 < p->width)
            find(p, pixel + 1, value);
        if (y > 0)
            find(p, pixel - p->width, value);
        if (y + 1 < p->height)
            find(p, pixel + p->width, value);
    }
}

static CofStatus open_parts(Parts *p, CofiCall *call, uint8_t *bytes, int width, int height)
{
    size_t pixels = (size_t)width * (size_t)height;
    *p = (Parts){.bytes = bytes, .width = (uint32_t)width, .height = (uint32_t)height};
    if (pixels > UINT32_MAX)
        return COF_ERR_MEMORY;
    p->seen = cofi_call_take(call, pixels, 1);
    p->pixels = cofi_call_take_raw(call, pixels, sizeof *p->pixels);
    return p->seen && p->pixels ? COF_OK : COF_ERR_MEMORY;
}

CofStatus cofi_keep_at_border(CofiCall *call, uint8_t *bytes, int width, int height)
{
    Parts p;
    CofiMark mark = cofi_call_mark(call);
    CofStatus status = open_parts(&p, call, bytes, width, height);
    if (status == COF_OK) {
        for (uint32_t x = 0; x < p.width; x++) {
            find(&p, x, 1);
            find(&p, (p.height - 1) * p.width + x, 1);
        }
        for (uint32_t y = 0; y < p.height; y++) {
            find(&p, y * p.width, 1);
            find(&p, y * p.width + p.width - 1, 1);
        }
        follow(&p, 0, 1);
        memset(bytes, 0, (size_t)p.width * p.height);
        for (size_t i = 0; i < p.n; i++)
            bytes[p.pixels[i]] = 1;
    }
    cofi_call_release(call, mark);
    return status;
}

static void remove_parts(Parts *p, const uint8_t *markers, uint8_t label, size_t smallest)
{
    size_t pixels = (size_t)p->width * p->height;
    memset(p->seen, 0, pixels);
    for (size_t pixel = 0; pixel < pixels; pixel++) {
        p->n = 0;
        find(p, (uint32_t)pixel, label);
        follow(p, 0, label);
        bool stays = p->n >= smallest;
        for (size_t i = 0; i < p->n && !stays; i++)
            stays = markers[p->pixels[i]] == label;
        for (size_t i = 0; i < p->n && !stays; i++)
            p->bytes[p->pixels[i]] = (uint8_t)(3 - label);
    }
}

CofStatus cofi_remove_small_parts(CofiCall *call, uint8_t *labels, const uint8_t *markers,
                                  int width, int height, size_t smallest)
{
    Parts p;
    CofiMark mark = cofi_call_mark(call);
    CofStatus status = smallest > 1 ? open_parts(&p, call, labels, width, height) : COF_OK;
    for (uint8_t label = 1; label <= 2 && smallest > 1 && status == COF_OK; label++) {
        remove_parts(&p, markers, label, smallest);
        status = cofi_call_poll(call);
    }
    cofi_call_release(call, mark);
    return status;
}

/* Lists the part that a pixel belongs to: none if the pixel is 0 or its part was listed before. */
static void list_part(Parts *p, size_t pixel)
{
    p->n = 0;
    find(p, (uint32_t)pixel, 1);
    follow(p, 0, 1);
}

/* Clears the part that has just been listed. */
static void clear_part(const Parts *p)
{
    for (size_t i = 0; i < p->n; i++)
        p->bytes[p->pixels[i]] = 0;
}

CofStatus cofi_clear_small_parts(CofiCall *call, uint8_t *bytes, int width, int height,
                                 size_t smallest)
{
    Parts p;
    CofiMark mark = cofi_call_mark(call);
    CofStatus status = open_parts(&p, call, bytes, width, height);
    for (size_t pixel = 0; status == COF_OK && pixel < (size_t)width * (size_t)height; pixel++) {
        list_part(&p, pixel);
        if (p.n < smallest)
            clear_part(&p);
    }
    cofi_call_release(call, mark);
    return status;
}

CofStatus cofi_clear_marked_parts(CofiCall *call, uint8_t *bytes, const uint8_t *marks, int width,
                                  int height)
{
    Parts p;
    CofiMark mark = cofi_call_mark(call);
    CofStatus status = open_parts(&p, call, bytes, width, height);
    for (size_t pixel = 0; status == COF_OK && pixel < (size_t)width * (size_t)height; pixel++)
        if (marks[pixel]) {
            list_part(&p, pixel);
            clear_part(&p);
        }
    cofi_call_release(call, mark);
    return status;
}
