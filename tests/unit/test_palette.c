/* SPDX-License-Identifier: BSD-2-Clause */
/* Palettes on their own: k-means is at rest and as good as another one, labels are nearest, few
 * colours give few clusters, gaps do not starve it. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "testing.h"

/* Samples as a user would see them: three bands, so that no colour conversion is in the way. */
enum { WIDTH = 200, HEIGHT = 150, BANDS = 3 };

typedef struct Cloud {
    float *rows; /* the samples that the library must have taken */
    int n;
} Cloud;

static float *random_image(uint64_t seed, int spots)
{
    Random random = {seed};
    float *image = malloc(sizeof(float) * WIDTH * HEIGHT * BANDS);
    double centres[64][BANDS], spread[64];
    for (int i = 0; i < spots; i++) {
        spread[i] = 1 + 10 * random_uniform(&random);
        for (int b = 0; b < BANDS; b++)
            centres[i][b] = 255 * random_uniform(&random);
    }
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        int spot = random_int(&random, 0, spots - 1);
        for (int b = 0; b < BANDS; b++)
            image[i * BANDS + b] =
                (float)(centres[spot][b] + spread[spot] * random_normal(&random));
    }
    return image;
}

/* The grid: a step of 10 that shrinks until there are 50 k samples. */
static Cloud grid_samples(const float *image, int k)
{
    int step = 10;
    while (step > 1 && ((WIDTH + step - 1) / step) * ((HEIGHT + step - 1) / step) < 50 * k)
        step--;
    Cloud cloud = {malloc(sizeof(float) * WIDTH * HEIGHT * BANDS), 0};
    for (int y = 0; y < HEIGHT; y += step)
        for (int x = 0; x < WIDTH; x += step)
            memcpy(cloud.rows + BANDS * cloud.n++, image + (y * WIDTH + x) * BANDS,
                   sizeof(float) * BANDS);
    return cloud;
}

static double squared(const float *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < BANDS; i++)
        sum += ((double)a[i] - b[i]) * ((double)a[i] - b[i]);
    return sum;
}

static int nearest(const float *row, const double *centres, int k, double *distance)
{
    int best = 0;
    *distance = INFINITY;
    for (int a = 0; a < k; a++) {
        double d = squared(row, centres + a * BANDS);
        if (d < *distance) {
            *distance = d;
            best = a;
        }
    }
    return best;
}

/* One of Lloyd's rounds: moves the centres, returns the inertia before. */
static double lloyd(const Cloud *cloud, double *centres, int k)
{
    double *sums = calloc((size_t)(k * BANDS), sizeof *sums), inertia = 0, d;
    int *sizes = calloc((size_t)k, sizeof *sizes);
    for (int i = 0; i < cloud->n; i++) {
        int a = nearest(cloud->rows + i * BANDS, centres, k, &d);
        inertia += d;
        sizes[a]++;
        for (int b = 0; b < BANDS; b++)
            sums[a * BANDS + b] += (double)cloud->rows[i * BANDS + b];
    }
    for (int i = 0; i < k * BANDS; i++)
        if (sizes[i / BANDS] > 0)
            centres[i] = sums[i] / sizes[i / BANDS];
    free(sums);
    free(sizes);
    return inertia;
}

/* Another k-means: plain k-means++ seeding, many rounds, the best of ten runs. */
static double best_of_ten(const Cloud *cloud, int k)
{
    double best = INFINITY, *centres = malloc(sizeof(double) * (size_t)(k * BANDS));
    double *far = malloc(sizeof(double) * (size_t)cloud->n);
    Random random = {77};
    for (int run = 0; run < 10; run++) {
        for (int a = 0; a < k; a++) {
            double total = 0, d;
            for (int i = 0; i < cloud->n; i++) {
                far[i] = 1;
                if (a > 0)
                    nearest(cloud->rows + i * BANDS, centres, a, &far[i]);
                total += far[i];
            }
            int pick = 0;
            for (d = total * random_uniform(&random); pick < cloud->n - 1 && d >= far[pick]; pick++)
                d -= far[pick];
            for (int b = 0; b < BANDS; b++)
                centres[a * BANDS + b] = (double)cloud->rows[pick * BANDS + b];
        }
        double inertia = INFINITY, now = DBL_MAX;
        while (now < inertia) {
            inertia = now;
            now = lloyd(cloud, centres, k);
        }
        best = fmin(best, now);
    }
    free(centres);
    free(far);
    return best;
}

