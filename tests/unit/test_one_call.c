/* SPDX-License-Identifier: BSD-2-Clause */
/* cof_select(), cof_focus_mask() and cof_mask_prior(): the short way gives what the steps give. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "testing.h"

/* A disc of checks on random pixels, with scribbles on both. */
typedef struct Scene {
    int width, height, n;
    TestImage image;
    uint8_t *truth, *marks, *others, *mask, *expected;
    CofOptions options;
} Scene;

static bool inside(const Scene *s, int x, int y, double share)
{
    return hypot(x - s->width / 2, y - s->height / 2) < share * s->height;
}

static void paint(Scene *s, Random *random)
{
    static const uint8_t colours[4][3] = {
        {200, 40, 40}, {150, 20, 30}, {40, 160, 60}, {30, 110, 40}};
    int edge = s->height / 20 + 1;
    for (int i = 0; i < s->n; i++) {
        int x = i % s->width, y = i / s->width;
        s->truth[i] = inside(s, x, y, 0.3);
        int which = s->truth[i] ? (x / 3 + y / 3) % 2 : 2 + random_int(random, 0, 1);
        for (int c = 0; c < s->image.view.channels; c++)
            test_image_set(&s->image, x, y, c, c == 3 ? 255 : colours[which][c]);
        s->marks[i] = abs(y - s->height / 2) <= s->height / 50 + 1 && inside(s, x, y, 0.2);
        s->others[i] = x < edge || y < edge || x >= s->width - edge || y >= s->height - edge;
        s->mask[i] = 77;
    }
}

static Scene scene_new(int width, int height, CofKind kind)
{
    Random random = {7};
    Scene s = {.width = width, .height = height, .n = width * height};
    s.image = test_image_new(&random, LAYOUT_ANY, width, height, kind_channels(kind, 3), kind,
                             COF_SAMPLE_U8);
    uint8_t **planes[] = {&s.truth, &s.marks, &s.others, &s.mask, &s.expected};
    for (int i = 0; i < 5; i++) {
        *planes[i] = calloc((size_t)s.n, 1);
        assert_non_null(*planes[i]);
    }
    paint(&s, &random);
    cof_options_init(&s.options);
    s.options.spread_iterations = 8;
    s.options.spread_window = 15;
    return s;
}

static void scene_free(Scene *s)
{
    test_image_free(&s->image);
    free(s->truth);
    free(s->marks);
    free(s->others);
    free(s->mask);
    free(s->expected);
}

static CofImage plane(const Scene *s, uint8_t *bytes)
{
    return grey_view(bytes, s->width, s->height);
}

static CofImage floats(const Scene *s, float *values)
{
    CofImage view = grey_view((uint8_t *)values, s->width, s->height);
    view.sample = COF_SAMPLE_F32;
    return view;
}

static CofStatus select_once(const Scene *s, bool both, const CofOptions *options)
{
    CofImage marks = plane(s, s->marks), others = plane(s, s->others), mask = plane(s, s->mask);
    return cof_select(&s->image.view, &marks, both ? &others : NULL, &mask, options);
}

/* Learns with the spreading window, spreads and applies the threshold. */
static void select_in_steps(const Scene *s, bool both)
{
    CofImage marks = plane(s, s->marks), others = plane(s, s->others);
    CofImage mask = plane(s, s->expected), *background = both ? &others : NULL;
    float *values = calloc((size_t)s->n, sizeof *values);
    CofImage soft = floats(s, values);
    CofOptions learning = s->options;
    CofModel *model = NULL;
    learning.downscale = 1;
    learning.window =
        s->options.spread_window < COF_MAX_WINDOW ? s->options.spread_window : COF_MAX_WINDOW;
    assert_ok(cof_model_learn(&model, &s->image.view, NULL, 1, &learning));
    assert_ok(cof_select_spread(model, &s->image.view, &marks, background, &soft, &s->options));
    assert_ok(cof_select_threshold(model, &s->image.view, &marks, background, &soft, &mask, NULL,
                                   &s->options));
    cof_model_free(&model);
    free(values);
}

