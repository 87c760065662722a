/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts that keep their labels: learning and filtering with them gives the bytes of one call. */
#include <string.h>

#include "testing.h"

enum { WIDTH = 97, HEIGHT = 83, MAX_PARTS = 9 };

/* An image, and how it is smoothed. */
typedef struct Scene {
    TestImage image, mask;
    CofOptions options;
} Scene;

static Scene scene_new(uint64_t seed, CofKind kind, CofSample sample)
{
    Random random = {seed};
    Scene s;
    int channels = kind_channels(kind, 4);
    s.image = test_image_new(&random, LAYOUT_ANY, WIDTH, HEIGHT, channels, kind, sample);
    s.mask = test_image_new(&random, LAYOUT_ANY, WIDTH, HEIGHT, 1, COF_KIND_GREY, COF_SAMPLE_U8);
    double max = sample == COF_SAMPLE_U8 ? 255 : sample == COF_SAMPLE_U16 ? 65535 : 1;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            for (int c = 0; c < channels; c++)
                test_image_set(
                    &s.image, x, y, c,
                    max * (0.2 * ((x / 11 + c + y / 8) % 5) + 0.15 * random_uniform(&random)));
            test_image_set(&s.mask, x, y, 0, (x / 13 + y / 6) % 3 != 0);
        }
    if (seed % 2)
        test_image_add_gaps(&s.image, &random, 0.1);
    cof_options_init(&s.options);
    s.options.window = 7;
    s.options.colours = s.options.levels = 12;
    return s;
}

static void scene_free(Scene *s)
{
    test_image_free(&s->image);
    test_image_free(&s->mask);
}

/* The parts of an image, with views that extend beyond them. */
typedef struct Parts {
    int n;
    CofRect rects[MAX_PARTS];
    CofImage views[MAX_PARTS];
    CofPart *parts[MAX_PARTS];
} Parts;

static Parts split(const Scene *s, int columns, int rows, int margin)
{
    Parts p = {.n = columns * rows};
    for (int i = 0; i < p.n; i++) {
        int x = i % columns, y = i / columns;
        CofRect rect = {WIDTH * x / columns, HEIGHT * y / rows, 0, 0};
        rect.width = WIDTH * (x + 1) / columns - rect.x;
        rect.height = HEIGHT * (y + 1) / rows - rect.y;
        p.rects[i] = rect;
        p.views[i] = view_part(&s->image.view, rect_with_margin(rect, margin, &s->image.view));
        assert_ok(cof_part_new(&p.parts[i], &p.views[i], NULL));
    }
    return p;
}

static void parts_free(Parts *p)
{
    for (int i = 0; i < p->n; i++)
        cof_part_free(&p->parts[i]);
}

static CofStats *scan(const Scene *s)
{
    CofRoi roi = {.mask = &s->mask.view};
    CofStats *stats = NULL;
    assert_ok(cof_stats_new(&stats, &s->options));
    assert_ok(cof_stats_scan(stats, &s->image.view, &roi, &s->options));
    assert_ok(cof_stats_fit_palette(stats, &s->options));
    return stats;
}

/* Counts the parts with separate statistics, and merges these. */
static void count(const Scene *s, const Parts *p, CofStats *sum)
{
    for (int i = 0; i < p->n; i++) {
        CofRect view = {p->views[i].x, p->views[i].y, p->views[i].width, p->views[i].height};
        CofImage mask = view_part(&s->mask.view, view);
        CofRoi roi = {.mask = &mask, .part = p->rects[i]};
        CofStats *one = NULL;
        assert_ok(cof_stats_new_like(&one, sum, NULL));
        assert_ok(cof_stats_add_part(one, p->parts[i], &roi, &s->options));
        assert_ok(cof_stats_merge(sum, one, NULL));
        cof_stats_free(&one);
    }
}

