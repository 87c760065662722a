/* SPDX-License-Identifier: BSD-2-Clause */
/* Plans the fast filter: its grid, its tiles, its cost, and the factors of its terms. */
#include "filter/fast_plan.h"

#include <assert.h>
#include <math.h>

#include "base/memory.h"

/* The tolerance of the grid's weights at 45 dB; at 90 dB it is a tenth of this. Measured on 56
 * photographs: 0.12 gives 52 dB, 0.14 51 dB, 0.19 44 dB. */
#define TOLERANCE 0.16

/* The width of a tile, in pixels, and in radii of its surroundings if that is more. The cells of
 * several models need more room in the second-level cache. Short vectors take longer for the
 * surroundings. */
#if defined(__wasm__)
#define TILE_PIXELS 512
#else
#define TILE_PIXELS 384
#endif
#define TILE_PIXELS_OF_SEVERAL 192
#define TILE_RADII 6

/* Values of a pixel, padded so that a vector holds whole pixels, or a pixel whole vectors. */
static int spread_of(int planes)
{
    int spread = 2;
    while (spread < planes)
        spread *= 2;
    return spread;
}

int cofi_fast_cell_size(const CofiFastPlan *plan, int ranks, int multiple)
{
    return (ranks * plan->spread + multiple - 1) / multiple * multiple;
}

void cofi_fast_plan(CofiFastPlan *plan, CofiKnownGrid *known, int window, double sigma,
                    double accuracy, int bands, int labels)
{
    assert(bands >= 0 && bands <= COF_MAX_BANDS && labels >= 1);
    *plan = (CofiFastPlan){.planes = 1 + bands, .spread = spread_of(1 + bands)};
    plan->ranks = labels < COFI_MAX_RANKS ? labels : COFI_MAX_RANKS;
    double tolerance = TOLERANCE * pow(10, (45 - accuracy) / 45);
    CofiKnownGrid none = {0};
    plan->possible =
        cofi_grid_fit_or_known(known ? known : &none, &plan->grid, window, sigma, tolerance) > 0;
    plan->radius = plan->grid.reach + (COFI_BLURS - 1) * plan->grid.step;
    if (plan->radius < window / 2)
        plan->radius = window / 2; /* for pixels that need the exact filter */
}

void cofi_fast_plan_tiles(CofiFastPlan *plan, int width, int models)
{
    assert(width >= 1 && models >= 1);
    if (!plan->possible)
        return;
    int widest = TILE_RADII * plan->radius,
        least = models > 1 ? TILE_PIXELS_OF_SEVERAL : TILE_PIXELS;
    int tiles = (width - 1) / (widest > least ? widest : least) + 1;
    plan->tile_width = (width - 1) / tiles + 1;
    plan->cells = plan->tile_width / plan->grid.step + 2 * plan->grid.radius + 3 + COFI_BLURS;
}

int cofi_fast_batch(const CofiFastPlan *plan)
{
    return plan->spread < COFI_CELL ? COFI_CELL / plan->spread : 1;
}

/* The cost of a term for each label, relative to that of a term of a truncated sum: pixels are
 * splatted to one term only. */
#define EACH_COST 0.68

double cofi_fast_cost(const CofiFastPlan *plan, int ranks, bool each)
{
    double step = plan->grid.step, taps = 2 * plan->grid.radius + 1;
    double cost = cofi_fast_cell_size(plan, ranks, COFI_CELL) / 16.0 *
                      (1 + 2 * taps / (step * step) + 3 / step + 2) +
                  8;
    return each ? EACH_COST * cost : cost;
}

double cofi_fast_mass(int window, double sigma)
{
    double line = 0;
    for (int d = -(window / 2); d <= window / 2; d++)
        line += exp(-0.5 * d * d / (sigma * sigma));
    return line * line;
}

double cofi_all_taps_cost(int window, int bands)
{
    double vectors = (window + 1 + 15) / 16;
    return window * vectors * (2.5 + 1 + bands);
}

/* Of a photograph, whose windows have a few labels in their middle row. */
double cofi_exact_cost(int window, int bands)
{
    return window * (2.5 + 1 + bands) / 2;
}

/* Parts of `out` that are not 0, of all labels, at levels with the shortest vectors; and the bytes
 * that these and their numbers take, after which factors are still aligned. */
#define MAX_PARTS (COFI_FAST_LABELS * COFI_FAST_LABELS)
#define PART_BYTES ((MAX_PARTS + COFI_FAST_LABELS) * sizeof(uint16_t))
static_assert(PART_BYTES % COFI_ALIGNMENT == 0, "factors must be aligned");

size_t cofi_fast_factors_size(const CofiFastPlan *plan)
{
    size_t labels = COFI_FEW_LABELS + COFI_FAST_LABELS; /* in, and out */
    return PART_BYTES +
           labels * (size_t)cofi_fast_cell_size(plan, plan->ranks, COFI_CELL) * sizeof(float);
}

/* Lists the parts of `out` that are not 0. A part holds whole terms. */
static void find_parts(CofiFastFactors *factors, int cell, uint16_t *n_parts, uint16_t *parts)
{
    int size = factors->size, stride = size / cell;
    assert(stride <= COFI_FAST_LABELS);
    for (int label = 0; label < COFI_FAST_LABELS; label++) {
        n_parts[label] = 0;
        for (int at = 0; at < size; at += cell) {
            bool any = false;
            for (int i = at; i < at + cell; i++)
                any |= factors->out[label * size + i] != 0;
            if (any)
                parts[label * stride + n_parts[label]++] = (uint16_t)at;
        }
    }
    factors->parts = parts;
    factors->n_parts = n_parts;
}

static void repeat(float value, int n, float *to)
{
    for (int i = 0; i < n; i++)
        to[i] = value;
}

void cofi_fast_fill_factors(CofiFastFactors *factors, void *memory, const CofiFastPlan *plan,
                            const CofiLowRank *low_rank, const CofiKernels *kernels)
{
    assert(low_rank->ranks >= 1 && low_rank->ranks <= plan->ranks);
    int size = cofi_fast_cell_size(plan, low_rank->ranks, kernels->cell);
    *factors = (CofiFastFactors){.low_rank = low_rank, .size = size};
    float scale = plan->grid.scale * plan->grid.scale; /* along x and y */
    uint16_t *n_parts = memory;
    void *after_parts = (unsigned char *)memory + PART_BYTES;
    float *in = after_parts, *out = in + (ptrdiff_t)COFI_FEW_LABELS * size;
    for (int label = 0; label < COFI_FAST_LABELS; label++)
        for (int rank = 0; rank * plan->spread < size; rank++) {
            bool any = rank < low_rank->ranks, splat = !low_rank->each && label < COFI_FEW_LABELS;
            ptrdiff_t at = label * size + rank * plan->spread;
            if (splat)
                repeat(any ? low_rank->in[rank][label] : 0, plan->spread, in + at);
            repeat(any ? low_rank->out[rank][label] * scale : 0, plan->spread, out + at);
        }
    factors->in = low_rank->each ? NULL : in;
    factors->out = out;
    if (low_rank->each && plan->spread <= kernels->cell)
        find_parts(factors, kernels->cell, n_parts, n_parts + COFI_FAST_LABELS);
}
