/* SPDX-License-Identifier: BSD-2-Clause */
/* From strokes to a mask: water rises from the strokes, and the mask ends where it meets. */
#include "filter/selection.h"

#include <string.h>

#include "base/memory.h"
#include "filter/selection_correct.h"
#include "filter/selection_given.h"
#include "filter/selection_guess.h"
#include "filter/selection_levels.h"
#include "image/box_downscale.h"
#include "image/flood.h"
#include "image/image.h"
#include "image/mask_parts.h"

/* The largest share of the image that is taken for background. */
#define MOST_UNLIKE 0.5

CofStatus cofi_selection_new(CofiCall *call, const CofImage *image, CofSelection **selection)
{
    CofSelection *s = cofi_calloc(1, sizeof *s);
    if (!s)
        return COF_ERR_MEMORY;
    s->image = *image;
    s->marks = cofi_calloc((size_t)image->height, (size_t)image->width);
    CofStatus status = s->marks ? cofi_selection_map_make(call, image, &s->map) : COF_ERR_MEMORY;
    size_t height = (size_t)s->map.height, width = (size_t)s->map.width;
    if (status == COF_OK) {
        s->last_labels = cofi_malloc(height, width);
        s->last_marks = cofi_malloc(height, width);
        status = s->last_labels && s->last_marks ? COF_OK : COF_ERR_MEMORY;
    }
    if (status == COF_OK)
        *selection = s;
    else
        cofi_selection_free(&s);
    return status;
}

void cofi_selection_free(CofSelection **selection)
{
    if (!*selection)
        return;
    cofi_selection_map_clear(&(*selection)->map);
    cofi_fine_edges_clear(&(*selection)->fine);
    cofi_free((*selection)->marks);
    cofi_free((*selection)->last_labels);
    cofi_free((*selection)->last_marks);
    cofi_selection_forget_mask(*selection);
    cofi_free(*selection);
    *selection = NULL;
}

CofImage cofi_selection_marks(const CofSelection *s)
{
    return cofi_packed_bytes(s->marks, s->image.width, s->image.height);
}

void cofi_selection_add(CofSelection *s, const CofImage *pixels, uint8_t mark)
{
    uint8_t *marks = s->marks;
    for (int y = 0; y < pixels->height; y++)
        for (int x = 0; x < pixels->width; x++, marks++)
            if (*cofi_pixel(pixels, x, y) != 0)
                *marks = mark;
}

/* The marks at the size of the map: in each cell, that of most marked pixels. */
static void downscale_marks(const CofSelection *s, uint8_t *small)
{
    int n = s->map.n, width = s->image.width, height = s->image.height;
    for (int y = 0; y < s->map.height; y++)
        for (int x = 0; x < s->map.width; x++) {
            int found[COFI_BACKGROUND + 1] = {0};
            for (int row = y * n; row < (y + 1) * n && row < height; row++)
                for (int column = x * n; column < (x + 1) * n && column < width; column++)
                    found[s->marks[(ptrdiff_t)row * width + column]]++;
            uint8_t most = found[COFI_FOREGROUND] >= found[COFI_BACKGROUND] ? COFI_FOREGROUND
                                                                            : COFI_BACKGROUND;
            *small++ = found[most] > 0 ? most : 0;
        }
}

/* Is a pixel that is not 0 within two pixels? */
static bool has_near(const CofiSelectionMap *map, const uint8_t *bytes, int x, int y)
{
    for (int row = y - 2; row <= y + 2; row++)
        for (int column = x - 2; column <= x + 2; column++)
            if (row >= 0 && row < map->height && column >= 0 && column < map->width &&
                bytes[(ptrdiff_t)row * map->width + column])
                return true;
    return false;
}

/* Takes the outermost pixels off the marks of one side, except where nothing would remain. A mark
 * that ends on an edge, or a little beyond, then does not start on the wrong side of it. */