static void filter(const Scene *s, const Parts *p, const CofModel *model, const TestImage *out)
{
    for (int i = 0; i < p->n; i++) {
        CofImage to = view_part(&out->view, p->rects[i]);
        assert_ok(cof_filter_part(model, p->parts[i], &to, &s->options));
    }
}

static void check_scene(const Scene *s, int columns, int rows, int extra)
{
    CofRoi roi = {.mask = &s->mask.view};
    CofStats *whole = scan(s), *sum = scan(s);
    CofModel *model = NULL;
    TestImage once = test_image_like(&s->image), out = test_image_like(&s->image);
    assert_ok(cof_stats_add(whole, &s->image.view, &roi, &s->options));
    assert_ok(cof_model_new(&model, whole, &s->options));
    int margin = margin_of(model, &s->options) + extra;
    Parts p = split(s, columns, rows, margin);
    count(s, &p, sum);
    assert_same_stats(whole, sum);
    filter(s, &p, model, &out);
    assert_ok(cof_smooth_roi(&s->image.view, &roi, &once.view, &s->options));
    assert_true(test_image_equal(&once, &out));
    filter(s, &p, model, &out); /* labels are still those of the input */
    assert_true(test_image_equal(&once, &out));
    assert_false(test_image_equal(&once, &s->image));
    parts_free(&p);
    test_image_free(&once);
    test_image_free(&out);
    cof_model_free(&model);
    cof_stats_free(&sum);
    cof_stats_free(&whole);
}

/* Every kind of image, in rows, columns and tiles, with views of just the size and larger ones. */
static void parts_give_the_whole(void **state)
{
    (void)state;
    static const CofKind kinds[] = {COF_KIND_RGB, COF_KIND_RGBA, COF_KIND_GREY, COF_KIND_BANDS};
    static const int splits[][2] = {{1, 3}, {3, 1}, {2, 2}, {1, 1}};
    for (int i = 0; i < 24; i++) {
        Scene s = scene_new(10 + (uint64_t)i, kinds[i % 4], (CofSample)(i / 4 % 3));
        s.options.threads = 1 + i % 3;
        s.options.iterations = 1 + i / 5 % 2;
        s.options.fidelity = i / 7 % 2;
        s.options.refine = i % 4;
        s.options.palettes = 1 + i / 6 % 2;
        s.options.method = i % 5 == 4 ? COF_METHOD_FAST : COF_METHOD_EXACT;
        s.options.space = i % 8 == 4 ? COF_SPACE_NATIVE : COF_SPACE_LAB;
        s.options.update = i % 9 == 8 ? COF_UPDATE_LABELS : COF_UPDATE_NONE;
        check_scene(&s, splits[i % 3][0], splits[i % 3][1], i % 2 ? 0 : 5);
        check_scene(&s, splits[3][0], splits[3][1], 0);
        scene_free(&s);
    }
}

/* Labels of another palette are not used. */
static void another_model(void **state)
{
    (void)state;
    Scene s = scene_new(2, COF_KIND_RGB, COF_SAMPLE_U8),
          t = scene_new(4, COF_KIND_RGB, COF_SAMPLE_U8);
    TestImage once = test_image_like(&s.image), out = test_image_like(&s.image);
    CofStats *mine = scan(&s), *other = scan(&t);
    CofModel *model = NULL;
    Parts p = split(&s, 1, 2, 20);
    count(&s, &p, mine);
    t.options.colours = 7;
    assert_ok(cof_stats_add(other, &t.image.view, NULL, &t.options));
    assert_ok(cof_model_new(&model, other, &t.options));
    filter(&s, &p, model, &out);
    assert_ok(cof_filter(model, NULL, &s.image.view, &once.view, &s.options));
    assert_true(test_image_equal(&once, &out));
    count(&s, &p, other); /* labels them with the other palette */
    cof_model_free(&model);
    assert_ok(cof_model_new(&model, other, &t.options));
    filter(&s, &p, model, &out);
    assert_ok(cof_filter(model, NULL, &s.image.view, &once.view, &s.options));
    assert_true(test_image_equal(&once, &out));
    parts_free(&p);
    cof_model_free(&model);
    cof_stats_free(&mine);
    cof_stats_free(&other);
    test_image_free(&once);
    test_image_free(&out);
    scene_free(&s);
    scene_free(&t);
}

