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

/* Cells that are splatted and blurred together, so that they stay in the first-level cache. A
 * multiple of COFI_BLURS. */
#define STRIP 32

/* Rows of cells blurred along x that are kept. */
static int kept_rows(const CofiFastPlan *plan)
{
    return 2 * plan->grid.radius + COFI_BLURS;
}

/* Floats of one row of cells: an odd number of cache lines, so that rows do not compete for the
 * same sets of the first-level cache. */
static size_t row_size(const CofiFastPlan *plan, int ranks)
{
    size_t floats = (size_t)plan->cells * (size_t)cofi_fast_cell_size(plan, ranks, COFI_CELL);
    return (floats / 16 | 1) * 16;
}

/* Rows of cells blurred along x and y that are kept: those that are blurred together, and the last
 * one before them. */
#define BLURRED_ROWS (COFI_BLURS + 1)

/* The most rows of pixels that are sliced together. */
static int max_sliced(const CofiFastPlan *plan)
{
    return COFI_BLURS * plan->grid.step;
}

static size_t sliced_size(const CofiFastPlan *plan)
{
    return (size_t)max_sliced(plan) * (size_t)plan->tile_width * (size_t)plan->spread;
}

static size_t strip_size(const CofiFastPlan *plan)
{
    size_t step = (size_t)plan->grid.step;
    return step * step * STRIP * (size_t)plan->spread;
}

size_t cofi_fast_size(const CofiFastPlan *plan)
{
    size_t rows = 1 + BLURRED_ROWS + (size_t)kept_rows(plan), width = (size_t)plan->tile_width;
    size_t corners = 4 * COFI_FAST_LABELS * (size_t)plan->spread;
    size_t cells = row_size(plan, plan->ranks) * rows;
    return (cells + sliced_size(plan) + strip_size(plan) + corners + width) * sizeof(float);
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
    fast->splatted = memory;
    fast->blurred = fast->splatted + row;
    fast->across = fast->blurred + BLURRED_ROWS * row;
    fast->corners = fast->across + row * (size_t)kept_rows(plan);
    fast->strip = fast->corners + 4 * COFI_FAST_LABELS * plan->spread;
    fast->pixels = fast->strip + strip_size(plan);
    fast->weights = fast->pixels + sliced_size(plan);
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

/* Splats pixels to n cells of a row. `y` is the centre row of the line buffer, in the full image.
 */
static void splat_cells(const CofiFast *f, int cell_row, int y, int begin, int n)
{
    const CofiFastPlan *plan = f->plan;
    const CofiLineBuffer *lines = f->lines;
    int step = plan->grid.step;
    int first = (f->first_cell + begin) * step - (f->x - lines->radius);
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
                       .n = n,
                       .labels = labels,
                       .values = values,
                       .stride = lines->stride,
                       .pixels = f->strip,
                       .sums = f->splatted + (ptrdiff_t)begin * f->factors->size};
    f->kernels->splat_row(&splat);
}

/* Blurs cells along x, from cell `begin` of the result on, in parts of COFI_BLURS. */
static void blur_across(const CofiFast *f, int cell_row, int begin, int parts)
{
    const CofiGrid *grid = &f->plan->grid;
    ptrdiff_t size = f->factors->size;
    const float *cells[2 * COFI_MAX_GRID_RADIUS + COFI_BLURS];
    float *blurred[COFI_BLURS], *across = across_row(f, cell_row);
    for (int i = 0; i < 2 * grid->radius + COFI_BLURS; i++)
        cells[i] = f->splatted + (begin + i) * size;
    for (int i = 0; i < COFI_BLURS; i++)
        blurred[i] = across + (begin + i) * size;
    CofiBlur blur = {.taps = grid->taps,
                     .radius = grid->radius,
                     .n = (int)size,
                     .parts = parts,
                     .part_stride = COFI_BLURS * size,
                     .rows = cells,
                     .blurred = blurred};
    f->kernels->blur_rows(&blur);
}