static CofImage view_of(float *image)
{
    return (CofImage){.data = image,
                      .width = WIDTH,
                      .height = HEIGHT,
                      .channels = BANDS,
                      .kind = COF_KIND_BANDS,
                      .sample = COF_SAMPLE_F32};
}

static CofStats *with_palette(const CofImage *view, int colours, uint64_t seed)
{
    CofStats *stats = NULL;
    CofOptions options;
    cof_options_init(&options);
    options.colours = colours;
    options.seed = seed;
    assert_ok(cof_stats_new(&stats, &options));
    assert_ok(cof_stats_scan(stats, view, NULL, &options));
    assert_ok(cof_stats_fit_palette(stats, &options));
    return stats;
}

static double *palette_of(const CofStats *stats)
{
    int bands, k = cof_stats_size(stats);
    const float *palette = cof_stats_palette(stats, &bands);
    assert_int_equal(bands, BANDS);
    double *centres = malloc(sizeof(double) * (size_t)(k * BANDS));
    for (int i = 0; i < k * BANDS; i++)
        centres[i] = (double)palette[i];
    return centres;
}

static void is_at_rest_and_good(void **state)
{
    (void)state;
    static const int ks[] = {4, 16, 32, 64};
    double worst = 0;
    for (uint64_t seed = 0; seed < 12; seed++) {
        int k = ks[seed % 4];
        float *image = random_image(seed + 1, 3 + (int)seed * 4);
        CofImage view = view_of(image);
        Cloud cloud = grid_samples(image, k);
        CofStats *stats = with_palette(&view, k, seed);
        assert_int_equal(cof_stats_size(stats), k);
        double *centres = palette_of(stats), *moved = palette_of(stats);
        double inertia = lloyd(&cloud, moved, k);
        for (int i = 0; i < k * BANDS; i++)
            assert_true(fabs(moved[i] - centres[i]) <= 1e-6 * 255);
        double ratio = inertia / best_of_ten(&cloud, k);
        worst = fmax(worst, ratio);
        assert_true(ratio <= 1.05);
        for (int a = 1; a < k; a++)
            assert_true(centres[(a - 1) * BANDS] <= centres[a * BANDS]);
        free(centres);
        free(moved);
        free(cloud.rows);
        free(image);
        cof_stats_free(&stats);
    }
    print_message("inertia: at worst %.3f of the best of ten others\n", worst);
}

static void labels_are_nearest(void **state)
{
    (void)state;
    float *image = random_image(5, 20);
    CofImage view = view_of(image);
    CofStats *stats = with_palette(&view, 40, 0);
    CofModel *model = NULL;
    assert_ok(cof_stats_add(stats, &view, NULL, NULL));
    assert_ok(cof_model_new(&model, stats, NULL));
    uint8_t *labels = malloc(WIDTH * HEIGHT);
    CofImage to = grey_view(labels, WIDTH, HEIGHT);
    assert_ok(cof_model_label(model, &view, &to, NULL));
    double *centres = palette_of(stats), best;
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        assert_int_equal(labels[i], nearest(image + i * BANDS, centres, 40, &best));
    free(labels);
    free(centres);
    free(image);
    cof_model_free(&model);
    cof_stats_free(&stats);
}

