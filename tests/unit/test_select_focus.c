/* SPDX-License-Identifier: BSD-2-Clause */
/* Selection and focus on scenes with known ground truth: a disc of checks on random pixels, with
 * scribbles on a few of them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oracle.h"
#include "testing.h"

#define SIDE 200
#define PIXELS (SIDE * SIDE)
#define RADIUS 60

/* Options for learning and spreading, and for smoothing. */
#define WINDOW 31
#define SPREADING 20
#define SMOOTHING 5

typedef struct Scene {
    int channels;
    uint8_t pixels[3 * PIXELS], out[3 * PIXELS];
    uint8_t truth[PIXELS], scribble[PIXELS], mask[PIXELS];
    float soft[PIXELS];
    CofModel *whole, *foreground, *background;
    CofOptions options;
} Scene;

static double distance(int x, int y)
{
    return hypot(x - SIDE / 2, y - SIDE / 2);
}

static void paint(Scene *s, bool grey)
{
    static const uint8_t colours[4][3] = {
        {200, 40, 40}, {150, 20, 30}, {40, 160, 60}, {30, 110, 40}};
    static const uint8_t greys[4] = {90, 166, 64, 192}; /* both textures have the mean 128 */
    Random random = {7};
    s->channels = grey ? 1 : 3;
    for (int i = 0; i < PIXELS; i++) {
        int x = i % SIDE, y = i / SIDE;
        s->truth[i] = distance(x, y) < RADIUS;
        int which = s->truth[i] ? (x / 3 + y / 3) % 2 : 2 + random_int(&random, 0, 1);
        for (int c = 0; c < s->channels; c++)
            s->pixels[i * s->channels + c] = grey ? greys[which] : colours[which][c];
        s->scribble[i] = abs(y - SIDE / 2) <= 3 && abs(x - SIDE / 2) <= 32; /* 4 % of the disc */
    }
}

static CofImage view_of(const Scene *s, uint8_t *pixels)
{
    return (CofImage){.data = pixels,
                      .width = SIDE,
                      .height = SIDE,
                      .channels = s->channels,
                      .kind = s->channels == 3 ? COF_KIND_RGB : COF_KIND_GREY};
}

static CofImage soft_view(Scene *s)
{
    return (CofImage){
        .data = s->soft, .width = SIDE, .height = SIDE, .channels = 1, .sample = COF_SAMPLE_F32};
}

static Scene *scene_new(bool grey)
{
    Scene *s = calloc(1, sizeof *s);
    paint(s, grey);
    cof_options_init(&s->options);
    CofImage in = view_of(s, s->pixels), scribble = grey_view(s->scribble, SIDE, SIDE);
    CofImage soft = soft_view(s), mask = grey_view(s->mask, SIDE, SIDE);
    CofOptions spreading = s->options;
    spreading.window = WINDOW;
    spreading.spread_window = WINDOW;
    spreading.spread_iterations = SPREADING;
    CofStats *stats;
    assert_ok(cof_stats_new(&stats, &spreading));
    assert_ok(cof_stats_scan(stats, &in, NULL, &spreading));
    assert_ok(cof_stats_fit_palette(stats, &spreading));
    assert_ok(cof_stats_add(stats, &in, NULL, &spreading));
    assert_ok(cof_model_new(&s->whole, stats, &spreading));
    cof_stats_free(&stats);
    assert_ok(cof_select_spread(s->whole, &in, &scribble, NULL, &soft, &spreading));
    assert_ok(cof_select_threshold(s->whole, &in, &scribble, NULL, &soft, &mask, NULL, &spreading));
    assert_ok(cof_model_learn_pair(&s->foreground, &s->background, &in, &mask, &s->options));
    s->options.iterations = SMOOTHING;
    return s;
}

static void scene_free(Scene *s)
{
    cof_model_free(&s->whole);
    cof_model_free(&s->foreground);
    cof_model_free(&s->background);
    free(s);
}

/* Learning and spreading take most of the time, so that all tests share two scenes, and each test
 * works on a copy of the pixels. */
static Scene *scenes[2];

static int make_scenes(void **state)
{
    (void)state;
    for (int grey = 0; grey < 2; grey++)
        scenes[grey] = scene_new(grey);
    return 0;
}

