/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernels of the OpenCL backend, in the common subset of OpenCL C 1.2 and C11: the tests also
 * compile this file as C, after kernel_as_c.h.
 *
 * A kernel whose items share local memory is a sequence of phases: EACH_ITEM runs the next statement
 * for each item of the work-group, and BARRIER separates two phases. MY(array) is the item's own
 * part of a PRIVATE array, which outlasts a phase. As C, a group is a function call and EACH_ITEM a
 * loop.
 *
 * Functions marked "Fixed" compute what the kernels of libcof of the same name compute, bit by bit:
 * the same operations in the same order, without contraction. */
#ifdef __OPENCL_VERSION__
#pragma OPENCL FP_CONTRACT OFF
#ifdef COF_FP64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#define KERNEL __kernel
#define HELPER
#define GLOBAL __global
#define LOCAL_ARRAY(type, name, n) __local type name[n]
#define PRIVATE(type, name, n) type name[n]
#define MY(name) name
#define EACH_ITEM for (int item = (int)get_local_id(0), once = 1; once; once = 0)
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)
#define FUSED(a, b, c) fma(a, b, c)
#define LANE(v, i) ((v).s##i)
#define LANES(a, b, c, d) ((float4)(a, b, c, d))
#define SAME_LANES(a) ((float4)(a))
#define LOCAL_ADD(p, n) atomic_add(p, n)
#define GLOBAL_ADD(p, n) atomic_add(p, n)
#define ATOMIC volatile
#endif

/* Work-groups have this many items, in one row. */
#define ITEMS 256

/* 1. Colour. */

/* Fixed. x^(1/3) for x > 216 / 24389. */
HELPER float cube_root(float x)
{
    int bits = (int)(1419967116.0f - (float)as_int(x) * 0x1.555556p-2f);
    float y = as_float(bits), third = x * 0x1.555556p-2f;
    for (int round = 0; round < 3; round++)
        y = y * (0x1.555556p+0f - third * (y * y * y));
    return x * (y * y);
}

/* Fixed. */
HELPER float compress(float t)
{
    float line = t * 0x1.f25ed0p+2f + 0x1.1a7b96p-3f;
    float root = cube_root(t > 0x1.22354ep-7f ? t : 1.0f);
    return t > 0x1.22354ep-7f ? root : line;
}

/* Fixed. Lab of a pixel; `linear` holds the linear light of each byte. */
HELPER float4 lab_of_bytes(GLOBAL const uchar *pixel, GLOBAL const float *linear)
{
    float red = linear[pixel[0]], green = linear[pixel[1]], blue = linear[pixel[2]];
    float x = compress(0x1.bc5d6p-2f * red + 0x1.813d22p-2f * green + 0x1.84cafcp-3f * blue);
    float y = compress(0x1.b38dd6p-3f * red + 0x1.6e286cp-1f * green + 0x1.27a0f8p-4f * blue);
    float z = compress(0x1.22ec82p-6f * red + 0x1.c0617ap-4f * green + 0x1.bedc6cp-1f * blue);
    return LANES(116.0f * y - 16.0f, 500.0f * (x - y), 200.0f * (y - z), 0.0f);
}

/* Fixed. The value that remains of a band of Lab after packing it to 24 bits. */
HELPER float repacked(float value, float steps, float unit)
{
    int number = (int)(value * steps + 12582912.0f) - 12582912;
    return (float)((number >> 8) * 256 + (number & 255)) * unit;
}

/* Converts the 1 or 3 bands of an image, whose pixels have `channels` bytes, to working values, and
 * marks all pixels as not changed. */
KERNEL void load_values(GLOBAL const uchar *bytes, GLOBAL const float *linear, int channels,
                        int bands, int lab, int n, GLOBAL float4 *values, GLOBAL uchar *changed)
{
    int i = (int)get_global_id(0);
    if (i >= n)
        return;
    GLOBAL const uchar *pixel = bytes + (size_t)i * channels;
    float4 value = LANES((float)pixel[0], 0.0f, 0.0f, 0.0f);
    if (lab) {
        value = lab_of_bytes(pixel, linear);
        LANE(value, 0) = repacked(LANE(value, 0), 40960.0f, 0x1.99999ap-16f);
        LANE(value, 1) = repacked(LANE(value, 1), 37120.0f, 0x1.c3f8f0p-16f);
        LANE(value, 2) = repacked(LANE(value, 2), 37120.0f, 0x1.c3f8f0p-16f);
    } else if (bands == 3) {
        LANE(value, 1) = (float)pixel[1];
        LANE(value, 2) = (float)pixel[2];
    }
    values[i] = value;
    changed[i] = 0;
}

