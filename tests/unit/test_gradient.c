/* SPDX-License-Identifier: BSD-2-Clause */
/* The gradient that selecting follows, against its definition in double precision. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "call/call.h"
#include "fields.h"
#include "image/gradient.h"
#include "image/image.h"
#include "testing.h"

typedef struct Picture {
    TestImage image;
    int width, height;
    float *whole;     /* in tiles of the largest size */
    double *expected; /* by the definition */
} Picture;

static int clamped(int index, int count)
{
    return index < 0 ? 0 : index < count ? index : count - 1;
}

/* A band of the image, blurred; pixels beyond the border equal the nearest inside. */
static double blurred(const Field *field, int band, int x, int y, double sigma)
{
    int r = (int)ceil(3 * sigma);
    double sum = 0, weights = 0;
    for (int dy = -r; dy <= r; dy++)
        for (int dx = -r; dx <= r; dx++) {
            const double *values =
                field_at(field, clamped(x + dx, field->width), clamped(y + dy, field->height));
            double weight = exp(-(double)(dx * dx + dy * dy) / (2 * sigma * sigma));
            sum += weight * values[band];
            weights += weight;
        }
    return sum / weights;
}

static void expect_gradient(const Field *field, double sigma, double *expected)
{
    int across = field->width + 2;
    double *plane = calloc((size_t)across * (size_t)(field->height + 2), sizeof *plane);
    assert_non_null(plane);
    for (int band = 0; band < field->bands; band++) {
        for (int y = -1; y <= field->height; y++)
            for (int x = -1; x <= field->width; x++)
                plane[(y + 1) * across + x + 1] = blurred(field, band, x, y, sigma);
        for (int y = 0; y < field->height; y++)
            for (int x = 0; x < field->width; x++) {
                const double *a = plane + y * across + x, *b = a + across, *c = b + across;
                double dx = a[2] + 2 * b[2] + c[2] - a[0] - 2 * b[0] - c[0];
                double dy = c[0] + 2 * c[1] + c[2] - a[0] - 2 * a[1] - a[2];
                expected[y * field->width + x] += dx * dx + dy * dy;
            }
    }
    for (int i = 0; i < field->width * field->height; i++)
        expected[i] = sqrt(expected[i]);
    free(plane);
}

static void fill(TestImage *image, Random *random)
{
    double largest = sample_max(image);
    for (int y = 0; y < image->view.height; y++)
        for (int x = 0; x < image->view.width; x++)
            for (int c = 0; c < image->view.channels; c++)
                test_image_set(image, x, y, c,
                               largest * (0.3 * random_uniform(random) + 0.35 +
                                          0.35 * sin(0.2 * x + c) * cos(0.15 * y)));
}

/* The gradient by tiles of any size up to the largest. */
static void find_gradient(const CofImage *image, double sigma, int side, int threads, float *out)
{
    CofOptions options;
    CofiCall call;
    CofiGradient gradient;
    CofImage view;
    cof_options_init(&options);
    options.threads = threads;
    assert_null(cofi_image_complete(image, &view));
    assert_ok(cofi_call_begin(&call, &options));
    assert_ok(cofi_gradient_open(&gradient, &call, &view, sigma));
    for (int y = 0; y < view.height; y += side)
        for (int x = 0; x < view.width; x += side) {
            CofRect tile = {x, y, side < view.width - x ? side : view.width - x,
                            side < view.height - y ? side : view.height - y};
            cofi_gradient_tile(&gradient, (x + y) / side % call.threads, tile,
                               out + (ptrdiff_t)y * view.width + x, view.width);
        }
    assert_ok(cofi_call_end(&call, COF_OK));
}

static Picture picture_new(Random *random, int width, int height, CofKind kind, CofSample sample,
                           double sigma)
{
    Picture p = {.width = width, .height = height};
    size_t n = (size_t)width * (size_t)height;
    p.image =
        test_image_new(random, LAYOUT_ANY, width, height, kind_channels(kind, 5), kind, sample);
    fill(&p.image, random);
    p.whole = malloc(n * sizeof *p.whole);
    p.expected = calloc(n, sizeof *p.expected);
    assert_true(p.whole && p.expected);
    find_gradient(&p.image.view, sigma, COFI_GRADIENT_TILE, 1, p.whole);
    return p;
}