static int free_scenes(void **state)
{
    (void)state;
    for (int grey = 0; grey < 2; grey++)
        scene_free(scenes[grey]);
    return 0;
}

/* The models remain those of the shared scene; free with free(). */
static Scene *scene_copy(bool grey)
{
    Scene *s = malloc(sizeof *s);
    *s = *scenes[grey];
    return s;
}

static void for_both(void (*check)(Scene *))
{
    for (int grey = 0; grey < 2; grey++) {
        Scene *s = scene_copy(grey);
        check(s);
        free(s);
    }
}

static void check_selection(Scene *s)
{
    int both = 0, either = 0;
    for (int i = 0; i < PIXELS; i++) {
        both += s->truth[i] && s->mask[i];
        either += s->truth[i] || s->mask[i];
    }
    print_message("intersection over union %.3f\n", (double)both / either);
    assert_true(both >= 0.9 * either);
}

static void scribbles_become_the_mask(void **state)
{
    (void)state;
    for_both(check_selection);
}

static void focus(Scene *s)
{
    CofImage in = view_of(s, s->pixels), out = view_of(s, s->out);
    assert_ok(cof_focus(s->foreground, s->background, NULL, NULL, &in, &out, &s->options));
}

/* The standard deviation after subtracting the local mean inside the region. */
static double texture(const Scene *s, const uint8_t *pixels, bool inside)
{
    double squares = 0, n = 0;
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            if ((s->truth[y * SIDE + x] != 0) != inside)
                continue;
            double sum = 0, count = 0;
            for (int qy = y < 4 ? 0 : y - 4; qy <= y + 4 && qy < SIDE; qy++)
                for (int qx = x < 4 ? 0 : x - 4; qx <= x + 4 && qx < SIDE; qx++)
                    if ((s->truth[qy * SIDE + qx] != 0) == inside) {
                        sum += pixels[(qy * SIDE + qx) * s->channels];
                        count++;
                    }
            double left = pixels[(y * SIDE + x) * s->channels] - sum / count;
            squares += left * left;
            n++;
        }
    return sqrt(squares / n);
}

static void check_texture(Scene *s)
{
    focus(s);
    double before = texture(s, s->pixels, false), after = texture(s, s->out, false);
    double kept = texture(s, s->out, true) / texture(s, s->pixels, true);
    print_message("background %.1f times smoother, foreground has %.0f %%\n", before / after,
                  100 * kept);
    assert_true(after * 5 <= before);
    assert_true(kept > 0.8);
}

static void the_background_is_smoothed(void **state)
{
    (void)state;
    for_both(check_texture);
}

static void lab_of(const Scene *s, const uint8_t *pixels, int i, double lab[3])
{
    double rgb[3];
    for (int c = 0; c < 3; c++)
        rgb[c] = pixels[i * s->channels + (s->channels == 3 ? c : 0)] / 255.0;
    oracle_lab(rgb, lab);
}

/* The ideal result: the input inside, the mean outside. */
static void ideal(const Scene *s, const double mean[3], int i, double lab[3])
{
    if (s->truth[i])
        lab_of(s, s->pixels, i, lab);
    else
        memcpy(lab, mean, 3 * sizeof *lab);
}

static void check_halo(Scene *s)
{
    double mean[3] = {0}, errors[2] = {0}, counts[2] = {0}, n = 0;
    focus(s);
    for (int i = 0; i < PIXELS; i++)
        if (!s->truth[i]) {
            double lab[3];
            lab_of(s, s->pixels, i, lab);
            for (int c = 0; c < 3; c++)
                mean[c] += lab[c];
            n++;
        }
    for (int c = 0; c < 3; c++)
        mean[c] /= n;
    for (int i = 0; i < PIXELS; i++) {
        double away = fabs(distance(i % SIDE, i / SIDE) - RADIUS), want[3], found[3];
        int where = away <= 3 ? 0 : away >= 10 ? 1 : -1;
        if (where < 0)
            continue;
        ideal(s, mean, i, want);
        lab_of(s, s->out, i, found);
        errors[where] += sqrt(pow(found[0] - want[0], 2) + pow(found[1] - want[1], 2) +
                              pow(found[2] - want[2], 2));
        counts[where]++;
    }
    double near = errors[0] / counts[0], far = errors[1] / counts[1];
    print_message("error %.2f at the boundary, %.2f away from it\n", near, far);
    assert_true(near <= 1.5 * far + 2);
}

