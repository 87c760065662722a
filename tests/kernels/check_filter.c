/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks filter_row against the sums that it stands for, in double precision. */
#include "kernels_check.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cof/cof.h"

/* Of the largest value. A sum of 32 products is rounded 32 times, by 2^-24 at most; sums of such
 * sums, lanes and weights a few times more. If all went one way in the mean's numerator and the
 * other way in its denominator, that would be 4e-6. Half of that is far more than chance makes of
 * it (2.4e-7 has been seen), and less than sums in one long row would be off in large windows. */
#define TOLERANCE 2e-6

#define MAX_PIXELS 64

/* Without bands there is a row all the same: of the sums of weights. */
typedef struct Output {
    float *values[COF_MAX_BANDS];
    uint8_t *mixed;
    int bands, n;
} Output;

static Output make_output(int bands, int n)
{
    bands = bands > 0 ? bands : 1;
    Output output = {.mixed = fenced((size_t)n), .bands = bands, .n = n};
    for (int band = 0; band < bands; band++)
        output.values[band] = fenced((size_t)n * sizeof(float));
    return output;
}

static bool output_untouched(const Output *output)
{
    bool all = untouched(output->mixed, (size_t)output->n);
    for (int band = 0; band < output->bands; band++)
        all &= untouched(output->values[band], (size_t)output->n * sizeof(float));
    return all;
}

/* The sums of alphas and of each band. */
static void sum_window(const CofiTaps *taps, int x, double sums[1 + COF_MAX_BANDS])
{
    int side = 2 * taps->radius + 1;
    int label = taps->labels[taps->radius][x + taps->radius];
    const float *entries = taps->matrix + (ptrdiff_t)label * cofi_matrix_stride(taps->k);
    memset(sums, 0, (size_t)(1 + taps->n_bands) * sizeof *sums);
    for (int row = 0; row < side; row++)
        for (int column = 0; column < side; column++) {
            double weight = (double)taps->gauss[row] * (double)taps->gauss[column] *
                            (double)entries[taps->labels[row][x + column]];
            for (int plane = 0; plane <= taps->n_bands && weight > 0; plane++)
                sums[plane] +=
                    weight * (double)taps->alphas[row][plane * taps->stride + x + column];
        }
}

static void compare(const Scene *scene, const Output *output, float largest)
{
    for (int i = 0; i < scene->n; i++) {
        double sums[1 + COF_MAX_BANDS];
        sum_window(&scene->taps, i, sums);
        expect(output->mixed[i] == (sums[0] > 0), "is wrong about what is mixed");
        if (scene->taps.n_bands == 0)
            expect(fabs((double)output->values[0][i] - sums[0]) <= TOLERANCE * sums[0],
                   "is not the sum of the weights");
        for (int band = 0; band < scene->taps.n_bands && sums[0] > 0; band++) {
            double value = (double)output->values[band][i];
            double error = fabs(value - sums[1 + band] / sums[0]);
            expect(isfinite(value), "is not finite");
            expect(error <= TOLERANCE * (double)largest, "is not the mean");
        }
    }
}

/* Pixels alone, and from an odd one on, must have the same bits as in the whole row. */
static void check_places(CofiFilterRow *filter_row, const Scene *scene, const Output *whole)
{
    for (int first = 0; first < scene->n; first++) {
        int n = first == 1 ? scene->n - 1 : 1;
        Output part = make_output(whole->bands, n);
        filter_row(&scene->taps, first, n, part.values, part.mixed);
        expect(output_untouched(&part), "writes outside");
        expect(memcmp(part.mixed, whole->mixed + first, (size_t)n) == 0,
               "mixes otherwise at another place");
        for (int i = 0; i < n; i++)
            for (int band = 0; band < whole->bands && part.mixed[i]; band++)
                expect(memcmp(&part.values[band][i], &whole->values[band][first + i],
                              sizeof(float)) == 0,
                       "gives other bits at another place");
    }
}

/* Without scratch for sums of columns, all taps are summed. */
static void check_all_taps(CofiFilterRow *filter_row, const Scene *scene, float largest)
{
    Scene direct = *scene;
    Output output = make_output(scene->taps.n_bands, scene->n);
    direct.taps.columns = NULL;
    filter_row(&direct.taps, 0, scene->n, output.values, output.mixed);
    expect(output_untouched(&output), "writes outside");
    compare(&direct, &output, largest);
}

/* Where all alphas are 1, saying so must change nothing. */
static void check_plain(CofiFilterRow *filter_row, const Scene *scene, const Output *whole)
{
    CofiTaps taps = scene->taps;
    Output again = make_output(whole->bands, whole->n);
    taps.plain = 1;
    filter_row(&taps, 0, whole->n, again.values, again.mixed);
    expect(output_untouched(&again), "writes outside");
    expect(memcmp(again.mixed, whole->mixed, (size_t)whole->n) == 0, "mixes otherwise if plain");
    for (int band = 0; band < whole->bands; band++)
        for (int i = 0; i < whole->n && whole->mixed[i]; i++)
            expect(memcmp(&again.values[band][i], &whole->values[band][i], sizeof(float)) == 0,
                   "gives other bits if plain");
}

static void check_period(const Output *output, int period)
{
    for (int i = period; i < output->n; i++)
        for (int band = 0; band < output->bands && output->mixed[i]; band++)
            expect(memcmp(&output->values[band][i], &output->values[band][i - period],
                          sizeof(float)) == 0,
                   "gives other bits to the same neighbourhood");
}