/* A part that has not been counted is labelled by the filter. */
static void not_counted(void **state)
{
    (void)state;
    Scene s = scene_new(3, COF_KIND_RGB, COF_SAMPLE_U8);
    TestImage once = test_image_like(&s.image), out = test_image_like(&s.image);
    CofModel *model = NULL;
    assert_ok(cof_model_learn(&model, &s.image.view, NULL, 1, &s.options));
    Parts p = split(&s, 1, 2, margin_of(model, &s.options));
    filter(&s, &p, model, &out);
    assert_ok(cof_smooth(&s.image.view, &once.view, &s.options));
    assert_true(test_image_equal(&once, &out));
    parts_free(&p);
    cof_model_free(&model);
    test_image_free(&once);
    test_image_free(&out);
    scene_free(&s);
}

/* A part of an image that has been downscaled before; another one is refused. */
static void downscaled(void **state)
{
    (void)state;
    Scene s = scene_new(6, COF_KIND_RGB, COF_SAMPLE_U8);
    CofRoi roi = {.downscaled = 1};
    CofStats *stats[2] = {NULL, NULL};
    CofPart *part = NULL;
    CofProblem problem;
    s.options.downscale = 2;
    for (int i = 0; i < 2; i++) {
        assert_ok(cof_stats_new(&stats[i], &s.options));
        assert_ok(cof_stats_scan(stats[i], &s.image.view, &roi, &s.options));
        assert_ok(cof_stats_fit_palette(stats[i], &s.options));
    }
    s.options.problem = &problem;
    assert_ok(cof_part_new(&part, &s.image.view, NULL));
    assert_status(cof_stats_add_part(stats[0], part, NULL, &s.options), COF_ERR_OPTION);
    assert_string_equal(problem.option, "downscale");
    assert_ok(cof_stats_add_part(stats[0], part, &roi, &s.options));
    assert_ok(cof_stats_add(stats[1], &s.image.view, &roi, &s.options));
    assert_same_stats(stats[0], stats[1]);
    cof_part_free(&part);
    cof_stats_free(&stats[0]);
    cof_stats_free(&stats[1]);
    scene_free(&s);
}

static int stop_at_once(void *user, double done)
{
    (void)user;
    (void)done;
    return 1;
}

/* A cancelled call leaves a part that can be used again. */
static void cancelled(void **state)
{
    (void)state;
    Scene s = scene_new(5, COF_KIND_RGB, COF_SAMPLE_U8);
    CofStats *stats = scan(&s), *again = scan(&s);
    CofRoi roi = {.mask = &s.mask.view};
    CofOptions options = s.options;
    CofPart *part = NULL;
    options.progress = stop_at_once;
    assert_ok(cof_part_new(&part, &s.image.view, NULL));
    assert_status(cof_stats_add_part(stats, part, &roi, &options), COF_ERR_CANCELLED);
    assert_ok(cof_stats_add_part(stats, part, &roi, &s.options));
    assert_ok(cof_stats_add(again, &s.image.view, &roi, &s.options));
    assert_same_stats(stats, again);
    cof_part_free(&part);
    assert_null(part);
    cof_part_free(&part);
    cof_part_free(NULL);
    cof_stats_free(&stats);
    cof_stats_free(&again);
    scene_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_give_the_whole), cmocka_unit_test(another_model),
        cmocka_unit_test(not_counted),          cmocka_unit_test(cancelled),
        cmocka_unit_test(downscaled),
    };
    return cmocka_run_group_tests_name("parts", tests, NULL, NULL);
}
