/* SPDX-License-Identifier: BSD-2-Clause */
/* Selecting with strokes: what is marked matters, not how, and textured objects are found. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "testing.h"

/* A disc of checks on a ground of noise. */
typedef struct Scene {
    int width, height;
    size_t n;
    TestImage image;
    uint8_t *truth, *mask, *expected, *marks[3]; /* by the values of CofStroke */
    CofOptions options;
} Scene;

/* A stroke, in shares of the height of the image. */
typedef struct Stroke {
    CofStroke mark;
    double points[4];
    double radius;
} Stroke;

static const Stroke on_disc = {COF_STROKE_FOREGROUND, {0.55, 0.5, 0.78, 0.55}, 0.02};
static const Stroke on_ground = {COF_STROKE_BACKGROUND, {0.08, 0.1, 0.1, 0.9}, 0.02};

static Scene scene_new(int width, int height, int grain)
{
    static const double colours[4][3] = {
        {200, 40, 40}, {150, 20, 30}, {40, 160, 60}, {30, 110, 40}};
    Random random = {7};
    Scene s = {.width = width, .height = height, .n = (size_t)width * (size_t)height};
    s.image = test_image_new(&random, LAYOUT_ANY, width, height, 3, COF_KIND_RGB, COF_SAMPLE_U8);
    uint8_t **planes[] = {&s.truth, &s.mask, &s.expected, &s.marks[0], &s.marks[1], &s.marks[2]};
    for (int i = 0; i < 6; i++) {
        *planes[i] = calloc(s.n, 1);
        assert_non_null(*planes[i]);
    }
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            bool inside = hypot(x - width / 2, y - height / 2) < 0.3 * height;
            Random cell = {(uint64_t)(x / grain) * 7919 + (uint64_t)(y / grain) * 104729 + 1};
            random_bits(&cell);
            int which = inside ? (x / grain / 3 + y / grain / 3) % 2 : 2 + random_int(&cell, 0, 1);
            s.truth[(size_t)y * (size_t)width + (size_t)x] = inside;
            for (int c = 0; c < 3; c++)
                test_image_set(&s.image, x, y, c, colours[which][c] + random_int(&random, -6, 6));
        }
    cof_options_init(&s.options);
    memset(s.mask, 77, s.n);
    return s;
}

static void scene_free(Scene *s)
{
    test_image_free(&s->image);
    free(s->truth);
    free(s->mask);
    free(s->expected);
    for (int i = 0; i < 3; i++)
        free(s->marks[i]);
}

static CofImage plane(const Scene *s, uint8_t *bytes)
{
    return grey_view(bytes, s->width, s->height);
}

static CofSelection *begin(const Scene *s)
{
    CofSelection *selection = NULL;
    assert_ok(cof_selection_new(&selection, &s->image.view, &s->options));
    return selection;
}

static void scale(const Scene *s, const Stroke *stroke, double points[4])
{
    for (int i = 0; i < 4; i++)
        points[i] = stroke->points[i] * s->height;
}

static void add(const Scene *s, CofSelection *selection, const Stroke *stroke)
{
    double points[4];
    scale(s, stroke, points);
    assert_ok(cof_selection_add_stroke(selection, stroke->mark, points, 2,
                                       stroke->radius * s->height, &s->options));
}

static void update(const Scene *s, CofSelection *selection, uint8_t *bytes)
{
    CofImage mask = plane(s, bytes);
    assert_ok(cof_selection_update(selection, &mask, &s->options));
    for (size_t i = 0; i < s->n; i++)
        assert_true(bytes[i] == 0 || bytes[i] == 255);
}

/* The mask of these strokes, added at once. */
static void select_with(const Scene *s, const Stroke *strokes, int n, uint8_t *bytes)
{
    CofSelection *selection = begin(s);
    for (int i = 0; i < n; i++)
        add(s, selection, &strokes[i]);
    update(s, selection, bytes);
    cof_selection_free(&selection);
}

static double overlap(const Scene *s, const uint8_t *mask)
{
    double both = 0, either = 0;
    for (size_t i = 0; i < s->n; i++) {
        both += s->truth[i] && mask[i];
        either += s->truth[i] || mask[i];
    }
    return both / either;
}

