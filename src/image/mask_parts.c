/* SPDX-License-Identifier: BSD-2-Clause */
/* Connected parts of masks and labels, found by following neighbours. */
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

/* The up to four neighbours of a pixel; returns their number. */
static int neighbours_of(const Parts *p, uint32_t pixel, uint32_t neighbours[4])
{
    uint32_t x = pixel % p->width, y = pixel / p->width;
    int n = 0;
    if (x > 0)
        neighbours[n++] = pixel - 1;
    if (x + 1 < p->width)
        neighbours[n++] = pixel + 1;
    if (y > 0)
        neighbours[n++] = pixel - p->width;
    if (y + 1 < p->height)
        neighbours[n++] = pixel + p->width;
    return n;
}

/* Appends all pixels that are connected to those from `first` on. */
static void follow(Parts *p, size_t first, uint8_t value)
{
    uint32_t neighbours[4];
    for (size_t i = first; i < p->n; i++)
        for (int j = neighbours_of(p, p->pixels[i], neighbours) - 1; j >= 0; j--)
            find(p, neighbours[j], value);
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

/* The pixels of a part form a tree: each holds the index of another one, the root minus the number
 * of all. */
static uint32_t root_of(int32_t *trees, uint32_t pixel)
{
    while (trees[pixel] >= 0) {
        int32_t next = trees[pixel];
        if (trees[next] >= 0)
            trees[pixel] = trees[next];
        pixel = (uint32_t)next;
    }
    return pixel;
}

static void unite(int32_t *trees, uint32_t a, uint32_t b)
{
    a = root_of(trees, a);
    b = root_of(trees, b);
    if (a == b)
        return;
    uint32_t large = trees[a] <= trees[b] ? a : b, small = large == a ? b : a;
    trees[large] += trees[small];
    trees[small] = (int32_t)large;
}

/* The label with the longest border to the part that is listed, the smallest of several; -1 if
 * there are no neighbours. */
static int longest_border(const Parts *p, uint8_t label)
{
    uint32_t borders[256] = {0}, neighbours[4], longest = 0;
    int found = -1;
    for (size_t i = 0; i < p->n; i++)
        for (int j = neighbours_of(p, p->pixels[i], neighbours) - 1; j >= 0; j--)
            if (!p->seen[neighbours[j]] && p->bytes[neighbours[j]] != label)
                borders[p->bytes[neighbours[j]]]++;
    for (int i = 0; i < 256; i++)
        if (borders[i] > longest) {
            longest = borders[i];
            found = i;
        }
    return found;
}

/* Gives the part of a pixel the label that has the longest border to it. Only pixels that take no
 * part stay seen, and a part without neighbours, which takes none from then on. */
static void merge_part(Parts *p, int32_t *trees, uint32_t pixel)
{
    uint8_t label = p->bytes[pixel];
    uint32_t neighbours[4];
    p->n = 0;
    find(p, pixel, label);
    follow(p, 0, label);
    int other = longest_border(p, label);
    if (other < 0)
        return;
    for (size_t i = 0; i < p->n; i++) {
        p->seen[p->pixels[i]] = 0;
        p->bytes[p->pixels[i]] = (uint8_t)other;
    }
    for (size_t i = 0; i < p->n; i++)
        for (int j = neighbours_of(p, p->pixels[i], neighbours) - 1; j >= 0; j--)
            if (!p->seen[neighbours[j]] && p->bytes[neighbours[j]] == other)
                unite(trees, p->pixels[i], neighbours[j]);
}

/* Whether two pixels take part and have the same label. */
static bool are_alike(const Parts *p, uint32_t one, uint32_t other)
{
    return p->bytes[one] == p->bytes[other] && !p->seen[one] && !p->seen[other];
}

static void grow_trees(const Parts *p, int32_t *trees)
{
    uint32_t i = 0;
    for (uint32_t y = 0; y < p->height; y++)
        for (uint32_t x = 0; x < p->width; x++, i++) {
            trees[i] = -1;
            if (x > 0 && are_alike(p, i, i - 1))
                unite(trees, i, i - 1);
            if (y > 0 && are_alike(p, i, i - p->width))
                unite(trees, i, i - p->width);
        }
}

CofStatus cofi_merge_small_parts(CofiCall *call, uint8_t *labels, const uint8_t *valid, int width,
                                 int height, size_t smallest)
{
    size_t pixels = (size_t)width * (size_t)height;
    Parts p = {.bytes = labels, .width = (uint32_t)width, .height = (uint32_t)height};
    CofiMark mark = cofi_call_mark(call);
    if (width < 1 || height < 1 || smallest < 2)
        return COF_OK;
    smallest = smallest < pixels ? smallest : pixels;
    if (pixels > INT32_MAX)
        return COF_ERR_MEMORY;
    p.seen = cofi_call_take_raw(call, pixels, 1);
    p.pixels = cofi_call_take_raw(call, smallest, sizeof *p.pixels);
    int32_t *trees = cofi_call_take_raw(call, pixels, sizeof *trees);
    CofStatus status = p.seen && p.pixels && trees ? COF_OK : COF_ERR_MEMORY;
    if (status == COF_OK) {
        for (size_t i = 0; i < pixels; i++)
            p.seen[i] = !valid[i];
        grow_trees(&p, trees);
    }
    for (size_t size = 2, last = 1; last < smallest && status == COF_OK; size *= 2) {
        last = size < smallest ? size : smallest;
        for (uint32_t i = 0; i < pixels; i++)
            if (!p.seen[i] && (size_t)-trees[root_of(trees, i)] < last)
                merge_part(&p, trees, i);
        status = cofi_call_poll(call);
    }
    cofi_call_release(call, mark);
    return status;
}
