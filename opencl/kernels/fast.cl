/* SPDX-License-Identifier: BSD-2-Clause */
/* A pass of the fast filter: cells are blurred, and the result is interpolated at each pixel. */
#ifdef STEP

/* Items that sum one pixel together, and such teams of a group. */
#define TEAM 16
#define TEAMS (SLICE_ITEMS / TEAM)

/* In place of the label of a pixel. */
#define UNTRUSTED (-2)

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
    int first = item / TILE_CELLS * ITEM_BLOCKS * TILE_CELLS + item % TILE_CELLS;
    return WHOLE_BLOCKS ? first + i / BLOCK_PIXELS * TILE_CELLS
                        : (item * SLICE_PIXELS + i) / BLOCK_PIXELS;
}

HELPER int offset_in_block(int item, int i)
{
    return WHOLE_BLOCKS ? i % BLOCK_PIXELS : (item * SLICE_PIXELS + i) % BLOCK_PIXELS;
}

/* How far pixel `offset` of a block is beyond the cell before it, in cells, along one axis. */
HELPER float beyond_cell(int offset)
{
    return ((float)offset + (STEP % 2 == 0 ? 0.5f : 0.0f)) / STEP;
}

HELPER float4 between(float4 one, float4 other, float share)
{
    return FUSED(SAME_LANES(share), other, SAME_LANES(1.0f - share) * one);
}

/* The pixels of a row of blocks between two cells, one beside the other. */
HELPER void between_cells(LOCAL const float4 *cell, float4 *row)
{
    float4 left = cell[0], right = cell[1];
    UNROLL
    for (int i = 0; i < STEP; i++)
        row[i] = between(left, right, beyond_cell(i));
}

/* Adds one term to the pixels of an item that fill whole blocks. */
HELPER void slice_blocks(LOCAL const float4 *blurred, LOCAL const float *factors, int item,
                         const int *own, float4 *total)
{
    int block = block_of(item, 0);
    LOCAL const float4 *corner = blurred + block / TILE_CELLS * SEEN_CELLS + block % TILE_CELLS;
    float4 above[STEP], under[STEP];
    between_cells(corner, above);
    UNROLL
    for (int b = 0; b < ITEM_BLOCKS; b++) {
        between_cells(corner + (b + 1) * SEEN_CELLS, under);
        UNROLL
        for (int j = 0; j < BLOCK_PIXELS; j++) {
            int i = b * BLOCK_PIXELS + j;
            float4 mean = between(above[j % STEP], under[j % STEP], beyond_cell(j / STEP));
            total[i] = FUSED(SAME_LANES(factors[own[i] < 0 ? 0 : own[i]]), mean, total[i]);
        }
        UNROLL
        for (int j = 0; j < STEP; j++)
            above[j] = under[j];
    }
}

/* The same for an item whose pixels lie in one block or in several. */
HELPER void slice_pixels(LOCAL const float4 *blurred, LOCAL const float *factors, int item,
                         const int *own, float4 *total)
{
    float4 above_left = SAME_LANES(0.0f), above_right = above_left, below_left = above_left,
           below_right = above_left;
    UNROLL
    for (int i = 0; i < SLICE_PIXELS; i++) {
        int block = block_of(item, i), offset = offset_in_block(item, i);
        if (i == 0 || !WITHIN_BLOCK) {
            int within = block < TILE_CELLS * TILE_CELLS ? block : 0;
            LOCAL const float4 *corner =
                blurred + within / TILE_CELLS * SEEN_CELLS + within % TILE_CELLS;
            above_left = corner[0];
            above_right = corner[1];
            below_left = corner[SEEN_CELLS];
            below_right = corner[SEEN_CELLS + 1];
        }
        float right = beyond_cell(offset % STEP);
        float4 above = between(above_left, above_right, right);
        float4 under = between(below_left, below_right, right);
        float4 mean = between(above, under, beyond_cell(offset / STEP));
        total[i] = FUSED(SAME_LANES(factors[own[i] < 0 ? 0 : own[i]]), mean, total[i]);
    }
}

/* How many labels before this one are in a set: its place in the list of them. */
HELPER int place_in(uint set, int label)
{
    return COUNT_BITS(set & ((1u << label) - 1u));
}

