/* SPDX-License-Identifier: BSD-2-Clause */
/* T: the label of each pixel, and which pixels are learned from. */
#include "learn/label_map.h"

#include <assert.h>
#include <stdatomic.h>
#include <string.h>

#include "image/image.h"
#include "learn/label_image.h"

CofStatus cofi_label_map_take(CofiLabelMap *map, CofiCall *call, int width, int height, int radius)
{
    assert(width >= 1 && height >= 1 && radius >= 0);
    *map = (CofiLabelMap){.width = width, .height = height, .radius = radius};
    map->stride = (ptrdiff_t)width + 2 * radius;
    size_t rows = (size_t)height + 2 * (size_t)radius, bytes;
    if (!cofi_mul((size_t)map->stride, rows, &bytes) || bytes > SIZE_MAX - COFI_OVERREAD)
        return COF_ERR_MEMORY;
    uint8_t *labels = cofi_call_take_raw(call, bytes + COFI_OVERREAD, 1);
    uint8_t *members = cofi_call_take_raw(call, bytes + COFI_OVERREAD, 1);
    if (!labels || !members)
        return COF_ERR_MEMORY;
    size_t border = (size_t)radius * (size_t)map->stride;
    memset(members, 0, border);
    memset(members + bytes - border, 0, border + COFI_OVERREAD);
    map->labels = labels + radius * map->stride + radius;
    map->members = members + radius * map->stride + radius;
    return COF_OK;
}

typedef struct Filling {
    CofiLabelMap *map;
    const CofImage *image;
    const CofiRoi *roi;
    int k;
    atomic_bool beyond;   /* a label was not below k */
    atomic_bool gaps;     /* a pixel is not a member */
    const uint8_t *known; /* labels */
} Filling;

static void member_rows(void *context, int first, int last, int worker)
{
    (void)worker;
    Filling *f = context;
    const CofiLabelMap *map = f->map;
    for (int y = first; y < last; y++) {
        uint8_t *members = map->members + y * map->stride;
        memset(members - map->radius, 0, (size_t)map->radius);
        cofi_member_row(f->roi, f->image, 0, y, map->width, members);
        memset(members + map->width, 0, (size_t)map->radius);
        if (memchr(members, 0, (size_t)map->width))
            atomic_store_explicit(&f->gaps, true, memory_order_relaxed);
    }
}

/* Fills rows of a map, which has then all its members. */
static CofStatus fill_rows(Filling *f, CofiCall *call, double units, CofiRows *rows)
{
    CofStatus status = cofi_call_rows(call, f->map->height, units, rows, f);
    f->map->only_members = !atomic_load(&f->gaps);
    return status;
}

CofStatus cofi_label_map_members(CofiLabelMap *map, CofiCall *call, const CofImage *image,
                                 const CofiRoi *roi, double units)
{
    Filling filling = {.map = map, .image = image, .roi = roi};
    map->implied = !roi->has_mask && !cofi_may_have_gaps(image) &&
                   cofi_rect_holds(roi->region, cofi_view_rect(image));
    if (!map->implied)
        return fill_rows(&filling, call, units, member_rows);
    map->only_members = true;
    return cofi_call_tasks(call, 0, units, NULL, NULL);
}

/* Replaces the labels of non-members in a row, borders included. Members that are implied are not
 * read. */
static void mark_row(const CofiLabelMap *map, int y)
{
    ptrdiff_t first = y * map->stride - map->radius;
    uint8_t *labels = map->labels + first;
    const uint8_t *members = map->members + first;
    if (y < 0 || y >= map->height) {
        memset(labels, COFI_NO_LABEL, (size_t)map->stride);
        return;
    }
    memset(labels, COFI_NO_LABEL, (size_t)map->radius);
    memset(labels + map->radius + map->width, COFI_NO_LABEL, (size_t)map->radius);
    if (map->only_members || !memchr(members + map->radius, 0, (size_t)map->width))
        return;
    for (int i = 0; i < map->stride; i++)
        labels[i] = members[i] ? labels[i] : COFI_NO_LABEL;
}

/* Members that are implied, between borders. */
static void fill_members(const CofiLabelMap *map, int y)
{
    uint8_t *members = map->members + y * map->stride;
    memset(members - map->radius, 0, (size_t)map->radius);
    memset(members, 1, (size_t)map->width);
    memset(members + map->width, 0, (size_t)map->radius);
}

typedef struct Completing {
    CofiLabelMap *map;
    bool mark;
} Completing;

