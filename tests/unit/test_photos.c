/* SPDX-License-Identifier: BSD-2-Clause */
/* Real photographs: iterations settle down (figure 7 of the paper), and the fast method is near to
 * the exact one. */
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

/* 45 dB, and 99 % of the samples within 4 code values; grey falls back to exact. */
static void fast_is_near(void **state)
{
    const char *name = *state;
    Photo photo = open_photo(name);
    size_t n = (size_t)photo.view.width * (size_t)photo.view.height * (size_t)photo.view.channels;
    CofImage exact = photo.view, fast = photo.view;
    uint8_t *e = exact.data = g_malloc(n), *f = fast.data = g_malloc(n);
    CofReport report = {.struct_size = sizeof report};
    CofOptions options;
    cof_options_init(&options);
    options.report = &report;
    assert_ok(cof_smooth(&photo.view, &exact, &options));
    options.method = COF_METHOD_FAST;
    assert_ok(cof_smooth(&photo.view, &fast, &options));
    double squares = 0, near = 0;
    for (size_t i = 0; i < n; i++) {
        int d = abs(e[i] - f[i]);
        squares += (double)d * d;
        near += d <= 4;
    }
    double psnr = 10 * log10(255 * 255 / (squares / (double)n));
    print_message("%s: %.1f dB, %.2f %% within 4, %d terms\n", name, psnr, 100 * near / (double)n,
                  report.ranks);
    assert_int_equal(report.ranks > 0, photo.view.channels == 3);
    assert_true(psnr >= 45);
    assert_true(near >= 0.99 * (double)n);
    g_free(e);
    g_free(f);
    close_photo(&photo);
}

int main(int argc, char **argv)
{
    (void)argc;
    if (VIPS_INIT(argv[0]) != 0)
        return 1;
    enum { N = sizeof photos / sizeof photos[0] };
    struct CMUnitTest tests[2 * N];
    for (int i = 0; i < 2 * N; i++)
        tests[i] = (struct CMUnitTest){photos[i / 2], i % 2 ? fast_is_near : change_falls, NULL,
                                       NULL, (void *)(uintptr_t)photos[i / 2]};
    int failed = cmocka_run_group_tests_name("photos", tests, NULL, NULL);
    vips_shutdown();
    return failed;
}
