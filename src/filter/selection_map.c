/* SPDX-License-Identifier: BSD-2-Clause */
/* Edges for selecting: the mean of the gradients of the image and of two filtered images, in which
 * texture is gone and the borders between textures remain. */
#include "filter/selection_map.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "filter/smooth.h"
#include "image/box_downscale.h"
#include "image/flood.h"
#include "image/gradient.h"
#include "image/image.h"
#include "learn/label_map.h"
#include "learn/learn.h"
#include "learn/model.h"
#include "options/options.h"
#include "options/presets.h"

/* Images above this size are downscaled. */
#define MAX_PIXELS 3e5

/* Blurs the image before its gradient is taken. */
#define SIGMA 1.0

/* Gradients are divided by this quantile of each before they are added. */
#define TYPICAL 0.9

/* The model that says which colours occur near each other. */
#define WINDOW 31
#define SOFTNESS 0.5

static int downscale_factor(const CofImage *image)
{
    double pixels = (double)image->width * image->height;
    return pixels > MAX_PIXELS ? (int)ceil(sqrt(pixels / MAX_PIXELS)) : 1;
}

/* The caller's options, but those of a filter. */
static CofOptions filter_options(const CofOptions *options, int filter, int width, int height)
{
    CofOptions own = *options;
    cofi_options_only_smooth(&own);
    cofi_options_set_selection_filter(&own, filter, width, height);
    return own;
}

static CofOptions model_options(const CofOptions *options)
{
    CofOptions own = *options;
    own.window = WINDOW;
    own.colours = own.levels = COFI_SELECTION_COLOURS;
    own.palettes = own.downscale = 1;
    own.sigma = own.separation = 0;
    own.softness = SOFTNESS;
    own.normalise = COF_NORMALISE_COUNTS;
    return own;
}

double cofi_selection_map_units(const CofOptions *options, const CofImage *image)
{
    int n = downscale_factor(image), width = cofi_downscaled_side(image->width, n),
        height = cofi_downscaled_side(image->height, n);
    CofOptions own = model_options(options);
    double units = cofi_learn_model_units(&own, 1) + 1; /* and labels */
    for (int i = 0; i < COFI_SELECTION_FILTERS; i++) {
        own = filter_options(options, i, width, height);
        units += cofi_smooth_units(&own);
    }
    return units / ((double)n * n) + (n > 1);
}

typedef struct Gradients {
    CofiGradient gradient;
    int width, height, across;
    float *out;
} Gradients;

static void gradient_task(void *context, int task, int worker)
{
    const Gradients *g = context;
    int x = task % g->across * COFI_GRADIENT_TILE, y = task / g->across * COFI_GRADIENT_TILE;
    CofRect all = {0, 0, g->width, g->height};
    CofRect tile =
        cofi_rect_intersect((CofRect){x, y, COFI_GRADIENT_TILE, COFI_GRADIENT_TILE}, all);
    cofi_gradient_tile(&g->gradient, worker, tile, g->out + (ptrdiff_t)y * g->width + x, g->width);
}

CofStatus cofi_selection_gradient(CofiCall *call, const CofImage *image, float *out)
{
    Gradients g = {.width = image->width, .height = image->height, .out = out};
    CofiMark mark = cofi_call_mark(call);
    g.across = (g.width + COFI_GRADIENT_TILE - 1) / COFI_GRADIENT_TILE;
    int down = (g.height + COFI_GRADIENT_TILE - 1) / COFI_GRADIENT_TILE;
    CofStatus status = cofi_gradient_open(&g.gradient, call, image, SIGMA);
    if (status == COF_OK)
        status = cofi_call_tasks(call, g.across * down, 0, gradient_task, &g);
    cofi_call_release(call, mark);
    return status;
}

/* Values with the same upper bits are counted together: positive floats are ordered as integers. */
#define BINS 65536

/* A quantile to within a hundredth; where that is 0, the largest value. Values are 0 or above. */
static CofStatus find_quantile(CofiCall *call, const float *values, size_t n, double share,
                               double *quantile)
{
    CofiMark mark = cofi_call_mark(call);
    size_t *counts = cofi_call_take(call, BINS, sizeof *counts), below = 0;
    float largest = 0;
    if (!counts)
        return COF_ERR_MEMORY;
    for (size_t i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, values + i, sizeof bits);
        counts[bits >> 16]++;
        largest = values[i] > largest ? values[i] : largest;
    }
    uint32_t bin = 0;
    while (bin + 1 < BINS && (double)(below += counts[bin]) < share * (double)n)
        bin++;
    uint32_t bits = bin << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    *quantile = value > 0 ? (double)value : (double)largest;
    cofi_call_release(call, mark);
    return COF_OK;
}

/* Adds a gradient, in units of its usual size, to the sum. */
static CofStatus add_gradient(CofiCall *call, const CofImage *image, float *gradient, float *sum,
                              double *typical)
{
    size_t pixels = (size_t)image->width * (size_t)image->height;
    CofStatus status = cofi_selection_gradient(call, image, gradient);
    if (status == COF_OK)
        status = find_quantile(call, gradient, pixels, TYPICAL, typical);
    if (status != COF_OK || !(*typical > 0))
        return status;
    float scale = (float)(1 / *typical);
    for (size_t i = 0; i < pixels; i++)
        sum[i] += scale * gradient[i];
    return COF_OK;
}

