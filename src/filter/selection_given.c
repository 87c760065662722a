/* SPDX-License-Identifier: BSD-2-Clause */
/* Masks that were given, to be corrected without the strokes that they were made of. */
#include "filter/selection_given.h"

#include <string.h>

#include "base/memory.h"
#include "filter/selection_correct.h"
#include "image/image.h"
#include "image/mask_parts.h"

/* A part is not held as near to a mark that contradicts it as this many times the mark's length. */
#define HELD_FROM 1.5

/* In each cell of the map, the label that most pixels have. */
static void downscale_given(CofSelection *s)
{
    int n = s->map.n, width = s->image.width, height = s->image.height;
    uint8_t *small = s->last_labels;
    for (int y = 0; y < s->map.height; y++)
        for (int x = 0; x < s->map.width; x++) {
            int balance = 0;
            for (int row = y * n; row < (y + 1) * n && row < height; row++)
                for (int column = x * n; column < (x + 1) * n && column < width; column++)
                    balance +=
                        s->given[(ptrdiff_t)row * width + column] == COFI_FOREGROUND ? 1 : -1;
            *small++ = balance > 0 ? COFI_FOREGROUND : COFI_BACKGROUND;
        }
}

CofStatus cofi_selection_set_mask(CofSelection *s, const CofImage *mask)
{
    if (!s->given)
        s->given = cofi_malloc((size_t)s->image.height, (size_t)s->image.width);
    if (!s->held)
        s->held = cofi_malloc((size_t)s->map.height, (size_t)s->map.width);
    if (!s->given || !s->held) {
        cofi_selection_forget_mask(s);
        return COF_ERR_MEMORY;
    }
    uint8_t *label = s->given;
    for (int y = 0; y < mask->height; y++)
        for (int x = 0; x < mask->width; x++)
            *label++ = *cofi_pixel(mask, x, y) != 0 ? COFI_FOREGROUND : COFI_BACKGROUND;
    downscale_given(s);
    s->has_mask = s->is_given = true;
    return COF_OK;
}

void cofi_selection_forget_mask(CofSelection *s)
{
    cofi_free(s->given);
    cofi_free(s->held);
    s->given = s->held = NULL;
    s->has_mask = s->is_given = false;
}

/* One side of the last mask, while it is looked at. All at the size of the map. */
typedef struct Side {
    uint8_t label;
    uint8_t *inside; /* 1 on this side */
    uint8_t *open;   /* 0 near marks that contradict it */
    uint8_t *core;
    int32_t *depth; /* steps to the other side; 0 there */
} Side;

static CofStatus take_side(CofiCall *call, size_t pixels, Side *side)
{
    side->inside = cofi_call_take_raw(call, pixels, 1);
    side->open = cofi_call_take_raw(call, pixels, 1);
    side->core = cofi_call_take(call, pixels, 1);
    side->depth = cofi_call_take_raw(call, pixels, sizeof *side->depth);
    bool ok = side->inside && side->open && side->core && side->depth;
    return ok ? COF_OK : COF_ERR_MEMORY;
}

/* Steps to the nearest pixel outside; beyond the border of the image, there is none. */
static void measure_depth(const uint8_t *inside, int width, int height, int32_t *depth)
{
    int32_t far = width + height;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            int32_t *d = depth + (ptrdiff_t)y * width + x;
            *d = inside[(ptrdiff_t)y * width + x] ? far : 0;
            *d = x > 0 && d[-1] + 1 < *d ? d[-1] + 1 : *d;
            *d = y > 0 && d[-width] + 1 < *d ? d[-width] + 1 : *d;
        }
    for (int y = height - 1; y >= 0; y--)
        for (int x = width - 1; x >= 0; x--) {
            int32_t *d = depth + (ptrdiff_t)y * width + x;
            *d = x + 1 < width && d[1] + 1 < *d ? d[1] + 1 : *d;
            *d = y + 1 < height && d[width] + 1 < *d ? d[width] + 1 : *d;
        }
}

