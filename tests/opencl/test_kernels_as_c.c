/* SPDX-License-Identifier: BSD-2-Clause */
/* The OpenCL kernels, compiled as C, against the kernels of libcof and a naive filter. Buffers have
 * their exact sizes, so that sanitizers find each access beyond them. */
#include <math.h>
#include <stdlib.h>

#include "testing.h"

#include "base/arithmetic.h"
#include "image/colour.h"
#include "kernels/kernels.h"

#include "kernel_as_c.h"
#include "kernels/all.h"

static void *take(size_t n, size_t size)
{
    void *block = calloc(n, size);
    assert_non_null(block);
    return block;
}

static float linear_table[256];

static int fill_linear(void **state)
{
    (void)state;
    CofiColour colour = {.kernels = cofi_kernels(0), .max = 255};
    cofi_colour_decode(&colour, 256, linear_table);
    return 0;
}

/* All colours of a grid with a step of 3, and all greys. */
enum { STEP = 3, PER_AXIS = 255 / STEP + 1, COLOURS = PER_AXIS * PER_AXIS * PER_AXIS };

static uchar *all_colours(void)
{
    uchar *bytes = take(COLOURS, 3);
    for (int i = 0; i < COLOURS; i++) {
        bytes[3 * i] = (uchar)(i % PER_AXIS * STEP);
        bytes[3 * i + 1] = (uchar)(i / PER_AXIS % PER_AXIS * STEP);
        bytes[3 * i + 2] = (uchar)(i / PER_AXIS / PER_AXIS * STEP);
    }
    return bytes;
}

/* Lab of the bytes, packed and unpacked, by the kernels of libcof. */
static void host_lab(const uchar *bytes, int n, float *lab[3], float *plain[3])
{
    for (int band = 0; band < 3; band++) {
        lab[band] = take((size_t)n, sizeof(float));
        plain[band] = take((size_t)n, sizeof(float));
    }
    cofi_lab_from_bytes_c(bytes, 3, linear_table, n, plain[0], plain[1], plain[2]);
    int16_t *high = take((size_t)n * 3, sizeof *high);
    uint8_t *low = take((size_t)n * 3, 1);
    CofiPackedLab packed = {{high, high + n, high + 2 * n}, {low, low + n, low + 2 * n}};
    cofi_pack_lab_c((const float *const *)plain, n, &packed);
    cofi_unpack_lab_c(&packed, n, lab);
    free(high);
    free(low);
}

static void colours_are_the_same_bits(void **state)
{
    (void)state;
    float *lab[3], *plain[3];
    uchar *bytes = all_colours(), *changed = take(COLOURS, 1);
    float4 *values = aligned_alloc(16, COLOURS * sizeof *values);
    memset(changed, 1, COLOURS);
    host_lab(bytes, COLOURS, lab, plain);
    FOR_ITEMS(COLOURS, load_values(bytes, linear_table, 3, 3, 1, COLOURS, values, changed));
    for (int i = 0; i < COLOURS; i++) {
        float4 exact = lab_of_bytes(bytes + 3 * i, linear_table);
        assert_int_equal(changed[i], 0);
        for (int band = 0; band < 3; band++)
            if (values[i][band] != lab[band][i] || exact[band] != plain[band][i])
                fail_msg("colour %d, band %d", i, band);
    }
    free(values);
    free(changed);
    free(bytes);
    for (int band = 0; band < 3; band++) {
        free(lab[band]);
        free(plain[band]);
    }
}

