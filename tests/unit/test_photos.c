/* SPDX-License-Identifier: BSD-2-Clause */
/* Iterations settle down on real photographs (figure 7 of the paper). */
#include <vips/vips.h>

#include "testing.h"

static const char *const photos[] = {
    "astronaut.png", "brick.png",  "camera.png", "chelsea.png",           "coffee.png",
    "grass.png",     "gravel.png", "ihc.png",    "hubble_deep_field.jpg", "rocket.jpg",
};

enum { PASSES = 10 };

static void change_falls(void **state)
{
    const char *name = *state;
    char *path = g_build_filename(COF_TEST_DATA, "photos", name, NULL);
    VipsImage *image = vips_image_new_from_file(path, NULL);
    assert_non_null(image);
    size_t size;
    uint8_t *pixels = vips_image_write_to_memory(image, &size);
    assert_non_null(pixels);
    CofReport report = {.struct_size = sizeof report};
    CofOptions options;
    cof_options_init(&options);
    options.iterations = PASSES;
    options.report = &report;
    CofImage view = {.data = pixels,
                     .width = image->Xsize,
                     .height = image->Ysize,
                     .channels = image->Bands,
                     .kind = image->Bands == 3 ? COF_RGB : COF_GREY};
    assert_ok(cof_smooth(&view, &view, &options));
    assert_int_equal(report.passes, PASSES);
    for (int pass = 1; pass < PASSES; pass++)
        assert_true(report.change[pass] < report.change[pass - 1]);
    double fall = report.change[0] / report.change[PASSES - 1];
    print_message("%s: %.3f to %.5f, %.0f times less\n", name, report.change[0],
                  report.change[PASSES - 1], fall);
    assert_true(fall >= 30);
    g_free(pixels);
    g_object_unref(image);
    g_free(path);
}

int main(int argc, char **argv)
{
    (void)argc;
    if (VIPS_INIT(argv[0]) != 0)
        return 1;
    enum { N = sizeof photos / sizeof photos[0] };
    struct CMUnitTest tests[N];
    for (int i = 0; i < N; i++)
        tests[i] =
            (struct CMUnitTest){photos[i], change_falls, NULL, NULL, (void *)(uintptr_t)photos[i]};
    int failed = cmocka_run_group_tests_name("photos", tests, NULL, NULL);
    vips_shutdown();
    return failed;
}
