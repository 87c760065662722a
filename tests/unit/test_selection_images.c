/* SPDX-License-Identifier: BSD-2-Clause */
/* Selecting in images of all kinds, sample types, layouts and sizes, with gaps and samples that are
 * not finite. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "testing.h"

/* The left half is dark and the right half bright, with noise. */
static TestImage halves(Random *random, Layout layout, int width, int height, CofKind kind,
                        CofSample sample)
{
    TestImage image =
        test_image_new(random, layout, width, height, kind_channels(kind, 5), kind, sample);
    double largest = sample == COF_SAMPLE_U8 ? 255 : sample == COF_SAMPLE_U16 ? 65535 : 1;
    bool has_alpha = kind == COF_KIND_GREY_ALPHA || kind == COF_KIND_RGBA;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            for (int c = 0; c < image.view.channels; c++) {
                bool alpha = has_alpha && c == image.view.channels - 1;
                double value = (x < width / 2 ? 0.2 : 0.7) + 0.1 * random_uniform(random);
                test_image_set(&image, x, y, c, largest * (alpha ? 1 : value));
            }
    return image;
}

static void update(const CofImage *image, CofSelection *selection, const CofOptions *options,
                   uint8_t *bytes)
{
    CofImage mask = grey_view(bytes, image->width, image->height);
    assert_ok(cof_selection_update(selection, &mask, options));
    for (int i = 0; i < image->width * image->height; i++)
        assert_true(bytes[i] == 0 || bytes[i] == 255);
    assert_int_equal(bytes[image->height / 2 * image->width], 255);
}

/* Marks the left end and then the right end, and returns the masks of one and of both marks. */
static void select_left(const CofImage *image, int threads, uint8_t *one, uint8_t *both)
{
    CofOptions options;
    CofSelection *selection = NULL;
    const double left[2] = {0, image->height / 2}, right[2] = {image->width - 1, image->height / 2};
    cof_options_init(&options);
    options.threads = threads;
    assert_ok(cof_selection_new(&selection, image, &options));
    assert_ok(cof_selection_add_stroke(selection, COF_STROKE_FOREGROUND, left, 1, 0, &options));
    if (one)
        update(image, selection, &options, one);
    /* One pixel can have one mark only. */
    assert_ok(cof_selection_add_stroke(selection, COF_STROKE_BACKGROUND, right, 1, 0, &options));
    if (image->width == 1)
        assert_ok(cof_selection_add_stroke(selection, COF_STROKE_FOREGROUND, left, 1, 0, &options));
    update(image, selection, &options, both);
    cof_selection_free(&selection);
}

/* The share of pixels that are selected rightly. */
static double share_right(const CofImage *image, const uint8_t *bytes)
{
    double right = 0;
    for (int i = 0; i < image->width * image->height; i++)
        right += (bytes[i] != 0) == (i % image->width < image->width / 2);
    return right / image->width / image->height;
}

/* Layouts do not matter; the pixels are only read. */
static void all_kinds_are_selected(void **state)
{
    (void)state;
    enum { WIDTH = 90, HEIGHT = 60 };
    static uint8_t masks[2][WIDTH * HEIGHT], others[2][WIDTH * HEIGHT];
    for (int kind = 0; kind <= COF_KIND_BANDS; kind++)
        for (int sample = 0; sample < 3; sample++) {
            Random random = {(uint64_t)(kind * 3 + sample + 1)};
            TestImage packed =
                halves(&random, LAYOUT_PACKED, WIDTH, HEIGHT, (CofKind)kind, (CofSample)sample);
            TestImage any = test_image_new(&random, LAYOUT_ANY, WIDTH, HEIGHT, packed.view.channels,
                                           packed.view.kind, packed.view.sample);
            test_image_copy(&any, &packed);
            select_left(&packed.view, 1, masks[0], masks[1]);
            select_left(&any.view, 3, others[0], others[1]);
            assert_memory_equal(masks, others, sizeof masks);
            for (int both = 0; both < 2; both++) {
                double right = share_right(&packed.view, masks[both]);
                if (!(right > 0.99))
                    fail_msg("kind %d, sample %d, %d strokes: %.4f are right", kind, sample,
                             1 + both, right);
            }
            assert_true(test_image_equal(&any, &packed));
            test_image_check_padding(&any);
            test_image_free(&packed);
            test_image_free(&any);
        }
}

