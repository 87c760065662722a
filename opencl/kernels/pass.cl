/* SPDX-License-Identifier: BSD-2-Clause */
/* A pass of the exact filter. */

/* A work-group filters TILE_WIDTH x TILE_HEIGHT pixels, each item PIXELS of a column: these share
 * what is loaded of a neighbour. The window is summed in parts of at most PART x PART taps, whose
 * pixels fit in local memory. */
#define TILE_HEIGHT (PASS_ITEMS / TILE_WIDTH * PIXELS)
#define PART 15
#define CELLS_WIDE (TILE_WIDTH + PART - 1)
#define CELLS_HIGH (TILE_HEIGHT + PART - 1)

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

/* The last lane of a pixel in local memory has its label and its alpha of 0..255, as bits. */
#define ALPHA_SHIFT 9
#define LABEL_MASK 511

/* A pixel with its label and alpha; one outside of the view has label k, which has no weight. */
HELPER float4 tap_at(GLOBAL const float4 *values, GLOBAL const uchar *labels,
                     GLOBAL const uchar *alphas, const PassShape *s, int x, int y)
{
    float4 tap = LANES(0.0f, 0.0f, 0.0f, as_float(s->k));
    int at_x = view_index(x, s->view_x, s->width, s->full_width, s->border);
    int at_y = view_index(y, s->view_y, s->height, s->full_height, s->border);
    if (at_x >= 0 && at_y >= 0) {
        size_t at = (size_t)at_y * s->width + at_x;
        int alpha = s->has_alphas ? alphas[at] : 0;
        tap = values[at];
        LANE(tap, 3) = as_float(labels[at] | alpha << ALPHA_SHIFT);
    }
    return tap;
}

/* What is the same for all pixels of an item. */
typedef struct Taps {
    LOCAL const float4 *cells; /* the first of the row */
    int columns;
    CONSTANT const float *across; /* weights of the columns */
} Taps;

/* Adds one row of taps, times `down`, to pixels from..to of the item. M is in `few`, or, if that is
 * NULL, in `matrix`; has_alphas, from and to are constants. */
HELPER void add_row(const Taps *taps, LOCAL const float *few, GLOBAL const float *matrix,
                    const int *rows, int has_alphas, int from, int to, CONSTANT const float *down,
                    float4 *total)
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
        if (has_alphas) {
            weight *= (float)(label >> ALPHA_SHIFT) * 0x1.010102p-8f;
            label &= LABEL_MASK;
        }
        LANE(tap, 3) = 1.0f;
        tap = tap * SAME_LANES(weight);
        UNROLL
        for (int i = from; i <= to; i++) {
            float m = few ? few[rows[i] + label] : matrix[rows[i] + label];
            line[i] = FUSED(SAME_LANES(m), tap, line[i]);
        }
    }
    UNROLL
    for (int i = from; i <= to; i++)
        total[i] = FUSED(SAME_LANES(down[-i]), line[i], total[i]);
}

/* Adds a part of the window that has at least as many rows as the item has pixels: only the first
 * and the last rows are not those of all pixels. */
HELPER void add_part(Taps taps, LOCAL const float *few, GLOBAL const float *matrix,
                     const int *rows, int has_alphas, int part_rows, CONSTANT const float *down,
                     float4 *total)
{
    UNROLL
    for (int row = 0; row < PIXELS - 1; row++) {
        add_row(&taps, few, matrix, rows, has_alphas, 0, row, down + row, total);
        taps.cells += CELLS_WIDE;
    }
    for (int row = PIXELS - 1; row < part_rows; row++) {
        add_row(&taps, few, matrix, rows, has_alphas, 0, PIXELS - 1, down + row, total);
        taps.cells += CELLS_WIDE;
    }
    UNROLL
    for (int i = 1; i < PIXELS; i++) {
        add_row(&taps, few, matrix, rows, has_alphas, i, PIXELS - 1, down + part_rows - 1 + i, total);
        taps.cells += CELLS_WIDE;
    }
}

