/* SPDX-License-Identifier: BSD-2-Clause */
/* Marks for a frame of a video: the mask of the frame before it moves with the object, and what
 * lies well inside or well outside of it is marked. The border between is found again. */
#include "filter/selection_follow.h"

#include <string.h>

#include "image/dilate.h"
#include "image/image.h"
#include "image/mask_parts.h"
#include "image/motion.h"

/* How far the border may be off, as a share of the shorter side, and in pixels at the least. */
#define REACH_SHARE 0.02
#define MIN_REACH 3.0

/* Parts with less than this share of the image get no mark. */
#define SMALLEST_PART (1.0 / 2000)

static int clamp(int value, int size)
{
    return value < 0 ? 0 : value < size ? value : size - 1;
}

/* One side of the mask at the size of the map, after it has moved: 1 inside, 0 outside. What comes
 * in over the border of the image is like its neighbour. */
static void load_side(const CofSelection *s, const CofImage *mask, int dx, int dy, bool foreground,
                      uint8_t *side)
{
    int n = s->map.n;
    for (int y = 0; y < s->map.height; y++)
        for (int x = 0; x < s->map.width; x++) {
            int column = clamp(x * n + n / 2 - dx, mask->width);
            int row = clamp(y * n + n / 2 - dy, mask->height);
            *side++ = (*cofi_pixel(mask, column, row) != 0) == foreground;
        }
}

/* Marks the pixels that are at least `reach` away from the end of the side. A part without such
 * pixels is marked in its middle, unless it is very small. */
static CofStatus mark_side(CofiCall *call, const CofiSelectionMap *map, uint8_t *side, uint8_t mark,
                           double reach, uint8_t *marks)
{
    size_t pixels = (size_t)map->width * (size_t)map->height;
    size_t smallest = (size_t)(SMALLEST_PART * (double)pixels);
    uint8_t *core = cofi_call_take_raw(call, pixels, 1);
    if (!core)
        return COF_ERR_MEMORY;
    CofImage side_view = cofi_packed_bytes(side, map->width, map->height);
    CofImage core_view = cofi_packed_bytes(core, map->width, map->height);
    CofStatus status = cofi_clear_small_parts(call, side, map->width, map->height, smallest);
    while (status == COF_OK && memchr(side, 1, pixels)) {
        CofiMark memory = cofi_call_mark(call);
        status = cofi_dilate(call, &side_view, &core_view, -reach);
        cofi_call_release(call, memory);
        for (size_t i = 0; i < pixels && status == COF_OK; i++)
            if (core[i])
                marks[i] = mark;
        if (status == COF_OK)
            status = cofi_clear_marked_parts(call, side, core, map->width, map->height);
        reach = reach > 1 ? reach / 2 : 0;
    }
    return status;
}

/* Marks all pixels of each marked cell of the map. */
static void upscale_marks(CofSelection *s, const uint8_t *small)
{
    int width = s->image.width, n = s->map.n;
    for (int y = 0; y < s->image.height; y++)
        for (int x = 0; x < width; x++)
            s->marks[(ptrdiff_t)y * width + x] = small[(ptrdiff_t)(y / n) * s->map.width + x / n];
}

static CofStatus mark_both(CofiCall *call, CofSelection *s, const CofImage *mask, int dx, int dy)
{
    const CofiSelectionMap *map = &s->map;
    size_t pixels = (size_t)map->width * (size_t)map->height;
    int shorter = map->width < map->height ? map->width : map->height;
    double reach = REACH_SHARE * shorter > MIN_REACH ? REACH_SHARE * shorter : MIN_REACH;
    uint8_t *side = cofi_call_take_raw(call, pixels, 1), *marks = cofi_call_take(call, pixels, 1);
    if (!side || !marks)
        return COF_ERR_MEMORY;
    load_side(s, mask, dx, dy, true, side);
    CofStatus status = mark_side(call, map, side, COFI_FOREGROUND, reach, marks);
    load_side(s, mask, dx, dy, false, side);
    if (status == COF_OK)
        status = mark_side(call, map, side, COFI_BACKGROUND, reach, marks);
    if (status == COF_OK) {
        upscale_marks(s, marks);
        s->has_mask = false; /* all marks are new */
    }
    return status;
}

CofStatus cofi_selection_follow(CofiCall *call, CofSelection *s, const CofImage *last,
                                const CofImage *mask)
{
    int dx = 0, dy = 0;
    CofiMark memory = cofi_call_mark(call);
    CofStatus status = last ? cofi_find_motion(call, last, &s->image, mask, &dx, &dy) : COF_OK;
    if (status == COF_OK)
        status = mark_both(call, s, mask, dx, dy);
    cofi_call_release(call, memory);
    return status;
}
