/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints how long each kernel takes at each level of this machine, in nanoseconds per pixel: the
 * shortest of many short runs, in which the levels take turns. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cof/cof.h"
#include "kernel_data.h"

#define PIXELS 1024
#define ROUNDS 60

/* What a kernel works on; enough for all of them. */
typedef struct Load {
    Scene scene;
    float *planes[COF_MAX_BANDS];
    float *light[3], *wide; /* wide: factors, pixels, cells of the fast filter */
    double *doubles[3];
    uint8_t *labels, *mixed;
    uint32_t *places;
    uint16_t *counts;
    float *centres;
    CofiCentres *prepared;
    int k, bands;
} Load;

typedef void Work(const CofiKernels *kernels, const Load *load);

static void lab_from_linear(const CofiKernels *kernels, const Load *load)
{
    kernels->lab_from_linear(load->doubles[0], load->doubles[1], load->doubles[2], PIXELS,
                             load->planes[0], load->planes[1], load->planes[2]);
}

static void lab_from_samples(const CofiKernels *kernels, const Load *load)
{
    kernels->lab_from_samples(load->light[0], load->light[1], load->light[2], PIXELS,
                              load->planes[0], load->planes[1], load->planes[2]);
}

static void lab_from_bytes(const CofiKernels *kernels, const Load *load)
{
    kernels->lab_from_bytes(load->labels, 3, load->light[0], PIXELS, load->planes[0],
                            load->planes[1], load->planes[2]);
}

static void decode_row(const CofiKernels *kernels, const Load *load)
{
    kernels->decode_row(load->light[0], PIXELS, 1, load->doubles[1]);
}

static void rgb_from_lab(const CofiKernels *kernels, const Load *load)
{
    kernels->rgb_from_lab(load->planes[0], load->planes[1], load->planes[2], PIXELS,
                          load->planes[3], load->planes[4], load->planes[5]);
}

static void bytes_from_lab(const CofiKernels *kernels, const Load *load)
{
    static const uint32_t table[1 << COFI_ENCODING_BITS];
    kernels->bytes_from_lab(load->planes[0], load->planes[1], load->planes[2], PIXELS, table, 3,
                            load->mixed);
}

static void nearest(const CofiKernels *kernels, const Load *load)
{
    kernels->nearest((const float *const *)load->planes, PIXELS, load->prepared, load->mixed, NULL);
}

static void shrink(const CofiKernels *kernels, const Load *load)
{
    enum { N = PIXELS / COFI_SHRINK_CHUNK };
    double sums[N], largest[N];
    int chunks[N];
    for (int i = 0; i < N; i++)
        chunks[i] = i;
    CofiShrunk to = {sums, largest, load->doubles[1], load->wide};
    kernels->shrink((const float *const *)load->planes, load->bands, load->centres, chunks, N,
                    load->doubles[0], &to);
}

static void gain(const CofiKernels *kernels, const Load *load)
{
    static const int chunks[] = {0, 1, 2, 3};
    enum { N = sizeof chunks / sizeof chunks[0] };
    for (int i = 0; i + N * COFI_SHRINK_CHUNK <= PIXELS; i += N * COFI_SHRINK_CHUNK)
        kernels->gain((const float *const *)load->planes, load->bands, load->centres,
                      load->planes[0], chunks, N);
}

static void hash_row(const CofiKernels *kernels, const Load *load)
{
    kernels->hash_row(5, 7, PIXELS, UINT64_MAX >> 4, load->mixed);
}

static void count_row(const CofiKernels *kernels, const Load *load)
{
    memset(load->counts, 0, (size_t)(15 * load->k) * sizeof *load->counts);
    static const int tables[15] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
    kernels->count_row(load->labels, NULL, load->places, PIXELS, 15, tables, load->k, load->counts);
}

static void filter_row(const CofiKernels *kernels, const Load *load)
{
    kernels->filter_row(&load->scene.taps, 0, load->scene.n, load->planes, load->mixed);
}

#define TERMS 12
#define CELL (TERMS * 4)
#define CELLS (PIXELS / 4)
#define WIDE (32 * CELL + 8 * PIXELS + CELL * (PIXELS / 2 + 4))

/* Cells of 2 x 2 pixels. */
static void splat_row(const CofiKernels *kernels, const Load *load)
{
    const CofiTaps *taps = &load->scene.taps;
    CofiSplat splat = {.factors = load->wide,
                       .size = CELL,
                       .spread = 4,
                       .planes = 4,
                       .step = 2,
                       .n = CELLS,
                       .labels = taps->labels,
                       .values = taps->alphas,
                       .stride = taps->stride,
                       .pixels = load->wide + 32 * CELL,
                       .sums = load->wide + 32 * CELL + 4 * PIXELS};
    kernels->splat_row(&splat);
}

