/* SPDX-License-Identifier: BSD-2-Clause */
/* The exact soft co-occurrence (eq. 13): C = sum_p Pr(p) (G * Pr)(p)^T, h = sum_p Pr(p). The image
 * is cut into fixed tiles whose sums are joined in their order. */
#include "learn/soft_model.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/exponential.h"
#include "base/memory.h"
#include "image/image.h"
#include "learn/label_map.h"
#include "learn/label_row.h"

#define TILE 32

typedef struct Soft {
    CofiCall *call;
    CofiColour colour;
    const CofiPalette *palette;
    const CofImage *image;
    const CofiRoi *roi;
    double sigma_r;
    int radius, side; /* side: of a tile with its margin */
    const double *gauss;
    int64_t columns, first_tile;
    size_t scratch_size, sum_size;
    double *scratch; /* of each worker */
    float *rows;     /* of each worker: a row of a tile for each band */
    double *sums;    /* of each tile under way: k x k pairs, then k */
} Soft;

/* The assignment of one pixel, given its squared distances to the centres. */
static void assign(double *shares, int k, double sigma)
{
    double nearest = INFINITY, sum = 0;
    for (int a = 0; a < k; a++)
        nearest = fmin(nearest, shares[a]);
    for (int a = 0; a < k; a++) {
        shares[a] = cofi_exp(-(shares[a] - nearest) / (2 * sigma * sigma));
        sum += shares[a];
    }
    for (int a = 0; a < k; a++)
        shares[a] /= sum;
}

static void pixel_shares(const Soft *s, const float *const *features, int i, double *shares)
{
    const CofiPalette *palette = s->palette;
    if (s->sigma_r == 0) { /* never softened */
        const float *one[COF_MAX_BANDS];
        uint8_t label;
        for (int band = 0; band < palette->bands; band++)
            one[band] = features[band] + i;
        cofi_label_row(palette, &s->colour.kernels, one, 1, &label);
        memset(shares, 0, (size_t)palette->k * sizeof *shares);
        shares[label] = 1;
        return;
    }
    for (int a = 0; a < palette->k; a++) {
        shares[a] = 0;
        for (int band = 0; band < palette->bands; band++) {
            double d =
                (double)features[band][i] - (double)palette->centres[a * palette->bands + band];
            shares[a] += d * d;
        }
    }
    assign(shares, palette->k, s->sigma_r);
}

/* Double precision, since nothing is rounded to labels. */
static void load_features(const Soft *s, int x, int y, int n, float *const *planes)
{
    for (int band = 0; band < cofi_bands(s->image); band++)
        cofi_load_row(s->image, band, x, y, n, planes[band]);
    if (cofi_family(s->image->kind) == COF_KIND_RGB) {
        const float *const rgb[3] = {planes[0], planes[1], planes[2]};
        cofi_lab_of_values(&s->colour, rgb, n, planes);
    }
}

/* Shares of a tile and its margin: side x side pixels of k each; none beyond the image. */
static void tile_shares(const Soft *s, int left, int top, float *rows, double *shares)
{
    float *planes[COF_MAX_BANDS];
    const float *read[COF_MAX_BANDS];
    for (int band = 0; band < s->palette->bands; band++)
        read[band] = planes[band] = rows + (ptrdiff_t)band * s->side;
    uint8_t members[TILE + COF_MAX_WINDOW];
    int k = s->palette->k;
    CofRect tile = {left - s->radius, top - s->radius, s->side, s->side};
    CofRect inside = cofi_rect_intersect(tile, cofi_full_rect(s->image));
    memset(shares, 0, (size_t)(s->side * s->side) * (size_t)k * sizeof *shares);
    for (int y = inside.y; y < inside.y + inside.height; y++) {
        load_features(s, inside.x, y, inside.width, planes);
        cofi_member_row(s->roi, s->image, inside.x, y, inside.width, members);
        for (int i = 0; i < inside.width; i++)
            if (members[i])
                pixel_shares(s, read, i,
                             shares + (size_t)((y - tile.y) * s->side + inside.x - tile.x + i) *
                                          (size_t)k);
    }
}

/* out[i] = sum over the window of gauss * in, `step` doubles apart, for n doubles. */
static void blur(const Soft *s, const double *in, size_t step, size_t n, double *out)
{
    memset(out, 0, n * sizeof *out);
    for (int d = 0; d <= 2 * s->radius; d++)
        for (size_t i = 0; i < n; i++)
            out[i] += s->gauss[d] * in[(size_t)d * step + i];
}

