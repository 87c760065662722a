/* SPDX-License-Identifier: BSD-2-Clause */
/* How much an image changes from pixel to pixel. */
#include "image/gradient.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "image/image.h"

/* Rows of scratch: a tile, a pixel for the Sobel operator, and the radius of the blur, all round.
 */
#define MAX_SIDE (COFI_GRADIENT_TILE + 2 * (COFI_GRADIENT_MAX_RADIUS + 1))
#define PLANE ((size_t)MAX_SIDE * MAX_SIDE)

CofStatus cofi_gradient_open(CofiGradient *g, CofiCall *call, const CofImage *image, double sigma)
{
    assert(sigma > 0 && sigma <= COFI_GRADIENT_MAX_SIGMA);
    bool is_rgb = cofi_family(image->kind) == COF_KIND_RGB;
    double sum = 0;
    *g = (CofiGradient){.image = image, .bands = cofi_bands(image), .planes = is_rgb ? 3 : 1};
    g->radius = (int)ceil(3 * sigma);
    for (int i = 0; i <= g->radius; i++) {
        double tap = exp(-(double)(i * i) / (2 * sigma * sigma));
        g->taps[i] = (float)tap;
        sum += i == 0 ? tap : 2 * tap;
    }
    for (int i = 0; i <= g->radius; i++)
        g->taps[i] = (float)((double)g->taps[i] / sum);
    g->share = ((size_t)g->planes + 1) * PLANE;
    g->scratch = cofi_call_take_raw(call, (size_t)call->threads, g->share * sizeof(float));
    if (!g->scratch)
        return COF_ERR_MEMORY;
    double pixels = (double)image->width * image->height;
    return is_rgb ? cofi_colour_init(&g->colour, call, image, pixels) : COF_OK;
}

static int clamp(int index, int count)
{
    return index < 0 ? 0 : index < count ? index : count - 1;
}

/* Repeats the first and the last of the values that lie inside the image. */
static void extend_row(float *row, int before, int inside, int after)
{
    for (int i = 0; i < before; i++)
        row[i] = row[before];
    for (int i = 0; i < after; i++)
        row[before + inside + i] = row[before + inside - 1];
}

/* Loads a row of one band, or of all three of Lab, each a plane after the other; the image
 * continues beyond its border. */
static void load_row(const CofiGradient *g, int band, CofRect from, int y, float *row)
{
    int left = clamp(from.x, g->image->width),
        right = clamp(from.x + from.width - 1, g->image->width);
    int before = left - from.x, inside = right - left + 1;
    int after = from.width - before - inside;
    y = clamp(y, g->image->height);
    if (g->planes == 3) {
        float *const lab[3] = {row + before, row + PLANE + before, row + 2 * PLANE + before};
        cofi_lab_row(&g->colour, g->image, left, y, inside, lab);
    } else {
        cofi_load_row(g->image, band, left, y, inside, row + before);
    }
    for (int i = 0; i < g->planes; i++)
        extend_row(row + (size_t)i * PLANE, before, inside, after);
}

/* Blurs along columns and then along rows, which shrinks the rectangle by the radius. `plane` has
 * `width` x `height` values in rows of MAX_SIDE; the result begins at its first value. */
static void blur(const CofiGradient *g, float *plane, float *other, int width, int height)
{
    int r = g->radius;
    for (int y = 0; y < height - 2 * r; y++) {
        const float *middle = plane + (size_t)(y + r) * MAX_SIDE;
        float *row = other + (size_t)y * MAX_SIDE;
        for (int x = 0; x < width; x++)
            row[x] = g->taps[0] * middle[x];
        for (int i = 1; i <= r; i++) {
            const float *above = middle - (size_t)i * MAX_SIDE,
                        *below = middle + (size_t)i * MAX_SIDE;
            for (int x = 0; x < width; x++)
                row[x] += g->taps[i] * (above[x] + below[x]);
        }
    }
    for (int y = 0; y < height - 2 * r; y++) {
        const float *middle = other + (size_t)y * MAX_SIDE + r;
        float *row = plane + (size_t)y * MAX_SIDE;
        for (int x = 0; x < width - 2 * r; x++)
            row[x] = g->taps[0] * middle[x];
        for (int i = 1; i <= r; i++)
            for (int x = 0; x < width - 2 * r; x++)
                row[x] += g->taps[i] * (middle[x - i] + middle[x + i]);
    }
}

/* Adds the squares of the derivatives; `plane` has one pixel more than the tile all round. */
static void add_squares(const float *plane, CofRect rect, float *out, ptrdiff_t stride)
{
    for (int y = 0; y < rect.height; y++) {
        const float *a = plane + (size_t)y * MAX_SIDE, *b = a + MAX_SIDE, *c = b + MAX_SIDE;
        float *row = out + y * stride;
        for (int x = 0; x < rect.width; x++) {
            float across = a[x + 2] - a[x] + 2 * (b[x + 2] - b[x]) + (c[x + 2] - c[x]);
            float down = c[x] - a[x] + 2 * (c[x + 1] - a[x + 1]) + (c[x + 2] - a[x + 2]);
            row[x] += across * across + down * down;
        }
    }
}

void cofi_gradient_tile(const CofiGradient *g, int worker, CofRect rect, float *out,
                        ptrdiff_t stride)
{
    int margin = g->radius + 1;
    CofRect from = {rect.x - margin, rect.y - margin, rect.width + 2 * margin,
                    rect.height + 2 * margin};
    float *scratch = g->scratch + (size_t)worker * g->share, *other = scratch;
    for (int y = 0; y < rect.height; y++)
        memset(out + y * stride, 0, (size_t)rect.width * sizeof *out);
    for (int band = 0; band < g->bands; band += g->planes) {
        for (int y = 0; y < from.height; y++) {
            float *first = scratch + PLANE + (size_t)y * MAX_SIDE;
            load_row(g, band, from, from.y + y, first);
        }
        for (int i = 0; i < g->planes; i++) {
            float *plane = scratch + (size_t)(i + 1) * PLANE;
            blur(g, plane, other, from.width, from.height);
            add_squares(plane, rect, out, stride);
        }
    }
    for (int y = 0; y < rect.height; y++)
        for (int x = 0; x < rect.width; x++)
            out[y * stride + x] = sqrtf(out[y * stride + x]);
}
