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

/* Masks between strokes need not be made at full size. */
static void masks_can_be_left_out(void **state)
{
    (void)state;
    static const double second[2] = {60, 30};
    Scene s = scene_new(4);
    for (int i = 0; i < 2; i++) {
        CofSelection *selection = begin(&s);
        CofImage mask = grey_view(s.mask, s.width, s.height), *between = i ? &mask : NULL;
        add(&s, selection, COF_STROKE_BACKGROUND, on_ground, 2);
        assert_ok(cof_selection_update(selection, between, &s.options));
        add(&s, selection, COF_STROKE_FOREGROUND, dab, 1);
        assert_ok(cof_selection_correct(selection, between, &s.options));
        add(&s, selection, COF_STROKE_BACKGROUND, second, 1);
        make(&s, selection, cof_selection_correct, i ? s.other : s.first);
        cof_selection_free(&selection);
    }
    assert_memory_equal(s.first, s.other, s.n);
    scene_free(&s);
}

static void give(const Scene *s, CofSelection *selection, uint8_t *bytes)
{
    CofImage mask = grey_view(bytes, s->width, s->height);
    assert_ok(cof_selection_set_mask(selection, &mask, &s->options));
}

/* A mask of an earlier selection, with its strokes. */
static void given_masks_are_corrected_alike(void **state)
{
    (void)state;
    Scene s = scene_new(1);
    CofSelection *selection = begin_with_mask(&s), *later = begin(&s);
    add(&s, selection, COF_STROKE_FOREGROUND, dab, 1);
    make(&s, selection, cof_selection_correct, s.mask);
    add(&s, later, COF_STROKE_FOREGROUND, dab, 1);
    give(&s, later, s.first);
    add(&s, later, COF_STROKE_BACKGROUND, on_ground, 2);
    make(&s, later, cof_selection_correct, s.other);
    assert_memory_equal(s.other, s.mask, s.n);
    make(&s, later, cof_selection_update, s.other); /* of the strokes alone */
    make(&s, selection, cof_selection_update, s.mask);
    assert_memory_equal(s.other, s.mask, s.n);
    cof_selection_free(&selection);
    cof_selection_free(&later);
    scene_free(&s);
}

/* Every pixel of a mask that somebody drew stays, except near a stroke that contradicts it. */
static void given_masks_stay(void **state)
{
    (void)state;
    static const double wrong[4] = {45, 60, 50, 60};
    for (int i = 0; i < 2; i++) {
        Scene s = scene_new(scales[i]);
        CofSelection *selection = NULL;
        Random random = {7};
        for (size_t p = 0; p < s.n; p++) { /* a ragged border, and a hole around the line */
            int x = (int)(p % (size_t)s.width) / s.scale, y = (int)(p / (size_t)s.width) / s.scale;
            bool hole = x > 30 && x < 70 && y > 50 && y < 70;
            s.first[p] = x < random_int(&random, 95, 105) && !hole ? 9 : 0;
        }
        assert_ok(cof_selection_new(&selection, &s.image.view, &s.options));
        give(&s, selection, s.first);
        make(&s, selection, cof_selection_correct, s.mask); /* nothing is new */
        add(&s, selection, COF_STROKE_FOREGROUND, on_object, 2);
        make(&s, selection, cof_selection_correct, s.other); /* nothing is wrong */
        for (size_t p = 0; p < s.n; p++) {
            assert_int_equal(s.mask[p], s.first[p] ? 255 : 0);
            assert_int_equal(s.other[p], s.mask[p]);
        }
        add(&s, selection, COF_STROKE_FOREGROUND, wrong, 2);
        make(&s, selection, cof_selection_correct, s.mask);
        for (int y = 0; y < 120; y++)
            for (int x = 0; x < 200; x++)
                assert_int_equal(at(&s, s.mask, x, y), x < 80 || at(&s, s.first, x, y) ? 255 : 0);
        cof_selection_free(&selection);
        scene_free(&s);
    }
}