static void blur_rows(const CofiKernels *kernels, const Load *load)
{
    const float *rows[10];
    float *blurred[COFI_BLURS];
    for (int i = 0; i < 10; i++)
        rows[i] = load->planes[i];
    for (int i = 0; i < COFI_BLURS; i++)
        blurred[i] = load->planes[10 + i];
    CofiBlur blur = {.taps = load->centres,
                     .radius = 3,
                     .n = PIXELS,
                     .parts = 1,
                     .rows = rows,
                     .blurred = blurred};
    kernels->blur_rows(&blur);
}

/* Two rows: the time is that of 2 x PIXELS pixels. */
static void slice_rows(const CofiKernels *kernels, const Load *load)
{
    static const float shares[2] = {0.25f, 0.75f};
    const CofiTaps *taps = &load->scene.taps;
    float *cells = load->wide + 32 * CELL + 8 * PIXELS, corners[4 * 4 * COFI_FAST_LABELS];
    CofiSlice slice = {.factors = load->wide,
                       .size = CELL,
                       .spread = 4,
                       .step = 2,
                       .n = PIXELS,
                       .rows = 2,
                       .shares = shares,
                       .lower_shares = shares,
                       .upper = cells,
                       .lower = cells + CELL,
                       .labels = taps->labels,
                       .corners = corners,
                       .pixels = load->wide + 32 * CELL,
                       .stride = 4 * PIXELS};
    kernels->slice_rows(&slice);
}

/* Lab in windows of radius 2. */
static void fit_row(const CofiKernels *kernels, const Load *load)
{
    enum { STRIDE = PIXELS + 2 * COFI_COLUMNS };
    static float rows[5][7 * STRIDE], models[12 * PIXELS], known[PIXELS], sums[COFI_FIT_SCRATCH];
    const float *window[5];
    for (int i = 0; i < 5; i++) {
        window[i] = rows[i];
        bool filled = rows[i][0] > 0;
        for (int plane = 0; plane < 7 && !filled; plane++)
            for (int x = 0; x < STRIDE; x++)
                rows[i][plane * STRIDE + x] = plane ? load->planes[plane][x % PIXELS] / 100 : 1;
    }
    CofiFit fit = {.rows = window,
                   .n_rows = 5,
                   .stride = STRIDE,
                   .guide = 1,
                   .guides = 3,
                   .value = 4,
                   .values = 3,
                   .radius = 2,
                   .n = PIXELS,
                   .sums = sums,
                   .models = models,
                   .model_stride = PIXELS,
                   .known = known};
    kernels->fit_row(&fit);
}

static void mix_rows(const CofiKernels *kernels, const Load *load)
{
    enum { N = PIXELS / 12 / COFI_COLUMNS * COFI_COLUMNS };
    for (int i = 0; i < PIXELS; i += N)
        kernels->mix_rows(load->wide, load->wide + PIXELS, 0.25f, N, 12, N, load->wide + 3 * PIXELS,
                          N);
}

static void apply_row(const CofiKernels *kernels, const Load *load)
{
    enum { STRIDE = PIXELS / 4, N = STRIDE - COFI_COLUMNS };
    for (int i = 0; i < PIXELS; i += N)
        for (int band = 0; band < 3; band++) {
            CofiApply apply = {.models = load->wide,
                               .model_stride = STRIDE,
                               .share = 0.25f,
                               .guide = load->wide + 4 * STRIDE,
                               .stride = STRIDE,
                               .guides = 3,
                               .n = N,
                               .middle = 0,
                               .range = 100,
                               .values = load->planes[3]};
            kernels->apply_row(&apply);
        }
}