static CofStatus thin_marks(CofiCall *call, const CofiSelectionMap *map, const uint8_t *marks,
                            uint8_t side, uint8_t *seeds)
{
    size_t pixels = (size_t)map->width * (size_t)map->height;
    uint8_t *own = cofi_call_take_raw(call, pixels, 1), *core = cofi_call_take_raw(call, pixels, 1);
    if (!own || !core)
        return COF_ERR_MEMORY;
    for (size_t i = 0; i < pixels; i++)
        own[i] = marks[i] == side;
    cofi_shrink(own, map->width, map->height, 1, core);
    for (int y = 0; y < map->height; y++)
        for (int x = 0; x < map->width; x++) {
            size_t i = (size_t)y * (size_t)map->width + (size_t)x;
            if (core[i] || (own[i] && !has_near(map, core, x, y)))
                seeds[i] = side;
        }
    return COF_OK;
}

/* Does the foreground have more than half of the border of the image? */
static bool has_border(const CofiSelectionMap *map, const uint8_t *labels)
{
    int width = map->width, height = map->height, found = 0;
    const uint8_t *last = labels + (ptrdiff_t)(height - 1) * width;
    for (int x = 0; x < width; x++)
        found += (labels[x] == COFI_FOREGROUND) + (last[x] == COFI_FOREGROUND);
    for (int y = 0; y < height; y++)
        found += (labels[(ptrdiff_t)y * width] == COFI_FOREGROUND) +
                 (labels[(ptrdiff_t)y * width + width - 1] == COFI_FOREGROUND);
    return found > width + height;
}

/* Floods from the seeds and from what is unlike the foreground. An object without marks beside it
 * that takes most of the border of the image has leaked: more is then taken for background. */
static CofStatus flood(CofiCall *call, const CofiSelectionMap *map, const uint16_t *levels,
                       const uint8_t *marks, const uint8_t *seeds, uint8_t *labels)
{
    size_t pixels = (size_t)map->width * (size_t)map->height;
    bool has_background = memchr(marks, COFI_BACKGROUND, pixels) != NULL;
    CofStatus status = COF_OK;
    for (double share = COFI_UNLIKE; share <= MOST_UNLIKE; share *= 2) {
        CofiMark mark = cofi_call_mark(call);
        memcpy(labels, seeds, pixels);
        status = cofi_guess_background(call, map, marks, share, labels);
        if (status == COF_OK)
            status = cofi_flood(call, levels, map->width, map->height, labels);
        cofi_call_release(call, mark);
        if (status != COF_OK || has_background || !has_border(map, labels))
            return status;
    }
    return status;
}

/* Floods again what changed marks can change of the last mask. */
static CofStatus flood_near_changes(CofiCall *call, CofSelection *s, const uint16_t *levels,
                                    const uint8_t *marks, uint8_t *seeds, uint8_t *labels)
{
    size_t pixels = (size_t)s->map.width * (size_t)s->map.height;
    memcpy(labels, s->last_labels, pixels);
    CofStatus status = s->given ? cofi_selection_hold(call, s, marks, seeds) : COF_OK;
    if (status == COF_OK)
        status = cofi_clear_near_changes(call, marks, s->last_marks, s->map.width, s->map.height,
                                         COFI_CORRECTION_REACH, labels);
    for (size_t i = 0; i < pixels; i++)
        labels[i] = seeds[i] ? seeds[i] : labels[i];
    return status == COF_OK ? cofi_flood(call, levels, s->map.width, s->map.height, labels)
                            : status;
}

/* Labels at the size of the map. */
static CofStatus select_small(CofiCall *call, CofSelection *s, bool correct, uint8_t *marks,
                              uint8_t *labels)
{
    size_t pixels = (size_t)s->map.width * (size_t)s->map.height;
    uint8_t *seeds = cofi_call_take(call, pixels, 1);
    const uint16_t *levels = NULL;
    if (!seeds)
        return COF_ERR_MEMORY;
    downscale_marks(s, marks);
    CofStatus status = thin_marks(call, &s->map, marks, COFI_FOREGROUND, seeds);
    if (status == COF_OK)
        status = thin_marks(call, &s->map, marks, COFI_BACKGROUND, seeds);
    if (status == COF_OK)
        status = cofi_selection_levels(call, &s->map, marks, &levels);
    if (status == COF_OK)
        status = correct && (s->given || memchr(marks, COFI_BACKGROUND, pixels))
                     ? flood_near_changes(call, s, levels, marks, seeds, labels)
                     : flood(call, &s->map, levels, marks, seeds, labels);
    for (size_t i = 0; i < pixels && status == COF_OK; i++)
        labels[i] = marks[i] ? marks[i] : labels[i];
    size_t smallest = (size_t)(call->options.min_area * (double)pixels);
    if (status == COF_OK)
        status =
            cofi_remove_small_parts(call, labels, marks, s->map.width, s->map.height, smallest);
    return status;
}