static const int sizes[][3] = {{160, 120, 1}, {640, 470, 3}}; /* with grain; one is downscaled */

/* For tests that compare results of functions that others call for both sizes: the sanitizers need
 * not repeat that for the large one. */
static int compared_sizes(void)
{
    return getenv("COF_SANITIZED") ? 1 : 2;
}

static void marks_are_the_same_in_all_ways(void **state)
{
    (void)state;
    for (int size = 0; size < compared_sizes(); size++) {
        Scene s = scene_new(sizes[size][0], sizes[size][1], sizes[size][2]);
        const Stroke strokes[] = {on_disc, on_ground};
        CofImage front = plane(&s, s.marks[1]), back = plane(&s, s.marks[2]);
        CofImage mask = plane(&s, s.mask);
        select_with(&s, strokes, 2, s.expected);
        for (int i = 0; i < 2; i++) {
            double points[4];
            scale(&s, &strokes[i], points);
            assert_ok(cof_mask_stroke(i == 0 ? &front : &back, points, 2,
                                      strokes[i].radius * s.height, 1 + i, NULL));
        }
        assert_ok(cof_select(&s.image.view, &front, &back, &mask, &s.options));
        assert_memory_equal(s.mask, s.expected, s.n);
        CofSelection *selection = begin(&s);
        assert_ok(cof_selection_add_pixels(selection, COF_STROKE_BACKGROUND, &back, &s.options));
        assert_ok(cof_selection_add_pixels(selection, COF_STROKE_FOREGROUND, &front, &s.options));
        update(&s, selection, s.mask);
        assert_memory_equal(s.mask, s.expected, s.n);
        cof_selection_free(&selection);
        select_with(&s, strokes, 1, s.expected);
        assert_ok(cof_select(&s.image.view, &front, NULL, &mask, &s.options));
        assert_memory_equal(s.mask, s.expected, s.n);
        scene_free(&s);
    }
}

/* Nor do the options of learning and filtering, nor the threads. */
static void threads_do_not_matter(void **state)
{
    (void)state;
    const Stroke strokes[] = {on_disc, on_ground};
    for (int size = 0; size < compared_sizes(); size++) {
        Scene s = scene_new(sizes[size][0], sizes[size][1], sizes[size][2]);
        s.options.threads = 1;
        select_with(&s, strokes, 2, s.expected);
        for (s.options.threads = 2; s.options.threads < 8; s.options.threads += 2) {
            select_with(&s, strokes, 2, s.mask);
            assert_memory_equal(s.mask, s.expected, s.n);
        }
        s.options.window = 5;
        s.options.colours = 9;
        s.options.palettes = 2;
        s.options.iterations = 3;
        s.options.downscale = 2;
        s.options.filter_window = 5;
        s.options.update = COF_UPDATE_MODEL;
        select_with(&s, strokes, 2, s.mask);
        assert_memory_equal(s.mask, s.expected, s.n);
        scene_free(&s);
    }
}

static const Stroke many[] = {{COF_STROKE_FOREGROUND, {0.6, 0.5, 0.65, 0.5}, 0.02},
                              {COF_STROKE_FOREGROUND, {1.2, 0.2, 1.25, 0.25}, 0.02},
                              {COF_STROKE_BACKGROUND, {0.05, 0.1, 0.1, 0.9}, 0.03},
                              {COF_STROKE_BACKGROUND, {1.15, 0.15, 1.3, 0.3}, 0.04},
                              {COF_STROKE_ERASE, {0.02, 0.5, 0.2, 0.5}, 0.03},
                              {COF_STROKE_FOREGROUND, {0.7, 0.4, 0.7, 0.6}, 0.03}};
enum { MANY = sizeof many / sizeof many[0] };