static void there_is_no_halo(void **state)
{
    (void)state;
    for_both(check_halo);
}

static void the_background_turns_grey(void **state)
{
    (void)state;
    Scene *s = scene_copy(false);
    CofImage in = view_of(s, s->pixels), out = view_of(s, s->out), matte = soft_view(s);
    const double grey[3] = {0.5, 0.5, 0.5};
    CofImage inside = grey_view(s->truth, SIDE, SIDE), outside = grey_view(s->mask, SIDE, SIDE);
    double before[2], after[2];
    for (int i = 0; i < PIXELS; i++)
        s->mask[i] = !s->truth[i];
    assert_ok(cof_matte(s->foreground, s->background, NULL, &in, &matte, &s->options));
    assert_ok(cof_tint(&in, grey, 0, &out, NULL));
    assert_ok(cof_blend(&matte, &in, &out, &out, NULL));
    assert_ok(cof_mean_chroma(&in, &inside, &before[0], NULL));
    assert_ok(cof_mean_chroma(&out, &inside, &after[0], NULL));
    assert_ok(cof_mean_chroma(&in, &outside, &before[1], NULL));
    assert_ok(cof_mean_chroma(&out, &outside, &after[1], NULL));
    print_message("chroma: %.0f %% of the foreground, %.1f %% of the background\n",
                  100 * after[0] / before[0], 100 * after[1] / before[1]);
    assert_true(after[0] >= 0.85 * before[0]);
    assert_true(after[1] <= 0.15 * before[1]);
    free(s);
}

/* Tiles and any number of threads give the same bytes. */
/* The steps of cof_recolour(), one by one. */
static void recolour_in_steps(const CofImage *in, const CofImage *mask, const double colour[3],
                              const CofImage *out, TestImage *matte, const CofOptions *options)
{
    CofModel *model = NULL;
    CofOptions softening = *options;
    double chroma;
    softening.window = softening.filter_window = 7;
    softening.iterations = 2;
    for (int y = 0; y < mask->height; y++)
        for (int x = 0; x < mask->width; x++)
            test_image_set(matte, x, y, 0, ((uint8_t *)mask->data)[y * mask->width + x] != 0);
    assert_ok(cof_model_learn(&model, in, NULL, 1, &softening));
    assert_ok(cof_filter(model, in, &matte->view, &matte->view, &softening));
    assert_ok(cof_mean_chroma(in, mask, &chroma, options));
    assert_ok(cof_tint(in, colour, chroma, out, options));
    assert_ok(cof_blend(&matte->view, out, in, out, options));
    cof_model_free(&model);
}

static void check_recolour(Random *r, CofKind kind, CofSample sample, const CofOptions *options)
{
    enum { W = 40, H = 30 };
    static const double blue[3] = {0.1, 0.3, 0.8};
    uint8_t marks[W * H];
    int channels = kind_channels(kind, 0);
    TestImage in = test_image_new(r, LAYOUT_ANY, W, H, channels, kind, sample),
              steps = test_image_new(r, LAYOUT_ANY, W, H, channels, kind, sample),
              out = test_image_new(r, LAYOUT_ANY, W, H, channels, kind, sample),
              matte = test_image_new(r, LAYOUT_ANY, W, H, 1, COF_KIND_GREY, COF_SAMPLE_F32),
              soft = test_image_new(r, LAYOUT_ANY, W, H, 1, COF_KIND_GREY, COF_SAMPLE_F32);
    double unit = sample == COF_SAMPLE_U8 ? 255 : sample == COF_SAMPLE_U16 ? 65535 : 1;
    for (int i = 0; i < W * H; i++) {
        marks[i] = i % W < 18 ? 1 + i % 255 : 0;
        for (int c = 0; c < channels; c++)
            test_image_set(&in, i % W, i / W, c,
                           unit * ((i % W < 20) == (c == 0) ? 0.7 : 0.2 + 0.1 * random_uniform(r)));
    }
    test_image_add_gaps(&in, r, 0.1);
    CofImage mask = grey_view(marks, W, H);
    recolour_in_steps(&in.view, &mask, blue, &steps.view, &matte, options);
    assert_ok(cof_recolour(&in.view, &mask, blue, &out.view, &soft.view, options));
    assert_true(test_image_equal(&out, &steps));
    assert_true(test_image_equal(&soft, &matte));
    assert_false(test_image_equal(&out, &in));
    assert_ok(cof_recolour(&in.view, &mask, blue, &in.view, NULL, options)); /* in place */
    assert_true(test_image_equal(&in, &steps));
    TestImage *all[] = {&in, &steps, &out, &matte, &soft};
    for (int i = 0; i < 5; i++) {
        test_image_check_padding(all[i]);
        test_image_free(all[i]);
    }
}