/* Rows include those of the border. */
static void complete_rows(void *context, int first, int last, int worker)
{
    (void)worker;
    const Completing *c = context;
    const CofiLabelMap *map = c->map;
    for (int y = first - map->radius; y < last - map->radius; y++) {
        bool inside = y >= 0 && y < map->height;
        if (inside && map->unpadded)
            memcpy(map->labels + y * map->stride, map->unpadded + (ptrdiff_t)y * map->width,
                   (size_t)map->width);
        if (c->mark)
            mark_row(map, y);
        else if (inside && map->implied)
            fill_members(map, y);
    }
}

CofStatus cofi_label_map_complete(CofiLabelMap *map, CofiCall *call, bool mark)
{
    CofStatus status = COF_OK;
    Completing completing = {map, mark};
    if (mark || map->unpadded || map->implied)
        status = cofi_call_rows(call, map->height + 2 * map->radius, 0, complete_rows, &completing);
    map->unpadded = NULL;
    map->implied &= mark;
    return status;
}

CofStatus cofi_label_map_fill(CofiLabelMap *map, CofiCall *call, const CofiPalette *palette,
                              const CofImage *image, const CofiRoi *roi, double units)
{
    assert(map->width == image->width && map->height == image->height);
    CofRect all = {0, 0, map->width, map->height};
    CofiLabelRows rows = {
        .n = 1, .palettes = {palette}, .labels = {map->labels}, .stride = map->stride};
    CofStatus status = cofi_label_image(call, &rows, image, all, units / 2);
    Filling filling = {.map = map, .image = image, .roi = roi};
    return status == COF_OK ? fill_rows(&filling, call, units / 2, member_rows) : status;
}

static void given_rows(void *context, int first, int last, int worker)
{
    Filling *f = context;
    member_rows(context, first, last, worker);
    for (int y = first; y < last; y++) {
        const unsigned char *given = cofi_pixel(f->image, 0, y);
        uint8_t *labels = f->map->labels + y * f->map->stride;
        const uint8_t *members = f->map->members + y * f->map->stride;
        for (int x = 0; x < f->map->width; x++) {
            uint8_t label = given[x * f->image->pixel_stride];
            if (label < f->k)
                labels[x] = label;
            else if (members[x])
                atomic_store(&f->beyond, true);
        }
    }
}

CofStatus cofi_label_map_given(CofiLabelMap *map, CofiCall *call, int k, const CofImage *labels,
                               const CofiRoi *roi, double units)
{
    assert(map->width == labels->width && map->height == labels->height);
    assert(k >= 1);
    Filling filling = {.map = map, .image = labels, .roi = roi, .k = k};
    CofStatus status = fill_rows(&filling, call, units, given_rows);
    if (status == COF_OK && atomic_load(&filling.beyond))
        return cofi_call_fail_argument(call, COF_ERR_MISMATCH, "labels",
                                       "a label is not below the size of the palette");
    return status;
}

static void known_rows(void *context, int first, int last, int worker)
{
    Filling *f = context;
    member_rows(context, first, last, worker);
    for (int y = first; y < last; y++)
        memcpy(f->map->labels + y * f->map->stride, f->known + (ptrdiff_t)y * f->map->width,
               (size_t)f->map->width);
}

CofStatus cofi_label_map_known(CofiLabelMap *map, CofiCall *call, const uint8_t *labels,
                               const CofImage *image, const CofiRoi *roi, double units)
{
    assert(map->width == image->width && map->height == image->height);
    Filling filling = {.map = map, .image = image, .roi = roi, .known = labels};
    return fill_rows(&filling, call, units, known_rows);
}

void cofi_label_map_copy(const CofiLabelMap *map, const CofImage *image, uint8_t *labels)
{
    for (int y = 0; y < image->height; y++) {
        const uint8_t *from = map->labels + y * map->stride;
        uint8_t *valid = map->members + y * map->stride; /* members exclude transparent pixels */
        memset(valid, 1, (size_t)image->width);
        cofi_valid_row(image, 0, y, image->width, valid);
        for (int x = 0; x < image->width; x++)
            *labels++ = valid[x] ? from[x] : 0;
    }
}

CofStatus cofi_labels_of_image(CofiCall *call, const CofiPalette *palette, const CofImage *image,
                               uint8_t **labels)
{
    CofiRoi everywhere;
    CofiLabelMap map;
    *labels = cofi_call_take_raw(call, (size_t)image->height, (size_t)image->width);
    CofStatus status = *labels ? COF_OK : COF_ERR_MEMORY;
    if (status == COF_OK)
        status = cofi_check_roi(call, NULL, image, cofi_full_rect(image), &everywhere);
    if (status == COF_OK)
        status = cofi_label_map_take(&map, call, image->width, image->height, 0);
    if (status == COF_OK)
        status = cofi_label_map_fill(&map, call, palette, image, &everywhere, 1);
    if (status == COF_OK)
        cofi_label_map_copy(&map, image, *labels);
    return status;
}
