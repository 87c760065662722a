/* SPDX-License-Identifier: BSD-2-Clause */
/* A pass of the fast filter: pixels are summed in cells of a coarser grid, term by term, the cells
 * are blurred, and the result is interpolated at each pixel. Step and radius of the grid are
 * constants, STEP and GRID_RADIUS: a program is compiled for each grid that is used. */
#ifdef STEP

/* A work-group slices the pixels between TILE_CELLS x TILE_CELLS cells and their neighbours: blocks
 * of STEP x STEP pixels. It needs the blurred cells on all sides of them. */
#define TILE_CELLS TILE_CELLS_OF(STEP)
#define BLOCK_PIXELS (STEP * STEP)
#define SLICED_CELLS (TILE_CELLS + 1)
#define SEEN_CELLS (SLICED_CELLS + 2 * GRID_RADIUS)
#define SLICE_PIXELS ((TILE_CELLS * TILE_CELLS * BLOCK_PIXELS + SLICE_ITEMS - 1) / SLICE_ITEMS)

/* Items whose pixels all lie in one block, or fill whole blocks, load the cells around a block
 * once. */
#define WHOLE_BLOCKS (SLICE_PIXELS % BLOCK_PIXELS == 0)
#define WITHIN_BLOCK (BLOCK_PIXELS % SLICE_PIXELS == 0)

/* Terms that are summed together. */
#define SPLAT_TERMS 8

/* Items that sum one pixel together, and such teams of a group. */
#define TEAM 16
#define TEAMS (SLICE_ITEMS / TEAM)

/* In place of the label of a pixel. */
#define UNTRUSTED (-2)

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

/* The factor of a label in a term: `in` has one for each label, term by term; if `each`, term j is
 * label j alone. */