static void tile_task(void *context, int task, int worker)
{
    const Soft *s = context;
    size_t k = (size_t)s->palette->k, side = (size_t)s->side;
    double *shares = s->scratch + (size_t)worker * s->scratch_size;
    double *down = shares + side * side * k, *near = down + side * k;
    double *pairs = s->sums + (size_t)task * s->sum_size, *histogram = pairs + k * k;
    int64_t tile = s->first_tile + task;
    memset(pairs, 0, s->sum_size * sizeof *pairs);
    float *rows = s->rows + (size_t)worker * side * (size_t)s->palette->bands;
    tile_shares(s, (int)(tile % s->columns) * TILE, (int)(tile / s->columns) * TILE, rows, shares);
    for (size_t y = 0; y < TILE; y++) {
        blur(s, shares + y * side * k, side * k, side * k, down);
        for (size_t x = 0; x < TILE; x++) {
            const double *own =
                shares + ((y + (size_t)s->radius) * side + x + (size_t)s->radius) * k;
            blur(s, down + x * k, k, k, near);
            for (size_t a = 0; a < k; a++) {
                histogram[a] += own[a];
                for (size_t b = 0; b < k && own[a] > 0; b++)
                    pairs[a * k + b] += own[a] * near[b];
            }
        }
    }
}

/* Tiles are done a few at a time, which bounds the memory for their sums. */
static CofStatus add_image(Soft *s, double *pairs_and_histogram)
{
    int64_t rows = (s->image->height + TILE - 1) / TILE;
    int together = 4 * s->call->threads;
    s->columns = (s->image->width + TILE - 1) / TILE;
    CofStatus status =
        cofi_colour_init(&s->colour, s->call, s->image, (double)s->image->width * s->image->height);
    int64_t tiles = rows * s->columns;
    for (s->first_tile = 0; s->first_tile < tiles && status == COF_OK; s->first_tile += together) {
        int64_t left = tiles - s->first_tile;
        int n = left < together ? (int)left : together;
        status = cofi_call_tasks(s->call, n, n / (double)tiles, tile_task, s);
        for (int i = 0; i < n; i++)
            for (size_t j = 0; j < s->sum_size; j++)
                pairs_and_histogram[j] += s->sums[(size_t)i * s->sum_size + j];
    }
    return status;
}

static CofStatus prepare(Soft *s, double sigma)
{
    size_t k = (size_t)s->palette->k, side = (size_t)s->side;
    s->scratch_size = side * side * k + side * k + k;
    s->sum_size = k * k + k;
    s->scratch =
        cofi_call_take(s->call, (size_t)s->call->threads, s->scratch_size * sizeof *s->scratch);
    s->sums = cofi_call_take(s->call, 4 * (size_t)s->call->threads, s->sum_size * sizeof *s->sums);
    s->rows = cofi_call_take(s->call, (size_t)s->call->threads,
                             side * (size_t)s->palette->bands * sizeof *s->rows);
    double *gauss = cofi_call_take(s->call, 2 * (size_t)s->radius + 1, sizeof *gauss);
    if (!s->scratch || !s->sums || !s->rows || !gauss)
        return COF_ERR_MEMORY;
    for (int d = -s->radius; d <= s->radius; d++)
        gauss[d + s->radius] = cofi_exp(-d * d / (2 * sigma * sigma));
    s->gauss = gauss;
    return COF_OK;
}

static CofStatus member_from_pixels(CofModel **out, CofiCall *call, const CofStats *palette,
                                    const CofImage *images, const CofiRoi *roi, int n)
{
    assert(palette->has_palette);
    assert(n >= 1);
    CofiRecipe recipe = cofi_recipe(&call->options, &palette->learning);
    CofiMark mark = cofi_call_mark(call);
    int k = palette->palette.k, radius = cofi_learning_radius(palette);
    Soft s = {.call = call,
              .palette = &palette->palette,
              .sigma_r = cofi_soft_sigma(palette, &recipe),
              .radius = radius,
              .side = TILE + 2 * radius};
    CofStatus status = prepare(&s, recipe.sigma);
    double *pairs = cofi_call_take(call, s.sum_size, sizeof *pairs);
    CofModel *model = cofi_model_blank(&palette->palette, &recipe);
    if (!pairs || !model)
        status = COF_ERR_MEMORY;
    for (int i = 0; i < n && status == COF_OK; i++) {
        s.image = &images[i];
        s.roi = &roi[i];
        status = add_image(&s, pairs);
    }
    if (status == COF_OK) {
        cofi_make_symmetric(pairs, (size_t)k);
        status = cofi_model_normalise(model, call, pairs, pairs + k * k);
    }
    if (status == COF_OK)
        *out = model;
    else
        cofi_model_free(&model);
    cofi_call_release(call, mark);
    return status;
}

CofStatus cofi_model_from_pixels(CofModel **out, CofiCall *call, const CofStats *palette,
                                 const CofImage *images, const CofiRoi *roi, int n)
{
    CofModel *model = NULL;
    CofStatus status = member_from_pixels(&model, call, palette, images, roi, n);
    for (int i = 0; i < palette->n_others && status == COF_OK; i++) {
        status = member_from_pixels(&model->others[i], call, palette->others[i], images, roi, n);
        model->n_others += status == COF_OK;
    }
    if (status == COF_OK)
        *out = model;
    else
        cofi_model_free(&model);
    return status;
}
