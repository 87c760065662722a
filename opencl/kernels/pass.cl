/* SPDX-License-Identifier: BSD-2-Clause */
/* A pass of the exact filter. */

/* A work-group filters TILE_WIDTH x TILE_HEIGHT pixels, each item PIXELS of a column: these share
 * what is loaded of a neighbour. The window is summed in parts, whose pixels fit in local memory: of
 * at most MAX_COLUMNS columns, and as many rows of an item as fit. */
#define TILE_HEIGHT (PASS_ITEMS / TILE_WIDTH * PIXELS)
#define MAX_COLUMNS 15
#define CELLS_WIDE (TILE_WIDTH + MAX_COLUMNS - 1)
#define CELLS_HIGH (TILE_HEIGHT + MAX_COLUMNS - 1)
#define MAX_ROWS (MAX_COLUMNS + PIXELS - 1)

/* Rows of M in local memory, with a column of zeros. An odd stride avoids bank conflicts. */
#define FEW_STRIDE (FEW_LABELS + 1)

/* The index in 0..n-1 that a border rule gives for i: 0 clip, 1 mirror, 2 reflect101. -1: none. */
HELPER int border_index(int i, int n, int border)
{
    if (i >= 0 && i < n)
        return i;
    if (border == 0)
        return -1;
    uint size = (uint)n, period = border == 1 ? 2 * size : 2 * size - 2;
    if (period == 0)
        return 0;
    uint at = i < 0 ? period - 1 - (uint)(-1 - i) % period : (uint)i % period;
    return (int)(at < size ? at : border == 1 ? period - 1 - at : period - at);
}

/* The index in the view that coordinate i shows; -1: none. The view begins at `start` of the full
 * image. */
HELPER int view_index(int i, int start, int size, int full, int border)
{
    int at = border_index(start + i, full, border);
    return at < start || at >= start + size ? -1 : at - start;
}

/* A pixel with its label and alpha; one outside of the view has label k, which has no weight. */
HELPER float4 tap_at(GLOBAL const float4 *values, GLOBAL const uchar *labels,
                     GLOBAL const uchar *alphas, const PassShape *s, int x, int y)
{
    float4 tap = LANES(0.0f, 0.0f, 0.0f, as_float(s->k));
    int at_x = view_index(x, s->view_x, s->width, s->full_width, s->border);
    int at_y = view_index(y, s->view_y, s->height, s->full_height, s->border);
    if (at_x >= 0 && at_y >= 0) {
        size_t at = (size_t)at_y * s->width + at_x;
        uint bits = s->alpha_bytes ? alpha_bits(alphas, s, at) : 0u;
        tap = values[at];
        LANE(tap, 3) = as_float((int)(labels[at] | bits));
    }
    return tap;
}

/* Divides a sum by its weight, the last lane; a pixel without weight or data keeps its value.
 * Returns the squared change inside the part. */
HELPER float store_mean(GLOBAL const float4 *values, GLOBAL const uchar *alphas,
                        const PassShape *s, int x, int y, float4 sum, GLOBAL float4 *filtered,
                        GLOBAL uchar *changed)
{
    size_t at = (size_t)y * s->width + x;
    float4 old = values[at];
    int weighty = LANE(sum, 3) > 0.0f;
    if (s->alpha_bytes && !alphas[at])
        weighty = 0;
    float4 mean = weighty ? all_finite(sum / SAME_LANES(LANE(sum, 3))) : old;
    filtered[at] = mean;
    changed[at] |= (uchar)weighty;
    float d_0 = (LANE(mean, 0) - LANE(old, 0)) * s->units[0];
    float d_1 = (LANE(mean, 1) - LANE(old, 1)) * s->units[1];
    float d_2 = (LANE(mean, 2) - LANE(old, 2)) * s->units[2];
    int inside = x >= s->part_x && x < s->part_x + s->part_width && y >= s->part_y &&
                 y < s->part_y + s->part_height;
    return inside ? d_0 * d_0 + d_1 * d_1 + d_2 * d_2 : 0.0f;
}

#ifndef STEP /* of the fast filter, whose program does not need the rest */

/* What is the same for all pixels of an item. */
typedef struct Taps {
    LOCAL const float4 *cells; /* the first of the row */
    int columns;
    CONSTANT const float *across; /* weights of the columns */
} Taps;