/* On a tie the lowest index wins, also among centres that are the same. */
static void ties_go_to_the_lowest(void **state)
{
    (void)state;
    static const float centres[] = {10, 30, 30, 50};
    float values[] = {20, 40, 30, 10, 60};
    static const uint8_t wanted[] = {0, 1, 1, 0, 3};
    uint8_t labels[5];
    CofImage view = {.data = values,
                     .width = 5,
                     .height = 1,
                     .channels = 1,
                     .kind = COF_KIND_BANDS,
                     .sample = COF_SAMPLE_F32};
    CofImage to = grey_view(labels, 5, 1);
    CofStats *stats = NULL;
    CofModel *model = NULL;
    assert_ok(cof_stats_new(&stats, NULL));
    assert_ok(cof_stats_set_palette(stats, centres, 4, 1, COF_KIND_BANDS, NULL));
    assert_ok(cof_stats_add(stats, &view, NULL, NULL));
    assert_ok(cof_model_new(&model, stats, NULL));
    assert_ok(cof_model_label(model, &view, &to, NULL));
    assert_memory_equal(labels, wanted, sizeof wanted);
    cof_model_free(&model);
    cof_stats_free(&stats);
}

static CofStats *scanned_stats(const CofImage *view, const CofOptions *options)
{
    CofStats *stats = NULL;
    assert_ok(cof_stats_new(&stats, options));
    assert_ok(cof_stats_scan(stats, view, NULL, NULL));
    return stats;
}

/* With a copied palette, the statistics and the model are those of a fitted palette, byte for
 * byte. */
static void check_copy(const CofImage *view, const CofOptions *options)
{
    CofStats *fitted = scanned_stats(view, options), *copy;
    CofModel *model = NULL;
    assert_ok(cof_stats_fit_palette(fitted, NULL));
    assert_ok(cof_stats_add(fitted, view, NULL, NULL));
    assert_ok(cof_model_new(&model, fitted, NULL));
    for (int from_model = 0; from_model < 2; from_model++) {
        CofModel *again = NULL;
        copy = scanned_stats(view, options);
        assert_ok(from_model ? cof_stats_set_palette_from_model(copy, model, NULL)
                             : cof_stats_set_palette_from_stats(copy, fitted, NULL));
        assert_ok(cof_stats_add(copy, view, NULL, NULL));
        assert_ok(cof_model_new(&again, copy, NULL));
        assert_same_stats(copy, fitted);
        assert_memory_equal(cof_model_matrix(again), cof_model_matrix(model),
                            (size_t)cof_model_size(model) * (size_t)cof_model_size(model) *
                                sizeof(double));
        assert_ok(cof_stats_merge(copy, fitted, NULL));
        cof_model_free(&again);
        cof_stats_free(&copy);
    }
    cof_model_free(&model);
    cof_stats_free(&fitted);
}

static void copied_palettes_stay_as_they_are(void **state)
{
    (void)state;
    uint8_t pixels[40 * 30 * 3];
    uint16_t wide[40 * 30];
    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (uint8_t)(i * i / 7 + i);
    for (int i = 0; i < 40 * 30; i++)
        wide[i] = (uint16_t)(i * 50);
    CofOptions options;
    cof_options_init(&options);
    CofImage grey = grey_view(pixels, 40, 30), rgb = grey, deep = grey;
    check_copy(&grey, &options); /* exact */
    options.levels = 20;
    check_copy(&grey, &options); /* bins */
    deep.data = wide;
    deep.sample = COF_SAMPLE_U16;
    check_copy(&deep, &options);
    rgb.channels = 3;
    rgb.kind = COF_KIND_RGB;
    check_copy(&rgb, &options); /* centres */
}