/* Pixels without data are selected in some way, and the others as before. */
static void gaps_are_tolerated(void **state)
{
    (void)state;
    static const int sizes[][2] = {{90, 60}, {549, 547}};
    for (int i = 0; i < 12; i++) {
        Random random = {(uint64_t)i + 1};
        int width = sizes[i % 4 == 1][0], height = sizes[i % 4 == 1][1];
        TestImage image = halves(&random, LAYOUT_ANY, width, height,
                                 i % 3 ? COF_KIND_RGB : COF_KIND_GREY, COF_SAMPLE_F32);
        uint8_t *mask = malloc((size_t)width * (size_t)height);
        assert_non_null(mask);
        for (int j = 0; j < (i < 4 ? 0 : width * height / 50); j++)
            test_image_set(&image, random_int(&random, 0, width - 1),
                           random_int(&random, 0, height - 1), 0,
                           j % 3 == 0   ? (double)NAN
                           : j % 3 == 1 ? (double)INFINITY
                                        : -(double)INFINITY);
        if (i < 8)
            test_image_add_gaps(&image, &random, 0.05);
        select_left(&image.view, 1 + i % 3, NULL, mask);
        print_message("with gaps: %.4f are right\n", share_right(&image.view, mask));
        assert_true(share_right(&image.view, mask) > (i < 4 ? 0.97 : 0.9));
        test_image_free(&image);
        free(mask);
    }
}

/* Images without anything to tell apart. */
static void nothing_can_be_told_apart(void **state)
{
    (void)state;
    enum { SIDE = 40 };
    static uint8_t one[SIDE * SIDE], both[SIDE * SIDE];
    static const double values[] = {0, 1, 1e30, 1e-40, -7};
    for (int i = 0; i < 10; i++) {
        Random random = {3};
        TestImage image = test_image_new(&random, LAYOUT_ANY, SIDE, SIDE, i < 5 ? 3 : 1,
                                         i < 5 ? COF_KIND_RGB : COF_KIND_GREY, COF_SAMPLE_F32);
        for (int pixel = 0; pixel < SIDE * SIDE; pixel++)
            for (int c = 0; c < image.view.channels; c++)
                test_image_set(&image, pixel % SIDE, pixel / SIDE, c, values[i % 5]);
        select_left(&image.view, 2, one, both);
        test_image_free(&image);
    }
}

/* No pixel has data: there is nothing to select, and the reason is given. */
static void images_without_data_are_refused(void **state)
{
    (void)state;
    enum { SIDE = 20 };
    float pixels[SIDE * SIDE];
    uint8_t valid[SIDE * SIDE] = {0}, marks[SIDE * SIDE] = {1}, bytes[SIDE * SIDE] = {77};
    CofImage scribbles = grey_view(marks, SIDE, SIDE), mask = grey_view(bytes, SIDE, SIDE);
    for (int i = 0; i < 2; i++) {
        CofImage image = grey_view((uint8_t *)pixels, SIDE, SIDE);
        CofSelection *selection = NULL;
        CofProblem problem = {0};
        CofOptions options;
        cof_options_init(&options);
        options.problem = &problem;
        image.sample = COF_SAMPLE_F32;
        image.valid = i == 0 ? valid : NULL;
        for (int pixel = 0; pixel < SIDE * SIDE; pixel++)
            pixels[pixel] = i == 0 ? 0 : NAN;
        assert_status(cof_selection_new(&selection, &image, &options), COF_ERR_EMPTY);
        assert_true(!selection && problem.text);
        assert_status(cof_select(&image, &scribbles, NULL, &mask, &options), COF_ERR_EMPTY);
        assert_int_equal(bytes[0], 77);
    }
}

static void all_sizes_are_selected(void **state)
{
    (void)state;
    static const int sizes[][2] = {{1, 1}, {2, 1},    {1, 2},    {1, 50},  {50, 1},   {2, 2},
                                   {3, 3}, {5000, 3}, {3, 5000}, {64, 65}, {129, 63}, {549, 547}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        Random random = {(uint64_t)i + 1};
        int width = sizes[i][0], height = sizes[i][1];
        TestImage image = halves(&random, LAYOUT_PACKED, width, height,
                                 i % 2 ? COF_KIND_RGB : COF_KIND_GREY, COF_SAMPLE_U8);
        uint8_t *one = malloc((size_t)width * (size_t)height);
        uint8_t *mask = malloc((size_t)width * (size_t)height);
        assert_non_null(one);
        assert_non_null(mask);
        select_left(&image.view, 1 + (int)i % 2, one, mask);
        if (width >= 10)
            assert_true(share_right(&image.view, mask) > 0.9);
        test_image_free(&image);
        free(one);
        free(mask);
    }
}

/* A line of two pixels, which is one or less after downscaling, is selected by a part of it, and
 * nothing more than two pixels away. Measures results, not memory. */
