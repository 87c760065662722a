/* SPDX-License-Identifier: BSD-2-Clause */
/* The fast filter. With M(a, b) = sum_j out_j(a) in_j(b), the sums of eq. 11 are
 * sum_j out_j(T_p) (G * [in_j(T) I])(p): the products are summed in cells of a coarser grid,
 * blurred along x and y, and interpolated at p. Everything is anchored at (0, 0) of the full image
 * and summed in one order, so that tiles make the whole. */
#include "filter/fast_filter.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "image/image.h"

/* The tolerance of the grid's weights at 45 dB; at 90 dB it is a tenth of this. Measured on 56
 * photographs: 0.12 gives 52 dB, 0.14 51 dB, 0.19 44 dB. */
#define TOLERANCE 0.16

/* The width of a tile, in pixels, and in radii of its surroundings if that is more. */
#define TILE_PIXELS 384
#define TILE_RADII 6

/* Values of a pixel, padded so that a vector holds whole pixels, or a pixel whole vectors. */
static int spread_of(int planes)
{
    int spread = 2;
    while (spread < planes)
        spread *= 2;
    return spread;
}

/* The sums of a cell, rounded up to a multiple. */
static int cell_size(const CofiFastPlan *plan, int ranks, int multiple)
{
    return (ranks * plan->spread + multiple - 1) / multiple * multiple;
}

void cofi_fast_plan(CofiFastPlan *plan, int window, double sigma, double accuracy, int bands,
                    int labels)
{
    assert(bands >= 0 && bands <= COF_MAX_BANDS && labels >= 1);
    *plan = (CofiFastPlan){.planes = 1 + bands, .spread = spread_of(1 + bands)};
    plan->ranks = labels < COFI_MAX_RANKS ? labels : COFI_MAX_RANKS;
    double tolerance = TOLERANCE * pow(10, (45 - accuracy) / 45);
    plan->possible = cofi_grid_fit(&plan->grid, window, sigma, tolerance) > 0;
    plan->radius = plan->grid.reach + (COFI_BLURS - 1) * plan->grid.step;
    if (plan->radius < window / 2)
        plan->radius = window / 2; /* for pixels that need the exact filter */
}

void cofi_fast_plan_tiles(CofiFastPlan *plan, int width)
{
    assert(width >= 1);
    if (!plan->possible)
        return;
    int widest = TILE_RADII * plan->radius;
    int tiles = (width - 1) / (widest > TILE_PIXELS ? widest : TILE_PIXELS) + 1;
    plan->tile_width = (width - 1) / tiles + 1;
    plan->cells = plan->tile_width / plan->grid.step + 2 * plan->grid.radius + 3 + COFI_BLURS;
}

int cofi_fast_batch(const CofiFastPlan *plan)
{
    return plan->spread < COFI_CELL ? COFI_CELL / plan->spread : 1;
}

/* Rows of cells blurred along x that are kept. */
static int kept_rows(const CofiFastPlan *plan)
{
    return 2 * plan->grid.radius + COFI_BLURS;
}

#define BLURRED_ROWS (COFI_BLURS + 1)

/* Floats of one row of cells: an odd number of cache lines, so that rows do not compete for the
 * same sets of the first-level cache. */
static size_t row_size(const CofiFastPlan *plan, int ranks)
{
    size_t floats = (size_t)plan->cells * (size_t)cell_size(plan, ranks, COFI_CELL);
    return (floats / 16 | 1) * 16;
}

static size_t pixels_size(const CofiFastPlan *plan)
{
    size_t step = (size_t)plan->grid.step, pixels = step * step * (size_t)plan->cells;
    return (pixels * (size_t)plan->spread + 15) / 16 * 16;
}

size_t cofi_fast_size(const CofiFastPlan *plan)
{
    size_t rows = 1 + BLURRED_ROWS + (size_t)kept_rows(plan), width = (size_t)plan->tile_width;
    size_t corners = 4 * COFI_FAST_LABELS * (size_t)plan->spread;
    size_t floats = row_size(plan, plan->ranks) * rows + pixels_size(plan) + corners + width;
    return floats * sizeof(float);
}