static Load make_load(Random *random, SceneOptions options)
{
    Load load = {
        .scene = make_scene(random, options, WALL_AFTER), .k = options.k, .bands = options.bands};
    for (int i = 0; i < COF_MAX_BANDS; i++) {
        load.planes[i] = guarded(PIXELS * sizeof(float), WALL_AFTER);
        for (int x = 0; x < PIXELS; x++)
            load.planes[i][x] = random_between(random, 0, 100);
    }
    for (int i = 0; i < 3; i++) {
        load.doubles[i] = guarded(PIXELS * sizeof(double), WALL_AFTER);
        load.light[i] = guarded(PIXELS * sizeof(float), WALL_AFTER);
        for (int x = 0; x < PIXELS; x++)
            load.doubles[i][x] = (double)(load.light[i][x] = random_between(random, 0, 1));
    }
    load.wide = guarded(WIDE * sizeof(float), WALL_AFTER);
    for (int i = 0; i < WIDE; i++)
        load.wide[i] = random_between(random, 0.1f, 1);
    load.centres = guarded((size_t)(options.k * options.bands) * sizeof(float), WALL_AFTER);
    for (int i = 0; i < options.k * options.bands; i++)
        load.centres[i] = random_between(random, 0, 100);
    void *memory = guarded(cofi_centres_size(options.bands, options.k), WALL_AFTER);
    load.prepared = cofi_centres_fill(memory, load.centres, options.bands, options.k);
    load.mixed = guarded(3 * PIXELS, WALL_AFTER);
    load.labels = guarded(4 * PIXELS + 15 + COFI_OVERREAD, WALL_AFTER);
    load.places = guarded(PIXELS * sizeof *load.places, WALL_AFTER);
    load.counts = guarded((size_t)(15 * options.k) * sizeof *load.counts, WALL_AFTER);
    for (int i = 0; i < 4 * PIXELS + 15 + COFI_OVERREAD; i++)
        load.labels[i] = (uint8_t)random_below(random, (uint32_t)options.k);
    for (int i = 0; i < PIXELS; i++)
        load.places[i] = 4 * (uint32_t)i;
    return load;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void print_times(const char *name, Work *work, SceneOptions options, const Level *levels,
                        int n_levels)
{
    Random random = {1};
    Load load = make_load(&random, options);
    double best[MAX_LEVELS];
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < n_levels; i++) {
            double start = now();
            work(&levels[i].kernels, &load);
            double time = (now() - start) / PIXELS;
            best[i] = round == 0 || time < best[i] ? time : best[i];
        }
    printf("%-40s", name);
    for (int i = 0; i < n_levels; i++)
        printf("%9.2f", best[i]);
    printf("\n");
    fflush(stdout);
    release();
}

static void print_filter_times(SceneOptions options, const Level *levels, int n_levels)
{
    char name[64];
    options.n = PIXELS;
    options.largest = 100;
    options.weakest = 0x1p-20f;
    const char *kind = options.bytes ? ", photo" : options.repetition ? "" : ", rough";
    snprintf(name, sizeof name, "filter_row %dx%d, k %d, %d bands%s", options.side, options.side,
             options.k, options.bands, kind);
    print_times(name, filter_row, options, levels, n_levels);
}

int main(void)
{
    Level levels[MAX_LEVELS];
    int n = levels_here(levels);
    printf("%-40s", "ns per pixel");
    for (int i = 0; i < n; i++)
        printf("%9s", levels[i].name);
    printf("\n");
    SceneOptions plain = {
        .k = 32, .side = 3, .bands = 3, .n = PIXELS, .weakest = 0x1p-20f, .repetition = 160};
    print_times("lab_from_linear", lab_from_linear, plain, levels, n);
    print_times("lab_from_samples", lab_from_samples, plain, levels, n);
    print_times("lab_from_bytes", lab_from_bytes, plain, levels, n);
    print_times("decode_row", decode_row, plain, levels, n);
    print_times("rgb_from_lab", rgb_from_lab, plain, levels, n);
    print_times("bytes_from_lab", bytes_from_lab, plain, levels, n);
    print_times("nearest, k 32", nearest, plain, levels, n);
    print_times("shrink", shrink, plain, levels, n);
    print_times("gain", gain, plain, levels, n);
    print_times("hash_row", hash_row, plain, levels, n);
    print_times("splat_row of 2x2, 3 bands, 12 terms", splat_row, plain, levels, n);
    print_times("blur_rows, 7 taps, 4 numbers", blur_rows, plain, levels, n);
    print_times("slice_rows of 2x2, 3 bands, 12 terms", slice_rows, plain, levels, n);
    print_times("fit_row, radius 2, 3 guides, 3 values", fit_row, plain, levels, n);
    print_times("mix_rows of 12 planes", mix_rows, plain, levels, n);
    print_times("apply_row, 3 guides, 3 values", apply_row, plain, levels, n);
    print_times("count_row of 15, k 32", count_row, plain, levels, n);
    const SceneOptions filters[] = {
        {.side = 7, .k = 32, .bands = 3, .weakest = 0x1p-20f, .repetition = 160},
        {.side = 15, .k = 32, .bands = 1, .weakest = 0x1p-20f, .repetition = 160},
        {.side = 15, .k = 32, .bands = 3, .weakest = 0x1p-20f, .repetition = 160},
        {.side = 15, .k = 32, .bands = 3, .repetition = 230, .bytes = true},
        {.side = 15, .k = 32, .bands = 3, .repetition = 0},
        {.side = 15, .k = 32, .bands = 8, .weakest = 0x1p-20f, .repetition = 160},
        {.side = 15, .k = 64, .bands = 3, .weakest = 0x1p-20f, .repetition = 160},
        {.side = 15, .k = 256, .bands = 3, .weakest = 0x1p-20f, .repetition = 160},
        {.side = 31, .k = 32, .bands = 3, .weakest = 0x1p-20f, .repetition = 160},
    };
    for (size_t i = 0; i < sizeof filters / sizeof filters[0]; i++)
        print_filter_times(filters[i], levels, n);
    return 0;
}
