/* SPDX-License-Identifier: BSD-2-Clause */
/* Strokes, against the distances of all pixels. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "image/stroke.h"
#include "testing.h"

/* The distance to the nearest point of a line, by trying which part of it is nearest. */
static double distance_to(const double *a, const double *b, double x, double y)
{
    double length = hypot(b[0] - a[0], b[1] - a[1]);
    double ends = fmin(hypot(x - a[0], y - a[1]), hypot(x - b[0], y - b[1]));
    if (!(length > 0))
        return ends;
    double ux = (b[0] - a[0]) / length, uy = (b[1] - a[1]) / length;
    double along = (x - a[0]) * ux + (y - a[1]) * uy;
    return along >= 0 && along <= length ? fabs((x - a[0]) * uy - (y - a[1]) * ux) : ends;
}

static void check_stroke(Random *random, const double *points, int n, double radius)
{
    int width = random_int(random, 1, 40), height = random_int(random, 1, 40);
    TestImage mask = test_image_new(random, LAYOUT_ANY, width, height, 1, COF_KIND_GREY, 0);
    bool any = false;
    size_t marked = cofi_stroke_draw(&mask.view, points, (size_t)n, radius, 200);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            double distance = (double)INFINITY;
            for (int i = 0; i < n; i++)
                distance = fmin(
                    distance, distance_to(points + 2 * (i > 0 ? i - 1 : 0), points + 2 * i, x, y));
            bool is_marked = test_image_get(&mask, x, y, 0) > 0;
            any |= is_marked;
            if (fabs(distance - radius) > 1e-9)
                assert_int_equal(is_marked, distance < radius);
        }
    assert_int_equal(marked > 0, any);
    test_image_check_padding(&mask);
    test_image_free(&mask);
}

static void strokes_mark_what_is_near(void **state)
{
    (void)state;
    for (current_seed = 1; current_seed <= 1000; current_seed++) {
        Random random = {current_seed};
        double points[10], radius = current_seed % 4 ? random_uniform(&random) * 9 : 0.5;
        double reach = current_seed % 3 ? 60 : 2000, middle = current_seed % 5 ? 20 : -900;
        int n = random_int(&random, 1, 5);
        for (int i = 0; i < 2 * n; i++)
            points[i] = middle + reach * (random_uniform(&random) - 0.5);
        if (current_seed % 7 == 0)
            memcpy(points + 2, points, 2 * sizeof *points); /* a line without a length */
        check_stroke(&random, points, n, radius);
    }
    current_seed = 0;
}

/* Without a radius, a stroke through the middles of pixels marks these. */
static void strokes_can_be_thin(void **state)
{
    (void)state;
    uint8_t bytes[12 * 10] = {0};
    CofImage mask = grey_view(bytes, 12, 10);
    const double points[6] = {1, 2, 6, 2, 9, 5};
    assert_ok(cof_mask_stroke(&mask, points, 3, 0, 255, NULL));
    for (int i = 0; i < 120; i++) {
        int x = i % 12, y = i / 12;
        bool on = (y == 2 && x >= 1 && x <= 6) || (x - y == 4 && x >= 6 && x <= 9);
        assert_int_equal(bytes[i], on ? 255 : 0);
    }
    assert_ok(cof_mask_stroke(&mask, points, 1, 0, 7, NULL));
    assert_int_equal(bytes[25], 7);
    assert_int_equal(bytes[26], 255);
}

/* Points far away take no time and lose no precision; beyond 1e9, they are refused. */
static void strokes_can_be_long(void **state)
{
    (void)state;
    static const double far[] = {1e6, 1e9, 1.1e9, 1e18, 1e155, 1e300, 1.7e308};
    uint8_t bytes[40 * 30];
    CofImage mask = grey_view(bytes, 40, 30);
    clock_t start = clock();
    for (int i = 0; i < 7; i++) {
        const double lines[][4] = {{10, 12, far[i], 12},
                                   {-far[i], 12, far[i], 12},
                                   {far[i], 12, 10, 12},
                                   {far[i], 12, far[i], 12},
                                   {far[i], far[i], far[i], -far[i]}};
        for (int j = 0; j < 5; j++) {
            memset(bytes, 0, sizeof bytes);
            CofStatus expected = i > 1 ? COF_ERR_ARGUMENT : j > 2 ? COF_ERR_EMPTY : COF_OK;
            assert_status(cof_mask_stroke(&mask, lines[j], 2, 1.5, 255, NULL), expected);
            for (int pixel = 0; pixel < 40 * 30; pixel++) {
                bool near = abs(pixel / 40 - 12) <= 1 && (j == 1 || pixel % 40 >= 9);
                assert_int_equal(bytes[pixel] > 0, near && expected == COF_OK);
            }
        }
    }
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(strokes_mark_what_is_near, name_seed),
        cmocka_unit_test(strokes_can_be_thin),
        cmocka_unit_test(strokes_can_be_long),
    };
    return cmocka_run_group_tests_name("stroke", tests, NULL, NULL);
}