/* The pixels that the cells of a group sum, where it needs their labels. */
#define SUMMED_PIXELS (SPLATS_ITSELF(STEP) ? SEEN_PIXELS * SEEN_PIXELS : 0)

/* The set of the labels that an item finds among the pixels from (left, top) on that the cells of
 * its group sum. If all are in the view, loads are not held up by decisions. */
HELPER uint labels_around(GLOBAL const uchar *labels, const PassShape *s, int left, int top,
                          int is_inside, int item)
{
    uint set = 0u;
    if (is_inside) {
        UNROLL
        for (int first = 0; first < SUMMED_PIXELS; first += SLICE_ITEMS) {
            int i = first + item < SUMMED_PIXELS ? first + item : item;
            size_t row = (size_t)(top + i / SEEN_PIXELS);
            set |= 1u << labels[row * s->width + left + i % SEEN_PIXELS];
        }
        return set;
    }
    for (int i = item; i < SUMMED_PIXELS; i += SLICE_ITEMS) {
        int x = view_index(left + i % SEEN_PIXELS, s->view_x, s->width, s->full_width, s->border);
        int y = view_index(top + i / SEEN_PIXELS, s->view_y, s->height, s->full_height, s->border);
        if (x >= 0 && y >= 0)
            set |= 1u << labels[(size_t)y * s->width + x];
    }
    return set;
}

/* Blurs the cells, and slices the pixels between them. `out` has factors for all labels, term by
 * term, `joint` the sum of all terms for FEW_LABELS x FEW_LABELS labels, that of the neighbour
 * first, `trust` the smallest sum of weights that is trusted. Local memory: SLICE_TERMS lines of
 * SEEN_CELLS x SEEN_CELLS cells. The rest is as in filter_pass().
 *
 * If fewer labels occur around a group than there are terms, each of these labels becomes a term of
 * its own: with the factors in `joint`, the sums are the same but for rounding. Parts of an image
 * never do that, so that they do not depend on how it is divided: a part may lack some labels. */
