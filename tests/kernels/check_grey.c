/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks grey_row against the sums that it stands for, in double precision. */
#include "kernels_check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What a row of pixels is like. */
typedef struct GreyOptions {
    int side, n;
    int least, range; /* labels are from least to least + range - 1 */
    int stray;        /* of 256 labels, so many may be any label */
    int left, right;  /* columns outside of the image, on either side */
    int top, bottom;  /* rows outside */
    float error;
} GreyOptions;

static void fill_matrix(Random *random, CofiGreyEntries matrix[256])
{
    for (int a = 0; a < 256; a++)
        for (int b = 0; b < 256; b++) {
            uint32_t most = a % 50 == 7 ? 1 : b % 3 == 0 ? 32768 : 300; /* some rows are 0 */
            int word = (int)random_below(random, most);
            matrix[a].words[b] = (int16_t)word;
            matrix[a].low[b] = (uint8_t)(word & 255);
            matrix[a].high[b] = (uint8_t)(word >> 8);
        }
}

static float *make_gauss(int side, Wall wall)
{
    float *gauss = guarded((size_t)side * sizeof *gauss, wall);
    for (int i = 0; i < side; i++)
        gauss[i] = (float)(exp(-pow(i - side / 2, 2) / (2 * (2 * sqrt(side) + 1))) * 0x1p-8);
    return gauss;
}

static CofiGreyTaps make_taps(Random *random, const CofiGreyEntries *matrix, const GreyOptions *o,
                              Wall wall)
{
    CofiGreyEntries *copy = guarded(256 * sizeof *copy, wall);
    memcpy(copy, matrix, 256 * sizeof *copy);
    int columns = o->n + o->side - 1 + COFI_OVERREAD;
    const uint8_t **rows = guarded((size_t)o->side * sizeof *rows, wall);
    for (int y = 0; y < o->side; y++) {
        uint8_t *row = guarded((size_t)columns, wall);
        for (int x = 0; x < columns; x++) {
            bool stray = (int)random_below(random, 256) < o->stray;
            row[x] =
                (uint8_t)(stray ? random_below(random, 256)
                                : (uint32_t)o->least + random_below(random, (uint32_t)o->range));
        }
        rows[y] = row;
    }
    return (CofiGreyTaps){.matrix = copy,
                          .radius = o->side / 2,
                          .gauss = make_gauss(o->side, wall),
                          .labels = rows,
                          .top = o->top,
                          .bottom = o->side - o->bottom,
                          .left = o->left,
                          .right = o->n + o->side - 1 - o->right,
                          .error = o->error,
                          .scratch = guarded(COFI_GREY_SCRATCH, wall)};
}

/* What is to be found for a pixel. */
typedef struct Wanted {
    double weights, mean;
    int range;
} Wanted;

static Wanted sum_window(const CofiGreyTaps *taps, int x)
{
    int side = 2 * taps->radius + 1, least = 255, most = 0;
    const CofiGreyEntries *entries = &taps->matrix[taps->labels[taps->radius][x + taps->radius]];
    double weights = 0, products = 0;
    for (int row = 0; row < side; row++)
        for (int column = x; column < x + side; column++) {
            int label = taps->labels[row][column];
            bool inside = row >= taps->top && row < taps->bottom && column >= taps->left &&
                          column < taps->right;
            double gauss = (double)taps->gauss[row] * (double)taps->gauss[column - x];
            double weight = inside ? gauss * entries->words[label] : 0;
            weights += weight;
            products += weight * label;
            least = label < least ? label : least;
            most = label > most ? label : most;
        }
    return (Wanted){weights, weights > 0 ? products / weights : 0, most - least};
}

/* Sums of at most 16 numbers of 24 bits in floats, and sums of some of these. */
#define TOLERANCE 2e-6

static void check_pixel(const CofiGreyTaps *taps, int x, float mean, int exact)
{
    Wanted wanted = sum_window(taps, x);
    double needed = wanted.range * (double)taps->error;
    bool enough = wanted.weights > 0 && needed <= wanted.weights;
    bool close = fabs(needed - wanted.weights) <= TOLERANCE * wanted.weights;
    bool left_out = exact == 0 && wanted.range >= COFI_GREY_RANGE;
    expect(exact == enough || left_out || (exact <= 1 && close && wanted.weights > 0),
           "is wrong about what is exact enough");
    expect(!exact || fabs((double)mean - wanted.mean) <= 255 * TOLERANCE, "is not the mean");
}

