/* SPDX-License-Identifier: BSD-2-Clause */
/* Masks that are corrected: what is far from the new strokes stays as it is. */
#include <stdlib.h>
#include <string.h>

#include "testing.h"

/* From left to right: the object, and a ground that a faint edge divides. The ground is marked
 * beyond that edge only, so that a dab of the object on this side of it floods half of the ground.
 */
typedef struct Scene {
    int scale, width, height;
    size_t n;
    TestImage image;
    uint8_t *first, *mask, *other;
    CofOptions options;
} Scene;

static const double on_object[4] = {20, 10, 20, 110}, on_ground[4] = {180, 10, 180, 110};
static const double dab[2] = {106, 60};

/* Of the dab: its reach, generously. */
#define NEAR 30

static Scene scene_new(int scale)
{
    static const double colours[3] = {40, 190, 205};
    Random random = {5};
    Scene s = {.scale = scale, .width = 200 * scale, .height = 120 * scale};
    s.n = (size_t)s.width * (size_t)s.height;
    s.image =
        test_image_new(&random, LAYOUT_ANY, s.width, s.height, 3, COF_KIND_RGB, COF_SAMPLE_U8);
    for (int y = 0; y < s.height; y++)
        for (int x = 0; x < s.width; x++) {
            int band = x < 100 * scale ? 0 : x < 150 * scale ? 1 : 2;
            for (int c = 0; c < 3; c++)
                test_image_set(&s.image, x, y, c, colours[band]);
        }
    uint8_t **planes[] = {&s.first, &s.mask, &s.other};
    for (int i = 0; i < 3; i++) {
        *planes[i] = malloc(s.n);
        assert_non_null(*planes[i]);
    }
    cof_options_init(&s.options);
    return s;
}

static void scene_free(Scene *s)
{
    test_image_free(&s->image);
    free(s->first);
    free(s->mask);
    free(s->other);
}

static void add(const Scene *s, CofSelection *selection, CofStroke mark, const double *points,
                size_t n)
{
    double scaled[4];
    for (size_t i = 0; i < 2 * n; i++)
        scaled[i] = s->scale * points[i];
    assert_ok(cof_selection_add_stroke(selection, mark, scaled, n, 2.0 * s->scale, &s->options));
}

typedef CofStatus Making(CofSelection *selection, const CofImage *mask, const CofOptions *options);

static void make(const Scene *s, CofSelection *selection, Making *making, uint8_t *bytes)
{
    CofImage mask = grey_view(bytes, s->width, s->height);
    assert_ok(making(selection, &mask, &s->options));
}

static CofSelection *begin(const Scene *s)
{
    CofSelection *selection = NULL;
    assert_ok(cof_selection_new(&selection, &s->image.view, &s->options));
    add(s, selection, COF_STROKE_FOREGROUND, on_object, 2);
    return selection;
}

/* With strokes on both sides, and a first mask. */
static CofSelection *begin_with_mask(const Scene *s)
{
    CofSelection *selection = begin(s);
    add(s, selection, COF_STROKE_BACKGROUND, on_ground, 2);
    make(s, selection, cof_selection_update, s->first);
    return selection;
}

static uint8_t at(const Scene *s, const uint8_t *bytes, int x, int y)
{
    return bytes[(size_t)(y * s->scale) * (size_t)s->width + (size_t)(x * s->scale)];
}

static const int scales[] = {1, 4}; /* one is downscaled */

static void corrections_stay_near(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        Scene s = scene_new(scales[i]);
        CofSelection *selection = begin_with_mask(&s);
        add(&s, selection, COF_STROKE_FOREGROUND, dab, 1);
        make(&s, selection, cof_selection_correct, s.mask);
        assert_int_equal(at(&s, s.first, 106, 60), 0);
        assert_int_equal(at(&s, s.mask, 106, 60), 255);
        for (int y = 0; y < 120; y++)
            for (int x = 0; x < 200; x++)
                if (abs(x - 106) > NEAR || abs(y - 60) > NEAR)
                    assert_int_equal(at(&s, s.mask, x, y), at(&s, s.first, x, y));
        make(&s, selection, cof_selection_update, s.mask); /* acts everywhere */
        assert_int_equal(at(&s, s.mask, 130, 110), 255);
        cof_selection_free(&selection);
        scene_free(&s);
    }
}

static void corrections_can_be_erased(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        Scene s = scene_new(scales[i]);
        CofSelection *selection = begin_with_mask(&s);
        make(&s, selection, cof_selection_correct, s.mask); /* of nothing */
        assert_memory_equal(s.mask, s.first, s.n);
        add(&s, selection, COF_STROKE_FOREGROUND, dab, 1);
        make(&s, selection, cof_selection_correct, s.mask);
        assert_true(memcmp(s.mask, s.first, s.n) != 0);
        add(&s, selection, COF_STROKE_ERASE, dab, 1);
        make(&s, selection, cof_selection_correct, s.mask);
        assert_memory_equal(s.mask, s.first, s.n);
        cof_selection_free(&selection);
        scene_free(&s);
    }
}

/* Without a mask to correct, without background, and after marks that a video has brought. */
static void all_is_new_without_a_mask(void **state)
{
    (void)state;
    Scene s = scene_new(1);
    CofSelection *selection = begin_with_mask(&s), *other = begin(&s);
    make(&s, other, cof_selection_correct, s.mask);
    add(&s, other, COF_STROKE_FOREGROUND, dab, 1);
    make(&s, other, cof_selection_correct, s.mask);
    make(&s, other, cof_selection_update, s.other);
    assert_memory_equal(s.mask, s.other, s.n);
    CofImage first = grey_view(s.first, s.width, s.height);
    assert_ok(cof_selection_follow(selection, NULL, &first, &s.options));
    make(&s, selection, cof_selection_correct, s.mask);
    make(&s, selection, cof_selection_update, s.other);
    assert_memory_equal(s.mask, s.other, s.n);
    cof_selection_free(&selection);
    cof_selection_free(&other);
    scene_free(&s);
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    Scene s = scene_new(4);
    for (int threads = 1; threads <= 3; threads += 2) {
        s.options.threads = threads;
        CofSelection *selection = begin_with_mask(&s);
        add(&s, selection, COF_STROKE_FOREGROUND, dab, 1);
        make(&s, selection, cof_selection_correct, threads == 1 ? s.other : s.mask);
        cof_selection_free(&selection);
    }
    assert_memory_equal(s.mask, s.other, s.n);
    scene_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corrections_stay_near),
        cmocka_unit_test(corrections_can_be_erased),
        cmocka_unit_test(all_is_new_without_a_mask),
        cmocka_unit_test(threads_do_not_matter),
    };
    return cmocka_run_group_tests_name("selection_correct", tests, NULL, NULL);
}