static void recolouring_is_its_steps(void **state)
{
    (void)state;
    Random r = {11};
    CofOptions options;
    cof_options_init(&options);
    for (int kind = COF_KIND_RGB; kind <= COF_KIND_RGBA; kind++)
        for (int sample = COF_SAMPLE_U8; sample <= COF_SAMPLE_F32; sample++)
            for (int variation = 0; variation < 3; variation++) {
                options.threads = 1 + variation;
                options.downscale = variation == 1 ? 2 : 1;
                options.space = variation == 2 ? COF_SPACE_NATIVE : COF_SPACE_LAB;
                check_recolour(&r, (CofKind)kind, (CofSample)sample, &options);
            }
}

static void check_parts(Scene *s)
{
    focus(s);
    CofImage in = view_of(s, s->pixels), matte = soft_view(s);
    uint8_t *tiles = calloc(3, PIXELS);
    float *matte_tiles = calloc(PIXELS, sizeof *matte_tiles);
    CofImage out = view_of(s, tiles), matte_out = matte;
    matte_out.data = matte_tiles;
    assert_ok(cof_matte(s->foreground, s->background, NULL, &in, &matte, &s->options));
    for (int y = 0; y < SIDE; y += 70)
        for (int x = 0; x < SIDE; x += 90) {
            CofRect part = {x, y, x + 90 < SIDE ? 90 : SIDE - x, y + 70 < SIDE ? 70 : SIDE - y};
            s->options.threads = 1 + (x + y) % 3;
            CofImage tile = view_part(&out, part), matte_tile = view_part(&matte_out, part);
            assert_ok(cof_focus(s->foreground, s->background, NULL, NULL, &in, &tile, &s->options));
            assert_ok(cof_matte(s->foreground, s->background, NULL, &in, &matte_tile, &s->options));
        }
    assert_memory_equal(tiles, s->out, (size_t)(PIXELS * s->channels));
    assert_memory_equal(matte_tiles, s->soft, sizeof s->soft);
    free(tiles);
    free(matte_tiles);
}

static void tiles_give_the_same_bytes(void **state)
{
    (void)state;
    for_both(check_parts);
}