/* Adds one row of taps to pixels from..to of the item, pixel i with the weight down[-i]. `labels` are
 * where the row of M of each pixel begins, in `few`, or, if that is NULL, in `matrix`. from and to
 * are constants. */
HELPER void add_row(const Taps *taps, LOCAL const float *few, GLOBAL const float *matrix,
                    const int *labels, int alpha_bytes, int from, int to,
                    CONSTANT const float *down, float4 *total)
{
    float4 line[PIXELS];
    UNROLL
    for (int i = from; i <= to; i++)
        line[i] = SAME_LANES(0.0f);
    UNROLL_3
    for (int column = 0; column < taps->columns; column++) {
        float4 tap = taps->cells[column];
        int label = as_int(LANE(tap, 3));
        float weight = taps->across[column];
        if (alpha_bytes) {
            weight *= alpha_of_bits((uint)label, alpha_bytes);
            label &= LABEL_MASK;
        }
        LANE(tap, 3) = 1.0f;
        tap = tap * SAME_LANES(weight);
        UNROLL
        for (int i = from; i <= to; i++) {
            float m = few ? few[labels[i] + label] : matrix[labels[i] + label];
            line[i] = FUSED(SAME_LANES(m), tap, line[i]);
        }
    }
    UNROLL
    for (int i = from; i <= to; i++)
        total[i] = FUSED(SAME_LANES(down[-i]), line[i], total[i]);
}

/* Some rows of taps, of which an item needs side + PIXELS - 1: those before row side - 1 and those
 * after row PIXELS - 1 are not taps of all its pixels. */
typedef struct Rows {
    int first, end, side;
    CONSTANT const float *down; /* weights of all rows of the window */
} Rows;

/* Adds rows of a window that has at least as many rows as the item has pixels. The first PIXELS - 1
 * rows must be among the first that are added, the last ones among the last. */
HELPER void add_rows(Taps taps, LOCAL const float *few, GLOBAL const float *matrix,
                     const int *labels, int alpha_bytes, Rows rows, float4 *total)
{
    int row = rows.first, full = rows.end < rows.side ? rows.end : rows.side;
    if (row == 0) {
        UNROLL
        for (int i = 0; i < PIXELS - 1; i++) {
            add_row(&taps, few, matrix, labels, alpha_bytes, 0, i, rows.down + i, total);
            taps.cells += CELLS_WIDE;
        }
        row = PIXELS - 1;
    }
    for (; row < full; row++) {
        add_row(&taps, few, matrix, labels, alpha_bytes, 0, PIXELS - 1, rows.down + row, total);
        taps.cells += CELLS_WIDE;
    }
    if (rows.end > rows.side) {
        UNROLL
        for (int i = 1; i < PIXELS; i++) {
            add_row(&taps, few, matrix, labels, alpha_bytes, i, PIXELS - 1,
                    rows.down + rows.side - 1 + i, total);
            taps.cells += CELLS_WIDE;
        }
    }
}

/* Adds all rows of a smaller window, pixel by pixel. */
HELPER void add_small_window(Taps taps, LOCAL const float *few, GLOBAL const float *matrix,
                             const int *labels, int alpha_bytes, Rows rows, float4 *total)
{
    UNROLL
    for (int i = 0; i < PIXELS; i++) {
        Taps mine = taps;
        mine.cells += i * CELLS_WIDE;
        for (int row = 0; row < rows.side; row++) {
            add_row(&mine, few, matrix, labels, alpha_bytes, i, i, rows.down + row + i, total);
            mine.cells += CELLS_WIDE;
        }
    }
}

/* One pass. `matrix` has k rows of k + 1 weights, the last of which is 0. If `measured`,
 * sums[first_sum + group] becomes the sum of the squared changes of the group. For
 * `alphas`, see find_alphas(). */