static void thin_lines_are_selected(void **state)
{
    (void)state;
    if (getenv("COF_SANITIZED"))
        skip();
    enum { WIDTH = 800, HEIGHT = 600, FIRST = 100, END = 700 };
    static uint8_t pixels[WIDTH * HEIGHT], bytes[WIDTH * HEIGHT];
    CofImage image = grey_view(pixels, WIDTH, HEIGHT), mask = grey_view(bytes, WIDTH, HEIGHT);
    for (int row = 300; row < 302; row++) {
        Random random = {5};
        CofSelection *selection = NULL;
        const double line[4] = {140, row + 0.5, 640, row + 0.5};
        const double above[4] = {50, 250, 750, 250}, below[4] = {50, 350, 750, 350};
        for (int i = 0; i < WIDTH * HEIGHT; i++) {
            int x = i % WIDTH, y = i / WIDTH;
            bool on = (y == row || y == row + 1) && x >= FIRST && x < END;
            pixels[i] = (uint8_t)((on ? 30 : 190) + random_int(&random, -10, 10));
        }
        assert_ok(cof_selection_new(&selection, &image, NULL));
        assert_ok(cof_selection_add_stroke(selection, COF_STROKE_FOREGROUND, line, 2, 0.6, NULL));
        assert_ok(cof_selection_add_stroke(selection, COF_STROKE_BACKGROUND, above, 2, 3, NULL));
        assert_ok(cof_selection_add_stroke(selection, COF_STROKE_BACKGROUND, below, 2, 3, NULL));
        assert_ok(cof_selection_update(selection, &mask, NULL));
        cof_selection_free(&selection);
        for (int i = 0; i < WIDTH * HEIGHT; i++) {
            int x = i % WIDTH, y = i / WIDTH;
            if (x >= FIRST && x < END && (y == row || y == row + 1))
                assert_int_equal(bytes[i], 255);
            else if (x < FIRST - 2 || x >= END + 2 || y < row - 2 || y > row + 3)
                assert_int_equal(bytes[i], 0);
        }
    }
}

/* The colours under the strokes tell edges of the object from those inside of it: a strap divides
 * the object, and its edges are stronger than those around the object. */
static void edges_between_strokes_count_more(void **state)
{
    (void)state;
    enum { WIDTH = 160, HEIGHT = 120 };
    static const double ground[3] = {150, 150, 150}, body[3] = {200, 140, 100},
                        strap[3] = {100, 40, 20};
    static uint8_t bytes[WIDTH * HEIGHT];
    Random random = {3};
    TestImage image =
        test_image_new(&random, LAYOUT_ANY, WIDTH, HEIGHT, 3, COF_KIND_RGB, COF_SAMPLE_U8);
    CofImage mask = grey_view(bytes, WIDTH, HEIGHT);
    CofSelection *selection = NULL;
    const double left[4] = {50, 60, 65, 60}, beside[4] = {142, 20, 142, 100};
    int wrong = 0;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            bool inside = y >= 30 && y < 90 && x >= 40 && x < 120;
            const double *colour = !inside ? ground : x >= 76 && x < 84 ? strap : body;
            for (int c = 0; c < 3; c++)
                test_image_set(&image, x, y, c, colour[c] + random_int(&random, -6, 6));
        }
    assert_ok(cof_selection_new(&selection, &image.view, NULL));
    assert_ok(cof_selection_add_stroke(selection, COF_STROKE_FOREGROUND, left, 2, 2, NULL));
    assert_ok(cof_selection_add_stroke(selection, COF_STROKE_BACKGROUND, beside, 2, 2, NULL));
    assert_ok(cof_selection_update(selection, &mask, NULL));
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        int x = i % WIDTH, y = i / WIDTH;
        wrong += (bytes[i] != 0) != (y >= 30 && y < 90 && x >= 40 && x < 120);
    }
    print_message("with a strap: %d pixels are wrong\n", wrong);
    assert_true(wrong < WIDTH * HEIGHT / 200);
    cof_selection_free(&selection);
    test_image_free(&image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_kinds_are_selected),
        cmocka_unit_test(gaps_are_tolerated),
        cmocka_unit_test(nothing_can_be_told_apart),
        cmocka_unit_test(images_without_data_are_refused),
        cmocka_unit_test(all_sizes_are_selected),
        cmocka_unit_test(thin_lines_are_selected),
        cmocka_unit_test(edges_between_strokes_count_more),
    };
    return cmocka_run_group_tests_name("selection_images", tests, NULL, NULL);
}