static void selecting_is_its_steps(void **state)
{
    (void)state;
    static const CofKind kinds[] = {COF_KIND_RGB, COF_KIND_GREY, COF_KIND_RGBA, COF_KIND_BANDS};
    for (int i = 0; i < 8; i++) {
        Scene s = scene_new(120, 90, kinds[i % 4]);
        bool both = i >= 4;
        s.options.select_method = COF_SELECT_SPREAD;
        s.options.threads = 1 + i % 3;
        s.options.threshold = i % 3 == 2 ? 0.3 : 0;
        s.options.spread_window = i == 5 ? 81 : 15; /* wider than the learning window can be */
        s.options.downscale = i % 2 ? 1 : 3;        /* of no use here */
        s.options.filter_sigma = i == 3 ? 4 : 0;
        assert_ok(select_once(&s, both, &s.options));
        select_in_steps(&s, both);
        assert_memory_equal(s.mask, s.expected, (size_t)s.n);
        assert_true(memchr(s.mask, 0, (size_t)s.n) && memchr(s.mask, 255, (size_t)s.n));
        scene_free(&s);
    }
}

/* A megapixel is the largest image that is not downscaled. */
static void a_megapixel_is_selected_as_it_is(void **state)
{
    (void)state;
    Scene s = scene_new(1250, 800, COF_KIND_GREY);
    s.options.select_method = COF_SELECT_SPREAD;
    s.options.spread_window = 5;
    s.options.spread_iterations = 2;
    assert_ok(select_once(&s, false, &s.options));
    select_in_steps(&s, false);
    assert_memory_equal(s.mask, s.expected, (size_t)s.n);
    scene_free(&s);
}

static double overlap(const Scene *s, const uint8_t *mask)
{
    int both = 0, either = 0;
    for (int i = 0; i < s->n; i++) {
        both += s->truth[i] && mask[i];
        either += s->truth[i] || mask[i];
    }
    return (double)both / either;
}

/* Measures results, not memory: the sanitizers need not repeat it. */
static void large_images_are_selected(void **state)
{
    (void)state;
    if (getenv("COF_SANITIZED"))
        skip();
    for (int i = 0; i < 4; i++) {
        Scene s = scene_new(1300, 900, COF_KIND_RGB);
        bool both = i % 2, spreads = i >= 2;
        cof_options_init(&s.options);
        s.options.select_method = spreads ? COF_SELECT_SPREAD : COF_SELECT_WATERSHED;
        assert_ok(select_once(&s, both, &s.options));
        for (int pixel = 0; pixel < s.n; pixel++)
            assert_true(s.mask[pixel] == 0 || s.mask[pixel] == 255);
        print_message("intersection over union %.3f\n", overlap(&s, s.mask));
        assert_true(overlap(&s, s.mask) >= (!spreads ? 0.95 : both ? 0.8 : 0.9));
        scene_free(&s);
    }
}

/* Nor does what the mask was before. */
static void threads_do_not_matter(void **state)
{
    (void)state;
    Scene s = scene_new(1300, 900, COF_KIND_RGB);
    s.options.select_method = COF_SELECT_SPREAD;
    s.options.spread_iterations = 2;
    for (s.options.threads = 1; s.options.threads < 4; s.options.threads += 2) {
        assert_ok(select_once(&s, true, &s.options));
        if (s.options.threads == 1)
            memcpy(s.expected, s.mask, (size_t)s.n);
        assert_memory_equal(s.mask, s.expected, (size_t)s.n);
        memset(s.mask, s.options.threads - 1, (size_t)s.n);
    }
    scene_free(&s);
}

typedef struct Log {
    int calls, stop_after;
    double last;
    bool went_back;
} Log;

static int record(void *user, double done)
{
    Log *log = user;
    log->went_back |= !(done >= log->last && done <= 1);
    log->last = done;
    return ++log->calls == log->stop_after;
}

