/* SPDX-License-Identifier: BSD-2-Clause */
/* Cells of the fast filter: pixels are summed in cells of a coarser grid, term by term, and the
 * cells are blurred. Step and radius of the grid are constants, STEP and GRID_RADIUS: a program is
 * compiled for each grid that is used. */
#ifdef STEP

/* A work-group slices the pixels between TILE_CELLS x TILE_CELLS cells and their neighbours: blocks
 * of STEP x STEP pixels. It needs the blurred cells on all sides of them. */
#define TILE_CELLS TILE_CELLS_OF(STEP)
#define BLOCK_PIXELS (STEP * STEP)
#define SLICED_CELLS (TILE_CELLS + 1)
#define SEEN_CELLS (SLICED_CELLS + 2 * GRID_RADIUS)
#define SEEN_PIXELS (SEEN_CELLS * STEP)
#define SLICE_PIXELS ((TILE_CELLS * TILE_CELLS * BLOCK_PIXELS + SLICE_ITEMS - 1) / SLICE_ITEMS)

/* Items whose pixels all lie in one block load the cells around it once. Items whose pixels fill
 * whole blocks, one below the other, share what these have in common. */
#define WHOLE_BLOCKS (SLICE_PIXELS % BLOCK_PIXELS == 0)
#define WITHIN_BLOCK (BLOCK_PIXELS % SLICE_PIXELS == 0)
#define ITEM_BLOCKS (SLICE_PIXELS / BLOCK_PIXELS)

/* Terms that are summed together. */
#define SPLAT_TERMS 8

/* The place of cell (x, y) of the buffer, which begins at cell (f.cell_x, f.cell_y). */
HELPER size_t cell_at(const FastShape *f, int term, int x, int y)
{
    return ((size_t)term * f->cells_high + y) * f->cells_wide + x;
}

/* The alpha of a pixel of the view, in the last lane, and its bands times alpha. */
HELPER float4 inside_pixel(GLOBAL const float4 *values, GLOBAL const uchar *labels,
                           GLOBAL const uchar *alphas, const PassShape *s, int x, int y, int *label)
{
    size_t at = (size_t)y * s->width + x;
    float4 value = values[at];
    *label = labels[at];
    LANE(value, 3) = 1.0f;
    return s->alpha_bytes ? value * SAME_LANES(alpha_at(alphas, s, at)) : value;
}

/* The same for any pixel; all 0 outside of the view. */
HELPER float4 splatted(GLOBAL const float4 *values, GLOBAL const uchar *labels,
                       GLOBAL const uchar *alphas, const PassShape *s, int x, int y, int *label)
{
    int at_x = view_index(x, s->view_x, s->width, s->full_width, s->border);
    int at_y = view_index(y, s->view_y, s->height, s->full_height, s->border);
    *label = 0;
    return at_x < 0 || at_y < 0 ? SAME_LANES(0.0f)
                                : inside_pixel(values, labels, alphas, s, at_x, at_y, label);
}

/* The pixels of the cell whose first pixel is (x, y). If `is_plain`, all are in the view and have
 * alpha 1; loads in a row are not held up by decisions then. */
HELPER void load_cell(GLOBAL const float4 *values, GLOBAL const uchar *labels,
                      GLOBAL const uchar *alphas, const PassShape *s, int x, int y, int is_plain,
                      float4 *cell_values, int *cell_labels)
{
    if (is_plain) {
        size_t at = (size_t)y * s->width + x;
        UNROLL
        for (int j = 0; j < BLOCK_PIXELS; j++) {
            cell_values[j] = values[at + (size_t)(j / STEP) * s->width + j % STEP];
            cell_labels[j] = labels[at + (size_t)(j / STEP) * s->width + j % STEP];
        }
        UNROLL
        for (int j = 0; j < BLOCK_PIXELS; j++)
            LANE(cell_values[j], 3) = 1.0f;
    } else {
        UNROLL
        for (int j = 0; j < BLOCK_PIXELS; j++)
            cell_values[j] = splatted(values, labels, alphas, s, x + j % STEP, y + j / STEP,
                                      &cell_labels[j]);
    }
}

/* The factor of a label in a term: `in` has one for each label, term by term; if `each`, term j is
 * label j alone. */
HELPER float factor_of(GLOBAL const float *in, const FastShape *f, int term, int label)
{
    return f->each ? (label == term ? 1.0f : 0.0f) : in[term * FEW_LABELS + label];
}

/* The same; 0 beyond the last term. */
HELPER float factor_in(GLOBAL const float *in, const FastShape *f, int term, int label)
{
    return term < f->terms ? factor_of(in, f, term, label) : 0.0f;
}

/* SLICE_TERMS factors from `term` on, of a label that is a term of its own. */
HELPER float4 factors_of_each(int label, int term)
{
    return LANES((float)(label == term), (float)(label == term + 1), (float)(label == term + 2),
                 (float)(label == term + 3));
}

/* Sums the pixels of each cell, times their factors. Items are cells, rows of groups are rows of
 * cells. */
KERNEL(ITEMS)
void splat(GLOBAL const float4 *values, GLOBAL const uchar *labels, GLOBAL const uchar *alphas,
           GLOBAL const float *in, PassShape s, FastShape f, GLOBAL float4 *cells)
{
    int row = (int)get_group_id(1), column = (int)get_global_id(0);
    int x = (f.cell_x + column) * STEP - s.view_x, y = (f.cell_y + row) * STEP - s.view_y;
    if (column >= f.cells_wide)
        return;
    for (int term = 0; term < f.terms; term += SPLAT_TERMS) {
        float4 sums[SPLAT_TERMS];
        UNROLL
        for (int i = 0; i < SPLAT_TERMS; i++)
            sums[i] = SAME_LANES(0.0f);
        for (int j = 0; j < BLOCK_PIXELS; j++) {
            int label;
            float4 value =
                splatted(values, labels, alphas, &s, x + j % STEP, y + j / STEP, &label);
            UNROLL
            for (int i = 0; i < SPLAT_TERMS; i++) {
                float factor = term + i < f.terms ? factor_of(in, &f, term + i, label) : 0.0f;
                sums[i] = FUSED(SAME_LANES(factor), value, sums[i]);
            }
        }
        UNROLL
        for (int i = 0; i < SPLAT_TERMS; i++)
            if (term + i < f.terms)
                cells[cell_at(&f, term + i, column, row)] = sums[i];
    }
}

/* Blurs SEEN_CELLS cells to SLICED_CELLS, which are written in place of the first. The cells under
 * the taps are kept, each at its number modulo WINDOW_CELLS. */
#define WINDOW_CELLS (2 * GRID_RADIUS + 1)

HELPER void blur_line(LOCAL float4 *line, int stride, const float *taps)
{
    float4 window[WINDOW_CELLS];
    UNROLL
    for (int i = 0; i < WINDOW_CELLS - 1; i++)
        window[i] = line[i * stride];
    UNROLL
    for (int i = 0; i < SLICED_CELLS; i++) {
        int middle = i + GRID_RADIUS, last = i + WINDOW_CELLS - 1;
        window[last % WINDOW_CELLS] = line[last * stride];
        float4 sum = SAME_LANES(taps[0]) * window[middle % WINDOW_CELLS];
        UNROLL
        for (int d = 1; d <= GRID_RADIUS; d++)
            sum = FUSED(SAME_LANES(taps[d]),
                        window[(middle - d) % WINDOW_CELLS] + window[(middle + d) % WINDOW_CELLS],
                        sum);
        line[i * stride] = sum;
    }
}
#endif