KERNEL(PASS_ITEMS)
void filter_pass(GLOBAL const float4 *values, GLOBAL const uchar *labels,
                 GLOBAL const uchar *alphas, GLOBAL const float *matrix,
                 CONSTANT const float *gauss, PassShape s, GLOBAL float4 *filtered,
                 GLOBAL uchar *changed, GLOBAL float *sums)
{
    LOCAL_ARRAY(float4, cells, CELLS_WIDE * CELLS_HIGH);
    LOCAL_ARRAY(float, few, FEW_LABELS * FEW_STRIDE);
    LOCAL_ARRAY(float, squares, PASS_ITEMS);
    PRIVATE(float4, total, PIXELS);
    int left = s.x + (int)get_group_id(0) * TILE_WIDTH;
    int top = s.first + (int)get_group_id(1) * TILE_HEIGHT;
    int side = 2 * s.radius + 1, all_rows = side + PIXELS - 1, is_few = s.k <= FEW_LABELS;
    int parts = (side + MAX_COLUMNS - 1) / MAX_COLUMNS, columns = (side + parts - 1) / parts;
    int strips = (all_rows + MAX_ROWS - 1) / MAX_ROWS, height = (all_rows + strips - 1) / strips;

    EACH_ITEM(PASS_ITEMS)
    {
        for (int i = item; is_few && i < s.k * (s.k + 1); i += PASS_ITEMS)
            few[i / (s.k + 1) * FEW_STRIDE + i % (s.k + 1)] = matrix[i];
        for (int i = 0; i < PIXELS; i++)
            MY(total)[i] = SAME_LANES(0.0f);
    }
    for (int part = 0; part < parts * strips; part++) {
        int part_left = part % parts * columns, part_top = part / parts * height;
        int part_columns = side - part_left < columns ? side - part_left : columns;
        int part_end = all_rows - part_top < height ? all_rows : part_top + height;
        BARRIER;
        EACH_ITEM(PASS_ITEMS)
        for (int i = item; i < CELLS_WIDE * CELLS_HIGH; i += PASS_ITEMS)
            cells[i] =
                tap_at(values, labels, alphas, &s, left + i % CELLS_WIDE + part_left - s.radius,
                       top + i / CELLS_WIDE + part_top - s.radius);
        BARRIER;
        EACH_ITEM(PASS_ITEMS)
        {
            int cell_x = item % TILE_WIDTH, cell_y = item / TILE_WIDTH * PIXELS;
            int own[PIXELS];
            UNROLL
            for (int i = 0; i < PIXELS; i++) {
                int pixel_x = left + cell_x, pixel_y = top + cell_y + i;
                int inside = pixel_x < s.x + s.columns && pixel_y < s.end;
                own[i] = inside ? labels[(size_t)pixel_y * s.width + pixel_x] : 0;
                own[i] *= is_few ? FEW_STRIDE : s.k + 1;
            }
            Taps taps = {cells + cell_y * CELLS_WIDE + cell_x, part_columns, gauss + part_left};
            Rows rows = {part_top, part_end, side, gauss};
            if (side < PIXELS && is_few)
                add_small_window(taps, few, 0, own, s.alpha_bytes, rows, MY(total));
            else if (side < PIXELS)
                add_small_window(taps, 0, matrix, own, s.alpha_bytes, rows, MY(total));
            else if (!is_few)
                add_rows(taps, 0, matrix, own, s.alpha_bytes, rows, MY(total));
            else if (s.alpha_bytes)
                add_rows(taps, few, 0, own, s.alpha_bytes, rows, MY(total));
            else
                add_rows(taps, few, 0, own, 0, rows, MY(total));
        }
    }
    EACH_ITEM(PASS_ITEMS)
    {
        squares[item] = 0.0f;
        UNROLL
        for (int i = 0; i < PIXELS; i++) {
            int pixel_x = left + item % TILE_WIDTH, pixel_y = top + item / TILE_WIDTH * PIXELS + i;
            if (pixel_x >= s.x + s.columns || pixel_y >= s.end)
                continue;
            squares[item] += store_mean(values, alphas, &s, pixel_x, pixel_y, MY(total)[i],
                                        filtered, changed);
        }
    }
    for (int half_items = PASS_ITEMS / 2; s.measured && half_items > 0; half_items /= 2) {
        BARRIER;
        EACH_ITEM(PASS_ITEMS)
        if (item < half_items)
            squares[item] += squares[item + half_items];
    }
    BARRIER;
    EACH_ITEM(PASS_ITEMS)
    if (s.measured && item == 0)
        sums[s.first_sum + get_group_id(1) * get_num_groups(0) + get_group_id(0)] = squares[0];
}

#endif
