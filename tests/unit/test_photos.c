/* SPDX-License-Identifier: BSD-2-Clause */
/* Real photographs: iterations settle down (figure 7 of the paper), the fast method is near to the
 * exact one, and what is learned from some pairs to what is learned from all. */
#include <math.h>

#include <vips/vips.h>

#include "testing.h"

static const char *const photos[] = {
    "astronaut.png", "brick.png",  "camera.png", "chelsea.png",           "coffee.png",
    "grass.png",     "gravel.png", "ihc.png",    "hubble_deep_field.jpg", "rocket.jpg",
};

enum { PASSES = 10 };

typedef struct Photo {
    VipsImage *image;
    CofImage view;
} Photo;

static Photo open_photo(const char *name)
{
    char *path = g_build_filename(COF_TEST_DATA, "photos", name, NULL);
    Photo photo = {.image = vips_image_new_from_file(path, NULL)};
    assert_non_null(photo.image);
    size_t size;
    uint8_t *pixels = vips_image_write_to_memory(photo.image, &size);
    assert_non_null(pixels);
    photo.view = (CofImage){.data = pixels,
                            .width = photo.image->Xsize,
                            .height = photo.image->Ysize,
                            .channels = photo.image->Bands,
                            .kind = photo.image->Bands == 3 ? COF_RGB : COF_GREY};
    g_free(path);
    return photo;
}

static void close_photo(Photo *photo)
{
    g_free(photo->view.data);
    g_object_unref(photo->image);
}

static void change_falls(void **state)
{
    const char *name = *state;
    Photo photo = open_photo(name);
    CofReport report = {.struct_size = sizeof report};
    CofOptions options;
    cof_options_init(&options);
    options.iterations = PASSES;
    options.report = &report;
    assert_ok(cof_smooth(&photo.view, &photo.view, &options));
    assert_int_equal(report.passes, PASSES);
    for (int pass = 1; pass < PASSES; pass++)
        assert_true(report.change[pass] < report.change[pass - 1]);
    double fall = report.change[0] / report.change[PASSES - 1];
    print_message("%s: %.3f to %.5f, %.0f times less\n", name, report.change[0],
                  report.change[PASSES - 1], fall);
    assert_true(fall >= 30);
    close_photo(&photo);
}

/* How far two results of one photograph are apart. */
typedef struct Likeness {
    double psnr, near; /* near: the share of samples within 4 code values */
} Likeness;

static Likeness compare(const Photo *photo, const CofOptions *one, const CofOptions *other)
{
    const CofImage *in = &photo->view;
    size_t n = (size_t)in->width * (size_t)in->height * (size_t)in->channels;
    CofImage first = *in, second = *in;
    uint8_t *a = first.data = g_malloc(n), *b = second.data = g_malloc(n);
    assert_ok(cof_smooth(in, &first, one));
    assert_ok(cof_smooth(in, &second, other));
    double squares = 0, near = 0;
    for (size_t i = 0; i < n; i++) {
        int d = abs(a[i] - b[i]);
        squares += (double)d * d;
        near += d <= 4;
    }
    g_free(a);
    g_free(b);
    return (Likeness){10 * log10(255 * 255 / (squares / (double)n)), near / (double)n};
}

/* 45 dB, and 99 % of the samples within 4 code values; grey falls back to exact. */
static void fast_is_near(void **state)
{
    const char *name = *state;
    Photo photo = open_photo(name);
    CofReport report = {.struct_size = sizeof report};
    CofOptions exact, fast;
    cof_options_init(&exact);
    fast = exact;
    fast.method = COF_METHOD_FAST;
    fast.report = &report;
    Likeness like = compare(&photo, &exact, &fast);
    print_message("%s: fast %.1f dB, %.2f %% within 4, %d terms\n", name, like.psnr,
                  100 * like.near, report.ranks);
    assert_int_equal(report.ranks > 0, photo.view.channels == 3);
    assert_true(like.psnr >= 45);
    assert_true(like.near >= 0.99);
    close_photo(&photo);
}

/* Weights below 0 would take it farther with each pass: the harder M and the fewer colours, the
 * sooner. */
static void fast_stays_near(void **state)
{
    const char *name = *state;
    Photo photo = open_photo(name);
    CofOptions exact, fast;
    cof_options_init(&exact);
    exact.colours = exact.levels = 12;
    exact.softness = 0;
    exact.window = 31;
    exact.iterations = 16;
    fast = exact;
    fast.method = COF_METHOD_FAST;
    Likeness like = compare(&photo, &exact, &fast);
    print_message("%s: fast, 16 passes, %.1f dB\n", name, like.psnr);
    assert_true(like.psnr >= 45);
    close_photo(&photo);
}

/* 56 dB, as the specification has measured, though it counts more; 50 dB for 256 labels. */
static void sampled_is_near(void **state)
{
    const char *name = *state;
    Photo photo = open_photo(name);
    CofOptions sampled, all;
    cof_options_init(&sampled);
    all = sampled;
    all.sampling = COF_SAMPLING_ALL;
    Likeness like = compare(&photo, &sampled, &all);
    print_message("%s: sampled %.1f dB\n", name, like.psnr);
    assert_true(like.psnr >= (photo.view.channels == 3 ? 56 : 50));
    close_photo(&photo);
}

int main(int argc, char **argv)
{
    (void)argc;
    if (VIPS_INIT(argv[0]) != 0)
        return 1;
    static const CMUnitTestFunction functions[] = {change_falls, fast_is_near, fast_stays_near,
                                                   sampled_is_near};
    enum { PHOTOS = sizeof photos / sizeof photos[0], N = sizeof functions / sizeof functions[0] };
    struct CMUnitTest tests[PHOTOS * N];
    for (int i = 0; i < PHOTOS * N; i++)
        tests[i] = (struct CMUnitTest){photos[i / N], functions[i % N], NULL, NULL,
                                       (void *)(uintptr_t)photos[i / N]};
    int failed = cmocka_run_group_tests_name("photos", tests, NULL, NULL);
    vips_shutdown();
    return failed;
}