static void labels_are_the_same(void **state)
{
    (void)state;
    Random random = {1};
    float *lab[3], *plain[3];
    uchar *bytes = all_colours();
    uint8_t *expected = take(COLOURS, 1), *labels = take(COLOURS, 1);
    host_lab(bytes, COLOURS, lab, plain);
    static const int sizes[] = {1, 2, 32, 256};
    for (int i = 0; i < 4; i++) {
        int k = sizes[i];
        float *centres = take((size_t)k * 3, sizeof *centres);
        for (int j = 0; j < 3 * k; j++) /* some twice */
            centres[j] =
                j % 7 == 0 && j >= 21 ? centres[j - 21] : (float)random_int(&random, -90, 90);
        void *memory = take(1, cofi_centres_size(3, k));
        CofiCentres *prepared = cofi_centres_fill(memory, centres, 3, k);
        cofi_nearest_c((const float *const *)plain, COLOURS, prepared, expected, NULL);
        FOR_ITEMS(COLOURS, label_bytes(bytes, linear_table, 3, centres, k, COLOURS, labels));
        assert_memory_equal(labels, expected, COLOURS);
        float4 *values = aligned_alloc(16, COLOURS * sizeof *values);
        uchar *changed = take(COLOURS, 1);
        memset(labels, 0, COLOURS);
        memset(changed, 1, COLOURS);
        FOR_ITEMS(COLOURS, load_and_label(bytes, linear_table, 3, centres, k, COLOURS, values,
                                          changed, labels));
        assert_memory_equal(labels, expected, COLOURS);
        for (int j = 0; j < COLOURS; j++)
            assert_true(!changed[j] && values[j][0] == lab[0][j] && values[j][1] == lab[1][j] &&
                        values[j][2] == lab[2][j]);
        free(changed);
        for (int j = 0; j < COLOURS; j++)
            values[j] = LANES(lab[0][j], lab[1][j], lab[2][j], 0);
        cofi_nearest_c((const float *const *)lab, COLOURS, prepared, expected, NULL);
        FOR_ITEMS(COLOURS, label_values(values, centres, k, COLOURS, labels));
        assert_memory_equal(labels, expected, COLOURS);
        free(values);
        free(memory);
        free(centres);
    }
    uchar table[256];
    for (int i = 0; i < 256; i++)
        table[i] = (uchar)(255 - i);
    FOR_ITEMS(3 * 1000, label_grey(bytes, table, 1, 3 * 1000, labels));
    for (int i = 0; i < 3 * 1000; i++)
        assert_int_equal(labels[i], 255 - bytes[i]);
    free(bytes);
    free(expected);
    free(labels);
    for (int band = 0; band < 3; band++) {
        free(lab[band]);
        free(plain[band]);
    }
}

/* The table of cofi_colour_init_stores(). */
static uint *encoding_table(void)
{
    enum { ENTRIES = 1 << COFI_ENCODING_BITS, SIZE = 1 << (24 - COFI_ENCODING_BITS) };
    uint *table = take(ENTRIES, sizeof *table);
    float middles[256];
    double thresholds[256];
    for (int i = 0; i < 256; i++)
        middles[i] = (float)i + 0.5f;
    cofi_decode_row_c(middles, 256, 255, thresholds);
    for (int i = 0; i < 256; i++)
        thresholds[i] = i == 255 ? 0xffffff : ceil(thresholds[i] * 0x1p24);
    for (int i = 0, byte = 0; i < ENTRIES; i++) {
        bool within = thresholds[byte] < (double)(i + 1) * SIZE;
        table[i] = (within ? (uint)thresholds[byte] : 0xffffffu) << 8 | (uint)byte;
        byte += within && byte < 255;
    }
    return table;
}

/* Colours come back as they were, also those at the borders of the gamut; beyond it, they are
 * clamped. Pixels that did not change keep their bytes. */