/* A line whose surroundings are the whole image leaves the object where it is: its middle stays. */
static void given_masks_are_held(void **state)
{
    (void)state;
    static const double across[4] = {110, 10, 140, 110};
    Scene s = scene_new(1);
    CofSelection *selection = NULL;
    assert_ok(cof_selection_new(&selection, &s.image.view, &s.options));
    for (size_t p = 0; p < s.n; p++)
        s.first[p] = p % (size_t)s.width < 150;
    give(&s, selection, s.first);
    add(&s, selection, COF_STROKE_BACKGROUND, across, 2);
    make(&s, selection, cof_selection_correct, s.mask);
    for (size_t p = 0; p < s.n; p++)
        assert_int_equal(s.mask[p], p % (size_t)s.width < 100 ? 255 : 0);
    memset(s.first, 0, s.n); /* no object, and none is marked */
    give(&s, selection, s.first);
    CofImage mask = grey_view(s.mask, s.width, s.height);
    assert_int_equal(cof_selection_correct(selection, &mask, &s.options), COF_ERR_EMPTY);
    cof_selection_free(&selection);
    scene_free(&s);
}

/* Draws a disc of a bright grey, and adds it to the mask. */
static void draw_disc(Scene *s, int x, int y, int radius)
{
    for (int py = y - radius; py <= y + radius; py++)
        for (int px = x - radius; px <= x + radius; px++) {
            if ((px - x) * (px - x) + (py - y) * (py - y) > radius * radius)
                continue;
            for (int c = 0; c < 3; c++)
                test_image_set(&s->image, px, py, c, 200);
            s->first[(ptrdiff_t)py * s->width + px] = 255;
        }
}

/* Rows of discs, 25 pixels apart, in pixels of the image. */
static Scene scene_of_discs(int scale, int columns, int rows, int radius)
{
    Scene s = scene_new(scale);
    s.scale = 1;
    for (int i = 0; i < 3 * (int)s.n; i++)
        test_image_set(&s.image, i / 3 % s.width, i / 3 / s.width, i % 3, 60);
    memset(s.first, 0, s.n);
    for (int i = 0; i < columns * rows; i++)
        draw_disc(&s, 15 + 25 * (i % columns), 15 + 25 * (i / columns), radius);
    return s;
}

/* Adds a wrong strip to the mask, and corrects it by a line along it. */
static void correct_strip(Scene *s, int left, int right, int y)
{
    CofSelection *selection = NULL;
    const double line[4] = {left + 2, y, right - 2, y};
    memcpy(s->other, s->first, s->n);
    for (int py = y - 2; py <= y + 2; py++)
        memset(s->other + (ptrdiff_t)py * s->width + left, 255, (size_t)(right - left + 1));
    assert_ok(cof_selection_new(&selection, &s->image.view, &s->options));
    give(s, selection, s->other);
    add(s, selection, COF_STROKE_BACKGROUND, line, 2);
    make(s, selection, cof_selection_correct, s->mask);
    cof_selection_free(&selection);
}

/* Corrected masks may end one pixel beside the true border: a fifth of the pixels may differ. */
static void assert_discs_found(const Scene *s)
{
    size_t wrong = 0, all = 0;
    for (size_t i = 0; i < s->n; i++) {
        wrong += s->mask[i] != s->first[i];
        all += s->first[i] != 0;
    }
    assert_true(5 * wrong <= all);
}

/* Parts that no mark contradicts stay, however near it is, and however small they are. */
static void right_parts_stay(void **state)
{
    (void)state;
    for (int radius = 5; radius <= 8; radius += 3) {
        Scene s = scene_of_discs(3, 22, 13, radius);
        correct_strip(&s, 200, 260, 177);
        assert_discs_found(&s);
        scene_free(&s);
    }
}

/* A side of which only a small part exists, which a mark contradicts, is not lost. */
static void small_sides_stay(void **state)
{
    (void)state;
    Scene s = scene_of_discs(3, 1, 1, 4);
    correct_strip(&s, 18, 26, 15);
    assert_discs_found(&s);
    scene_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_parts_stay),
        cmocka_unit_test(small_sides_stay),
        cmocka_unit_test(corrections_stay_near),
        cmocka_unit_test(corrections_can_be_erased),
        cmocka_unit_test(all_is_new_without_a_mask),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(masks_can_be_left_out),
        cmocka_unit_test(given_masks_are_corrected_alike),
        cmocka_unit_test(given_masks_stay),
        cmocka_unit_test(given_masks_are_held),
    };
    return cmocka_run_group_tests_name("selection_correct", tests, NULL, NULL);
}