/* Splats pixels to a row of cells, and blurs these along x as soon as their neighbours are there.
 * The last blur may go beyond the row, which has room for the excess. */
static void fill_across(const CofiFast *f, int cell_row, int y)
{
    int cells = cells_of(f), beside = 2 * f->plan->grid.radius, blurred = 0;
    for (int begin = 0; begin < cells; begin += STRIP) {
        int n = cells - begin < STRIP ? cells - begin : STRIP, end = begin + n;
        splat_cells(f, cell_row, y, begin, n);
        int parts = end < cells ? (end - beside - blurred) / COFI_BLURS
                                : (end - beside - blurred + COFI_BLURS - 1) / COFI_BLURS;
        if (parts <= 0)
            continue;
        blur_across(f, cell_row, blurred, parts);
        blurred += parts * COFI_BLURS;
    }
}

/* Blurs cells begin..end-1 of COFI_BLURS rows, from that one on, along y. */
static void blur_down(const CofiFast *f, int cell_row, int begin, int end)
{
    const CofiGrid *grid = &f->plan->grid;
    int radius = grid->radius;
    ptrdiff_t from = (ptrdiff_t)begin * f->factors->size;
    const float *rows[2 * COFI_MAX_GRID_RADIUS + COFI_BLURS];
    float *blurred[COFI_BLURS];
    for (int i = 0; i < 2 * radius + COFI_BLURS; i++)
        rows[i] = across_row(f, cell_row - radius + i) + from;
    for (int i = 0; i < COFI_BLURS; i++)
        blurred[i] = blurred_row(f, cell_row + i) + from;
    CofiBlur blur = {.taps = grid->taps,
                     .radius = radius,
                     .n = (end - begin) * f->factors->size,
                     .parts = 1,
                     .rows = rows,
                     .blurred = blurred};
    f->kernels->blur_rows(&blur);
}

/* The offset of the tile's first pixel from its first cell; and the share of the right cell for
 * each pixel of a cell. */
static int place_pixels(const CofiFast *f, float shares[COFI_MAX_STEP])
{
    const CofiGrid *grid = &f->plan->grid;
    float unused;
    int first = 0, cell = cofi_grid_cell(grid, f->x, &unused);
    while (first < grid->step && cofi_grid_cell(grid, f->x - first - 1, &unused) == cell)
        first++;
    for (int i = 0; i < grid->step; i++)
        cofi_grid_cell(grid, f->x - first + i, &shares[i]);
    return first;
}

/* Rows of pixels that are sliced together: the row of cells above each, and the share of the row
 * of cells below it. */
typedef struct SlicedRows {
    int n;
    int cell_rows[COFI_BLURS * COFI_MAX_STEP];
    float lower_shares[COFI_BLURS * COFI_MAX_STEP];
} SlicedRows;

/* All rows from row y of the full image on that lie above a row of cells. */
static void find_rows(const CofiGrid *grid, int y, int last_cell_row, SlicedRows *rows)
{
    for (rows->n = 0;; rows->n++) {
        float lower_share;
        int cell_row = cofi_grid_cell(grid, y + rows->n, &lower_share);
        if (cell_row >= last_cell_row)
            return;
        rows->cell_rows[rows->n] = cell_row;
        rows->lower_shares[rows->n] = lower_share;
    }
}

/* Slices pixels begin..end-1 of the rows from `row` on that lie between the same rows of cells.
 * Returns the number of these rows. */