static void colours_come_back(void **state)
{
    (void)state;
    uchar *bytes = all_colours(), *stored = take(COLOURS, 3), *changed = take(COLOURS, 1);
    uint *encoding = encoding_table();
    float4 *values = aligned_alloc(16, COLOURS * sizeof *values);
    FOR_ITEMS(COLOURS, load_values(bytes, linear_table, 3, 3, 1, COLOURS, values, changed));
    for (int i = 0; i < COLOURS; i++)
        changed[i] = i % 5 > 0;
    FOR_ITEMS(COLOURS,
              store_values(values, changed, linear_table, encoding, 0, 3, 3, 1, COLOURS, stored));
    for (int i = 0; i < 3 * COLOURS; i++)
        assert_int_equal(stored[i], i / 3 % 5 > 0 ? bytes[i] : 0);
    static const float beyond[][3] = {
        {200, 0, 0}, {-50, 0, 0}, {50, 500, -500}, {0, -1e30f, 1e30f}};
    for (int i = 0; i < 4; i++) {
        values[i] = LANES(beyond[i][0], beyond[i][1], beyond[i][2], 0);
        changed[i] = 1;
    }
    FOR_ITEMS(4, store_values(values, changed, linear_table, encoding, 0, 3, 3, 1, 4, stored));
    for (int channel = 0; channel < 3; channel++) {
        assert_int_equal(stored[channel], 255);
        assert_int_equal(stored[3 + channel], 0);
    }
    FOR_ITEMS(20, load_values(bytes, linear_table, 3, 3, 0, 20, values, changed));
    memset(changed, 1, 20);
    FOR_ITEMS(20, store_values(values, changed, linear_table, encoding, 0, 3, 3, 0, 20, stored));
    assert_memory_equal(stored, bytes, 60);
    FOR_ITEMS(20, load_values(bytes, linear_table, 1, 1, 0, 20, values, changed));
    memset(changed, 1, 20);
    values[0][0] = -3;
    values[1][0] = 1e9f;
    values[2][0] = 77.5f;
    FOR_ITEMS(20, store_values(values, changed, linear_table, encoding, 0, 1, 1, 0, 20, stored));
    assert_true(stored[0] == 0 && stored[1] == 255 && stored[2] == 78);
    assert_memory_equal(stored + 3, bytes + 3, 17);
    free(bytes);
    free(stored);
    free(changed);
    free(encoding);
    free(values);
}

/* A small map whose pairs are counted naively. */
typedef struct Map {
    int width, height, k, radius, distances;
    uchar *labels, *members;
    int *distance_of;
} Map;

static Map new_map(Random *random, int width, int height, int k, int radius)
{
    Map map = {.width = width, .height = height, .k = k, .radius = radius};
    int side = 2 * radius + 1;
    map.labels = take((size_t)(width * height), 1);
    map.members = take((size_t)(width * height), 1);
    map.distance_of = take((size_t)(side * side), sizeof(int));
    for (int i = 0; i < width * height; i++) {
        map.labels[i] = (uchar)random_int(random, 0, k - 1);
        map.members[i] = (uchar)random_chance(random, 0.8);
        if (!map.members[i])
            map.labels[i] = 255; /* beyond k: must not be used */
    }
    for (int i = 0; i < side * side; i++) /* one for each pair of offsets */
        map.distance_of[i] = i;
    map.distances = side * side;
    return map;
}

static void count_naively(const Map *map, const int at[2], int first, int step, uint *counts)
{
    int k = map->k, label = map->labels[at[1] * map->width + at[0]];
    for (int dy = -map->radius; dy <= map->radius; dy++)
        for (int dx = -map->radius; dx <= map->radius; dx++) {
            int x = at[0] + dx, y = at[1] + dy;
            bool in_turn = ((dy - first) % step + step) % step == 0;
            if (x < 0 || y < 0 || x >= map->width || y >= map->height || !in_turn)
                continue;
            int distance =
                map->distance_of[(dy + map->radius) * (2 * map->radius + 1) + dx + map->radius];
            if (map->members[y * map->width + x])
                counts[(distance * k + label) * k + map->labels[y * map->width + x]]++;
        }
}

/* With blocks of one pixel all pairs are counted; with larger ones, the sums of the two halves of a
 * map are those of the whole. */