/* Adds any part of the window, pixel by pixel. */
HELPER void add_small_part(Taps taps, LOCAL const float *few, GLOBAL const float *matrix,
                           const int *rows, int has_alphas, int part_rows,
                           CONSTANT const float *down, float4 *total)
{
    UNROLL
    for (int i = 0; i < PIXELS; i++) {
        Taps mine = taps;
        mine.cells += i * CELLS_WIDE;
        for (int row = 0; row < part_rows; row++) {
            add_row(&mine, few, matrix, rows, has_alphas, i, i, down + row + i, total);
            mine.cells += CELLS_WIDE;
        }
    }
}

/* One pass. `matrix` has k rows of k + 1 weights, the last of which is 0. If `measured`,
 * sums[first_sum + group] becomes the sum of the squared changes of the group. `alphas` has two
 * planes: alphas, which are 0 where there is no data, and whether there is data. */
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
    int side = 2 * s.radius + 1, is_few = s.k <= FEW_LABELS;
    int parts = (side + PART - 1) / PART, part = (side + parts - 1) / parts;

    EACH_ITEM(PASS_ITEMS)
    {
        for (int i = item; is_few && i < s.k * (s.k + 1); i += PASS_ITEMS)
            few[i / (s.k + 1) * FEW_STRIDE + i % (s.k + 1)] = matrix[i];
        for (int i = 0; i < PIXELS; i++)
            MY(total)[i] = SAME_LANES(0.0f);
    }
    for (int part_top = 0; part_top < side; part_top += part)
        for (int part_left = 0; part_left < side; part_left += part) {
            int part_rows = side - part_top < part ? side - part_top : part;
            int part_columns = side - part_left < part ? side - part_left : part;
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
                int rows[PIXELS];
                UNROLL
                for (int i = 0; i < PIXELS; i++) {
                    int pixel_x = left + cell_x, pixel_y = top + cell_y + i;
                    int inside = pixel_x < s.x + s.columns && pixel_y < s.end;
                    rows[i] = inside ? labels[(size_t)pixel_y * s.width + pixel_x] : 0;
                    rows[i] *= is_few ? FEW_STRIDE : s.k + 1;
                }
                Taps taps = {cells + cell_y * CELLS_WIDE + cell_x, part_columns,
                             gauss + part_left};
                CONSTANT const float *down = gauss + part_top;
                if (part_rows < PIXELS && is_few)
                    add_small_part(taps, few, 0, rows, s.has_alphas, part_rows, down, MY(total));
                else if (part_rows < PIXELS)
                    add_small_part(taps, 0, matrix, rows, s.has_alphas, part_rows, down, MY(total));
                else if (!is_few)
                    add_part(taps, 0, matrix, rows, s.has_alphas, part_rows, down, MY(total));
                else if (s.has_alphas)
                    add_part(taps, few, 0, rows, 1, part_rows, down, MY(total));
                else
                    add_part(taps, few, 0, rows, 0, part_rows, down, MY(total));
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
            size_t at = (size_t)pixel_y * s.width + pixel_x;
            float4 old = values[at], sum = MY(total)[i];
            int weighty = LANE(sum, 3) > 0.0f;
            if (s.has_alphas && !alphas[(size_t)s.width * s.height + at])
                weighty = 0;
            float4 mean = weighty ? sum / SAME_LANES(LANE(sum, 3)) : old;
            filtered[at] = mean;
            changed[at] |= (uchar)weighty;
            float d_0 = (LANE(mean, 0) - LANE(old, 0)) * s.units[0];
            float d_1 = (LANE(mean, 1) - LANE(old, 1)) * s.units[1];
            float d_2 = (LANE(mean, 2) - LANE(old, 2)) * s.units[2];
            if (pixel_x >= s.part_x && pixel_x < s.part_x + s.part_width && pixel_y >= s.part_y &&
                pixel_y < s.part_y + s.part_height)
                squares[item] += d_0 * d_0 + d_1 * d_1 + d_2 * d_2;
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