/* Pixels of the row from `first` on must have the same bits as in the whole row. */
static void check_part(const Level *level, const CofiGreyTaps *taps, int first, int n,
                       const float *means, const uint8_t *exact)
{
    float *part = fenced((size_t)n * sizeof *part);
    uint8_t *part_exact = fenced((size_t)n);
    level->kernels.grey_row(taps, first, n, part, part_exact);
    expect(memcmp(part, means + first, (size_t)n * sizeof *part) == 0,
           "gives other bits at another place");
    expect(memcmp(part_exact, exact + first, (size_t)n) == 0,
           "is otherwise exact at another place");
    expect(untouched(part, (size_t)n * sizeof *part), "writes outside of the means");
    expect(untouched(part_exact, (size_t)n), "writes outside of what is exact");
}

static void check_row(const Level *level, Random *random, const CofiGreyEntries *matrix,
                      GreyOptions o)
{
    checking("%s grey_row: side %d, n %d, %d labels from %d on, stray %d, borders %d %d %d %d, "
             "error %g",
             level->name, o.side, o.n, o.range, o.least, o.stray, o.left, o.right, o.top, o.bottom,
             (double)o.error);
    Wall wall = random_below(random, 2) ? WALL_AFTER : WALL_BEFORE;
    CofiGreyTaps taps = make_taps(random, matrix, &o, wall);
    float *means = fenced((size_t)o.n * sizeof *means);
    uint8_t *exact = fenced((size_t)o.n);
    level->kernels.grey_row(&taps, 0, o.n, means, exact);
    expect(untouched(means, (size_t)o.n * sizeof *means), "writes outside of the means");
    expect(untouched(exact, (size_t)o.n), "writes outside of what is exact");
    for (int i = 0; i < o.n; i++)
        check_pixel(&taps, i, means[i], exact[i]);
    for (int first = 0; first < o.n && first < 40; first++)
        check_part(level, &taps, first, first == 1 ? o.n - 1 : 1, means, exact);
    release();
}

/* All ranges of labels, so that all kinds of tables are used, from their first to their last
 * entry. */
static void check_ranges(const Level *level, Random *random, const CofiGreyEntries *matrix)
{
    static const int ranges[] = {1,  2,  15, 16, 17,  32,  33,  48,  49,
                                 63, 64, 65, 80, 127, 128, 129, 200, 256};
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
        for (int turn = 0; turn < 12; turn++) {
            int room = 256 - ranges[i];
            GreyOptions o = {.side = 15,
                             .n = 40,
                             .least = turn == 0   ? 0
                                      : turn == 1 ? room
                                                  : (int)random_below(random, (uint32_t)room + 1),
                             .range = ranges[i],
                             .error = 2e-3f};
            check_row(level, random, matrix, o);
        }
}

static void check_sides(const Level *level, Random *random, const CofiGreyEntries *matrix)
{
    for (int side = 1; side <= COFI_GREY_SIDE; side += 2)
        for (int turn = 0; turn < 8; turn++) {
            GreyOptions o = {.side = side,
                             .n = turn == 7 ? 600 : (int)random_below(random, 40),
                             .least = (int)random_below(random, 100),
                             .range = 40,
                             .stray = turn % 2,
                             .error = turn % 3 ? 3e-3f : 0};
            if (turn >= 4) {
                o.left = (int)random_below(random, (uint32_t)side / 2 + 1);
                o.right = (int)random_below(random, (uint32_t)side / 2 + 1);
                o.top = (int)random_below(random, (uint32_t)side / 2 + 1);
                o.bottom = (int)random_below(random, (uint32_t)side / 2 + 1);
            }
            check_row(level, random, matrix, o);
        }
}

void check_grey(const Level *level)
{
    if (!level->kernels.grey_row)
        return;
    Random random = {8};
    static CofiGreyEntries matrix[256];
    fill_matrix(&random, matrix);
    check_ranges(level, &random, matrix);
    check_sides(level, &random, matrix);
}
