/* SPDX-License-Identifier: BSD-2-Clause */
/* The synthetic figures of the paper, made with fixed seeds and measured. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "testing.h"

typedef struct Moments {
    double mean, std;
} Moments;

static Moments moments(const uint8_t *pixels, int stride, CofRect rect)
{
    double sum = 0, squares = 0, n = (double)rect.width * rect.height;
    for (int y = rect.y; y < rect.y + rect.height; y++)
        for (int x = rect.x; x < rect.x + rect.width; x++) {
            double v = pixels[y * stride + x];
            sum += v;
            squares += v * v;
        }
    double mean = sum / n;
    return (Moments){mean, sqrt(fmax(squares / n - mean * mean, 0))};
}

static uint8_t noisy(Random *random, double value, double std)
{
    double v = floor(value + std * random_normal(random) + 0.5);
    return (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v);
}

/* Figure 1. Strong edges inside a texture go, a weaker one between two regions stays. */
static void not_about_edge_strength(void **state)
{
    (void)state;
    enum { SIDE = 256, BOARD = 24 };
    static const int corners[4][2] = {{30, 40}, {70, 180}, {170, 60}, {200, 190}};
    uint8_t *image = malloc(SIDE * SIDE);
    Random random = {11};
    for (int i = 0; i < SIDE * SIDE; i++)
        image[i] = noisy(&random, i % SIDE < 128 ? 100 : 160, 8);
    for (int board = 0; board < 4; board++)
        for (int i = 0; i < BOARD * BOARD; i++) {
            int x = corners[board][0] + i % BOARD, y = corners[board][1] + i / BOARD;
            image[y * SIDE + x] = (x + y) % 2 ? 255 : 0;
        }
    CofImage view = grey_view(image, SIDE, SIDE);
    assert_ok(cof_smooth(&view, &view, NULL));

    for (int board = 0; board < 4; board++) {
        CofRect inside = {corners[board][0] + 8, corners[board][1] + 8, 8, 8};
        assert_true(moments(image, SIDE, inside).std <= 1);
    }
    CofRect left = {8, 100, 100, 50}, right = {150, 100, 40, 50};
    assert_true(moments(image, SIDE, left).std <= 1.6);
    assert_true(moments(image, SIDE, right).std <= 1.6);
    CofRect before = {127, 0, 1, SIDE}, after = {128, 0, 1, SIDE};
    assert_true(moments(image, SIDE, after).mean - moments(image, SIDE, before).mean >= 57);
    free(image);
}

static void star(uint8_t *image, int side, int x, int y)
{
    for (int i = 0; i < 9; i++)
        image[(y - 1 + i / 3) * side + x - 1 + i % 3] = 235;
}

static int compare_bytes(const void *a, const void *b)
{
    return *(const uint8_t *)a - *(const uint8_t *)b;
}

/* Figure 2. A lone star stays; among many, stars are texture. */
static void role_of_context(void **state)
{
    (void)state;
    enum { SIDE = 128, STARS = 150 };
    uint8_t image[SIDE * SIDE], centres[STARS];
    CofImage view = grey_view(image, SIDE, SIDE);
    memset(image, 20, sizeof image);
    star(image, SIDE, 64, 64);
    assert_ok(cof_smooth(&view, &view, NULL));
    assert_true(image[64 * SIDE + 64] >= 228);

    int places[STARS][2];
    Random random = {5};
    memset(image, 20, sizeof image);
    for (int i = 0; i < STARS; i++) {
        places[i][0] = random_int(&random, 1, SIDE - 2);
        places[i][1] = random_int(&random, 1, SIDE - 2);
        star(image, SIDE, places[i][0], places[i][1]);
    }
    assert_ok(cof_smooth(&view, &view, NULL));
    for (int i = 0; i < STARS; i++)
        centres[i] = image[places[i][1] * SIDE + places[i][0]];
    qsort(centres, STARS, 1, compare_bytes);
    assert_true(centres[STARS / 2] <= 135);
}

enum { STRIPE = 60, STRIPES = 5, STRIPES_WIDTH = STRIPE * STRIPES, STRIPES_HEIGHT = 100 };

static void paint_stripes(uint8_t *image)
{
    Random random = {3};
    for (int i = 0; i < STRIPES_WIDTH * STRIPES_HEIGHT; i++)
        image[i] = noisy(&random, 40 + 42 * (i % STRIPES_WIDTH / STRIPE), 6);
}

static double step_after(const uint8_t *image, int stripe)
{
    CofRect before = {stripe * STRIPE - 1, 0, 1, STRIPES_HEIGHT}, after = before;
    after.x++;
    return moments(image, STRIPES_WIDTH, after).mean - moments(image, STRIPES_WIDTH, before).mean;
}

static bool stripe_unchanged(const uint8_t *a, const uint8_t *b, int stripe)
{
    for (int y = 0; y < STRIPES_HEIGHT; y++)
        if (memcmp(a + y * STRIPES_WIDTH + stripe * STRIPE, b + y * STRIPES_WIDTH + stripe * STRIPE,
                   STRIPE) != 0)
            return false;
    return true;
}

static void smooth_stripes(uint8_t *in, uint8_t *out, CofRect region, int iterations)
{
    CofImage from = grey_view(in, STRIPES_WIDTH, STRIPES_HEIGHT);
    CofImage to = grey_view(out, STRIPES_WIDTH, STRIPES_HEIGHT);
    CofRoi roi = {.region = region};
    CofOptions options;
    cof_options_init(&options);
    options.iterations = iterations;
    assert_ok(cof_smooth_roi(&from, &roi, &to, &options));
}