uint16_t cofi_selection_level(double gradient, double scale)
{
    double level = sqrt(gradient * scale);
    return level < COFI_FLOOD_LEVELS - 1 ? (uint16_t)level : COFI_FLOOD_LEVELS - 1;
}

/* The strongest edge has the highest level. */
static void quantise(const float *sum, double typical, CofiSelectionMap *map)
{
    size_t pixels = (size_t)map->width * (size_t)map->height;
    float strongest = 0;
    for (size_t i = 0; i < pixels; i++)
        strongest = sum[i] > strongest ? sum[i] : strongest;
    double top = COFI_FLOOD_LEVELS - 1;
    double scale = strongest > 0 ? top * top / (double)strongest : 0;
    for (size_t i = 0; i < pixels; i++)
        map->levels[i] = cofi_selection_level((double)sum[i], scale);
    /* At full size, a sharp edge is spread over sqrt(n) as many pixels. */
    map->fine_scale = typical > 0 ? scale * sqrt((double)map->n) / typical : 0;
}

/* Filters a downscaled image. */
static CofStatus filter_small(CofiCall *call, const CofImage *small, int filter, CofImage *out)
{
    CofOptions options = call->options;
    CofStatus status = cofi_take_image(call, small, small->width, small->height, out);
    out->valid = small->valid;
    out->valid_stride = small->valid_stride;
    call->options = filter_options(&options, filter, small->width, small->height);
    call->keeps_rare = true; /* thin lines are rare, and a ground would pull in their ends */
    if (status == COF_OK)
        status = cofi_smooth(call, small, out, NULL);
    call->keeps_rare = false;
    call->options = options;
    return status;
}

static void find_affinity(const CofModel *model, CofiSelectionMap *map)
{
    int k = model->palette.k;
    for (int a = 0; a < k; a++)
        for (int b = 0; b < k; b++) {
            double own = model->matrix[a * k + a] * model->matrix[b * k + b];
            double share = own > 0 ? model->matrix[a * k + b] / sqrt(own) : 0;
            map->affinity[a][b] = (float)fmin(share, 1);
        }
}

static CofStatus find_labels(CofiCall *call, const CofImage *small, const CofImage *smooth,
                             CofiSelectionMap *map)
{
    CofModel *model = NULL;
    CofOptions options = call->options;
    CofiMark mark = cofi_call_mark(call);
    call->options = model_options(&options);
    CofStatus status = cofi_learn_model(call, small, NULL, 1, &model);
    call->options = options;
    uint8_t *labels = NULL;
    if (status == COF_OK)
        status = cofi_labels_of_image(call, &model->palette, smooth, &labels);
    if (status == COF_OK) {
        size_t pixels = (size_t)map->width * (size_t)map->height;
        memcpy(map->labels, labels, pixels);
        for (size_t i = 0; i < pixels; i++)
            map->counts[labels[i]]++;
        find_affinity(model, map);
    }
    cofi_model_free(&model);
    cofi_call_release(call, mark);
    return status;
}

static CofStatus find_edges(CofiCall *call, const CofImage *small, CofiSelectionMap *map)
{
    size_t pixels = (size_t)map->width * (size_t)map->height;
    float *gradient = cofi_call_take_raw(call, pixels, sizeof *gradient);
    float *sum = cofi_call_take(call, pixels, sizeof *sum);
    if (!gradient || !sum)
        return COF_ERR_MEMORY;
    double typical, unused;
    CofStatus status = add_gradient(call, small, gradient, sum, &typical);
    for (int i = 0; i < COFI_SELECTION_FILTERS && status == COF_OK; i++) {
        CofImage smooth;
        CofiMark mark = cofi_call_mark(call);
        status = filter_small(call, small, i, &smooth);
        if (status == COF_OK)
            status = add_gradient(call, &smooth, gradient, sum, &unused);
        if (status == COF_OK && i == 0)
            status = find_labels(call, small, &smooth, map);
        cofi_call_release(call, mark);
    }
    if (status == COF_OK)
        quantise(sum, typical, map);
    return status;
}

CofStatus cofi_selection_map_make(CofiCall *call, const CofImage *image, CofiSelectionMap *map)
{
    int n = downscale_factor(image);
    CofiMark mark = cofi_call_mark(call);
    CofImage small = *image;
    *map = (CofiSelectionMap){.n = n,
                              .width = cofi_downscaled_side(image->width, n),
                              .height = cofi_downscaled_side(image->height, n)};
    size_t pixels = (size_t)map->width * (size_t)map->height;
    map->levels = cofi_malloc(pixels, sizeof *map->levels);
    map->labels = cofi_malloc(pixels, 1);
    CofStatus status = map->levels && map->labels ? COF_OK : COF_ERR_MEMORY;
    if (status == COF_OK && n > 1)
        status = cofi_downscale(call, image, n, &small);
    double unit_scale = call->unit_scale;
    call->unit_scale /= (double)n * n;
    if (status == COF_OK)
        status = find_edges(call, &small, map);
    call->unit_scale = unit_scale;
    cofi_call_release(call, mark);
    if (status != COF_OK)
        cofi_selection_map_clear(map);
    return status;
}

void cofi_selection_map_clear(CofiSelectionMap *map)
{
    cofi_free(map->levels);
    cofi_free(map->labels);
    *map = (CofiSelectionMap){0};
}