static void masks_in_between_change_nothing(void **state)
{
    (void)state;
    for (int size = 0; size < compared_sizes(); size++) {
        Scene s = scene_new(sizes[size][0], sizes[size][1], sizes[size][2]);
        CofSelection *selection = begin(&s);
        for (int i = 0; i < MANY; i++) {
            add(&s, selection, &many[i]);
            update(&s, selection, s.mask);
            if (size > 0 && i < MANY - 1)
                continue; /* takes long */
            select_with(&s, many, i + 1, s.expected);
            assert_memory_equal(s.mask, s.expected, s.n);
        }
        cof_selection_free(&selection);
        assert_null(selection);
        scene_free(&s);
    }
}

/* What is marked last counts: the second and third stroke lie on the first, and cover it. */
static void later_marks_replace_earlier_ones(void **state)
{
    (void)state;
    for (int size = 0; size < compared_sizes(); size++) {
        Scene s = scene_new(sizes[size][0], sizes[size][1], sizes[size][2]);
        Stroke wrong = on_ground, gone = on_ground, right = on_ground;
        wrong.mark = COF_STROKE_FOREGROUND;
        gone.mark = COF_STROKE_ERASE;
        gone.radius = 0.03;
        const Stroke erased[] = {on_disc, wrong, gone}, replaced[] = {on_disc, wrong, right};
        const Stroke expected[] = {on_disc, on_ground};
        select_with(&s, expected, 1, s.expected);
        select_with(&s, erased, 3, s.mask);
        assert_memory_equal(s.mask, s.expected, s.n);
        select_with(&s, expected, 2, s.expected);
        select_with(&s, replaced, 3, s.mask);
        assert_memory_equal(s.mask, s.expected, s.n);
        scene_free(&s);
    }
}

/* Marked pixels have the label of their marks, whatever they are. */
static void marks_stay(void **state)
{
    (void)state;
    for (int size = 0; size < 2; size++) {
        Scene s = scene_new(sizes[size][0], sizes[size][1], sizes[size][2]);
        Random random = {21};
        CofImage front = plane(&s, s.marks[1]), back = plane(&s, s.marks[2]);
        CofImage mask = plane(&s, s.mask);
        for (size_t i = 0; i < s.n; i++)
            if (random_chance(&random, 0.01))
                s.marks[random_int(&random, 1, 2)][i] = 9;
        s.options.min_area = size == 0 ? 0.1 : 0;
        assert_ok(cof_select(&s.image.view, &front, &back, &mask, &s.options));
        for (size_t i = 0; i < s.n; i++) {
            if (s.marks[1][i])
                assert_int_equal(s.mask[i], 255);
            if (s.marks[2][i])
                assert_int_equal(s.mask[i], 0);
        }
        scene_free(&s);
    }
}

static void an_object_must_be_marked(void **state)
{
    (void)state;
    Scene s = scene_new(160, 120, 1);
    CofImage mask = plane(&s, s.mask);
    CofSelection *selection = begin(&s);
    Stroke gone = on_disc;
    gone.mark = COF_STROKE_ERASE;
    for (int i = 0; i < 3; i++) {
        assert_status(cof_selection_update(selection, &mask, &s.options), COF_ERR_EMPTY);
        assert_true(s.mask[0] == 77 && memcmp(s.mask, s.mask + 1, s.n - 1) == 0);
        if (i == 0)
            add(&s, selection, &on_ground);
        if (i == 1) {
            add(&s, selection, &on_disc);
            add(&s, selection, &gone);
        }
    }
    add(&s, selection, &on_disc);
    update(&s, selection, s.mask);
    cof_selection_free(&selection);
    scene_free(&s);
}

/* Measures results, not memory: the sanitizers need not repeat it. */
static void discs_are_selected(void **state)
{
    (void)state;
    if (getenv("COF_SANITIZED"))
        skip();
    static const int scenes[][3] = {{240, 180, 1}, {720, 540, 3}, {1300, 900, 4}};
    const Stroke strokes[] = {on_disc, on_ground};
    for (int i = 0; i < 3; i++) {
        Scene s = scene_new(scenes[i][0], scenes[i][1], scenes[i][2]);
        for (int n = 1; n <= 2; n++) {
            select_with(&s, strokes, n, s.mask);
            print_message("%d x %d, %d strokes: intersection over union %.4f\n", s.width, s.height,
                          n, overlap(&s, s.mask));
            assert_true(overlap(&s, s.mask) > 0.95);
        }
        scene_free(&s);
    }
}