static int slice_between(const CofiFast *f, const CofiSlice *slice, const SlicedRows *rows, int row,
                         int begin, int end)
{
    const CofiLineBuffer *lines = f->lines;
    const uint8_t *labels[COFI_MAX_STEP];
    int cell_row = rows->cell_rows[row], at = slice->first + begin;
    ptrdiff_t cell = (ptrdiff_t)(at / slice->step) * slice->size;
    CofiSlice part = *slice;
    for (; row + part.rows < rows->n && rows->cell_rows[row + part.rows] == cell_row; part.rows++)
        labels[part.rows] =
            lines->label_rows[lines->radius + row + part.rows] + lines->radius + begin;
    part.first = at % slice->step;
    part.n = end - begin;
    part.lower_shares = rows->lower_shares + row;
    part.upper = blurred_row(f, cell_row) + cell;
    part.lower = blurred_row(f, cell_row + 1) + cell;
    part.labels = labels;
    part.pixels = f->pixels + row * slice->stride + (ptrdiff_t)begin * slice->spread;
    f->kernels->slice_rows(&part);
    return part.rows;
}

/* Blurs the next rows of cells along y, and slices all rows of pixels from row y of the full image
 * on, the centre row of the line buffer, that lie above the last of them. Returns their number. */
static int blur_and_slice(CofiFast *f, int y)
{
    const CofiGrid *grid = &f->plan->grid;
    int cells = cells_of(f) - 2 * grid->radius, width = f->lines->tile.width, sliced = 0;
    float shares[COFI_MAX_STEP];
    SlicedRows rows;
    find_rows(grid, y, f->next_blur + COFI_BLURS - 1, &rows);
    CofiSlice slice = {.factors = f->factors->out,
                       .parts = f->factors->parts,
                       .n_parts = f->factors->n_parts,
                       .size = f->factors->size,
                       .spread = f->plan->spread,
                       .step = grid->step,
                       .first = place_pixels(f, shares),
                       .shares = shares,
                       .corners = f->corners,
                       .stride = (ptrdiff_t)width * f->plan->spread};
    for (int begin = 0; begin < cells; begin += STRIP) {
        int end = cells - begin < STRIP ? cells : begin + STRIP;
        blur_down(f, f->next_blur, begin, end);
        /* A pixel needs the cell to its right, too. */
        int until = end < cells ? (end - 1) * grid->step - slice.first : width;
        for (int row = 0; row < rows.n;)
            row += slice_between(f, &slice, &rows, row, sliced, until);
        sliced = until;
    }
    f->next_blur += COFI_BLURS;
    return rows.n;
}

/* Of the pixels that are marked, leaves those marked whose weight is below the threshold of their
 * label. */
static void check_marked(const CofiFast *f, uint8_t *marks)
{
    const CofiLineBuffer *lines = f->lines;
    const float *thresholds = f->factors->low_rank->trust_threshold;
    const float *alphas = lines->alpha_rows[lines->radius] + lines->radius, *weights = f->weights;
    const uint8_t *labels = lines->label_rows[lines->radius] + lines->radius;
    int width = lines->tile.width;
    for (int i = 0; i < width; i++) {
        const uint8_t *mark = memchr(marks + i, 1, (size_t)(width - i));
        if (!mark)
            return;
        /* Marks come in runs. */
        for (i = (int)(mark - marks); i < width && marks[i]; i++)
            marks[i] = (uint8_t) !(weights[i] > thresholds[labels[i]] * alphas[i]);
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
    int full_y = f->lines->source->rect.y + y, n = f->lines->tile.width;
    if (y >= f->sliced_y + f->sliced_rows) {
        for (; f->next_row < f->next_blur + COFI_BLURS + plan->grid.radius; f->next_row++)
            fill_across(f, f->next_row, full_y);
        f->sliced_rows = blur_and_slice(f, full_y);
        f->sliced_y = y;
    }
    CofiDivide divide = {.pixels = f->pixels + (ptrdiff_t)(y - f->sliced_y) * n * plan->spread,
                         .spread = plan->spread,
                         .planes = plan->planes,
                         .n = n,
                         .limit = f->factors->low_rank->max_trust_threshold,
                         .weights = f->weights,
                         .means = values,
                         .low = unreliable};
    f->kernels->divide_row(&divide);
    check_marked(f, unreliable);
    if (f->lines->source->in->sample == COF_SAMPLE_F32)
        mark_infinite(f, values, unreliable);
}
