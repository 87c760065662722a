/* SPDX-License-Identifier: BSD-2-Clause */
/* From the mask of a downscaled image to that of the image. */
#include "filter/selection_refine.h"

#include <math.h>
#include <stdbool.h>

#include "base/memory.h"
#include "image/flood.h"
#include "image/gradient.h"
#include "image/image.h"

#define TILE COFI_GRADIENT_TILE

/* Of the blur before gradients are taken at full size: it grows with the root of the factor, since
 * large images are less sharp. */
#define SHARPNESS 0.7

typedef struct Refining {
    const CofImage *image;
    const CofiSelectionMap *map;
    const uint8_t *labels, *marks;
    CofiUncorrected before;
    uint8_t *large;
    CofiFineEdges *fine;
    CofiGradient gradient;
    int across, down; /* tiles */
    float *scratch;   /* a tile for each worker */
    uint8_t *needed;  /* of each tile */
} Refining;

void cofi_fine_edges_clear(CofiFineEdges *fine)
{
    cofi_free(fine->levels);
    cofi_free(fine->known);
    *fine = (CofiFineEdges){0};
}

static uint8_t label_at(const Refining *r, int x, int y)
{
    return r->labels[(ptrdiff_t)y * r->map->width + x];
}

/* Do all pixels of the downscaled image in a square around this one have its label? */
static bool is_inside(const Refining *r, int x, int y)
{
    int right = x + 1 < r->map->width ? x + 1 : x, bottom = y + 1 < r->map->height ? y + 1 : y;
    for (int row = y > 0 ? y - 1 : y; row <= bottom; row++)
        for (int column = x > 0 ? x - 1 : x; column <= right; column++)
            if (label_at(r, column, row) != label_at(r, x, y))
                return false;
    return true;
}

/* Is there an uncorrected mask, with the same labels in a square around this pixel? */
static bool is_uncorrected(const Refining *r, int x, int y)
{
    int right = x + 1 < r->map->width ? x + 1 : x, bottom = y + 1 < r->map->height ? y + 1 : y;
    for (int row = y > 0 ? y - 1 : y; row <= bottom && r->before.large; row++)
        for (int column = x > 0 ? x - 1 : x; column <= right; column++)
            if (label_at(r, column, row) !=
                r->before.small[(ptrdiff_t)row * r->map->width + column])
                return false;
    return r->before.large;
}

/* A thin part has no inside nearby that its label could come from again. */
static bool is_thin(const Refining *r, int x, int y)
{
    for (int row = y - 2; row <= y + 2; row++)
        for (int column = x - 2; column <= x + 2; column++)
            if (row >= 0 && row < r->map->height && column >= 0 && column < r->map->width &&
                label_at(r, column, row) == label_at(r, x, y) && is_inside(r, column, row))
                return false;
    return true;
}

/* The labels of the pixels that one of the downscaled image stands for: those of the uncorrected
 * mask; its own inside; open near the border, except for the middle of a thin part. */
static void fill_cell(const Refining *r, int x, int y)
{
    int n = r->map->n, width = r->image->width, height = r->image->height;
    int right = (x + 1) * n < width ? (x + 1) * n : width;
    int bottom = (y + 1) * n < height ? (y + 1) * n : height;
    bool inside = is_inside(r, x, y), same = is_uncorrected(r, x, y);
    uint8_t label = label_at(r, x, y);
    for (int row = y * n; row < bottom; row++)
        for (int column = x * n; column < right; column++) {
            size_t pixel = (size_t)row * (size_t)width + (size_t)column;
            uint8_t found = same ? r->before.large[pixel] : inside ? label : 0;
            r->large[pixel] = r->marks[pixel] ? r->marks[pixel] : found;
        }
    if (same || inside)
        return;
    size_t middle =
        (size_t)((y * n + bottom - 1) / 2) * (size_t)width + (size_t)((x * n + right - 1) / 2);
    if (!r->large[middle] && is_thin(r, x, y))
        r->large[middle] = label;
    for (int row = y * n / TILE; row <= (bottom - 1) / TILE; row++)
        for (int column = x * n / TILE; column <= (right - 1) / TILE; column++)
            r->needed[row * r->across + column] = 1;
}

static void find_levels(void *context, int task, int worker)
{
    Refining *r = context;
    if (!r->needed[task] || r->fine->known[task])
        return;
    float *gradient = r->scratch + (size_t)worker * TILE * TILE;
    int x = task % r->across * TILE, y = task / r->across * TILE;
    CofRect all = {0, 0, r->image->width, r->image->height};
    CofRect tile = cofi_rect_intersect((CofRect){x, y, TILE, TILE}, all);
    cofi_gradient_tile(&r->gradient, worker, tile, gradient, TILE);
    for (int row = 0; row < tile.height; row++) {
        uint16_t *levels =
            r->fine->levels + (size_t)(y + row) * (size_t)r->image->width + (size_t)x;
        for (int column = 0; column < tile.width; column++)
            levels[column] =
                cofi_selection_level((double)gradient[row * TILE + column], r->map->fine_scale);
    }
    r->fine->known[task] = 1;
}

static CofStatus take_memory(CofiCall *call, Refining *r)
{
    size_t width = (size_t)r->image->width, height = (size_t)r->image->height;
    size_t tiles = (size_t)r->across * (size_t)r->down;
    if (!r->fine->levels)
        r->fine->levels = cofi_malloc(height, width * sizeof *r->fine->levels);
    if (!r->fine->known)
        r->fine->known = cofi_calloc(tiles, 1);
    r->large = cofi_call_take_raw(call, height, width);
    r->needed = cofi_call_take(call, tiles, 1);
    r->scratch = cofi_call_take_raw(call, (size_t)call->threads, TILE * TILE * sizeof(float));
    bool ok = r->fine->levels && r->fine->known && r->large && r->needed && r->scratch;
    return ok ? COF_OK : COF_ERR_MEMORY;
}

static void fill_rows(void *context, int first, int last, int worker)
{
    (void)worker;
    const Refining *r = context;
    for (int y = first; y < last; y++)
        for (int x = 0; x < r->map->width; x++)
            fill_cell(r, x, y);
}

CofStatus cofi_selection_refine(CofiCall *call, const CofImage *image, const CofiSelectionMap *map,
                                const uint8_t *labels, const uint8_t *marks, CofiUncorrected before,
                                CofiFineEdges *fine, uint8_t **large)
{
    Refining r = {.image = image,
                  .map = map,
                  .labels = labels,
                  .marks = marks,
                  .before = before,
                  .fine = fine,
                  .across = (image->width + TILE - 1) / TILE,
                  .down = (image->height + TILE - 1) / TILE};
    double sigma = fmin(fmax(SHARPNESS * sqrt((double)map->n), 1), COFI_GRADIENT_MAX_SIGMA);
    CofStatus status = take_memory(call, &r);
    if (status == COF_OK)
        fill_rows(&r, 0, map->height, 0);
    if (status == COF_OK)
        status = cofi_gradient_open(&r.gradient, call, image, sigma);
    if (status == COF_OK)
        status = cofi_call_tasks(call, r.across * r.down, 0, find_levels, &r);
    if (status == COF_OK)
        status = cofi_flood(call, fine->levels, image->width, image->height, r.large);
    *large = r.large;
    return status;
}
