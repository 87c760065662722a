/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts of labels and of pairs of labels. */

#ifndef STEP /* of the fast filter, whose program needs none of these */

HELPER int is_member(GLOBAL const uchar *members, int has_members, int at)
{
    return !has_members || members[at];
}

/* Adds the members of a rectangle to a histogram of the labels; members[0] stands for all pixels
 * unless has_members. */
KERNEL(ITEMS)
void count_labels(GLOBAL const uchar *labels, GLOBAL const uchar *members, int has_members,
                          int width, int x, int y, int columns, int rows,
                          GLOBAL ATOMIC uint *histogram)
{
    LOCAL_ARRAY(uint, counts, 256);
    int first = (int)get_group_id(0) * ITEMS, step = (int)get_num_groups(0) * ITEMS;
    int first_row = (int)get_group_id(1), row_step = (int)get_num_groups(1);
    EACH_ITEM(ITEMS) counts[item] = 0;
    BARRIER;
    EACH_ITEM(ITEMS)
    for (int row = first_row; row < rows; row += row_step)
        for (int column = first + item; column < columns; column += step) {
            int at = (y + row) * width + x + column;
            if (is_member(members, has_members, at))
                LOCAL_ADD(&counts[labels[at]], 1u);
        }
    BARRIER;
    EACH_ITEM(ITEMS)
    if (counts[item])
        GLOBAL_ADD(&histogram[item], counts[item]);
}

/* Fixed. See cofi_place_hash(). */
HELPER ulong place_hash(int x, int y)
{
    ulong z = ((ulong)(uint)y << 32 | (uint)x) + 0x9e3779b97f4a7c15ul;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ul;
    z = (z ^ z >> 27) * 0x94d049bb133111ebul;
    return z ^ z >> 31;
}

/* What the kernels that count pairs know of the map, which lies at (map_x, map_y) of the full image,
 * and of its blocks, which have `turns` reference pixels each (see learn/pair_sampling.c). These lie
 * in x..x+columns-1, y..y+rows-1 of the map. `members` stands for all pixels unless has_members. */
#define MAP_OF_PAIRS \
    GLOBAL const uchar *labels, GLOBAL const uchar *members, int has_members, int width, \
        int height, int map_x, int map_y, int x, int y, int columns, int rows, int across, \
        int down, int turns, int blocks_wide, int blocks, int radius, \
        GLOBAL const int *distances, int k, GLOBAL ATOMIC uint *counts

/* The place in the map of the reference pixel of a block for a turn; -1 if it is not one. */
HELPER int reference_at(int block, int turn, GLOBAL const uchar *members, int has_members,
                        int width, int map_x, int map_y, int x, int y, int columns, int rows,
                        int across, int down, int blocks_wide)
{
    int block_x = ((map_x + x) >> across) + block % blocks_wide;
    int block_y = ((map_y + y) >> down) + block / blocks_wide;
    ulong hash = place_hash(block_x, block_y);
    int block_width = 1 << across, block_height = 1 << down;
    int in_x = (int)(hash ^ (turn & 1 ? (ulong)block_width / 2 : 0)) & (block_width - 1);
    int in_y = (int)((hash >> 32) ^ (turn & 2 ? (ulong)block_height / 2 : 0)) & (block_height - 1);
    int at_x = block_x * block_width - map_x + in_x, at_y = block_y * block_height - map_y + in_y;
    if (at_x < x || at_x >= x + columns || at_y < y || at_y >= y + rows)
        return -1;
    int at = at_y * width + at_x;
    return is_member(members, has_members, at) ? at : -1;
}

/* Counts the pairs of one row of the windows of reference pixels: counts[(distance * k + label of
 * the reference pixel) * k + label of the neighbour]. Items are reference pixels, rows of items are
 * rows of the window. `distances` has one number for each pixel of the window. */
KERNEL(ITEMS)
void count_pairs(MAP_OF_PAIRS)
{
    int index = (int)get_global_id(0), block = index / turns, turn = index % turns;
    int dy = (int)get_global_id(1) - radius;
    if (block >= blocks || (dy & (turns - 1)) != turn)
        return;
    int at = reference_at(block, turn, members, has_members, width, map_x, map_y, x, y, columns,
                          rows, across, down, blocks_wide);
    int at_x = at % width, other_y = at / width + dy;
    if (at < 0 || other_y < 0 || other_y >= height)
        return;
    GLOBAL const int *row = distances + (dy + radius) * (2 * radius + 1) + radius;
    int left = at_x < radius ? -at_x : -radius,
        right = at_x + radius < width ? radius : width - 1 - at_x;
    for (int dx = left; dx <= right; dx++) {
        int other = other_y * width + at_x + dx;
        if (is_member(members, has_members, other))
            GLOBAL_ADD(&counts[(row[dx] * k + labels[at]) * k + labels[other]], 1u);
    }
}

/* Pairs of few labels, in either order. */
#define FEW_PAIRS (FEW_LABELS * (FEW_LABELS + 1) / 2)

HELPER int pair_of(int one, int other)
{
    int low = one < other ? one : other, high = one < other ? other : one;
    return high * (high + 1) / 2 + low;
}

/* As count_pairs(), for at most FEW_LABELS labels and a radius of at most COUNT_RADIUS, with the
 * larger label first. A group counts one row of the windows of COUNT_BLOCKS blocks in local memory,
 * where the same pairs come again and again. Distances must be the same on both sides. */
KERNEL(ITEMS)
void count_few_pairs(MAP_OF_PAIRS)
{
    LOCAL_ARRAY(uint, sums, (COUNT_RADIUS + 1) * FEW_PAIRS);
    int dy = (int)get_group_id(1) - radius, turn = dy & (turns - 1);
    int first = (int)get_group_id(0) * COUNT_BLOCKS;
    int end = blocks - first < COUNT_BLOCKS ? blocks : first + COUNT_BLOCKS;
    EACH_ITEM(ITEMS)
    for (int i = item; i < (radius + 1) * FEW_PAIRS; i += ITEMS)
        sums[i] = 0;
    BARRIER;
    EACH_ITEM(ITEMS)
    for (int block = first + item; block < end; block += ITEMS) {
        int at = reference_at(block, turn, members, has_members, width, map_x, map_y, x, y,
                              columns, rows, across, down, blocks_wide);
        int at_x = at % width, other_y = at / width + dy;
        if (at < 0 || other_y < 0 || other_y >= height)
            continue;
        /* To the left, and to the right; not twice in the middle. */
        for (int i = 1; i <= 2 * radius + 1; i++) {
            int dx = i / 2, other_x = i % 2 ? at_x - dx : at_x + dx;
            int other = other_y * width + other_x;
            if (other_x >= 0 && other_x < width && is_member(members, has_members, other))
                LOCAL_ADD(&sums[dx * FEW_PAIRS + pair_of(labels[at], labels[other])], 1u);
        }
    }
    BARRIER;
    GLOBAL const int *row = distances + (dy + radius) * (2 * radius + 1) + radius;
    EACH_ITEM(ITEMS)
    for (int i = item; i < (radius + 1) * k * k; i += ITEMS) {
        int dx = i / (k * k), one = i / k % k, other = i % k;
        uint sum = other <= one ? sums[dx * FEW_PAIRS + pair_of(one, other)] : 0;
        if (sum)
            GLOBAL_ADD(&counts[(row[dx] * k + one) * k + other], sum);
    }
}

#endif