static void pairs_are_counted(void **state)
{
    (void)state;
    Random random = {9};
    static const int shapes[][4] = {{1, 1, 1, 3}, {1, 13, 2, 2}, {17, 1, 5, 4}, {19, 23, 6, 3}};
    for (int i = 0; i < 4; i++) {
        Map map = new_map(&random, shapes[i][0], shapes[i][1], shapes[i][2], shapes[i][3]);
        size_t n = (size_t)(map.k * map.k * map.distances);
        uint *counts = take(n, sizeof *counts), *expected = take(n, sizeof *expected);
        uint *halves = take(n, sizeof *halves);
        uint *histogram = take(256, sizeof *histogram);
        int pixels = map.width * map.height, side = 2 * map.radius + 1;
        for (place.global_id[1] = 0; place.global_id[1] < (size_t)side; place.global_id[1]++)
            FOR_ITEMS(pixels, count_pairs(map.labels, map.members, 1, map.width, map.height, 0, 0,
                                          0, 0, map.width, map.height, 0, 0, 1, map.width, pixels,
                                          map.radius, map.distance_of, map.k, counts));
        uint members = 0;
        for (int at = 0; at < pixels; at++) {
            members += map.members[at];
            if (map.members[at])
                count_naively(&map, (int[2]){at % map.width, at / map.width}, 0, 1, expected);
        }
        assert_memory_equal(counts, expected, n * sizeof *counts);
        FOR_GROUPS(3, 1,
                   count_labels(map.labels, map.members, 1, map.width, 0, 0, map.width, map.height,
                                histogram));
        uint sum = 0;
        for (int label = 0; label < 256; label++)
            sum += histogram[label];
        assert_int_equal(sum, members);
        /* Blocks of 4 x 2 pixels with 4 turns, in a map at (5, 3) of the full image. */
        memset(counts, 0, n * sizeof *counts);
        int wide = ((5 + map.width - 1) >> 2) - (5 >> 2) + 1;
        for (int half = 0; half < 3; half++) {
            int first = half == 1 ? map.height / 2 : 0;
            int rows = half == 0 ? map.height / 2 : map.height - first;
            if (rows == 0)
                continue;
            int high = ((3 + first + rows - 1) >> 1) - ((3 + first) >> 1) + 1;
            uint *to = half < 2 ? halves : counts;
            for (place.global_id[1] = 0; place.global_id[1] < (size_t)side; place.global_id[1]++)
                FOR_ITEMS(wide * high * 4,
                          count_pairs(map.labels, map.members, 1, map.width, map.height, 5, 3, 0,
                                      first, map.width, rows, 2, 1, 4, wide, wide * high,
                                      map.radius, map.distance_of, map.k, to));
        }
        assert_memory_equal(counts, halves, n * sizeof *counts);
        free(counts);
        free(halves);
        free(expected);
        free(histogram);
        free(map.labels);
        free(map.members);
        free(map.distance_of);
    }
}

/* Few labels are counted as pairs are, in either order, and distances are the same on both sides.
 * Blocks of 4 x 2 pixels with 4 turns. */
static void few_pairs_are_counted(void **state)
{
    (void)state;
    Random random = {11};
    static const int shapes[][4] = {{1, 1, 1, 7}, {90, 70, 32, 7}, {250, 101, 17, 3}};
    for (int i = 0; i < 3; i++) {
        Map map = new_map(&random, shapes[i][0], shapes[i][1], shapes[i][2], shapes[i][3]);
        int k = map.k, side = 2 * map.radius + 1, has_members = i < 2;
        for (int at = 0; at < side * side; at++)
            map.distance_of[at] = abs(at / side - map.radius) * side + abs(at % side - map.radius);
        for (int at = 0; at < map.width * map.height && !has_members; at++)
            map.labels[at] = (uchar)random_int(&random, 0, k - 1);
        size_t n = (size_t)(k * k * map.distances);
        uint *few = take(n, sizeof *few), *all = take(n, sizeof *all);
        int wide = ((map.width - 1) >> 2) + 1, high = ((map.height - 1) >> 1) + 1;
        for (place.global_id[1] = 0; place.global_id[1] < (size_t)side; place.global_id[1]++)
            FOR_ITEMS(wide * high * 4,
                      count_pairs(map.labels, map.members, has_members, map.width, map.height, 0, 0,
                                  0, 0, map.width, map.height, 2, 1, 4, wide, wide * high,
                                  map.radius, map.distance_of, k, all));
        FOR_GROUPS(wide * high / COUNT_BLOCKS + 1, side,
                   count_few_pairs(map.labels, map.members, has_members, map.width, map.height, 0,
                                   0, 0, 0, map.width, map.height, 2, 1, 4, wide, wide * high,
                                   map.radius, map.distance_of, k, few));
        uint sum = 0;
        for (int at = 0; at < (int)n; at++) {
            int distance = at / (k * k), a = at / k % k, b = at % k;
            uint other = a == b ? 0 : all[(distance * k + b) * k + a];
            assert_int_equal(few[at], a < b ? 0 : all[at] + other);
            sum += few[at];
        }
        assert_true(sum > 0 || i == 0);
        free(few);
        free(all);
        free(map.labels);
        free(map.members);
        free(map.distance_of);
    }
}