static void check_scene(const char *name, CofiFilterRow *filter_row, Random *random,
                        SceneOptions options)
{
    checking("%s: %dx%d, k %d, %d bands, n %d, up to %g, gaps %d, empty %d, period %d", name,
             options.side, options.side, options.k, options.bands, options.n,
             (double)options.largest, options.gaps, options.empty, options.period);
    Wall wall = random_below(random, 2) ? WALL_AFTER : WALL_BEFORE;
    Scene scene = make_scene(random, options, wall);
    Output output = make_output(options.bands, options.n);
    filter_row(&scene.taps, 0, options.n, output.values, output.mixed);
    expect(output_untouched(&output), "writes outside");
    compare(&scene, &output, options.largest);
    if (options.n <= MAX_PIXELS)
        check_places(filter_row, &scene, &output);
    check_all_taps(filter_row, &scene, options.largest);
    if (options.period)
        check_period(&output, options.period);
    if (!options.gaps && !options.bytes)
        check_plain(filter_row, &scene, &output);
    release();
}

/* Fewer pixels where each of them takes long. */
static int pixels_for(Random *random, int side, int bands)
{
    int most = 50000 / (side * side * (1 + bands));
    return 2 + (int)random_below(random, (uint32_t)(most < 2 ? 2 : most > 30 ? 30 : most));
}

/* A plain scene, and two of the others. */
static void check_flavours(const char *name, CofiFilterRow *filter_row, Random *random, int side,
                           int k, int bands)
{
    SceneOptions plain = {.k = k,
                          .side = side,
                          .bands = bands,
                          .n = pixels_for(random, side, bands),
                          .largest = 100,
                          .weakest = 0x1p-20f,
                          .repetition = 128};
    SceneOptions gappy = plain, empty = plain, huge = plain, flat = plain, tiny = plain;
    gappy.gaps = true;
    empty.empty = empty.gaps = true;
    huge.largest = flat.largest = FLT_MAX;
    flat.flat = true;
    tiny.largest = 1e-30f;
    const SceneOptions others[] = {flat, gappy, empty, huge, tiny};
    check_scene(name, filter_row, random, plain);
    for (int i = 0; i < 2; i++)
        check_scene(name, filter_row, random, others[random_below(random, 5)]);
}

/* Whole rows, longer than what kernels take at once. */
static void check_rows(const char *name, CofiFilterRow *filter_row, Random *random)
{
    static const int sides[] = {5, 15, 17}, ks[] = {32, 40};
    SceneOptions options = {
        .bands = 3, .n = 150, .largest = 100, .weakest = 0x1p-20f, .period = 7, .repetition = 128};
    for (int i = 0; i < 6; i++) {
        options.side = sides[i % 3];
        options.k = ks[i / 3];
        check_scene(name, filter_row, random, options);
    }
    options.period = 0;
    for (options.n = 0; options.n <= 70; options.n++) {
        options.side = options.n % 2 ? 3 : 5;
        check_scene(name, filter_row, random, options);
    }
    options.side = 15;
    options.k = 32;
    options.n = 1100;
    check_scene(name, filter_row, random, options);
}

static void check_windows(const char *name, CofiFilterRow *filter_row)
{
    static const int sides[] = {1, 3, 5, 7, 9, 15, 17}, large[] = {31, 33, 61};
    static const int ks[] = {1, 2, 16, 17, 31, 32, 33, 256}, bands[] = {0, 1, 2, 3, 4, 5, 8, 64};
    Random random = {4};
    for (size_t i = 0; i < sizeof sides / sizeof sides[0]; i++)
        for (size_t j = 0; j < sizeof ks / sizeof ks[0]; j++)
            for (size_t b = 0; b < sizeof bands / sizeof bands[0]; b++)
                if (bands[b] < 64 || (i + j) % 4 == 0)
                    check_flavours(name, filter_row, &random, sides[i], ks[j], bands[b]);
    for (size_t i = 0; i < sizeof large / sizeof large[0]; i++)
        for (int k = 31; k <= 33; k++)
            check_flavours(name, filter_row, &random, large[i], k, (k + (int)i) % 5);
    check_flavours(name, filter_row, &random, 255, 32, 3);
    check_flavours(name, filter_row, &random, 255, 33, 1);
    check_flavours(name, filter_row, &random, 255, 32, 5);
    check_rows(name, filter_row, &random);
}

/* Checks 8-bit values with many labels, such as grey images have, also with rows of the matrix that
 * are all 0 and with small weights. */
static void check_bytes(const char *name, CofiFilterRow *filter_row)
{
    static const int ks[] = {32, 33, 64, 128, 200, 256};
    Random random = {6};
    for (int side = 1; side <= 17; side += 2)
        for (size_t i = 0; i < sizeof ks / sizeof ks[0]; i++) {
            SceneOptions options = {.k = ks[i],
                                    .side = side,
                                    .bands = 1 + (side == 9),
                                    .n = 1 + (int)random_below(&random, 60),
                                    .largest = 255,
                                    .weakest = i % 2 ? 0x1p-20f : 0x1p-2f,
                                    .empty = i == 3,
                                    .repetition = 128,
                                    .bytes = true};
            check_scene(name, filter_row, &random, options);
            options.n = 300;
            options.period = 11;
            options.flat = i == 4;
            check_scene(name, filter_row, &random, options);
        }
}

void check_filter(const Level *level)
{
    char name[64];
    snprintf(name, sizeof name, "%s filter_row", level->name);
    check_windows(name, level->kernels.filter_row);
    check_bytes(name, level->kernels.filter_row);
}