static void picture_free(Picture *p)
{
    test_image_free(&p->image);
    free(p->whole);
    free(p->expected);
}

static void check_definition(Random *random, int width, int height, CofKind kind, CofSample sample,
                             double sigma)
{
    Picture p = picture_new(random, width, height, kind, sample, sigma);
    Field field = field_of(&p.image, is_rgb(&p.image));
    double scale = is_rgb(&p.image) ? 100 : sample_max(&p.image), worst = 0;
    expect_gradient(&field, sigma, p.expected);
    for (int i = 0; i < width * height; i++) {
        double error = fabs((double)p.whole[i] - p.expected[i]) / scale;
        if (error > worst)
            worst = error;
    }
    if (!(worst < 1e-4))
        fail_msg("%d x %d, kind %d, sample %d, sigma %g: the gradient is wrong by %g", width,
                 height, (int)kind, (int)sample, sigma, worst);
    field_free(&field);
    picture_free(&p);
}

static void gradients_are_what_is_defined(void **state)
{
    (void)state;
    static const int sides[][2] = {{70, 66}, {1, 1}, {3, 2}, {1, 80}, {130, 1}, {9, 40}};
    static const double sigmas[] = {1, 0.4, 2, COFI_GRADIENT_MAX_SIGMA};
    Random random = {11};
    for (int kind = 0; kind <= COF_KIND_BANDS; kind++)
        for (int sample = 0; sample < 3; sample++)
            for (int i = 0; i < 6; i++)
                check_definition(&random, sides[i][0], sides[i][1], (CofKind)kind,
                                 (CofSample)sample, sigmas[(i + kind + sample) % 4]);
}

/* A tile gives the same bytes wherever it begins, in the scratch of any worker. */
static void tiles_are_the_same_bytes(void **state)
{
    (void)state;
    static const int sides[] = {1, 7, 32, 63, COFI_GRADIENT_TILE};
    Random random = {12};
    for (int i = 0; i < 5; i++) {
        double sigma = i % 2 ? 1 : 2.3;
        Picture p = picture_new(&random, 150, 90, (CofKind)i, (CofSample)(i % 3), sigma);
        float *parts = malloc(150 * 90 * sizeof *parts);
        assert_non_null(parts);
        find_gradient(&p.image.view, sigma, sides[i], 3, parts);
        assert_memory_equal(parts, p.whole, 150 * 90 * sizeof *parts);
        free(parts);
        picture_free(&p);
    }
}

/* Samples that are not finite count as 0, and an even image has no gradient. */
static void gradients_are_finite(void **state)
{
    (void)state;
    Random random = {13};
    float out[40 * 30];
    TestImage image = test_image_new(&random, LAYOUT_ANY, 40, 30, 3, COF_KIND_RGB, COF_SAMPLE_F32);
    find_gradient(&image.view, 1, COFI_GRADIENT_TILE, 1, out);
    for (int i = 0; i < 40 * 30; i++)
        assert_true(fabsf(out[i]) < 1e-6f);
    fill(&image, &random);
    for (int i = 0; i < 30; i++)
        test_image_set(&image, i, i, i % 3, i % 2 ? (double)NAN : (double)INFINITY);
    find_gradient(&image.view, 1, COFI_GRADIENT_TILE, 1, out);
    for (int i = 0; i < 40 * 30; i++)
        assert_true(isfinite(out[i]) && out[i] >= 0);
    test_image_free(&image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_are_what_is_defined),
        cmocka_unit_test(tiles_are_the_same_bytes),
        cmocka_unit_test(gradients_are_finite),
    };
    return cmocka_run_group_tests_name("gradient", tests, NULL, NULL);
}