static void hashes_are_the_same(void **state)
{
    (void)state;
    for (int i = -3; i < 1000; i++)
        assert_true(place_hash(i * 7919, i) == cofi_place_hash(i * 7919, i));
}

/* The place that a border rule shows, step by step. */
static int walk_border(int i, int n, int border)
{
    while (border > 0 && n > 1 && (i < 0 || i >= n))
        i = i < 0 ? -i - (border == 1) : 2 * n - 2 + (border == 1) - i;
    if (border > 0 && n == 1)
        return 0;
    return i >= 0 && i < n ? i : -1;
}

static void borders_are_right(void **state)
{
    (void)state;
    for (int border = 0; border <= 2; border++)
        for (int n = 1; n < 12; n++)
            for (int i = -130; i < 140; i++)
                if (border_index(i, n, border) != walk_border(i, n, border))
                    fail_msg("border %d, size %d, %d", border, n, i);
    assert_int_equal(border_index((1 << 30) + 3, 1 << 30, 1), (1 << 30) - 4);
    assert_int_equal(border_index((1 << 30) + 3, 1 << 30, 2), (1 << 30) - 5);
}

/* One pass in double precision; 0 in the last lane: no weight. */
static void filter_naively(const float4 *values, const uchar *labels, const float *matrix, int k,
                           const float *gauss, int radius, int border, int width, int height,
                           const double *alphas, const int at[2], double sums[4])
{
    memset(sums, 0, 4 * sizeof *sums);
    int own = labels[at[1] * width + at[0]];
    for (int dy = -radius; dy <= radius; dy++)
        for (int dx = -radius; dx <= radius; dx++) {
            int x = walk_border(at[0] + dx, width, border),
                y = walk_border(at[1] + dy, height, border);
            if (x < 0 || y < 0)
                continue;
            double weight = (double)gauss[dx + radius] * (double)gauss[dy + radius] *
                            (double)matrix[own * (k + 1) + labels[y * width + x]] *
                            (alphas ? alphas[y * width + x] : 1);
            for (int band = 0; band < 3; band++)
                sums[band] += weight * (double)values[y * width + x][band];
            sums[3] += weight;
        }
}

typedef struct Example {
    int width, height, k, radius, border, alpha_bytes;
} Example;

/* Writes an alpha of 0..1 as a number, or as a float; returns its value. */
static double set_alpha(uchar *alphas, int i, int bytes, double alpha)
{
    ushort number = (ushort)(alpha * (bytes == 1 ? 255 : 65535) + 0.5);
    float real = (float)alpha;
    if (bytes == 1)
        alphas[i] = (uchar)number;
    else if (bytes == 2)
        memcpy(alphas + 2 * i, &number, sizeof number);
    else if (bytes == 4)
        memcpy(alphas + 4 * i, &real, sizeof real);
    return bytes == 1 ? number / 255.0 : bytes == 2 ? number / 65535.0 : (double)real;
}