/* Cancels at many moments; the output is as it was. */
static void check_cancelling(Scene *s, int moments)
{
    Log log = {0};
    s->options.progress = record;
    s->options.user = &log;
    s->options.threads = 1;
    assert_ok(select_once(s, true, &s->options));
    assert_true(log.calls > 10 && log.last == 1 && !log.went_back);
    int calls = log.calls;
    for (int stop = 1; stop < calls; stop += 1 + calls / moments) {
        memset(s->mask, 77, (size_t)s->n);
        log = (Log){.stop_after = stop};
        assert_status(select_once(s, true, &s->options), COF_ERR_CANCELLED);
        assert_true(s->mask[0] == 77 && memcmp(s->mask, s->mask + 1, (size_t)s->n - 1) == 0);
    }
}

static void selecting_can_be_cancelled(void **state)
{
    (void)state;
    Scene small = scene_new(90, 70, COF_KIND_RGB), large = scene_new(1300, 800, COF_KIND_GREY);
    large.options.spread_iterations = 2;
    large.options.spread_window = 5;
    for (int i = 0; i < 2; i++) {
        small.options.select_method = large.options.select_method = (CofSelectMethod)i;
        small.options.min_area = 0.02;
        check_cancelling(&small, 40);
        check_cancelling(&large, 3);
    }
    scene_free(&small);
    scene_free(&large);
}

static void focus_in_steps(const Scene *s, const CofImage *out, int iterations)
{
    CofImage mask = plane(s, s->truth);
    float *values = calloc((size_t)s->n, sizeof *values);
    CofImage prior = floats(s, values);
    CofModel *foreground = NULL, *background = NULL;
    CofOptions o = s->options;
    o.iterations = iterations;
    assert_ok(cof_model_learn_pair(&foreground, &background, &s->image.view, &mask, &o));
    assert_ok(cof_mask_prior(&mask, &prior, &o));
    assert_ok(cof_focus(foreground, background, &prior, NULL, &s->image.view, out, &o));
    cof_model_free(&foreground);
    cof_model_free(&background);
    free(values);
}

static void focusing_is_its_steps(void **state)
{
    (void)state;
    static const CofKind kinds[] = {COF_KIND_RGB, COF_KIND_GREY, COF_KIND_RGBA, COF_KIND_BANDS};
    for (int i = 0; i < 8; i++) {
        Scene s = scene_new(80, 60, kinds[i % 4]);
        Random random = {i + 1};
        const CofImage *in = &s.image.view;
        TestImage once = test_image_new(&random, LAYOUT_ANY, in->width, in->height, in->channels,
                                        in->kind, in->sample);
        TestImage steps = test_image_new(&random, LAYOUT_ANY, in->width, in->height, in->channels,
                                         in->kind, in->sample);
        CofImage mask = plane(&s, s.truth);
        s.options.iterations = i < 4 ? 0 : i - 2;
        s.options.gap = i % 5;
        s.options.threads = 1 + i % 3;
        s.options.method = (CofMethod)(i % 3); /* exact, whatever it is */
        s.options.window = 7;
        assert_ok(cof_focus_mask(in, &mask, &once.view, &s.options));
        focus_in_steps(&s, &steps.view, i < 4 ? 5 : i - 2);
        assert_true(test_image_equal(&once, &steps));
        assert_false(test_image_equal(&once, &s.image));
        assert_ok(cof_focus_mask(in, &mask, in, &s.options)); /* in place */
        assert_true(test_image_equal(&once, &s.image));
        test_image_free(&once);
        test_image_free(&steps);
        scene_free(&s);
    }
}

/* The default options are those of a NULL pointer: five passes, too. */
static void focusing_needs_no_options(void **state)
{
    (void)state;
    Scene s = scene_new(60, 50, COF_KIND_RGB);
    Random random = {1};
    TestImage once = test_image_new(&random, LAYOUT_PACKED, 60, 50, 3, COF_KIND_RGB, COF_SAMPLE_U8);
    TestImage steps =
        test_image_new(&random, LAYOUT_PACKED, 60, 50, 3, COF_KIND_RGB, COF_SAMPLE_U8);
    CofImage mask = plane(&s, s.truth);
    cof_options_init(&s.options);
    assert_ok(cof_focus_mask(&s.image.view, &mask, &once.view, NULL));
    focus_in_steps(&s, &steps.view, 5);
    assert_true(test_image_equal(&once, &steps));
    CofReport report = {.struct_size = sizeof report};
    s.options.report = &report;
    assert_ok(cof_focus_mask(&s.image.view, &mask, &once.view, &s.options));
    assert_int_equal(report.passes, 5);
    test_image_free(&once);
    test_image_free(&steps);
    scene_free(&s);
}

