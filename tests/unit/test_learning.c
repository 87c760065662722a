/* SPDX-License-Identifier: BSD-2-Clause */
/* Learning in one call is learning in steps, byte for byte; statistics and models keep the factor
 * by which their images were downscaled. */
#include <stdlib.h>
#include <string.h>

#include "testing.h"

enum { IMAGES = 3 };

typedef struct Set {
    TestImage images[IMAGES], masks[IMAGES];
    CofImage views[IMAGES];
    CofRoi rois[IMAGES];
    CofOptions options;
} Set;

static TestImage random_image(Random *random, int width, int height, CofKind kind, CofSample sample)
{
    int channels = kind_channels(kind, 4);
    double max = sample == COF_SAMPLE_U8 ? 255 : sample == COF_SAMPLE_U16 ? 65535 : 1;
    TestImage p = test_image_new(random, LAYOUT_ANY, width, height, channels, kind, sample);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            for (int c = 0; c < channels; c++) {
                double base = ((x / 9 + y / 7) % 3 + c) / 6.0;
                test_image_set(&p, x, y, c, max * (base + 0.2 * random_uniform(random)));
            }
    return p;
}

static TestImage random_mask(Random *random, int width, int height)
{
    TestImage p =
        test_image_new(random, LAYOUT_ANY, width, height, 1, COF_KIND_GREY, COF_SAMPLE_U8);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            test_image_set(&p, x, y, 0, (x / 11 + y / 5) % 3 != 0);
    return p;
}

/* Images of different sizes, with holes, masks and regions. */
static void set_new(Set *s, CofKind kind, CofSample sample)
{
    static const int sizes[IMAGES][2] = {{61, 47}, {90, 33}, {17, 80}};
    Random random = {12};
    for (int i = 0; i < IMAGES; i++) {
        s->images[i] = random_image(&random, sizes[i][0], sizes[i][1], kind, sample);
        s->masks[i] = random_mask(&random, sizes[i][0], sizes[i][1]);
        if (i == 1)
            test_image_add_gaps(&s->images[i], &random, 0.1);
        s->views[i] = s->images[i].view;
        s->rois[i] = (CofRoi){.mask = i == 2 ? NULL : &s->masks[i].view};
        if (i > 0)
            s->rois[i].region = (CofRect){3, 5, 40, 30};
    }
    cof_options_init(&s->options);
    s->options.colours = 9;
    s->options.levels = 40;
    s->options.window = 7;
    s->options.softness = 0.5;
    s->options.seed = 3;
}

static void set_free(Set *s)
{
    for (int i = 0; i < IMAGES; i++) {
        test_image_free(&s->images[i]);
        test_image_free(&s->masks[i]);
    }
}

static CofStats *learn_in_steps(const Set *s, const CofRoi *rois, int n)
{
    CofStats *stats = NULL;
    assert_ok(cof_stats_new(&stats, &s->options));
    for (int i = 0; i < n; i++)
        assert_ok(cof_stats_scan(stats, &s->views[i], rois ? &rois[i] : NULL, &s->options));
    assert_ok(cof_stats_fit_palette(stats, &s->options));
    for (int i = 0; i < n; i++)
        assert_ok(cof_stats_add(stats, &s->views[i], rois ? &rois[i] : NULL, &s->options));
    return stats;
}

static void check_learning(Set *s, const CofRoi *rois, int n)
{
    CofStats *stats = learn_in_steps(s, rois, n);
    CofModel *steps = NULL, *once = NULL;
    assert_ok(cof_model_new(&steps, stats, &s->options));
    for (s->options.threads = 1; s->options.threads < 4; s->options.threads += 2) {
        assert_ok(cof_model_learn(&once, s->views, rois, n, &s->options));
        assert_same_model(once, steps);
        cof_model_free(&once);
    }
    cof_model_free(&steps);
    cof_stats_free(&stats);
}