/* Finds where the side is far from marks that contradict it, and its parts that none does. */
static CofStatus find_open(CofiCall *call, const CofSelection *s, const uint8_t *marks, Side *side)
{
    int width = s->map.width, height = s->map.height;
    size_t pixels = (size_t)width * (size_t)height;
    uint8_t *none = cofi_call_take(call, pixels, 1), *wrong = cofi_call_take_raw(call, pixels, 1);
    uint8_t *right = cofi_call_take_raw(call, pixels, 1);
    if (!none || !wrong || !right)
        return COF_ERR_MEMORY;
    for (size_t i = 0; i < pixels; i++)
        wrong[i] = side->inside[i] && marks[i] && marks[i] != side->label;
    memset(side->open, 1, pixels);
    memcpy(right, side->inside, pixels);
    CofStatus status =
        cofi_clear_near_changes(call, wrong, none, width, height, HELD_FROM, side->open);
    if (status == COF_OK)
        status = cofi_clear_marked_parts(call, right, wrong, width, height);
    for (size_t i = 0; i < pixels && status == COF_OK; i++)
        side->open[i] |= right[i];
    return status;
}

static void load_side(const CofSelection *s, Side *side)
{
    for (size_t i = 0; i < (size_t)s->map.width * (size_t)s->map.height; i++)
        side->inside[i] = s->last_labels[i] == side->label;
}

/* Finds the middle of each part: where it is at least half as deep as anywhere. */
static CofStatus find_core(CofiCall *call, const CofSelection *s, Side *side)
{
    int width = s->map.width, height = s->map.height;
    size_t pixels = (size_t)width * (size_t)height;
    CofStatus status = COF_OK;
    measure_depth(side->inside, width, height, side->depth);
    for (int32_t reach = width + height; reach > 0 && status == COF_OK; reach /= 2) {
        CofiMark memory = cofi_call_mark(call);
        for (size_t i = 0; i < pixels; i++)
            side->core[i] |= side->inside[i] && side->depth[i] >= reach;
        status = cofi_clear_marked_parts(call, side->inside, side->core, width, height);
        cofi_call_release(call, memory);
    }
    return status;
}

/* Is a mark of the side on it? */
static bool has_mark(const CofSelection *s, const uint8_t *marks, uint8_t label)
{
    for (size_t i = 0; i < (size_t)s->map.width * (size_t)s->map.height; i++)
        if (marks[i] == label && s->last_labels[i] == label)
            return true;
    return false;
}

/* Holds a side of which no strokes are known in the middle of its parts. */
static CofStatus hold_side(CofiCall *call, CofSelection *s, const uint8_t *marks, uint8_t label)
{
    size_t pixels = (size_t)s->map.width * (size_t)s->map.height;
    Side side = {.label = label};
    CofStatus status = take_side(call, pixels, &side);
    if (status == COF_OK) {
        load_side(s, &side);
        status = find_open(call, s, marks, &side);
    }
    if (status == COF_OK && s->is_given)
        status = has_mark(s, marks, label) ? COF_OK : find_core(call, s, &side);
    else
        for (size_t i = 0; i < pixels && status == COF_OK; i++)
            side.core[i] = s->held[i] == label;
    bool is_open = false;
    for (size_t i = 0; i < pixels && status == COF_OK; i++)
        is_open |= side.core[i] && side.open[i];
    for (size_t i = 0; i < pixels && status == COF_OK; i++)
        if (side.core[i])
            s->held[i] =
                side.open[i] || !is_open ? label : 0; /* a side is not given up as a whole */
    return status;
}

CofStatus cofi_selection_hold(CofiCall *call, CofSelection *s, const uint8_t *marks, uint8_t *seeds)
{
    size_t pixels = (size_t)s->map.width * (size_t)s->map.height;
    CofiMark memory = cofi_call_mark(call);
    if (s->is_given) {
        memset(s->held, 0, pixels);
        memset(s->last_marks, 0, pixels);
    }
    for (size_t i = 0; i < pixels; i++)
        if (marks[i] == s->last_labels[i])
            s->last_marks[i] = marks[i];
    CofStatus status = hold_side(call, s, marks, COFI_FOREGROUND);
    cofi_call_release(call, memory);
    if (status == COF_OK)
        status = hold_side(call, s, marks, COFI_BACKGROUND);
    cofi_call_release(call, memory);
    for (size_t i = 0; i < pixels; i++)
        seeds[i] = seeds[i] ? seeds[i] : s->held[i];
    return status;
}