static void check_pass(Random *random, const Example *s)
{
    int n = s->width * s->height, side = 2 * s->radius + 1;
    float4 *values = aligned_alloc(16, (size_t)n * sizeof *values),
           *filtered = aligned_alloc(16, (size_t)n * sizeof *filtered);
    uchar *labels = take((size_t)n, 1), *changed = take((size_t)n, 1);
    float *matrix = take((size_t)(s->k * (s->k + 1)), sizeof *matrix);
    float *gauss = take((size_t)side, sizeof *gauss);
    size_t first = first_alpha((size_t)n);
    uchar *alphas = take(first + (size_t)(n * s->alpha_bytes), 1), *valid = alphas;
    double *weights = take((size_t)n, sizeof *weights);
    for (int i = 0; i < n; i++)
        valid[i] = random_chance(random, 0.9);
    for (int i = 0; i < n; i++)
        weights[i] =
            set_alpha(alphas + first, i, s->alpha_bytes, valid[i] ? random_uniform(random) : 0);
    int wide = (s->width - 1) / TILE_WIDTH + 1, high = (s->height - 1) / TILE_HEIGHT + 1;
    float *sums = take((size_t)(wide * high) + 1, sizeof *sums);
    for (int i = 0; i < n; i++) {
        values[i] = LANES((float)random_int(random, 0, 100), (float)random_int(random, -90, 90),
                          (float)random_int(random, -90, 90), 0);
        labels[i] = (uchar)random_int(random, 0, s->k - 1);
    }
    for (int a = 1; a < s->k; a++) /* label 0 has no weights */
        for (int b = 0; b < s->k; b++)
            matrix[a * (s->k + 1) + b] = (float)random_uniform(random);
    for (int i = 0; i < side; i++)
        gauss[i] = expf(-0.5f * (float)((i - s->radius) * (i - s->radius)) / 9);
    PassShape shape = {.k = s->k,
                       .radius = s->radius,
                       .border = s->border,
                       .width = s->width,
                       .height = s->height,
                       .full_width = s->width,
                       .full_height = s->height,
                       .columns = s->width,
                       .end = s->height,
                       .measured = 1,
                       .first_sum = 1,
                       .part_width = s->width,
                       .part_height = s->height,
                       .alpha_bytes = s->alpha_bytes,
                       .units = {2.55f, 1, 1}};
    FOR_GROUPS(wide, high,
               filter_pass(values, labels, alphas, matrix, gauss, shape, filtered, changed, sums));
    double squares = 0, total = 0;
    for (int i = 0; i < n; i++) {
        double expected[4];
        filter_naively(values, labels, matrix, s->k, gauss, s->radius, s->border, s->width,
                       s->height, s->alpha_bytes ? weights : NULL,
                       (int[2]){i % s->width, i / s->width}, expected);
        if (s->alpha_bytes && !valid[i])
            expected[3] = 0;
        assert_int_equal(changed[i], expected[3] > 0);
        for (int band = 0; band < 3; band++) {
            double mean = expected[3] > 0 ? expected[band] / expected[3] : (double)values[i][band];
            double d = (double)(filtered[i][band] - values[i][band]) * (band == 0 ? 2.55 : 1);
            squares += d * d;
            /* Floats keep 16 bits of an alpha. */
            if (fabs((double)filtered[i][band] - mean) > (s->alpha_bytes == 4 ? 1e-3 : 1e-4))
                fail_msg("%d x %d, radius %d: pixel %d is %g, not %g", s->width, s->height,
                         s->radius, i, (double)filtered[i][band], mean);
        }
    }
    for (int i = 0; i < wide * high; i++)
        total += (double)sums[1 + i];
    assert_true(fabs(total - squares) <= 1e-4 * squares);
    assert_true(sums[0] == 0);
    free(values);
    free(filtered);
    free(labels);
    free(changed);
    free(matrix);
    free(gauss);
    free(alphas);
    free(weights);
    free(sums);
}

static void passes_are_exact(void **state)
{
    (void)state;
    static const Example shapes[] = {
        {1, 1, 2, 0, 0, 0},    {1, 1, 2, 5, 2, 0},    {1, 17, 3, 7, 1, 0},    {19, 1, 32, 3, 2, 0},
        {33, 31, 32, 7, 0, 0}, {33, 35, 33, 7, 1, 0}, {37, 33, 256, 8, 2, 0}, {9, 11, 5, 127, 1, 0},
        {65, 34, 4, 17, 0, 0}, {33, 37, 32, 7, 1, 1}, {35, 33, 40, 6, 0, 1},  {13, 40, 5, 2, 2, 1},
        {33, 37, 32, 7, 1, 2}, {35, 33, 40, 6, 0, 2}, {13, 40, 5, 2, 2, 4},   {37, 33, 32, 7, 0, 4},
    };
    Random random = {77};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        check_pass(&random, &shapes[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colours_are_the_same_bits), cmocka_unit_test(labels_are_the_same),
        cmocka_unit_test(colours_come_back),         cmocka_unit_test(pairs_are_counted),
        cmocka_unit_test(few_pairs_are_counted),     cmocka_unit_test(hashes_are_the_same),
        cmocka_unit_test(borders_are_right),         cmocka_unit_test(passes_are_exact),
    };
    return cmocka_run_group_tests(tests, fill_linear, NULL);
}
