/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples on a grid over an image. Their number and the place of each are known beforehand, so that
 * threads need not collect them first. */
#include "learn/scan_grid.h"

#include <assert.h>

#include "base/arithmetic.h"
#include "image/image.h"

typedef struct Grid {
    const CofiColour *colour;
    const CofImage *image;
    int x, y, step; /* of the first point, in the view */
    int columns, bands;
    uint64_t *hashes;
    float *rows;
} Grid;

size_t cofi_grid_points(int first, int n, int step)
{
    assert(first >= 0 && n >= 0 && step >= 1);
    int64_t end = (int64_t)first + n;
    return (size_t)((end + step - 1) / step - ((int64_t)first + step - 1) / step);
}

void cofi_load_apart(const CofiColour *colour, const CofImage *image, int x, int y, int n, int step,
                     float values[COF_MAX_BANDS][COFI_MAX_APART])
{
    assert(n >= 0 && n <= COFI_MAX_APART);
    float *planes[COF_MAX_BANDS];
    CofImage apart = *image;
    apart.data = cofi_pixel(image, x, y);
    apart.pixel_stride *= step;
    for (int band = 0; band < cofi_bands(image); band++)
        planes[band] = values[band];
    cofi_features_row(colour, &apart, 0, 0, n, planes);
}

static void scan_grid_row(void *context, int row, int worker)
{
    (void)worker;
    const Grid *g = context;
    int y = g->y + row * g->step;
    size_t bands = (size_t)g->bands, next = (size_t)row * (size_t)g->columns;
    for (int first = 0; first < g->columns; first += COFI_MAX_APART) {
        float values[COF_MAX_BANDS][COFI_MAX_APART];
        int x = g->x + first * g->step, left = g->columns - first;
        int n = left < COFI_MAX_APART ? left : COFI_MAX_APART;
        cofi_load_apart(g->colour, g->image, x, y, n, g->step, values);
        for (int i = 0; i < n; i++, next++) {
            g->hashes[next] = cofi_place_hash(g->image->x + x + i * g->step, g->image->y + y);
            for (size_t band = 0; band < bands; band++)
                g->rows[next * bands + band] = values[band][i] + 0.0f; /* no -0 */
        }
    }
}

/* How far the next multiple of `step` is. */
static int distance_to_grid(int place, int step)
{
    return (step - place % step) % step;
}

CofStatus cofi_scan_grid(CofiSamples *into, CofiCall *call, const CofiColour *colour,
                         const CofImage *image, CofRect part, int step)
{
    int x = image->x + part.x, y = image->y + part.y;
    int columns = (int)cofi_grid_points(x, part.width, step);
    int rows = (int)cofi_grid_points(y, part.height, step);
    size_t n = (size_t)columns * (size_t)rows;
    assert(into->bands == cofi_bands(image));
    assert(into->n + n <= into->bound && into->ceiling == UINT64_MAX);
    if (cofi_samples_reserve(into, n) != COF_OK)
        return COF_ERR_MEMORY;
    Grid grid = {.colour = colour,
                 .image = image,
                 .x = part.x + distance_to_grid(x, step),
                 .y = part.y + distance_to_grid(y, step),
                 .step = step,
                 .columns = columns,
                 .bands = into->bands,
                 .hashes = into->hashes + into->n,
                 .rows = into->rows + into->n * (size_t)into->bands};
    CofStatus status = cofi_call_tasks(call, rows, 1, scan_grid_row, &grid);
    if (status == COF_OK)
        into->n += n;
    return status;
}