KERNEL(SLICE_ITEMS)
void slice(GLOBAL const float4 *cells, GLOBAL const float4 *values, GLOBAL const uchar *labels,
           GLOBAL const uchar *alphas, GLOBAL const float *matrix, CONSTANT const float *gauss,
           GLOBAL const float *in, GLOBAL const float *out, GLOBAL const float *joint,
           GLOBAL const float *trust, CONSTANT const float *taps, PassShape s, FastShape f,
           GLOBAL float4 *filtered, GLOBAL uchar *changed, GLOBAL float *sums)
{
    LOCAL_ARRAY(float4, lines, SLICE_TERMS * SEEN_CELLS * SEEN_CELLS);
    LOCAL_ARRAY(float4, inner, FEW_LABELS); /* a term in each lane */
    LOCAL_ARRAY(float, factors, SLICE_TERMS * FAST_LABELS);
    LOCAL_ARRAY(float, squares, SLICE_ITEMS);
    LOCAL_ARRAY(int, counts, SLICE_ITEMS);
    LOCAL_ARRAY(int, all_listed, 1);
    LOCAL_ARRAY(uint, all_labels, 1);
    LOCAL_ARRAY(int, found, FEW_LABELS);
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
    int is_plain = is_inside && !s.alpha_bytes;
    float tap_of[GRID_RADIUS + 1];
    UNROLL
    for (int i = 0; i <= GRID_RADIUS; i++)
        tap_of[i] = taps[i];
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
    int is_whole = s.part_width == s.full_width && s.part_height == s.full_height;
    int may_join = SPLATS_ITSELF(STEP) && s.k <= FEW_LABELS && is_whole;
    EACH_ITEM(SLICE_ITEMS)
    if (item == 0)
        all_labels[0] = 0u;
    BARRIER;
    EACH_ITEM(SLICE_ITEMS)
    if (may_join)
        LOCAL_OR(&all_labels[0], labels_around(labels, &s, seen_left, seen_top, is_inside, item));
    BARRIER;
    uint set = all_labels[0];
    int n_found = COUNT_BITS(set), is_joined = may_join && n_found < f.terms;
    int terms = is_joined ? n_found : f.terms;
    EACH_ITEM(SLICE_ITEMS)
    if (item < FEW_LABELS && (set >> item & 1u))
        found[place_in(set, item)] = item;
    for (int term = 0; term < terms; term += SLICE_TERMS) {
        int parts = terms - term < SLICE_TERMS ? terms - term : SLICE_TERMS;
        BARRIER;
        EACH_ITEM(SLICE_ITEMS)
        for (int i = item; i < SLICE_TERMS * FAST_LABELS; i += SLICE_ITEMS) {
            int of_term = term + i / FAST_LABELS, label = i % FAST_LABELS;
            float factor = 0.0f;
            if (of_term < terms && !is_joined)
                factor = out[of_term * FAST_LABELS + label];
            else if (of_term < terms && label < FEW_LABELS)
                factor = joint[found[of_term] * FEW_LABELS + label];
            factors[i] = factor;
        }
        EACH_ITEM(SLICE_ITEMS)
        for (int i = item; SPLATS_ITSELF(STEP) && i < FEW_LABELS; i += SLICE_ITEMS)
            inner[i] = is_joined ? factors_of_each(place_in(set, i), term)
                                 : LANES(factor_in(in, &f, term, i), factor_in(in, &f, term + 1, i),
                                         factor_in(in, &f, term + 2, i),
                                         factor_in(in, &f, term + 3, i));
        BARRIER;
        EACH_ITEM(SLICE_ITEMS)
        for (int i = item; i < SEEN_CELLS * SEEN_CELLS; i += SLICE_ITEMS) {
            int column = i % SEEN_CELLS, row = i / SEEN_CELLS;
            int x = (f.cell_x + group_x + column) * STEP - s.view_x;
            int y = (f.cell_y + group_y + row) * STEP - s.view_y;
            float4 sums_of[SLICE_TERMS], cell_values[BLOCK_PIXELS];
            int cell_labels[BLOCK_PIXELS];
            UNROLL
            for (int part = 0; part < SLICE_TERMS; part++)
                sums_of[part] = SAME_LANES(0.0f);
            if (SPLATS_ITSELF(STEP))
                load_cell(values, labels, alphas, &s, x, y, is_plain, cell_values, cell_labels);
            UNROLL
            for (int j = 0; SPLATS_ITSELF(STEP) && j < BLOCK_PIXELS; j++) {
                float4 value = cell_values[j];
                float4 four = s.k <= FEW_LABELS ? inner[cell_labels[j]]
                                                : factors_of_each(cell_labels[j], term);
                sums_of[0] = FUSED(SAME_LANES(LANE(four, 0)), value, sums_of[0]);
                sums_of[1] = FUSED(SAME_LANES(LANE(four, 1)), value, sums_of[1]);
                sums_of[2] = FUSED(SAME_LANES(LANE(four, 2)), value, sums_of[2]);
                sums_of[3] = FUSED(SAME_LANES(LANE(four, 3)), value, sums_of[3]);
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
        for (int i = item; i < parts * SEEN_CELLS; i += SLICE_ITEMS)
            blur_line(lines + i / SEEN_CELLS * SEEN_CELLS * SEEN_CELLS + i % SEEN_CELLS, SEEN_CELLS,
                      tap_of);
        BARRIER;
        EACH_ITEM(SLICE_ITEMS)
        for (int i = item; i < parts * SLICED_CELLS; i += SLICE_ITEMS)
            blur_line(lines + (i / SLICED_CELLS * SEEN_CELLS + i % SLICED_CELLS) * SEEN_CELLS, 1,
                      tap_of);
        BARRIER;
        EACH_ITEM(SLICE_ITEMS)
        for (int part = 0; part < parts; part++) {
            LOCAL const float4 *blurred = lines + part * SEEN_CELLS * SEEN_CELLS;
            LOCAL const float *some = factors + part * FAST_LABELS;
            if (WHOLE_BLOCKS)
                slice_blocks(blurred, some, item, MY(own), MY(total));
            else
                slice_pixels(blurred, some, item, MY(own), MY(total));
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