static void palettes_of_other_kinds_are_refused(void **state)
{
    (void)state;
    uint8_t pixels[12 * 10 * 3] = {0};
    uint16_t wide[12 * 10] = {0};
    CofImage grey = grey_view(pixels, 12, 10), rgb = grey, deep = grey;
    rgb.channels = 3;
    rgb.kind = COF_KIND_RGB;
    deep.data = wide;
    deep.sample = COF_SAMPLE_U16;
    CofStats *fitted = scanned_stats(&grey, NULL), *labels = NULL, *fresh = NULL;
    assert_ok(cof_stats_fit_palette(fitted, NULL));
    const CofImage *others[] = {&rgb, &deep};
    for (int i = 0; i < 2; i++) {
        CofStats *stats = scanned_stats(others[i], NULL);
        assert_status(cof_stats_set_palette_from_stats(stats, fitted, NULL), COF_ERR_MISMATCH);
        assert_int_equal(cof_stats_size(stats), 0);
        cof_stats_free(&stats);
    }
    static const float centres[6] = {10, 0, 0, 80, 5, 5};
    static const struct {
        int bands;
        CofKind kind;
        CofStatus status; /* after a scan of grey */
    } given[] = {{3, COF_KIND_RGB, COF_ERR_MISMATCH},
                 {1, COF_KIND_BANDS, COF_ERR_MISMATCH},
                 {2, COF_KIND_BANDS, COF_ERR_MISMATCH},
                 {1, COF_KIND_GREY, COF_OK},
                 {1, COF_KIND_GREY_ALPHA, COF_OK}};
    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++) {
        CofStats *stats = scanned_stats(&grey, NULL);
        assert_status(cof_stats_set_palette(stats, centres, 2, given[i].bands, given[i].kind, NULL),
                      given[i].status);
        assert_int_equal(cof_stats_size(stats), given[i].status == COF_OK ? 2 : 0);
        if (given[i].status == COF_OK)
            assert_ok(cof_stats_add(stats, &grey, NULL, NULL));
        else
            assert_ok(cof_stats_fit_palette(stats, NULL)); /* the scan is kept */
        cof_stats_free(&stats);
    }
    assert_ok(cof_stats_new(&fresh, NULL));
    assert_ok(cof_stats_new(&labels, NULL));
    assert_status(cof_stats_set_palette_from_stats(fresh, labels, NULL), COF_ERR_ARGUMENT);
    assert_ok(cof_stats_set_labels(labels, 5, NULL));
    assert_status(cof_stats_set_palette_from_stats(fresh, labels, NULL), COF_ERR_ARGUMENT);
    assert_status(cof_stats_set_palette_from_stats(labels, fitted, NULL), COF_ERR_ARGUMENT);
    assert_ok(cof_stats_set_palette_from_stats(fresh, fitted, NULL));
    cof_stats_free(&fresh);
    cof_stats_free(&labels);
    cof_stats_free(&fitted);
}

/* The smallest rate that leaves the pairs of at most 2^14 windows of 32 levels, 2^15 of 128,
 * 2^16 of 256. */
static void rate_follows_the_pixels(void **state)
{
    (void)state;
    static const struct {
        int width, height, levels, rate;
    } cases[] = {{256, 256, 256, 0}, {256, 257, 256, 1}, {512, 256, 256, 1}, {512, 257, 256, 2},
                 {128, 128, 32, 0},  {128, 129, 32, 1},  {256, 128, 32, 1},  {256, 129, 32, 2},
                 {256, 128, 33, 0},  {256, 129, 33, 1},  {256, 256, 129, 0}, {1, 1, 256, 0}};
    uint8_t *pixels = calloc(512, 257);
    pixels[0] = 255; /* so that there is a range for levels */
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int sampling = 0; sampling < 2; sampling++) {
            CofImage view = grey_view(pixels, cases[i].width, cases[i].height);
            CofStats *stats = NULL;
            CofOptions options;
            cof_options_init(&options);
            options.sampling = (CofSampling)sampling;
            options.levels = cases[i].levels;
            assert_ok(cof_stats_new(&stats, &options));
            assert_ok(cof_stats_scan(stats, &view, NULL, NULL));
            assert_ok(cof_stats_fit_palette(stats, NULL));
            assert_int_equal(cof_stats_sampling_shift(stats),
                             sampling == COF_SAMPLING_ALL ? 0 : cases[i].rate);
            cof_stats_free(&stats);
        }
    free(pixels);
}

