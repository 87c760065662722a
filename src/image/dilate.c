/* SPDX-License-Identifier: BSD-2-Clause */
/* Dilation and erosion of masks by a disc. */
#include "image/dilate.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>

#include "image/image.h"

typedef struct Dilation {
    CofImage mask, out;
    bool erode; /* dilate the pixels outside of the mask */
    double radius;
    int reach;          /* whole pixels of the radius */
    uint16_t *distance; /* of each pixel: rows to the nearest source; at most reach + 1 */
    uint8_t *result;
} Dilation;

static bool is_source(const Dilation *g, int x, int y)
{
    return (*cofi_pixel(&g->mask, x, y) != 0) != g->erode;
}

/* Distances along columns: down each column, then up. */
static void measure_columns(const Dilation *g)
{
    int width = g->mask.width, height = g->mask.height;
    uint16_t far = (uint16_t)(g->reach + 1);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            uint16_t *d = g->distance + (ptrdiff_t)y * width + x;
            uint16_t above = y > 0 ? d[-width] : far;
            *d = is_source(g, x, y) ? 0 : above < far ? (uint16_t)(above + 1) : far;
        }
    for (int y = height - 2; y >= 0; y--)
        for (int x = 0; x < width; x++) {
            uint16_t *d = g->distance + (ptrdiff_t)y * width + x;
            if (d[width] + 1 < *d)
                *d = (uint16_t)(d[width] + 1);
        }
}

static bool is_reached(const Dilation *g, const uint16_t *row, int x)
{
    double limit = g->radius * g->radius;
    for (int dx = -g->reach; dx <= g->reach; dx++) {
        int at = x + dx;
        if (at >= 0 && at < g->mask.width && (double)dx * dx + (double)row[at] * row[at] <= limit)
            return true;
    }
    return false;
}

static void dilate_rows(void *context, int first, int last, int worker)
{
    (void)worker;
    const Dilation *g = context;
    for (int y = first; y < last; y++) {
        const uint16_t *row = g->distance + (ptrdiff_t)y * g->mask.width;
        uint8_t *result = g->result + (ptrdiff_t)y * g->mask.width;
        for (int x = 0; x < g->mask.width; x++)
            result[x] = is_reached(g, row, x) != g->erode ? 255 : 0;
    }
}

CofStatus cofi_dilate(CofiCall *call, const CofImage *mask, const CofImage *out, double radius)
{
    assert(fabs(radius) <= COFI_MAX_RADIUS);
    Dilation g = {.mask = *mask,
                  .out = *out,
                  .erode = radius < 0,
                  .radius = fabs(radius),
                  .reach = (int)fabs(radius)};
    size_t width = (size_t)mask->width, height = (size_t)mask->height;
    g.distance = cofi_call_take_raw(call, height, width * sizeof *g.distance);
    g.result = cofi_call_take_raw(call, height, width);
    if (!g.distance || !g.result)
        return COF_ERR_MEMORY;
    measure_columns(&g);
    CofStatus status = cofi_call_rows(call, mask->height, 1, dilate_rows, &g);
    for (int y = 0; y < mask->height && status == COF_OK; y++)
        for (int x = 0; x < mask->width; x++)
            *cofi_pixel(out, x, y) = g.result[(ptrdiff_t)y * mask->width + x];
    return status;
}