static void counts_decay(void **state)
{
    (void)state;
    Scene *s = scene_copy(false);
    CofImage in = view_of(s, s->pixels);
    CofStats *stats, *copy;
    assert_ok(cof_stats_new(&stats, NULL));
    assert_status(cof_stats_decay(stats, 1, 2, NULL), COF_ERR_ARGUMENT); /* no palette */
    assert_ok(cof_stats_scan(stats, &in, NULL, NULL));
    assert_ok(cof_stats_fit_palette(stats, NULL));
    assert_ok(cof_stats_decay(stats, 1, 2, NULL)); /* nothing is counted */
    assert_ok(cof_stats_new_like(&copy, stats, NULL));
    assert_ok(cof_stats_add(stats, &in, NULL, NULL));
    assert_ok(cof_stats_add(copy, &in, NULL, NULL));
    assert_status(cof_stats_decay(stats, 3, 2, NULL), COF_ERR_ARGUMENT);
    assert_status(cof_stats_decay(stats, 0, 0, NULL), COF_ERR_ARGUMENT);
    assert_status(cof_stats_decay(NULL, 1, 2, NULL), COF_ERR_ARGUMENT);
    assert_ok(cof_stats_decay(stats, 333, 1000, NULL));
    for (int a = 0; a < cof_stats_size(stats); a++) {
        assert_true(cof_stats_histogram(stats)[a] == cof_stats_histogram(copy)[a] * 333 / 1000);
        for (int b = 0; b < cof_stats_size(stats); b++)
            for (int d = 1; d <= 98; d++)
                assert_true(count_of(stats, d, a, b) == count_of(copy, d, a, b) * 333 / 1000);
    }
    assert_ok(cof_stats_decay(stats, 0, 1, NULL));
    assert_true(cof_stats_histogram(stats)[0] == 0);
    cof_stats_free(&stats);
    cof_stats_free(&copy);
    free(s);
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    Scene *s = scene_copy(false), *other = scene_copy(true);
    CofImage in = view_of(s, s->pixels), out = view_of(s, s->out), soft = soft_view(s);
    CofImage scribble = grey_view(s->scribble, SIDE, SIDE), mask = grey_view(s->mask, SIDE, SIDE);
    CofImage small = grey_view(s->scribble, SIDE - 1, SIDE);
    CofProblem problem = {0};
    CofOptions o = s->options;
    double red[3] = {2, 0, 0};
    o.problem = &problem;
    assert_status(cof_select_spread(NULL, &in, &scribble, NULL, &soft, &o), COF_ERR_ARGUMENT);
    assert_status(cof_select_spread(s->whole, &in, &small, NULL, &soft, &o), COF_ERR_MISMATCH);
    assert_status(cof_select_spread(s->whole, &in, &scribble, NULL, &scribble, &o),
                  COF_ERR_ARGUMENT);
    o.threshold = 2;
    assert_status(cof_select_threshold(s->whole, &in, &scribble, NULL, &soft, &mask, NULL, &o),
                  COF_ERR_OPTION);
    assert_string_equal(problem.option, "threshold");
    o.threshold = 0.5;
    memset(s->scribble, 0, sizeof s->scribble);
    assert_status(cof_select_spread(s->whole, &in, &scribble, NULL, &soft, &o), COF_ERR_EMPTY);
    assert_string_equal(problem.argument, "foreground");
    assert_string_equal(problem.text, "the scribbles mark no pixel");
    assert_status(cof_select_threshold(s->whole, &in, &scribble, NULL, &soft, &mask, NULL, &o),
                  COF_ERR_EMPTY);
    assert_status(cof_focus(s->foreground, NULL, NULL, NULL, &in, &out, &o), COF_ERR_ARGUMENT);
    assert_status(cof_focus(NULL, s->background, NULL, NULL, &in, &out, &o), COF_ERR_ARGUMENT);
    assert_status(cof_focus(other->foreground, s->background, NULL, NULL, &in, &out, &o),
                  COF_ERR_MISMATCH);
    assert_status(cof_focus(s->foreground, s->background, &small, NULL, &in, &out, &o),
                  COF_ERR_MISMATCH);
    assert_status(cof_matte(s->foreground, s->background, NULL, &in, &out, &o), COF_ERR_ARGUMENT);
    assert_status(cof_blend(&small, &in, &in, &out, &o), COF_ERR_MISMATCH);
    assert_status(cof_tint(&in, red, 0, &out, &o), COF_ERR_ARGUMENT);
    assert_status(cof_tint(&mask, (double[3]){0}, 0, &mask, &o), COF_ERR_ARGUMENT);
    assert_status(cof_mask_dilate(&mask, 1, &small, &o), COF_ERR_MISMATCH);
    assert_status(cof_mask_dilate(&mask, NAN, &mask, &o), COF_ERR_ARGUMENT);
    CofModel *a = NULL, *b = NULL;
    memset(s->mask, 255, sizeof s->mask);
    o.gap = 0;
    assert_status(cof_model_learn_pair(&a, &b, &in, &mask, &o), COF_ERR_EMPTY);
    assert_null(a);
    o.update = COF_UPDATE_LABELS;
    assert_status(cof_focus(s->foreground, s->background, NULL, NULL, &in, &out, &o),
                  COF_ERR_OPTION);
    free(s);
    free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scribbles_become_the_mask), cmocka_unit_test(the_background_is_smoothed),
        cmocka_unit_test(there_is_no_halo),          cmocka_unit_test(the_background_turns_grey),
        cmocka_unit_test(tiles_give_the_same_bytes), cmocka_unit_test(counts_decay),
        cmocka_unit_test(recolouring_is_its_steps),  cmocka_unit_test(nonsense_is_refused),
    };
    return cmocka_run_group_tests(tests, make_scenes, free_scenes);
}