/* A part at the border that looks like the background is no part of the object; if it is small, it
 * becomes one, unless somebody has marked it. */
static void small_parts_can_be_removed(void **state)
{
    (void)state;
    for (int size = 0; size < 2; size++) {
        Scene s = scene_new(sizes[size][0], sizes[size][1], sizes[size][2]);
        Random random = {6};
        int side = s.height / 10, small = s.height / 2 * s.width + side / 2;
        int large = s.height / 2 * s.width + s.width - 5;
        const double patch[2] = {side / 2, s.height / 2};
        for (int y = 0; y < s.height; y++)
            for (int x = 0; x < s.width; x++) {
                bool blue = x > 0.8 * s.width || (x < side && abs(y - s.height / 2) < side);
                for (int c = 0; c < 3; c++)
                    test_image_set(&s.image, x, y, c,
                                   (blue == (c == 2) ? 180 : 60) + random_int(&random, -20, 20));
            }
        const Stroke strokes[] = {{COF_STROKE_FOREGROUND, {0.5, 0.3, 0.8, 0.6}, 0.03}};
        CofSelection *selection = begin(&s);
        add(&s, selection, strokes);
        for (int i = 0; i < 3; i++) {
            s.options.min_area = i == 0 ? 0 : 0.05;
            if (i == 2)
                assert_ok(cof_selection_add_stroke(selection, COF_STROKE_BACKGROUND, patch, 1, 2,
                                                   &s.options));
            update(&s, selection, s.mask);
            assert_int_equal(s.mask[small], i == 1 ? 255 : 0);
            assert_int_equal(s.mask[large], 0);
        }
        cof_selection_free(&selection);
        scene_free(&s);
    }
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

static void calls_can_be_cancelled(void **state)
{
    (void)state;
    for (int size = 0; size < 2; size++) {
        Scene s = scene_new(sizes[size][0], sizes[size][1], sizes[size][2]);
        CofImage mask = plane(&s, s.mask);
        CofSelection *selection = begin(&s), *other = NULL;
        Log log = {0};
        add(&s, selection, &on_disc);
        update(&s, selection, s.expected);
        s.options.progress = record;
        s.options.user = &log;
        s.options.threads = 1;
        assert_ok(cof_selection_new(&other, &s.image.view, &s.options));
        assert_true(log.calls > 10 && log.last == 1 && !log.went_back);
        cof_selection_free(&other);
        for (int stop = 1, calls = log.calls; stop < calls; stop += 1 + calls / 5) {
            log = (Log){.stop_after = stop};
            assert_status(cof_selection_new(&other, &s.image.view, &s.options), COF_ERR_CANCELLED);
            assert_null(other);
        }
        log = (Log){0};
        memset(s.mask, 77, s.n);
        add(&s, selection, &on_ground); /* cancelled updates keep the marks */
        log = (Log){.stop_after = 1};
        assert_status(cof_selection_update(selection, &mask, &s.options), COF_ERR_CANCELLED);
        assert_true(s.mask[0] == 77 && memcmp(s.mask, s.mask + 1, s.n - 1) == 0);
        log = (Log){0};
        update(&s, selection, s.mask);
        assert_true(log.last == 1 && !log.went_back);
        s.options.progress = NULL;
        select_with(&s, (const Stroke[]){on_disc, on_ground}, 2, s.expected);
        assert_memory_equal(s.mask, s.expected, s.n);
        cof_selection_free(&selection);
        scene_free(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marks_are_the_same_in_all_ways),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(masks_in_between_change_nothing),
        cmocka_unit_test(later_marks_replace_earlier_ones),
        cmocka_unit_test(marks_stay),
        cmocka_unit_test(an_object_must_be_marked),
        cmocka_unit_test(discs_are_selected),
        cmocka_unit_test(small_parts_can_be_removed),
        cmocka_unit_test(calls_can_be_cancelled),
    };
    return cmocka_run_group_tests_name("selection", tests, NULL, NULL);
}