/* Figure 3. What is learned is what is smoothed. */
static void where_to_learn(void **state)
{
    (void)state;
    size_t size = STRIPES_WIDTH * STRIPES_HEIGHT;
    uint8_t *in = malloc(size), *out = malloc(size);
    paint_stripes(in);

    smooth_stripes(in, out, (CofRect){0}, 1);
    for (int stripe = 0; stripe < STRIPES; stripe++) {
        CofRect inside = {stripe * STRIPE + 8, 8, STRIPE - 16, STRIPES_HEIGHT - 16};
        assert_true(moments(out, STRIPES_WIDTH, inside).std <= 1.2);
        if (stripe > 0)
            assert_true(step_after(out, stripe) >= 39);
    }

    CofRect inside_stripe = {STRIPE + 15, 30, 30, 40}; /* stripe 2, counted from 1 */
    smooth_stripes(in, out, inside_stripe, 1);
    assert_true(moments(out, STRIPES_WIDTH, inside_stripe).std <= 1.1);
    for (int stripe = 0; stripe < STRIPES; stripe++)
        assert_int_equal(stripe_unchanged(in, out, stripe), stripe != 1);

    CofRect across = {2 * STRIPE - 4, 0, 8, STRIPES_HEIGHT}; /* the step between 2 and 3 */
    smooth_stripes(in, out, across, 1);
    assert_true(step_after(out, 2) <= 20);
    for (int stripe = 0; stripe < STRIPES; stripe++)
        assert_int_equal(stripe_unchanged(in, out, stripe), stripe != 1 && stripe != 2);
    smooth_stripes(in, out, across, 3);
    assert_true(step_after(out, 2) <= 13);
    for (int stripe = 0; stripe < STRIPES; stripe++)
        assert_int_equal(stripe_unchanged(in, out, stripe), stripe != 1 && stripe != 2);
    free(in);
    free(out);
}

enum { RAMP_WIDTH = 512, RAMP_HEIGHT = 64 };

/* Filters a ramp of two columns a level with labels from 8-bit grey; the result in float. */
static void smooth_ramp(int levels, double softness, float *out)
{
    uint8_t *grey = malloc(RAMP_WIDTH * RAMP_HEIGHT);
    for (int i = 0; i < RAMP_WIDTH * RAMP_HEIGHT; i++) {
        grey[i] = (uint8_t)(i % RAMP_WIDTH / 2);
        out[i] = grey[i];
    }
    CofImage guide = grey_view(grey, RAMP_WIDTH, RAMP_HEIGHT);
    CofImage image = {.data = out,
                      .width = RAMP_WIDTH,
                      .height = RAMP_HEIGHT,
                      .channels = 1,
                      .kind = COF_KIND_BANDS,
                      .sample = COF_SAMPLE_F32};
    CofOptions options;
    cof_options_init(&options);
    options.levels = levels;
    options.softness = softness;
    CofStats *stats = NULL;
    CofModel *model = NULL;
    assert_ok(cof_stats_new(&stats, &options));
    assert_ok(cof_stats_scan(stats, &guide, NULL, &options));
    assert_ok(cof_stats_fit_palette(stats, &options));
    assert_ok(cof_stats_add(stats, &guide, NULL, &options));
    assert_ok(cof_model_new(&model, stats, &options));
    assert_ok(cof_filter(model, &guide, &image, &image, &options));
    cof_model_free(&model);
    cof_stats_free(&stats);
    free(grey);
}

/* How unevenly the middle row rises: the std of its slope over two columns. */
static double ripple(const float *out)
{
    const float *row = out + RAMP_HEIGHT / 2 * RAMP_WIDTH;
    double sum = 0, squares = 0;
    int n = 0;
    for (int x = 32; x < RAMP_WIDTH - 34; x += 2) {
        double slope = (double)row[x + 2] - (double)row[x];
        sum += slope;
        squares += slope * slope;
        n++;
    }
    return sqrt(squares / n - sum / n * (sum / n));
}

/* The largest difference from the ramp, away from the borders. */
static double ramp_error(const float *out)
{
    double worst = 0;
    for (int y = 8; y < RAMP_HEIGHT - 8; y++)
        for (int x = 16; x < RAMP_WIDTH - 16; x++) {
            double error = fabs((double)out[y * RAMP_WIDTH + x] - x / 2);
            if (error > worst) /* fmax() here crashes gcc 12 at -O3 on arm64 */
                worst = error;
        }
    return worst;
}

/* Figure 4. Exact grey leaves a ramp alone; bins show as stairs unless they are softened. */
static void effects_of_quantisation(void **state)
{
    (void)state;
    float *out = malloc(RAMP_WIDTH * RAMP_HEIGHT * sizeof *out);
    smooth_ramp(256, 0, out);
    double worst = ramp_error(out);
    smooth_ramp(32, 0, out);
    double hard = ripple(out);
    smooth_ramp(32, 0.75, out);
    double soft = ripple(out);
    smooth_ramp(32, 1, out);
    double softest = ripple(out);
    print_message("ramp: exact error %.3f; ripple %.3f hard, %.3f at 0.75, %.3f at 1\n", worst,
                  hard, soft, softest);
    assert_true(worst <= 0.13);
    assert_true(soft <= 0.30 * hard);
    assert_true(softest <= 0.18 * hard);
    free(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(not_about_edge_strength),
        cmocka_unit_test(role_of_context),
        cmocka_unit_test(where_to_learn),
        cmocka_unit_test(effects_of_quantisation),
    };
    return cmocka_run_group_tests_name("published_figures", tests, NULL, NULL);
}
