/* SPDX-License-Identifier: BSD-2-Clause */
/* Masks that are carried from frame to frame of a video. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "testing.h"

/* A disc of checks moves over a ground of noise, where a second one of the same kind stands. */
typedef struct Video {
    int width, height, grain;
    size_t n;
    TestImage frames[2];
    uint8_t *truth, *masks[2], *expected;
    CofOptions options;
} Video;

static Video video_new(int width, int height, int grain)
{
    Random random = {7};
    Video v = {.width = width, .height = height, .grain = grain};
    v.n = (size_t)width * (size_t)height;
    for (int i = 0; i < 2; i++) {
        v.frames[i] =
            test_image_new(&random, LAYOUT_ANY, width, height, 3, COF_KIND_RGB, COF_SAMPLE_U8);
        v.masks[i] = calloc(v.n, 1);
        assert_non_null(v.masks[i]);
    }
    v.truth = calloc(v.n, 1);
    v.expected = calloc(v.n, 1);
    assert_non_null(v.truth);
    assert_non_null(v.expected);
    cof_options_init(&v.options);
    return v;
}

static void video_free(Video *v)
{
    for (int i = 0; i < 2; i++) {
        test_image_free(&v->frames[i]);
        free(v->masks[i]);
    }
    free(v->truth);
    free(v->expected);
}

/* Draws a frame, with the disc around (cx, cy), and what is true of it. */
static void draw(Video *v, int frame, int cx, int cy)
{
    static const double colours[4][3] = {
        {200, 40, 40}, {150, 20, 30}, {40, 160, 60}, {30, 110, 40}};
    Random noise = {(uint64_t)(cx * 10000 + cy)};
    double radius = 0.18 * v->height;
    for (int y = 0; y < v->height; y++)
        for (int x = 0; x < v->width; x++) {
            bool inside = hypot(x - cx, y - cy) < radius;
            bool other = hypot(x - 0.85 * v->width, y - 0.8 * v->height) < radius / 2;
            int column = (inside ? x - cx + 5000 : x) / v->grain;
            int row = (inside ? y - cy + 5000 : y) / v->grain;
            Random cell = {(uint64_t)column * 7919 + (uint64_t)row * 104729 + 1};
            random_bits(&cell);
            int which = inside || other ? (column / 3 + row / 3) % 2 : 2 + random_int(&cell, 0, 1);
            v->truth[(size_t)y * (size_t)v->width + (size_t)x] = inside;
            for (int c = 0; c < 3; c++)
                test_image_set(&v->frames[frame], x, y, c,
                               colours[which][c] + random_int(&noise, -6, 6));
        }
}

static double overlap(const Video *v, const uint8_t *mask)
{
    double both = 0, either = 0;
    for (size_t i = 0; i < v->n; i++) {
        both += v->truth[i] && mask[i];
        either += v->truth[i] || mask[i];
    }
    return both / either;
}

/* Carries the mask of frame `from` to the other frame. */
static CofStatus follow(Video *v, int from, bool moves)
{
    CofImage last = grey_view(v->masks[from], v->width, v->height);
    CofImage next = grey_view(v->masks[1 - from], v->width, v->height);
    CofSelection *selection = NULL;
    assert_ok(cof_selection_new(&selection, &v->frames[1 - from].view, &v->options));
    assert_ok(
        cof_selection_follow(selection, moves ? &v->frames[from].view : NULL, &last, &v->options));
    CofStatus status = cof_selection_update(selection, &next, &v->options);
    cof_selection_free(&selection);
    return status;
}

/* Begins with the true mask of a first frame. */
static void begin(Video *v, int cx, int cy)
{
    draw(v, 0, cx, cy);
    for (size_t i = 0; i < v->n; i++)
        v->masks[0][i] = v->truth[i] ? 255 : 0;
}

static const int sizes[][3] = {{240, 180, 1}, {800, 600, 3}}; /* with grain; one is downscaled */

/* The frames through which an object is followed. Later ones measure results, not memory. */
static int followed_frames(int size)
{
    return getenv("COF_SANITIZED") ? 2 - size : size == 0 ? 8 : 3;
}

static void objects_are_followed(void **state)
{
    (void)state;
    for (int size = 0; size < 2; size++) {
        Video v = video_new(sizes[size][0], sizes[size][1], sizes[size][2]);
        double unit = v.height / 100.0; /* 5 % of the height in each frame */
        begin(&v, (int)(25 * unit), (int)(30 * unit));
        for (int i = 1; i <= followed_frames(size); i++) {
            int now = i % 2;
            draw(&v, now, (int)((25 + 5 * i) * unit), (int)((30 + i) * unit));
            assert_ok(follow(&v, 1 - now, true));
            assert_true(overlap(&v, v.masks[now]) > 0.93);
        }
        video_free(&v);
    }
}

static void without_the_last_frame_nothing_moves(void **state)
{
    (void)state;
    Video v = video_new(240, 180, 1);
    begin(&v, 100, 80);
    draw(&v, 1, 101, 80);
    assert_ok(follow(&v, 0, false));
    assert_true(overlap(&v, v.masks[1]) > 0.93);
    begin(&v, 60, 80);
    draw(&v, 1, 60 + 20, 80); /* too far without knowing where to */
    assert_ok(follow(&v, 0, false));
    double still = overlap(&v, v.masks[1]);
    assert_ok(follow(&v, 0, true));
    assert_true(still < 0.8 && overlap(&v, v.masks[1]) > 0.93);
    video_free(&v);
}

static void thin_objects_are_not_lost(void **state)
{
    (void)state;
    Video v = video_new(240, 180, 1);
    for (int frame = 0; frame < 2; frame++)
        for (int y = 0; y < v.height; y++)
            for (int x = 0; x < v.width; x++) {
                bool inside = y >= 80 && y < 84 && x >= 40 && x < 200;
                v.truth[(size_t)y * (size_t)v.width + (size_t)x] = inside;
                for (int c = 0; c < 3; c++)
                    test_image_set(&v.frames[frame], x, y, c, inside ? 220 : 30);
            }
    for (size_t i = 0; i < v.n; i++)
        v.masks[0][i] = v.truth[i] ? 255 : 0;
    assert_ok(follow(&v, 0, true));
    assert_true(overlap(&v, v.masks[1]) > 0.9);
    video_free(&v);
}

static void objects_may_leave(void **state)
{
    (void)state;
    Video v = video_new(240, 180, 1);
    draw(&v, 0, 100, 80);
    draw(&v, 1, 100, 80);
    memset(v.masks[0], 0, v.n);
    assert_status(follow(&v, 0, true), COF_ERR_EMPTY);
    video_free(&v);
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    const int *size = sizes[getenv("COF_SANITIZED") ? 0 : 1];
    Video v = video_new(size[0], size[1], size[2]);
    begin(&v, v.height / 2, v.height / 2);
    draw(&v, 1, v.height / 2 + v.height / 30, v.height / 2 + v.height / 60);
    v.options.threads = 1;
    assert_ok(follow(&v, 0, true));
    memcpy(v.expected, v.masks[1], v.n);
    v.options.threads = 3;
    memset(v.masks[1], 77, v.n);
    assert_ok(follow(&v, 0, true));
    assert_memory_equal(v.masks[1], v.expected, v.n);
    video_free(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_are_followed),
        cmocka_unit_test(without_the_last_frame_nothing_moves),
        cmocka_unit_test(thin_objects_are_not_lost),
        cmocka_unit_test(objects_may_leave),
        cmocka_unit_test(threads_do_not_matter),
    };
    return cmocka_run_group_tests_name("selection_follow", tests, NULL, NULL);
}