HELPER float expand(float f)
{
    float cube = f * f * f, line = FUSED(f, 0x1.07004ep-3f, -0x1.22354ep-6f);
    return f > 0x1.a7b962p-3f ? cube : line;
}

/* The byte nearest to linear light; see CofiBytesFromLab. */
HELPER uchar encoded(float light, GLOBAL const uint *table)
{
    float above = light > 0.0f ? light : 0.0f, clamped = above < 1.0f ? above : 1.0f;
    uint steps = (uint)(clamped * 16777216.0f);
    uint word = (steps < 0xfffffeu ? steps : 0xfffffeu) << 8 | 0xffu;
    uint entry = table[word >> 20];
    return (uchar)(entry + (word >= entry ? 1u : 0u));
}

HELPER uchar rounded(float value)
{
    float above = value > 0.0f ? value : 0.0f, clamped = above < 255.0f ? above : 255.0f;
    return (uchar)(int)(clamped + 0.5f);
}

/* Converts the working values of changed pixels to bytes. */
KERNEL void store_values(GLOBAL const float4 *values, GLOBAL const uchar *changed,
                         GLOBAL const uint *encoding, int channels, int bands, int lab, int n,
                         GLOBAL uchar *bytes)
{
    int i = (int)get_global_id(0);
    if (i >= n || !changed[i])
        return;
    GLOBAL uchar *pixel = bytes + (size_t)i * channels;
    float4 value = values[i];
    float first = LANE(value, 0), second = LANE(value, 1), third = LANE(value, 2);
    if (!lab) {
        pixel[0] = rounded(first);
        if (bands == 3) {
            pixel[1] = rounded(second);
            pixel[2] = rounded(third);
        }
        return;
    }
    float f = (first + 16.0f) * 0x1.1a7b96p-7f;
    float x = expand(f + second * 0x1.0624dep-9f), y = expand(f),
          z = expand(f - third * 0x1.47ae14p-8f);
    pixel[0] = encoded(FUSED(0x1.8a3bf8p+1f, x, FUSED(-0x1.8981f2p+0f, y, -0x1.15ebfep-1f * z)), encoding);
    pixel[1] = encoded(FUSED(-0x1.d7af36p-1f, x, FUSED(0x1.e04244p+0f, y, 0x1.72aae8p-5f * z)), encoding);
    pixel[2] = encoded(FUSED(0x1.b140ecp-5f, x, FUSED(-0x1.a1d852p-3f, y, 0x1.26b102p+0f * z)), encoding);
}

/* 2. Labels. */

#ifdef COF_FP64
/* Fixed. The squared distance of a pixel to a centre. */
HELPER double exact_square(float4 value, GLOBAL const float *centre)
{
    double x = (double)LANE(value, 0) - (double)centre[0];
    double y = (double)LANE(value, 1) - (double)centre[1];
    double z = (double)LANE(value, 2) - (double)centre[2];
    return x * x + y * y + z * z;
}

HELPER uchar exact_label(float4 value, GLOBAL const float *centres, int k)
{
    int label = 0;
    double best = exact_square(value, centres);
    for (int i = 1; i < k; i++) {
        double square = exact_square(value, centres + 3 * i);
        if (square < best) {
            best = square;
            label = i;
        }
    }
    return (uchar)label;
}

/* Fixed. The nearest centre, the lowest index on a tie. The relative error of a square in single
 * precision is below 2^-21: only where the two smallest are closer does double precision decide. */
HELPER uchar nearest_label(float4 value, GLOBAL const float *centres, int k)
{
    int label = 0;
    float best = 0x1.0p127f, second = 0x1.0p127f;
    for (int i = 0; i < k; i++) {
        float x = LANE(value, 0) - centres[3 * i], y = LANE(value, 1) - centres[3 * i + 1],
              z = LANE(value, 2) - centres[3 * i + 2];
        float square = x * x + y * y + z * z;
        second = square < best ? best : square < second ? square : second;
        label = square < best ? i : label;
        best = square < best ? square : best;
    }
    return second > best * 1.000002f + 0x1.0p-100f ? (uchar)label : exact_label(value, centres, k);
}

/* Labels of Lab images from their bytes, and from working values. */
KERNEL void label_bytes(GLOBAL const uchar *bytes, GLOBAL const float *linear, int channels,
                        GLOBAL const float *centres, int k, int n, GLOBAL uchar *labels)
{
    int i = (int)get_global_id(0);
    if (i < n)
        labels[i] = nearest_label(lab_of_bytes(bytes + (size_t)i * channels, linear), centres, k);
}