/* The cost of a term for each label, relative to that of a term of a truncated sum: pixels are
 * splatted to one term only. */
#define EACH_COST 0.68

double cofi_fast_cost(const CofiFastPlan *plan, int ranks, bool each)
{
    double step = plan->grid.step, taps = 2 * plan->grid.radius + 1;
    double cost =
        cell_size(plan, ranks, COFI_CELL) / 16.0 * (1 + 2 * taps / (step * step) + 3 / step + 2) +
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

size_t cofi_fast_factors_size(const CofiFastPlan *plan)
{
    size_t labels = COFI_FEW_LABELS + COFI_FAST_LABELS; /* in, and out */
    return labels * (size_t)cell_size(plan, plan->ranks, COFI_CELL) * sizeof(float);
}

void cofi_fast_fill_factors(CofiFastFactors *factors, float *memory, const CofiFastPlan *plan,
                            const CofiLowRank *low_rank, const CofiKernels *kernels)
{
    assert(low_rank->ranks >= 1 && low_rank->ranks <= plan->ranks);
    int size = cell_size(plan, low_rank->ranks, kernels->cell);
    *factors = (CofiFastFactors){.low_rank = low_rank, .size = size};
    float *in = memory, *out = memory + (ptrdiff_t)COFI_FEW_LABELS * size;
    for (int label = 0; label < COFI_FAST_LABELS; label++)
        for (int i = 0; i < size; i++) {
            int rank = i / plan->spread, at = label * size + i;
            bool any = rank < low_rank->ranks;
            if (!low_rank->each && label < COFI_FEW_LABELS)
                in[at] = any ? low_rank->in[rank][label] : 0;
            out[at] = any ? low_rank->out[rank][label] : 0;
        }
    factors->in = low_rank->each ? NULL : in;
    factors->out = out;
}

void cofi_fast_start(CofiFast *fast, void *memory, const CofiFastPlan *plan,
                     const CofiFastFactors *factors, const CofiKernels *kernels,
                     const CofiLineBuffer *lines)
{
    assert(plan->possible);
    assert(lines->radius == plan->radius);
    float unused;
    size_t row = row_size(plan, factors->low_rank->ranks);
    *fast = (CofiFast){.plan = plan, .factors = factors, .kernels = kernels, .lines = lines};
    fast->row_size = (ptrdiff_t)row;
    fast->pixels = memory;
    fast->corners = fast->pixels + pixels_size(plan);
    fast->splatted = fast->corners + 4 * COFI_FAST_LABELS * plan->spread;
    fast->blurred = fast->splatted + row;
    fast->across = fast->blurred + BLURRED_ROWS * row;
    fast->weights = fast->across + row * (size_t)kept_rows(plan);
    fast->x = lines->source->rect.x + lines->tile.x;
    fast->y = lines->source->rect.y + lines->tile.y;
    fast->first_cell = cofi_grid_cell(&plan->grid, fast->x, &unused) - plan->grid.radius;
    fast->next_blur = cofi_grid_cell(&plan->grid, fast->y, &unused);
    fast->next_row = fast->next_blur - plan->grid.radius;
}

/* Rows of cells lie in a circular buffer of slots. */
static float *slot_of(const CofiFast *f, float *rows, int row, int slots)
{
    int slot = row % slots;
    return rows + (slot < 0 ? slot + slots : slot) * f->row_size;
}

static float *across_row(const CofiFast *f, int cell_row)
{
    return slot_of(f, f->across, cell_row, kept_rows(f->plan));
}

static float *blurred_row(const CofiFast *f, int cell_row)
{
    return slot_of(f, f->blurred, cell_row, BLURRED_ROWS);
}

/* Cells of a row that the tile needs; a narrow tile needs fewer than the plan allows for. */
static int cells_of(const CofiFast *f)
{
    int last = f->x + f->lines->tile.width - 1;
    float unused;
    return cofi_grid_cell(&f->plan->grid, last, &unused) + 2 + f->plan->grid.radius - f->first_cell;
}

/* Splats pixels to a row of cells. `y` is the centre row of the line buffer, in the full image. */
static void splat_cells(const CofiFast *f, int cell_row, int y)
{
    const CofiFastPlan *plan = f->plan;
    const CofiLineBuffer *lines = f->lines;
    int step = plan->grid.step, first = f->first_cell * step - (f->x - lines->radius);
    const uint8_t *labels[COFI_MAX_STEP];
    const float *values[COFI_MAX_STEP];
    for (int i = 0; i < step; i++) {
        int row = cell_row * step + i - (y - lines->radius);
        labels[i] = lines->label_rows[row] + first;
        values[i] = lines->alpha_rows[row] + first;
    }
    CofiSplat splat = {.factors = f->factors->in,
                       .size = f->factors->size,
                       .spread = plan->spread,
                       .planes = plan->planes,
                       .step = step,
                       .n = cells_of(f),
                       .labels = labels,
                       .values = values,
                       .stride = lines->stride,
                       .pixels = f->pixels,
                       .sums = f->splatted};
    f->kernels->splat_row(&splat);
}

/* Blurs COFI_BLURS cells at a time; rows have room for the excess. */
static void blur_across(const CofiFast *f, int cell_row)
{
    const CofiGrid *grid = &f->plan->grid;
    int size = f->factors->size, n = cells_of(f) - 2 * grid->radius;
    const float *cells[2 * COFI_MAX_GRID_RADIUS + COFI_BLURS];
    float *blurred[COFI_BLURS], *across = across_row(f, cell_row);
    for (int i = 0; i < 2 * grid->radius + COFI_BLURS; i++)
        cells[i] = f->splatted + (ptrdiff_t)i * size;
    for (int i = 0; i < COFI_BLURS; i++)
        blurred[i] = across + (ptrdiff_t)i * size;
    CofiBlur blur = {.taps = grid->taps,
                     .radius = grid->radius,
                     .n = size,
                     .parts = (n + COFI_BLURS - 1) / COFI_BLURS,
                     .part_stride = (ptrdiff_t)COFI_BLURS * size,
                     .rows = cells,
                     .blurred = blurred};
    f->kernels->blur_rows(&blur);
}

/* Blurs COFI_BLURS rows of cells, from that one on, along y. */
static void blur_down(const CofiFast *f, int cell_row)
{
    const CofiGrid *grid = &f->plan->grid;
    int radius = grid->radius, n = cells_of(f) - 2 * radius;
    const float *rows[2 * COFI_MAX_GRID_RADIUS + COFI_BLURS];
    float *blurred[COFI_BLURS];
    for (int i = 0; i < 2 * radius + COFI_BLURS; i++)
        rows[i] = across_row(f, cell_row - radius + i);
    for (int i = 0; i < COFI_BLURS; i++)
        blurred[i] = blurred_row(f, cell_row + i);
    CofiBlur blur = {.taps = grid->taps,
                     .radius = radius,
                     .n = n * f->factors->size,
                     .parts = 1,
                     .rows = rows,
                     .blurred = blurred};
    f->kernels->blur_rows(&blur);
}

/* Slices row y of the source, the centre row of the line buffer, and those below it that lie
 * between the same rows of cells. */
static void slice_rows(CofiFast *f, int y, int cell_row)
{
    const CofiFastPlan *plan = f->plan;
    const CofiLineBuffer *lines = f->lines;
    const uint8_t *labels[COFI_MAX_STEP];
    float shares[COFI_MAX_STEP], lower_shares[COFI_MAX_STEP], unused;
    int step = plan->grid.step, first = 0, rows = 0, full_y = lines->source->rect.y + y;
    int cell = cofi_grid_cell(&plan->grid, f->x, &unused);
    while (first < step && cofi_grid_cell(&plan->grid, f->x - first - 1, &unused) == cell)
        first++;
    for (int i = 0; i < step; i++)
        cofi_grid_cell(&plan->grid, f->x - first + i, &shares[i]);
    for (; rows < step; rows++) {
        if (cofi_grid_cell(&plan->grid, full_y + rows, &lower_shares[rows]) != cell_row)
            break;
        labels[rows] = lines->label_rows[lines->radius + rows] + lines->radius;
    }
    CofiSlice slice = {.factors = f->factors->out,
                       .size = f->factors->size,
                       .spread = plan->spread,
                       .step = step,
                       .n = lines->tile.width,
                       .rows = rows,
                       .first = first,
                       .shares = shares,
                       .lower_shares = lower_shares,
                       .upper = blurred_row(f, cell_row),
                       .lower = blurred_row(f, cell_row + 1),
                       .labels = labels,
                       .corners = f->corners,
                       .pixels = f->pixels};
    f->kernels->slice_rows(&slice);
    f->sliced_y = y;
    f->sliced_rows = rows;
}

/* Whether a weight may be below the threshold of its label. */
static bool has_small_weight(const float *weights, int n, float max_threshold)
{
    int any = 0;
    for (int i = 0; i < n; i++)
        any |= !(weights[i] > max_threshold);
    return any;
}

/* Marks pixels whose weight is below the threshold of their label. */
static void mark_unreliable(const CofiFast *f, uint8_t *unreliable)
{
    enum { BLOCK = 32 };
    const CofiLineBuffer *lines = f->lines;
    const CofiLowRank *low_rank = f->factors->low_rank;
    const float *alphas = lines->alpha_rows[lines->radius] + lines->radius, *weights = f->weights;
    const uint8_t *labels = lines->label_rows[lines->radius] + lines->radius;
    int width = lines->tile.width;
    memset(unreliable, 0, (size_t)width);
    for (int begin = 0; begin < width; begin += BLOCK) {
        int n = width - begin < BLOCK ? width - begin : BLOCK;
        if (!has_small_weight(weights + begin, n, low_rank->max_trust_threshold))
            continue;
        for (int i = begin; i < begin + n; i++)
            unreliable[i] =
                (uint8_t) !(weights[i] > low_rank->trust_threshold[labels[i]] * alphas[i]);
    }
}

static void mark_infinite(const CofiFast *f, float *const *values, uint8_t *unreliable)
{
    for (int plane = 1; plane < f->plan->planes; plane++)
        for (int i = 0; i < f->lines->tile.width; i++)
            unreliable[i] = (uint8_t)(unreliable[i] | !(fabsf(values[plane - 1][i]) <= FLT_MAX));
}

void cofi_fast_row(CofiFast *f, int y, float *const *values, uint8_t *unreliable)
{
    const CofiFastPlan *plan = f->plan;
    const CofiGrid *grid = &plan->grid;
    float unused;
    int full_y = f->lines->source->rect.y + y, n = f->lines->tile.width;
    int cell_row = cofi_grid_cell(grid, full_y, &unused);
    for (; f->next_blur <= cell_row + 1; f->next_blur += COFI_BLURS) {
        for (; f->next_row < f->next_blur + COFI_BLURS + grid->radius; f->next_row++) {
            splat_cells(f, f->next_row, full_y);
            blur_across(f, f->next_row);
        }
        blur_down(f, f->next_blur);
    }
    if (y < f->sliced_y || y >= f->sliced_y + f->sliced_rows)
        slice_rows(f, y, cell_row);
    const float *pixels = f->pixels + (ptrdiff_t)(y - f->sliced_y) * n * plan->spread;
    f->kernels->divide_row(pixels, plan->spread, plan->planes, n, f->weights, values);
    mark_unreliable(f, unreliable);
    if (f->lines->source->in->sample == COF_SAMPLE_F32)
        mark_infinite(f, values, unreliable);
}