static void few_colours_give_few_clusters(void **state)
{
    (void)state;
    float *image = random_image(6, 1);
    static const float colours[3][BANDS] = {{9, 1, 1}, {3, 200, 4}, {3, 100, 8}};
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        memcpy(image + i * BANDS, colours[i % 7 % 3], sizeof colours[0]);
    CofImage view = view_of(image);
    CofStats *stats = with_palette(&view, 32, 0);
    assert_int_equal(cof_stats_size(stats), 3);
    double *centres = palette_of(stats);
    static const double sorted[] = {3, 100, 8, 3, 200, 4, 9, 1, 1};
    assert_memory_equal(centres, sorted, sizeof sorted);
    free(centres);
    free(image);
    cof_stats_free(&stats);
}

/* A small island of data off the grid still gets a whole palette. */
static void gaps_do_not_starve_it(void **state)
{
    (void)state;
    float *image = random_image(8, 40);
    uint8_t *valid = calloc(WIDTH, HEIGHT);
    for (int y = 31; y < 39; y++)
        memset(valid + y * WIDTH + 41, 1, 8);
    CofImage view = view_of(image);
    view.valid = valid;
    CofStats *stats = with_palette(&view, 32, 0);
    assert_int_equal(cof_stats_size(stats), 32);
    cof_stats_free(&stats);
    free(valid);
    free(image);
}

/* Known colours, by the published constants: L, a, b of sRGB primaries. */
static void lab_is_lab(void **state)
{
    (void)state;
    static const struct {
        uint8_t rgb[3];
        double lab[3];
    } known[] = {
        {{255, 255, 255}, {100, 0, 0}},         {{0, 0, 0}, {0, 0, 0}},
        {{255, 0, 0}, {53.24, 80.09, 67.20}},   {{0, 255, 0}, {87.73, -86.18, 83.18}},
        {{0, 0, 255}, {32.30, 79.19, -107.86}}, {{119, 119, 119}, {50.03, 0, 0}},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        uint8_t pixel[3];
        memcpy(pixel, known[i].rgb, 3);
        CofImage view = {
            .data = pixel, .width = 1, .height = 1, .channels = 3, .kind = COF_KIND_RGB};
        CofStats *stats = with_palette(&view, 4, 0);
        assert_int_equal(cof_stats_size(stats), 1);
        for (int b = 0; b < 3; b++)
            assert_true(fabs((double)cof_stats_palette(stats, NULL)[b] - known[i].lab[b]) < 0.02);
        cof_stats_free(&stats);
    }
}

/* Every 8-bit colour of a fine grid survives the way to Lab and back. */
static void lab_and_back(void **state)
{
    (void)state;
    enum { STEPS = 18, N = STEPS * STEPS * STEPS };
    uint8_t *in = malloc(3 * N), *out = malloc(3 * N);
    for (int i = 0; i < N; i++) {
        in[3 * i] = (uint8_t)(i % STEPS * 15);
        in[3 * i + 1] = (uint8_t)(i / STEPS % STEPS * 15);
        in[3 * i + 2] = (uint8_t)(i / STEPS / STEPS * 15);
    }
    CofImage from = {.data = in, .width = N, .height = 1, .channels = 3, .kind = COF_KIND_RGB},
             to = from;
    to.data = out;
    CofOptions options;
    cof_options_init(&options);
    options.filter_window = 1; /* each pixel is its own mean */
    assert_ok(cof_smooth(&from, &to, &options));
    assert_memory_equal(in, out, 3 * N);
    free(in);
    free(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_at_rest_and_good),
        cmocka_unit_test(labels_are_nearest),
        cmocka_unit_test(ties_go_to_the_lowest),
        cmocka_unit_test(copied_palettes_stay_as_they_are),
        cmocka_unit_test(palettes_of_other_kinds_are_refused),
        cmocka_unit_test(rate_follows_the_pixels),
        cmocka_unit_test(few_colours_give_few_clusters),
        cmocka_unit_test(gaps_do_not_starve_it),
        cmocka_unit_test(lab_is_lab),
        cmocka_unit_test(lab_and_back),
    };
    return cmocka_run_group_tests_name("palette", tests, NULL, NULL);
}