static int clamp(int i, int n)
{
    return i < 0 ? 0 : i < n ? i : n - 1;
}

/* The Gaussian of 2 pixels in two dimensions, cut off 3 pixels away; edge pixels are repeated. */
/* How far the prior may be from what the mask says: 0.03 where half of the pixels within reach are
 * marked. */
static double naive_doubt(const TestImage *mask, int x, int y)
{
    int width = mask->view.width, height = mask->view.height;
    int reach = (width < height ? width : height) / 32;
    double marked = 0, pixels = 0;
    reach = reach > 16 ? reach : 16;
    for (int qy = y - reach; qy <= y + reach; qy++)
        for (int qx = x - reach; qx <= x + reach; qx++)
            if (qx >= 0 && qx < width && qy >= 0 && qy < height) {
                marked += test_image_get(mask, qx, qy, 0) != 0;
                pixels++;
            }
    return 0.12 * marked / pixels * (1 - marked / pixels);
}

static double naive_prior(const TestImage *mask, int x, int y)
{
    double sum = 0, weights = 0;
    for (int dy = -3; dy <= 3; dy++)
        for (int dx = -3; dx <= 3; dx++) {
            double weight = exp(-(dx * dx + dy * dy) / (2 * 2.0 * 2.0));
            int qx = clamp(x + dx, mask->view.width), qy = clamp(y + dy, mask->view.height);
            sum += test_image_get(mask, qx, qy, 0) != 0 ? weight : 0;
            weights += weight;
        }
    double doubt = naive_doubt(mask, x, y);
    return doubt + (1 - 2 * doubt) * sum / weights;
}

static void priors_are_blurred_masks(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 31; seed++) {
        Random random = {seed};
        bool large = seed == 31; /* with a larger reach */
        int width = large ? 580 : random_int(&random, 1, seed < 5 ? 3 : 40);
        int height = large ? 560 : random_int(&random, 1, seed % 2 ? 30 : 90);
        int edge = random_int(&random, 0, width); /* the mask is random to the right of it only */
        TestImage mask =
            test_image_new(&random, LAYOUT_ANY, width, height, 1, COF_KIND_GREY, COF_SAMPLE_U8);
        TestImage prior =
            test_image_new(&random, LAYOUT_ANY, width, height, 1, COF_KIND_GREY, COF_SAMPLE_F32);
        double share = random_uniform(&random);
        for (int i = 0; i < width * height; i++)
            test_image_set(&mask, i % width, i / width, 0,
                           i % width >= edge && random_chance(&random, share)
                               ? random_int(&random, 1, 255)
                               : 0);
        CofOptions o;
        cof_options_init(&o);
        o.threads = 1 + (int)(seed % 3);
        assert_ok(cof_mask_prior(&mask.view, &prior.view, &o));
        for (int i = 0; i < width * height; i += large ? 97 : 1) {
            double found = test_image_get(&prior, i % width, i / width, 0);
            assert_true(fabs(found - naive_prior(&mask, i % width, i / width)) < 1e-6);
            assert_true(found >= 0 && found <= 1);
        }
        test_image_check_padding(&prior);
        test_image_check_padding(&mask);
        test_image_free(&mask);
        test_image_free(&prior);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(selecting_is_its_steps),
        cmocka_unit_test(a_megapixel_is_selected_as_it_is),
        cmocka_unit_test(large_images_are_selected),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(selecting_can_be_cancelled),
        cmocka_unit_test(focusing_is_its_steps),
        cmocka_unit_test(focusing_needs_no_options),
        cmocka_unit_test(priors_are_blurred_masks),
    };
    return cmocka_run_group_tests_name("one_call", tests, NULL, NULL);
}
