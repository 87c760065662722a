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

/* Counts the pairs of one row of the windows of reference pixels: counts[(distance * k + label of
 * the reference pixel) * k + label of the neighbour]. Items are reference pixels (turns of blocks,
 * see learn/pair_sampling.c), rows of items are rows of the window. The map lies at (map_x, map_y)
 * of the full image, reference pixels in x..x+columns-1, y..y+rows-1 of the map. `distances` has one
 * number for each pixel of the window. */
KERNEL(ITEMS)
void count_pairs(GLOBAL const uchar *labels, GLOBAL const uchar *members, int has_members,
                      int width, int height, int map_x, int map_y, int x, int y, int columns,
                      int rows, int across, int down, int turns, int blocks_wide, int blocks,
                      int radius, GLOBAL const int *distances, int k, GLOBAL ATOMIC uint *counts)
{
    int index = (int)get_global_id(0), block = index / turns, turn = index % turns;
    int dy = (int)get_global_id(1) - radius;
    if (block >= blocks || (dy & (turns - 1)) != turn)
        return;
    int block_x = ((map_x + x) >> across) + block % blocks_wide;
    int block_y = ((map_y + y) >> down) + block / blocks_wide;
    ulong hash = place_hash(block_x, block_y);
    int block_width = 1 << across, block_height = 1 << down;
    int in_x = (int)(hash ^ (turn & 1 ? (ulong)block_width / 2 : 0)) & (block_width - 1);
    int in_y = (int)((hash >> 32) ^ (turn & 2 ? (ulong)block_height / 2 : 0)) & (block_height - 1);
    int at_x = block_x * block_width - map_x + in_x, at_y = block_y * block_height - map_y + in_y;
    if (at_x < x || at_x >= x + columns || at_y < y || at_y >= y + rows)
        return;
    int at = at_y * width + at_x, other_y = at_y + dy, label = labels[at];
    if (other_y < 0 || other_y >= height || !is_member(members, has_members, at))
        return;
    GLOBAL const int *row = distances + (dy + radius) * (2 * radius + 1) + radius;
    int left = at_x < radius ? -at_x : -radius,
        right = at_x + radius < width ? radius : width - 1 - at_x;
    for (int dx = left; dx <= right; dx++) {
        int other = other_y * width + at_x + dx;
        if (is_member(members, has_members, other))
            GLOBAL_ADD(&counts[(row[dx] * k + label) * k + labels[other]], 1u);
    }
}

#endif