static void one_call_is_the_steps(void **state)
{
    (void)state;
    static const struct {
        CofKind kind;
        CofSample sample;
    } rows[] = {{COF_KIND_RGB, COF_SAMPLE_U8},
                {COF_KIND_RGBA, COF_SAMPLE_U16},
                {COF_KIND_GREY, COF_SAMPLE_F32},
                {COF_KIND_GREY, COF_SAMPLE_U8},
                {COF_KIND_BANDS, COF_SAMPLE_F32}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (int downscale = 1; downscale <= 3; downscale += 2) {
            Set s;
            set_new(&s, rows[i].kind, rows[i].sample);
            s.options.downscale = downscale;
            check_learning(&s, NULL, 1);
            check_learning(&s, NULL, IMAGES);
            check_learning(&s, s.rois, 1);
            check_learning(&s, s.rois, IMAGES);
            set_free(&s);
        }
}

/* A part divides the work; there is nothing to divide in one call. */
static void parts_are_ignored(void **state)
{
    (void)state;
    Set s;
    CofModel *with = NULL, *without = NULL;
    set_new(&s, COF_KIND_RGB, COF_SAMPLE_U8);
    assert_ok(cof_model_learn(&without, s.views, s.rois, IMAGES, &s.options));
    for (int i = 0; i < IMAGES; i++)
        s.rois[i].part = (CofRect){1, 1, 3, 3};
    assert_ok(cof_model_learn(&with, s.views, s.rois, IMAGES, &s.options));
    assert_same_model(with, without);
    cof_model_free(&with);
    cof_model_free(&without);
    Random random = {1};
    const CofImage *in = &s.views[0];
    TestImage out[2];
    for (int i = 0; i < 2; i++) {
        out[i] = test_image_new(&random, LAYOUT_ANY, in->width, in->height, in->channels, in->kind,
                                in->sample);
        assert_ok(cof_smooth_roi(in, &s.rois[0], &out[i].view, &s.options));
        s.rois[0].part = (CofRect){0};
    }
    assert_true(test_image_equal(&out[0], &out[1]));
    test_image_free(&out[0]);
    test_image_free(&out[1]);
    set_free(&s);
}

static int stop_at_once(void *user, double done)
{
    int *left = user;
    return (void)done, --*left <= 0;
}

static void learning_can_be_cancelled(void **state)
{
    (void)state;
    Set s;
    CofModel *model = NULL;
    CofStatus status = COF_ERR_CANCELLED;
    set_new(&s, COF_KIND_RGB, COF_SAMPLE_U8);
    s.options.progress = stop_at_once;
    s.options.downscale = 2;
    int calls = 0, left;
    s.options.user = &left;
    while (status == COF_ERR_CANCELLED) {
        assert_null(model);
        left = ++calls;
        status = cof_model_learn(&model, s.views, s.rois, IMAGES, &s.options);
    }
    assert_ok(status);
    assert_true(calls > 5);
    cof_model_free(&model);
    set_free(&s);
}

static CofStats *saved_and_loaded(const CofStats *stats)
{
    CofStats *loaded = NULL;
    void *bytes = NULL;
    size_t size;
    assert_ok(cof_stats_save(stats, &bytes, &size, NULL));
    assert_ok(cof_stats_load(&loaded, bytes, size, NULL));
    cof_free(bytes);
    return loaded;
}

static void assert_downscale(const CofStats *stats, int expected)
{
    CofOptions o;
    cof_options_init(&o);
    o.downscale = 99;
    cof_stats_options(stats, &o);
    assert_int_equal(o.downscale, expected);
}

/* All learning options come back, before and after there is a palette. */
static void learning_options_are_stored(void **state)
{
    (void)state;
    Set s;
    set_new(&s, COF_KIND_GREY, COF_SAMPLE_F32);
    s.options.downscale = 5;
    s.options.low = 0.125;
    s.options.high = 0.75;
    s.options.sampling = COF_SAMPLING_ALL;
    s.options.seed = UINT64_MAX - 1;
    CofStats *stats[4] = {NULL, learn_in_steps(&s, NULL, 1), NULL, NULL};
    assert_ok(cof_stats_new(&stats[0], &s.options));
    assert_ok(cof_stats_new_like(&stats[2], stats[1], NULL));
    stats[3] = saved_and_loaded(stats[1]);
    for (int i = 0; i < 4; i++) {
        CofOptions o, expected;
        cof_options_init(&o);
        expected = o;
        expected.downscale = 5;
        expected.low = 0.125;
        expected.high = 0.75;
        expected.sampling = COF_SAMPLING_ALL;
        expected.seed = UINT64_MAX - 1;
        expected.colours = s.options.colours;
        expected.levels = s.options.levels;
        expected.window = s.options.window;
        cof_stats_options(stats[i], &o);
        assert_memory_equal(&o, &expected, sizeof o);
        cof_stats_free(&stats[i]);
    }
    set_free(&s);
}

static void merge_compares_downscale(void **state)
{
    (void)state;
    Set s;
    set_new(&s, COF_KIND_RGB, COF_SAMPLE_U8);
    CofStats *fresh[2] = {NULL, NULL}, *loaded;
    for (int i = 0; i < 2; i++) {
        s.options.downscale = 1 + i;
        assert_ok(cof_stats_new(&fresh[i], &s.options));
        assert_downscale(fresh[i], 1 + i);
    }
    CofProblem problem;
    assert_status(cof_stats_merge(fresh[0], fresh[1], &problem), COF_ERR_MISMATCH);
    assert_string_equal(problem.argument, "from");
    loaded = saved_and_loaded(fresh[1]);
    assert_downscale(loaded, 2);
    assert_ok(cof_stats_merge(fresh[1], loaded, NULL));
    cof_stats_free(&fresh[0]);
    cof_stats_free(&fresh[1]);
    cof_stats_free(&loaded);
    set_free(&s);
}

static int model_downscale(const CofModel *model)
{
    CofOptions o;
    cof_options_init(&o);
    cof_model_options(model, &o);
    return o.downscale;
}

/* Models have the factor of their statistics, whatever the options of the call say. */
static void models_keep_downscale(void **state)
{
    (void)state;
    Set s;
    CofModel *model = NULL, *loaded = NULL, *matrix = NULL;
    void *bytes = NULL;
    size_t size;
    set_new(&s, COF_KIND_RGB, COF_SAMPLE_U8);
    s.options.downscale = 4;
    CofStats *stats = learn_in_steps(&s, NULL, 1);
    s.options.downscale = 2;
    assert_ok(cof_model_new(&model, stats, &s.options));
    assert_ok(cof_model_new_matrix(&matrix, stats, cof_model_matrix(model), &s.options));
    assert_ok(cof_model_save(model, &bytes, &size, NULL));
    assert_ok(cof_model_load(&loaded, bytes, size, NULL));
    assert_int_equal(model_downscale(model), 4);
    assert_int_equal(model_downscale(loaded), 4);
    assert_int_equal(model_downscale(matrix), 4);
    cof_free(bytes);
    cof_model_free(&model);
    cof_model_free(&loaded);
    cof_model_free(&matrix);
    cof_stats_free(&stats);
    set_free(&s);
}

/* The filter has the factor that the model was learned with, or its own: as cof_smooth(). */
static void check_filter_factor(int i, int filter_downscale)
{
    Set s;
    set_new(&s, i % 2 ? COF_KIND_RGBA : COF_KIND_GREY, (CofSample)(i % 3));
    Random random = {4};
    const CofImage *in = &s.views[0];
    TestImage once = test_image_new(&random, LAYOUT_ANY, in->width, in->height, in->channels,
                                    in->kind, in->sample);
    TestImage steps = test_image_new(&random, LAYOUT_ANY, in->width, in->height, in->channels,
                                     in->kind, in->sample);
    CofModel *model = NULL;
    s.options.downscale = 1 + i / 2;
    s.options.filter_downscale = filter_downscale;
    s.options.iterations = 1 + i % 3;
    s.options.method = (CofMethod)(i % 3);
    assert_ok(cof_smooth_roi(in, &s.rois[0], &once.view, &s.options));
    assert_ok(cof_model_learn(&model, in, s.rois, 1, &s.options));
    if (filter_downscale == 0)
        s.options.downscale = i % 2 ? 1 : 7; /* a learning option: of no use here */
    assert_ok(cof_filter(model, NULL, in, &steps.view, &s.options));
    assert_true(test_image_equal(&once, &steps));
    s.options.filter_downscale = 1 + i / 2;
    assert_ok(cof_filter(model, NULL, in, &steps.view, &s.options));
    bool same = filter_downscale == 0 || filter_downscale == 1 + i / 2;
    assert_int_equal(test_image_equal(&once, &steps), same);
    cof_model_free(&model);
    test_image_free(&once);
    test_image_free(&steps);
    set_free(&s);
}

static void the_filter_follows_the_model(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++)
        check_filter_factor(i, 0);
}

static void the_filter_has_a_factor_of_its_own(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++)
        for (int filter_downscale = 1; filter_downscale <= 3; filter_downscale++)
            check_filter_factor(i, filter_downscale);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_call_is_the_steps),
        cmocka_unit_test(parts_are_ignored),
        cmocka_unit_test(learning_can_be_cancelled),
        cmocka_unit_test(learning_options_are_stored),
        cmocka_unit_test(merge_compares_downscale),
        cmocka_unit_test(models_keep_downscale),
        cmocka_unit_test(the_filter_follows_the_model),
        cmocka_unit_test(the_filter_has_a_factor_of_its_own),
    };
    return cmocka_run_group_tests_name("learning", tests, NULL, NULL);
}