/* Keeps what the next correction needs. */
static void remember(CofSelection *s, const uint8_t *marks, const uint8_t *labels,
                     const uint8_t *large)
{
    size_t pixels = (size_t)s->map.width * (size_t)s->map.height;
    if (s->given)
        memcpy(s->given, large, (size_t)s->image.width * (size_t)s->image.height);
    s->is_given = false;
    memcpy(s->last_marks, marks, pixels);
    memcpy(s->last_labels, labels, pixels);
    s->has_mask = true;
}

typedef struct Storing {
    const CofImage *mask;
    const uint8_t *labels;
} Storing;

static void store_rows(void *context, int first, int last, int worker)
{
    (void)worker;
    const Storing *s = context;
    for (int y = first; y < last; y++) {
        const uint8_t *labels = s->labels + (ptrdiff_t)y * s->mask->width;
        for (int x = 0; x < s->mask->width; x++)
            *cofi_pixel(s->mask, x, y) = labels[x] == COFI_FOREGROUND ? 255 : 0;
    }
}

/* Copies what a correction of a given mask changes before it can fail, or puts it back. */
static void copy_held(CofSelection *s, uint8_t *copy, bool back)
{
    size_t pixels = (size_t)s->map.width * (size_t)s->map.height;
    uint8_t *const held[2] = {s->last_marks, s->held};
    for (size_t i = 0; i < 2; i++) {
        uint8_t *there = copy + i * pixels;
        memcpy(back ? held[i] : there, back ? there : held[i], pixels);
    }
}

static CofStatus make_mask(CofiCall *call, CofSelection *s, bool correct, const CofImage *mask)
{
    size_t small = (size_t)s->map.width * (size_t)s->map.height;
    uint8_t *held = correct && s->given ? cofi_call_take_raw(call, small, 2) : NULL;
    if (correct && s->given && !held)
        return COF_ERR_MEMORY;
    if (held)
        copy_held(s, held, false);
    uint8_t *marks = cofi_call_take_raw(call, small, 1), *labels, *large;
    labels = large = cofi_call_take_raw(call, small, 1);
    CofStatus status =
        marks && labels ? select_small(call, s, correct, marks, labels) : COF_ERR_MEMORY;
    if (status == COF_OK && s->map.n > 1 && (mask || (correct && s->given)))
        status = cofi_selection_refine(call, &s->image, &s->map, labels, s->marks,
                                       (CofiUncorrected){s->last_labels, correct ? s->given : NULL},
                                       &s->fine, &large);
    Storing storing = {mask, large};
    if (status == COF_OK) {
        if (mask)
            cofi_call_output_rows(call, mask->height, COFI_SELECTION_UPDATE_UNITS, store_rows,
                                  &storing);
        if (!correct)
            cofi_selection_forget_mask(s);
        remember(s, marks, labels, large);
    } else if (held) {
        copy_held(s, held, true);
    }
    return status;
}

static CofStatus update(CofiCall *call, CofSelection *s, bool correct, const CofImage *mask)
{
    size_t pixels = (size_t)s->image.width * (size_t)s->image.height;
    bool has_object = correct && s->given && memchr(s->given, COFI_FOREGROUND, pixels);
    if (!has_object && !memchr(s->marks, COFI_FOREGROUND, pixels))
        return cofi_call_fail(call, COF_ERR_EMPTY, "no pixel of the object is marked");
    CofiMark memory = cofi_call_mark(call);
    CofStatus status = make_mask(call, s, correct, mask);
    cofi_call_release(call, memory);
    return status;
}

CofStatus cofi_selection_update(CofiCall *call, CofSelection *s, const CofImage *mask)
{
    return update(call, s, false, mask);
}

CofStatus cofi_selection_correct(CofiCall *call, CofSelection *s, const CofImage *mask)
{
    return update(call, s, s->has_mask, mask);
}