KERNEL void label_values(GLOBAL const float4 *values, GLOBAL const float *centres, int k, int n,
                             GLOBAL uchar *labels)
{
    int i = (int)get_global_id(0);
    if (i < n)
        labels[i] = nearest_label(values[i], centres, k);
}
#endif

/* Labels of 8-bit grey. */
KERNEL void label_grey(GLOBAL const uchar *bytes, GLOBAL const uchar *table, int channels, int n,
                       GLOBAL uchar *labels)
{
    int i = (int)get_global_id(0);
    if (i < n)
        labels[i] = table[bytes[(size_t)i * channels]];
}

/* 3. Counts. */

HELPER int is_member(GLOBAL const uchar *members, int has_members, int at)
{
    return !has_members || members[at];
}

/* Adds the members of a rectangle to a histogram of the labels; members[0] stands for all pixels
 * unless has_members. */
KERNEL void count_labels(GLOBAL const uchar *labels, GLOBAL const uchar *members, int has_members,
                          int width, int x, int y, int columns, int rows,
                          GLOBAL ATOMIC uint *histogram)
{
    LOCAL_ARRAY(uint, counts, 256);
    int first = (int)get_group_id(0) * ITEMS, step = (int)get_num_groups(0) * ITEMS;
    EACH_ITEM counts[item] = 0;
    BARRIER;
    EACH_ITEM for (int row = 0; row < rows; row++)
    {
        for (int column = first + item; column < columns; column += step) {
            int at = (y + row) * width + x + column;
            if (is_member(members, has_members, at))
                LOCAL_ADD(&counts[labels[at]], 1u);
        }
    }
    BARRIER;
    EACH_ITEM if (counts[item]) GLOBAL_ADD(&histogram[item], counts[item]);
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
KERNEL void count_pairs(GLOBAL const uchar *labels, GLOBAL const uchar *members, int has_members,
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

/* 4. The filter. */

/* A work-group filters TILE_WIDTH x TILE_HEIGHT pixels, each item PIXELS of a column. The window is
 * summed in parts of at most PART x PART taps, whose pixels fit in local memory. */
#define TILE_WIDTH 32
#define TILE_HEIGHT (ITEMS / TILE_WIDTH * PIXELS)
#define PART 15
#define CELLS_WIDE (TILE_WIDTH + PART - 1)
#define CELLS_HIGH (TILE_HEIGHT + PART - 1)

/* Rows of M in local memory, with a column of zeros. An odd stride avoids bank conflicts. */
#define FEW_LABELS 32
#define FEW_STRIDE 33

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

/* The last lane of a pixel in local memory is its label plus its alpha of 0..255 times this. */
#define ALPHA_UNIT 512

/* A pixel with its label and alpha; one outside of the view has label k, which has no weight. */
HELPER float4 tap_at(GLOBAL const float4 *values, GLOBAL const uchar *labels,
                     GLOBAL const uchar *alphas, int has_alphas, int x, int y, int width, int k)
{
    float4 tap = LANES(0.0f, 0.0f, 0.0f, (float)k);
    if (x >= 0 && y >= 0) {
        size_t at = (size_t)y * width + x;
        tap = values[at];
        LANE(tap, 3) = (float)(labels[at] + (has_alphas ? alphas[at] * ALPHA_UNIT : 0));
    }
    return tap;
}

/* One pass. `matrix` has k rows of k + 1 weights, the last of which is 0. Writes the rows first..end-1
 * of the rectangle x..x+columns-1 of the view, whose size and place in the full image are given. If
 * `measured`, sums[first_sum + group] becomes the sum of the squared changes of the group in units of `scale`,
 * inside the part. If has_alphas, `alphas` has two planes: alphas, which are 0 where there is no
 * data, and whether there is data. */
KERNEL void filter_pass(GLOBAL const float4 *values, GLOBAL const uchar *labels,
                     GLOBAL const uchar *alphas, int has_alphas,
                     GLOBAL const float *matrix, int k, GLOBAL const float *gauss, int radius,
                     int border, int width, int height, int view_x, int view_y, int full_width,
                     int full_height, int x, int columns, int first, int end, int part_x,
                     int part_y, int part_width, int part_height, int measured, float scale_0,
                     float scale_1, float scale_2, GLOBAL float4 *filtered, GLOBAL uchar *changed,
                     int first_sum, GLOBAL float *sums)
{
    LOCAL_ARRAY(float4, cells, CELLS_WIDE * CELLS_HIGH);
    LOCAL_ARRAY(float, few, FEW_LABELS * FEW_STRIDE);
    LOCAL_ARRAY(float, squares, ITEMS);
    PRIVATE(float4, total, PIXELS);
    int left = x + (int)get_group_id(0) * TILE_WIDTH;
    int top = first + (int)get_group_id(1) * TILE_HEIGHT;
    int side = 2 * radius + 1, is_few = k <= FEW_LABELS;

    EACH_ITEM
    {
        for (int i = item; is_few && i < k * (k + 1); i += ITEMS)
            few[i / (k + 1) * FEW_STRIDE + i % (k + 1)] = matrix[i];
        for (int i = 0; i < PIXELS; i++)
            MY(total)[i] = SAME_LANES(0.0f);
    }
    for (int part_top = 0; part_top < side; part_top += PART)
        for (int part_left = 0; part_left < side; part_left += PART) {
            int part_rows = side - part_top < PART ? side - part_top : PART;
            int part_columns = side - part_left < PART ? side - part_left : PART;
            BARRIER;
            EACH_ITEM for (int i = item; i < CELLS_WIDE * CELLS_HIGH; i += ITEMS)
            {
                int tap_x = left + i % CELLS_WIDE + part_left - radius;
                int tap_y = top + i / CELLS_WIDE + part_top - radius;
                cells[i] = tap_at(values, labels, alphas, has_alphas,
                                  view_index(tap_x, view_x, width, full_width, border),
                                  view_index(tap_y, view_y, height, full_height, border), width, k);
            }
            BARRIER;
            EACH_ITEM
            {
                int cell_x = item % TILE_WIDTH, cell_y = item / TILE_WIDTH * PIXELS;
                int rows[PIXELS];
                for (int i = 0; i < PIXELS; i++) {
                    int pixel_x = left + cell_x, pixel_y = top + cell_y + i;
                    int inside = pixel_x < x + columns && pixel_y < end;
                    rows[i] = inside ? labels[(size_t)pixel_y * width + pixel_x] : 0;
                    rows[i] *= is_few ? FEW_STRIDE : k + 1;
                }
                for (int row = 0; row < part_rows + PIXELS - 1; row++) {
                    float4 line[PIXELS];
                    for (int i = 0; i < PIXELS; i++)
                        line[i] = SAME_LANES(0.0f);
                    for (int column = 0; column < part_columns; column++) {
                        float4 tap = cells[(cell_y + row) * CELLS_WIDE + cell_x + column];
                        int label = (int)LANE(tap, 3);
                        float weight = gauss[part_left + column];
                        LANE(tap, 3) = 1.0f;
                        if (has_alphas) {
                            weight *= (float)(label / ALPHA_UNIT) * 0x1.010102p-8f;
                            label %= ALPHA_UNIT;
                        }
                        for (int i = 0; i < PIXELS; i++) {
                            float m = is_few ? few[rows[i] + label] : matrix[rows[i] + label];
                            line[i] = FUSED(SAME_LANES(weight * m), tap, line[i]);
                        }
                    }
                    for (int i = 0; i < PIXELS; i++)
                        if (row >= i && row - i < part_rows)
                            MY(total)[i] = FUSED(SAME_LANES(gauss[part_top + row - i]),
                                                 line[i], MY(total)[i]);
                }
            }
        }
    EACH_ITEM
    {
        squares[item] = 0.0f;
        for (int i = 0; i < PIXELS; i++) {
            int pixel_x = left + item % TILE_WIDTH, pixel_y = top + item / TILE_WIDTH * PIXELS + i;
            if (pixel_x >= x + columns || pixel_y >= end)
                continue;
            size_t at = (size_t)pixel_y * width + pixel_x;
            float4 old = values[at], sum = MY(total)[i];
            int weighty = LANE(sum, 3) > 0.0f;
            if (has_alphas && !alphas[(size_t)width * height + at])
                weighty = 0;
            float4 mean = weighty ? sum / SAME_LANES(LANE(sum, 3)) : old;
            filtered[at] = mean;
            changed[at] |= (uchar)weighty;
            float d_0 = (LANE(mean, 0) - LANE(old, 0)) * scale_0;
            float d_1 = (LANE(mean, 1) - LANE(old, 1)) * scale_1;
            float d_2 = (LANE(mean, 2) - LANE(old, 2)) * scale_2;
            if (pixel_x >= part_x && pixel_x < part_x + part_width && pixel_y >= part_y &&
                pixel_y < part_y + part_height)
                squares[item] += d_0 * d_0 + d_1 * d_1 + d_2 * d_2;
        }
    }
    for (int half_items = ITEMS / 2; measured && half_items > 0; half_items /= 2) {
        BARRIER;
        EACH_ITEM if (item < half_items) squares[item] += squares[item + half_items];
    }
    BARRIER;
    EACH_ITEM if (measured && item == 0)
        sums[first_sum + get_group_id(1) * get_num_groups(0) + get_group_id(0)] = squares[0];
}
