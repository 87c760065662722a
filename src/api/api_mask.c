/* SPDX-License-Identifier: BSD-2-Clause */
/* Dilates or erodes masks with a disc. */
#include "cof/cof.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/checks.h"
#include "image/image.h"

typedef struct Dilation {
    CofImage mask, dilated;
    bool erode; /* the background is dilated instead */
    double radius;
    int reach;          /* radius, rounded down */
    uint16_t *distance; /* of each pixel: rows to the nearest source pixel of its column, at most
                           reach + 1 */
    uint8_t *result;
} Dilation;

static bool is_source(const Dilation *g, int x, int y)
{
    return (*cofi_pixel(&g->mask, x, y) != 0) != g->erode;
}

/* One sweep down all columns, then one up. */
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
    double most = g->radius * g->radius;
    for (int dx = -g->reach; dx <= g->reach; dx++) {
        int at = x + dx;
        if (at >= 0 && at < g->mask.width && (double)dx * dx + (double)row[at] * row[at] <= most)
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

static CofStatus dilate(CofiCall *call, Dilation *g)
{
    size_t width = (size_t)g->mask.width, height = (size_t)g->mask.height;
    g->distance = cofi_call_take_raw(call, height, width * sizeof *g->distance);
    g->result = cofi_call_take_raw(call, height, width);
    if (!g->distance || !g->result)
        return COF_ERR_MEMORY;
    measure_columns(g);
    CofStatus status = cofi_call_rows(call, g->mask.height, 1, dilate_rows, g);
    for (int y = 0; y < g->mask.height && status == COF_OK; y++)
        for (int x = 0; x < g->mask.width; x++)
            *cofi_pixel(&g->dilated, x, y) = g->result[(ptrdiff_t)y * g->mask.width + x];
    return status;
}

/* Distances must fit in 16 bits. */
#define MAX_RADIUS 10000

CofStatus cof_mask_grow(const CofImage *mask, const CofImage *dilated, double radius,
                        const CofOptions *options)
{
    CofiCall call;
    CofStatus status = cofi_enter(&call, options, mask && dilated && fabs(radius) <= MAX_RADIUS,
                                  "a mask is NULL, or the radius is beyond 10000");
    if (status != COF_OK)
        return status;
    cofi_call_expect(&call, 1);
    Dilation g = {.erode = radius < 0, .radius = fabs(radius), .reach = (int)fabs(radius)};
    const char *problem = NULL;
    CofImage whole;
    status = cofi_check_image(&call, mask, &whole);
    if (status == COF_OK)
        status = cofi_bytes_complete(mask, &whole, &g.mask, &problem);
    if (status == COF_OK)
        status = cofi_bytes_complete(dilated, &whole, &g.dilated, &problem);
    if (status != COF_OK && problem)
        cofi_call_fail(&call, status, problem);
    if (status == COF_OK)
        status = dilate(&call, &g);
    return cofi_call_end(&call, status);
}