HELPER float factor_of(GLOBAL const float *in, const FastShape *f, int term, int label)
{
    return f->each ? (label == term ? 1.0f : 0.0f) : in[term * FEW_LABELS + label];
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

/* Blurs SEEN_CELLS cells to SLICED_CELLS, which are written in place of the first. */
HELPER void blur_line(float4 *line, CONSTANT const float *taps)
{
    UNROLL
    for (int i = 0; i < SLICED_CELLS; i++) {
        float4 sum = SAME_LANES(taps[0]) * line[i + GRID_RADIUS];
        UNROLL
        for (int d = 1; d <= GRID_RADIUS; d++)
            sum = FUSED(SAME_LANES(taps[d]), line[i + GRID_RADIUS - d] + line[i + GRID_RADIUS + d],
                        sum);
        line[i] = sum;
    }
}

/* The taps of a pixel that fall to one of the TEAM items that sum them together: pixels that the
 * fast filter does not approximate well enough are summed exactly. */
HELPER float4 exact_share(GLOBAL const float4 *values, GLOBAL const uchar *labels,
                          GLOBAL const uchar *alphas, GLOBAL const float *matrix,
                          CONSTANT const float *gauss, const PassShape *s, int x, int y, int member)
{
    float4 total = SAME_LANES(0.0f);
    int side = 2 * s->radius + 1, own = labels[(size_t)y * s->width + x];
    for (int tap = member; tap < side * side; tap += TEAM) {
        int label, row = tap / side, column = tap % side;
        float4 value = splatted(values, labels, alphas, s, x + column - s->radius,
                                y + row - s->radius, &label);
        float weight = gauss[column] * gauss[row] * matrix[own * (s->k + 1) + label];
        total = FUSED(SAME_LANES(weight), value, total);
    }
    return total;
}

/* The block of pixel i of an item, and the pixel's number in it. */
HELPER int block_of(int item, int i)
{
    return WHOLE_BLOCKS ? item + i / BLOCK_PIXELS * SLICE_ITEMS
                        : (item * SLICE_PIXELS + i) / BLOCK_PIXELS;
}

HELPER int offset_in_block(int item, int i)
{
    return WHOLE_BLOCKS ? i % BLOCK_PIXELS : (item * SLICE_PIXELS + i) % BLOCK_PIXELS;
}

/* Blurs the cells, and slices the pixels between them. `out` has factors for all labels, term by
 * term, `trust` the smallest sum of weights that is trusted. Local memory: SLICE_TERMS lines of
 * SEEN_CELLS x SEEN_CELLS cells. The rest is as in filter_pass(). */
KERNEL(SLICE_ITEMS)
void slice(GLOBAL const float4 *cells, GLOBAL const float4 *values, GLOBAL const uchar *labels,
           GLOBAL const uchar *alphas, GLOBAL const float *matrix, CONSTANT const float *gauss,
           GLOBAL const float *in, GLOBAL const float *out, GLOBAL const float *trust,
           CONSTANT const float *taps,
           PassShape s, FastShape f, GLOBAL float4 *filtered, GLOBAL uchar *changed,
           GLOBAL float *sums)
{
    LOCAL_ARRAY(float4, lines, SLICE_TERMS * SEEN_CELLS * SEEN_CELLS);
    LOCAL_ARRAY(float, inner, SLICE_TERMS * FEW_LABELS);
    LOCAL_ARRAY(float, factors, SLICE_TERMS * FAST_LABELS);
    LOCAL_ARRAY(float, squares, SLICE_ITEMS);
    LOCAL_ARRAY(int, counts, SLICE_ITEMS);
    LOCAL_ARRAY(int, all_listed, 1);
    LOCAL_ARRAY(ushort, listed, SLICE_ITEMS * SLICE_PIXELS);
    PRIVATE(float4, total, SLICE_PIXELS);
    PRIVATE(int, own, SLICE_PIXELS);
    int group_x = (int)get_group_id(0) * TILE_CELLS, group_y = (int)get_group_id(1) * TILE_CELLS;
    /* The first pixel that lies between the first two cells of the group. */
    int left = (f.cell_x + group_x + GRID_RADIUS) * STEP + STEP / 2 - s.view_x;
    int top = (f.cell_y + group_y + GRID_RADIUS) * STEP + STEP / 2 - s.view_y;
    /* Are all pixels of the cells in the view? */
    int seen_left = left - STEP / 2 - GRID_RADIUS * STEP,
        seen_top = top - STEP / 2 - GRID_RADIUS * STEP;
    int is_inside = seen_left >= 0 && seen_left + SEEN_CELLS * STEP <= s.width && seen_top >= 0 &&
                    seen_top + SEEN_CELLS * STEP <= s.height;
    EACH_ITEM(SLICE_ITEMS)
    {
        UNROLL
        for (int i = 0; i < SLICE_PIXELS; i++) {
            int block = block_of(item, i), offset = offset_in_block(item, i);
            int x = left + block % TILE_CELLS * STEP + offset % STEP;
            int y = top + block / TILE_CELLS * STEP + offset / STEP;
            int inside = block < TILE_CELLS * TILE_CELLS && x >= s.x && x < s.x + s.columns &&
                         y >= s.first && y < s.end;
            MY(own)[i] = inside ? labels[(size_t)y * s.width + x] : -1;
            MY(total)[i] = SAME_LANES(0.0f);
        }
    }
    for (int term = 0; term < f.terms; term += SLICE_TERMS) {
        BARRIER;
        EACH_ITEM(SLICE_ITEMS)
        for (int i = item; i < SLICE_TERMS * FAST_LABELS; i += SLICE_ITEMS)
            factors[i] = term + i / FAST_LABELS < f.terms ? out[term * FAST_LABELS + i] : 0.0f;
        EACH_ITEM(SLICE_ITEMS)
        for (int i = item; SPLATS_ITSELF(STEP) && i < SLICE_TERMS * FEW_LABELS; i += SLICE_ITEMS)
            inner[i] = term + i / FEW_LABELS < f.terms
                           ? factor_of(in, &f, term + i / FEW_LABELS, i % FEW_LABELS)
                           : 0.0f;
        BARRIER;
        EACH_ITEM(SLICE_ITEMS)
        for (int i = item; i < SEEN_CELLS * SEEN_CELLS; i += SLICE_ITEMS) {
            int column = i % SEEN_CELLS, row = i / SEEN_CELLS;
            int x = (f.cell_x + group_x + column) * STEP - s.view_x;
            int y = (f.cell_y + group_y + row) * STEP - s.view_y;
            float4 sums_of[SLICE_TERMS];
            UNROLL
            for (int part = 0; part < SLICE_TERMS; part++)
                sums_of[part] = SAME_LANES(0.0f);
            UNROLL
            for (int j = 0; SPLATS_ITSELF(STEP) && j < BLOCK_PIXELS; j++) {
                int label;
                float4 value =
                    is_inside ? inside_pixel(values, labels, alphas, &s, x + j % STEP,
                                             y + j / STEP, &label)
                              : splatted(values, labels, alphas, &s, x + j % STEP, y + j / STEP,
                                         &label);
                UNROLL
                for (int part = 0; part < SLICE_TERMS; part++) {
                    float factor = f.each ? (label == term + part ? 1.0f : 0.0f)
                                          : inner[part * FEW_LABELS + label];
                    sums_of[part] = FUSED(SAME_LANES(factor), value, sums_of[part]);
                }
            }
            int within = group_x + column < f.cells_wide && group_y + row < f.cells_high;
            UNROLL
            for (int part = 0; part < SLICE_TERMS; part++) {
                if (!SPLATS_ITSELF(STEP) && within && term + part < f.terms)
                    sums_of[part] = cells[cell_at(&f, term + part, group_x + column, group_y + row)];
                lines[(part * SEEN_CELLS + row) * SEEN_CELLS + column] = sums_of[part];
            }
        }
        BARRIER;
        EACH_ITEM(SLICE_ITEMS)
        for (int i = item; i < SLICE_TERMS * SEEN_CELLS; i += SLICE_ITEMS) {
            LOCAL float4 *column = lines + i / SEEN_CELLS * SEEN_CELLS * SEEN_CELLS + i % SEEN_CELLS;
            float4 line[SEEN_CELLS];
            UNROLL
            for (int row = 0; row < SEEN_CELLS; row++)
                line[row] = column[row * SEEN_CELLS];
            blur_line(line, taps);
            UNROLL
            for (int row = 0; row < SLICED_CELLS; row++)
                column[row * SEEN_CELLS] = line[row];
        }
        BARRIER;
        EACH_ITEM(SLICE_ITEMS)
        for (int i = item; i < SLICE_TERMS * SLICED_CELLS; i += SLICE_ITEMS) {
            LOCAL float4 *row =
                lines + (i / SLICED_CELLS * SEEN_CELLS + i % SLICED_CELLS) * SEEN_CELLS;
            float4 line[SEEN_CELLS];
            UNROLL
            for (int column = 0; column < SEEN_CELLS; column++)
                line[column] = row[column];
            blur_line(line, taps);
            UNROLL
            for (int column = 0; column < SLICED_CELLS; column++)
                row[column] = line[column];
        }
        BARRIER;
        EACH_ITEM(SLICE_ITEMS)
        {
            for (int part = 0; part < SLICE_TERMS; part++) {
                LOCAL const float4 *blurred = lines + part * SEEN_CELLS * SEEN_CELLS;
                float4 above_left = SAME_LANES(0.0f), above_right = above_left,
                       below_left = above_left, below_right = above_left;
                UNROLL
                for (int i = 0; i < SLICE_PIXELS; i++) {
                    int block = block_of(item, i), offset = offset_in_block(item, i);
                    if (i == 0 || (WHOLE_BLOCKS ? i % BLOCK_PIXELS == 0 : !WITHIN_BLOCK)) {
                        int within = block < TILE_CELLS * TILE_CELLS ? block : 0;
                        LOCAL const float4 *corner =
                            blurred + within / TILE_CELLS * SEEN_CELLS + within % TILE_CELLS;
                        above_left = corner[0];
                        above_right = corner[1];
                        below_left = corner[SEEN_CELLS];
                        below_right = corner[SEEN_CELLS + 1];
                    }
                    /* How far the pixel is beyond the left and the upper cell, in cells. */
                    float right = ((float)(offset % STEP) + (STEP % 2 == 0 ? 0.5f : 0.0f)) / STEP;
                    float below = ((float)(offset / STEP) + (STEP % 2 == 0 ? 0.5f : 0.0f)) / STEP;
                    float4 above = FUSED(SAME_LANES(right), above_right,
                                         SAME_LANES(1.0f - right) * above_left);
                    float4 under = FUSED(SAME_LANES(right), below_right,
                                         SAME_LANES(1.0f - right) * below_left);
                    float4 mean =
                        FUSED(SAME_LANES(below), under, SAME_LANES(1.0f - below) * above);
                    int label = MY(own)[i] < 0 ? 0 : MY(own)[i];
                    MY(total)[i] = FUSED(SAME_LANES(factors[part * FAST_LABELS + label]), mean,
                                         MY(total)[i]);
                }
            }
        }
    }
    /* The pixels whose weights are not trusted are listed in the order of the items. */
    EACH_ITEM(SLICE_ITEMS)
    {
        squares[item] = 0.0f;
        counts[item] = 0;
        if (item == 0)
            all_listed[0] = 0;
    }
    BARRIER;
    EACH_ITEM(SLICE_ITEMS)
    {
        UNROLL
        for (int i = 0; i < SLICE_PIXELS; i++) {
            int block = block_of(item, i), offset = offset_in_block(item, i), label = MY(own)[i];
            int x = left + block % TILE_CELLS * STEP + offset % STEP;
            int y = top + block / TILE_CELLS * STEP + offset / STEP;
            if (label < 0)
                continue;
            size_t at = (size_t)y * s.width + x;
            float alpha = s.alpha_bytes ? alpha_at(alphas, &s, at) : 1.0f;
            int is_trusted = LANE(MY(total)[i], 3) > trust[label] * alpha &&
                             is_finite(LANE(MY(total)[i], 0)) && is_finite(LANE(MY(total)[i], 1)) &&
                             is_finite(LANE(MY(total)[i], 2));
            if (!is_trusted && (!s.alpha_bytes || alphas[at])) {
                MY(own)[i] = UNTRUSTED;
                counts[item]++;
            } else {
                squares[item] +=
                    store_mean(values, alphas, &s, x, y, MY(total)[i], filtered, changed);
            }
        }
        if (counts[item] > 0)
            LOCAL_ADD(&all_listed[0], counts[item]);
    }
    BARRIER;
    int n_listed = all_listed[0];
    if (n_listed > 0) {
        EACH_ITEM(SLICE_ITEMS)
        {
            int next = 0;
            for (int i = 0; i < item; i++)
                next += counts[i];
            UNROLL
            for (int i = 0; i < SLICE_PIXELS; i++)
                if (MY(own)[i] == UNTRUSTED)
                    listed[next++] = (ushort)(item * SLICE_PIXELS + i);
        }
        for (int first = 0; first < n_listed; first += TEAMS) {
            BARRIER;
            EACH_ITEM(SLICE_ITEMS)
            {
                int number = first + item / TEAM;
                int pixel = listed[number < n_listed ? number : 0];
                int block = block_of(pixel / SLICE_PIXELS, pixel % SLICE_PIXELS);
                int offset = offset_in_block(pixel / SLICE_PIXELS, pixel % SLICE_PIXELS);
                lines[item] = exact_share(values, labels, alphas, matrix, gauss, &s,
                                          left + block % TILE_CELLS * STEP + offset % STEP,
                                          top + block / TILE_CELLS * STEP + offset / STEP,
                                          item % TEAM);
            }
            BARRIER;
            EACH_ITEM(SLICE_ITEMS)
            if (item % TEAM == 0 && first + item / TEAM < n_listed) {
                int pixel = listed[first + item / TEAM];
                int block = block_of(pixel / SLICE_PIXELS, pixel % SLICE_PIXELS);
                int offset = offset_in_block(pixel / SLICE_PIXELS, pixel % SLICE_PIXELS);
                float4 sum = lines[item];
                for (int i = 1; i < TEAM; i++)
                    sum += lines[item + i];
                squares[item] +=
                    store_mean(values, alphas, &s, left + block % TILE_CELLS * STEP + offset % STEP,
                               top + block / TILE_CELLS * STEP + offset / STEP, sum, filtered,
                               changed);
            }
        }
    }
    for (int half_items = SLICE_ITEMS / 2; s.measured && half_items > 0; half_items /= 2) {
        BARRIER;
        EACH_ITEM(SLICE_ITEMS)
        if (item < half_items)
            squares[item] += squares[item + half_items];
    }
    BARRIER;
    EACH_ITEM(SLICE_ITEMS)
    if (s.measured && item == 0)
        sums[s.first_sum + get_group_id(1) * get_num_groups(0) + get_group_id(0)] = squares[0];
}
#endif
