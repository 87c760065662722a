/* SPDX-License-Identifier: BSD-2-Clause */
/* cof_posterise() against a naive evaluation, of images with at most 256 pixels, so that the
 * palette is known: all colours of pixels that are no mixtures. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fields.h"
#include "oracle.h"
#include "testing.h"

enum { MAX_PIXELS = 256, MOST = 256, REACH = 8 };

/* By how much samples differ if a value is rounded to the other hundredth. */
#define HUNDREDTH 2e-4

/* What is known of an image. Values are in hundredths of Lab, or of grey from 0 to 100. */
typedef struct Poster {
    int width, height, n, bands;
    int values[MAX_PIXELS][3];
    bool visible[MAX_PIXELS];
    int mixture[MAX_PIXELS]; /* 0: none; otherwise the number of its direction */
    int labels[MAX_PIXELS];  /* pixels that stand for colours */
} Poster;

static const int directions[5][2] = {{0, 0}, {1, 0}, {0, 1}, {1, 1}, {1, -1}};

static double distance(const Poster *p, int a, int b)
{
    double sum = 0;
    for (int band = 0; band < p->bands; band++)
        sum += pow(p->values[a][band] - p->values[b][band], 2);
    return sqrt(sum);
}

/* The pixel that is so many steps away; -1: none. */
static int pixel_at(const Poster *p, int pixel, int direction, int steps)
{
    int x = pixel % p->width + steps * directions[direction][0];
    int y = pixel / p->width + steps * directions[direction][1];
    bool inside = x >= 0 && y >= 0 && x < p->width && y < p->height;
    return inside && p->visible[y * p->width + x] ? y * p->width + x : -1;
}

static void find_mixtures(Poster *p)
{
    for (int i = 0; i < p->n; i++) {
        double most = 0;
        p->mixture[i] = 0;
        for (int d = 1; d <= 4 && p->visible[i]; d++) {
            int a = pixel_at(p, i, d, -1), b = pixel_at(p, i, d, 1);
            if (a < 0 || b < 0 || distance(p, a, b) <= 800 || distance(p, a, b) <= most ||
                distance(p, a, i) < 400 || distance(p, b, i) < 400 ||
                distance(p, a, i) + distance(p, b, i) > 1.1 * distance(p, a, b))
                continue;
            most = distance(p, a, b);
            p->mixture[i] = d;
        }
    }
}

/* Colours in the order of the palette. */
static int compare(const Poster *p, int a, int b)
{
    for (int band = 0; band < p->bands; band++)
        if (p->values[a][band] != p->values[b][band])
            return p->values[a][band] < p->values[b][band] ? -1 : 1;
    return 0;
}

/* The pixel with the nearest colour that is no mixture, of equal colours the first pixel. */
static int nearest(const Poster *p, int pixel)
{
    int best = -1;
    for (int i = 0; i < p->n; i++) {
        if (!p->visible[i] || p->mixture[i])
            continue;
        double d = best < 0 ? -1 : distance(p, pixel, i) - distance(p, pixel, best);
        if (best < 0 || d < 0 || (d == 0 && compare(p, i, best) < 0))
            best = i;
    }
    return best;
}

static int end_of(const Poster *p, int pixel, int direction, int step)
{
    for (int i = 1; i <= REACH; i++) {
        int at = pixel_at(p, pixel, direction, i * step);
        if (at < 0 || !p->mixture[at])
            return at;
    }
    return -1;
}

static void find_labels(Poster *p)
{
    for (int i = 0; i < p->n; i++)
        p->labels[i] = nearest(p, i);
    for (int i = 0; i < p->n; i++) {
        int a = p->mixture[i] ? end_of(p, i, p->mixture[i], -1) : -1;
        int b = p->mixture[i] ? end_of(p, i, p->mixture[i], 1) : -1;
        if (a >= 0 && b >= 0)
            p->labels[i] = p->labels[distance(p, i, a) <= distance(p, i, b) ? a : b];
    }
}

/* Marks the part of a pixel; returns its size. */
static int mark_part(const Poster *p, int pixel, bool *part)
{
    int size = 1;
    memset(part, 0, MAX_PIXELS * sizeof *part);
    part[pixel] = true;
    for (int last = 0; last != size;) {
        last = size;
        for (int i = 0; i < p->n; i++)
            for (int side = 0; side < 4 && p->visible[i] && !part[i]; side++) {
                int next = pixel_at(p, i, 1 + side % 2, side < 2 ? 1 : -1);
                part[i] = next >= 0 && part[next] && p->labels[next] == p->labels[i];
                size += part[i];
            }
    }
    return size;
}

static void merge(Poster *p, const bool *part, int label)
{
    int borders[MAX_PIXELS] = {0}, best = label;
    for (int i = 0; i < p->n; i++)
        for (int side = 0; side < 4 && part[i]; side++) {
            int next = pixel_at(p, i, 1 + side % 2, side < 2 ? 1 : -1);
            if (next >= 0 && p->labels[next] != label)
                borders[p->labels[next]]++;
        }
    for (int i = 0; i < p->n; i++)
        if (borders[i] > borders[best] ||
            (borders[i] == borders[best] && borders[i] > 0 && compare(p, i, best) < 0))
            best = i;
    for (int i = 0; i < p->n; i++)
        p->labels[i] = part[i] ? best : p->labels[i];
}

static void merge_all(Poster *p, double smallest)
{
    bool part[MAX_PIXELS];
    for (double size = 2; size / 2 < smallest; size *= 2)
        for (int i = 0; i < p->n; i++)
            if (p->visible[i] && mark_part(p, i, part) < fmin(size, ceil(smallest)))
                merge(p, part, p->labels[i]);
}

static Poster evaluate(const TestImage *image, double min_area)
{
    Poster p = {.width = image->view.width, .height = image->view.height};
    Field f = field_of(image, is_rgb(image));
    double scale = is_rgb(image) ? 100 : 10000 / sample_max(image);
    p.n = p.width * p.height;
    p.bands = f.bands;
    for (int i = 0; i < p.n; i++) {
        p.visible[i] = f.weights[i] > 0;
        for (int band = 0; band < p.bands && p.visible[i]; band++)
            p.values[i][band] = (int)rint(f.values[i * p.bands + band] * scale);
    }
    field_free(&f);
    find_mixtures(&p);
    find_labels(&p);
    merge_all(&p, min_area * p.n);
    return p;
}

/* The mean of the pixels with the label of one, without mixtures if there are others. */
static void mean_of(const Poster *p, const TestImage *image, int pixel, double samples[3])
{
    double sums[2][4] = {{0}}, max = sample_max(image);
    for (int i = 0; i < p->n; i++)
        if (p->visible[i] && p->labels[i] == p->labels[pixel]) {
            double *sum = sums[p->mixture[i] != 0];
            for (int band = 0; band < p->bands; band++)
                sum[band] += p->values[i][band];
            sum[3]++;
        }
    const double *sum = sums[sums[0][3] == 0];
    for (int band = 0; band < p->bands; band++)
        samples[band] = sum[band] / sum[3] / 100;
    if (is_rgb(image))
        oracle_rgb(samples, samples);
    for (int band = 0; band < p->bands; band++)
        samples[band] *= is_rgb(image) ? max : max / 100;
}

/* Rectangles and lines of a few colours, with anti-aliasing, and some noise. */
static void paint(TestImage *image, Random *random)
{
    enum { FINE = 3, COLOURS = 5 };
    double colours[COLOURS][4], max = sample_max(image);
    int width = image->view.width, height = image->view.height, bands = colour_bands(image);
    double slopes[COLOURS], offsets[COLOURS];
    for (int i = 0; i < COLOURS; i++) {
        slopes[i] = 4 * random_uniform(random) - 2;
        offsets[i] = random_uniform(random) * (width + height) - 0.5 * height;
        for (int c = 0; c < 4; c++)
            colours[i][c] = random_uniform(random);
    }
    for (int i = 0; i < width * height; i++)
        for (int c = 0; c < image->view.channels; c++) {
            double sum = 0;
            for (int part = 0; part < FINE * FINE; part++) {
                double x = i % width + (part % FINE) / 3.0, y = i / width + (part / FINE) / 3.0;
                int colour = 0;
                for (int line = 1; line < COLOURS; line++)
                    if (x > offsets[line] + slopes[line] * y)
                        colour = line;
                sum += colours[colour][c] / (FINE * FINE);
            }
            if (random_chance(random, 0.03))
                sum = random_uniform(random);
            if (c >= bands)
                sum = random_chance(random, 0.1) ? 0 : random_uniform(random);
            test_image_set(image, i % width, i / width, c,
                           image->view.sample == COF_SAMPLE_F32 ? sum : rint(sum * max));
        }
}

static TestImage random_image(Random *random)
{
    static const CofKind kinds[] = {COF_KIND_RGB, COF_KIND_RGBA, COF_KIND_GREY,
                                    COF_KIND_GREY_ALPHA};
    CofKind kind = kinds[random_int(random, 0, 3)];
    TestImage image =
        test_image_new(random, LAYOUT_ANY, random_int(random, 1, 16), random_int(random, 1, 16),
                       kind_channels(kind, 0), kind, (CofSample)random_int(random, 0, 2));
    paint(&image, random);
    if (random_chance(random, 0.3))
        test_image_add_gaps(&image, random, 0.2);
    return image;
}

/* Pixels have the same label where the naive evaluation says so, and the colours of both. Returns
 * the number of colours. */
static int check(const Poster *p, const TestImage *image, const TestImage *out,
                 const uint8_t *labels, const float *palette, int n)
{
    bool used[MOST] = {false};
    int colours = 0;
    for (int i = 0; i < p->n; i++) {
        int x = i % p->width, y = i / p->width;
        double expected[3] = {0};
        for (int c = p->visible[i] ? p->bands : 0; c < image->view.channels; c++)
            assert_int_equal(test_image_bits(out, x, y, c), test_image_bits(image, x, y, c));
        if (!p->visible[i]) {
            assert_int_equal(labels[i], 0);
            continue;
        }
        assert_in_range(labels[i], 0, n - 1);
        colours += !used[labels[i]];
        used[labels[i]] = true;
        for (int j = 0; j < i; j++)
            if (p->visible[j] && (labels[i] == labels[j]) != (p->labels[i] == p->labels[j]))
                fail_msg("pixels %d and %d", j, i);
        mean_of(p, image, i, expected);
        for (int c = 0; c < p->bands; c++) {
            double found = test_image_get(out, x, y, c);
            assert_true(found == (double)palette[labels[i] * p->bands + c]);
            double tolerance = fmax(tolerance_of(image), HUNDREDTH * sample_max(image));
            if (fabs(found - expected_sample(image, expected[c])) > tolerance)
                fail_msg("pixel %d is %g, expected %g", i, found, expected[c]);
        }
    }
    assert_int_equal(colours, n);
    return n;
}

static void equals_a_naive_evaluation(void **state)
{
    (void)state;
    int merged = 0, mixtures = 0, trials = trials_of(300);
    for (current_seed = 1; current_seed <= (uint64_t)trials; current_seed++) {
        Random random = {current_seed};
        TestImage image = random_image(&random), out = test_image_like(&image);
        uint8_t labels[MAX_PIXELS];
        float palette[3 * MOST];
        int n = -1;
        CofOptions options;
        cof_options_init(&options);
        options.min_area = random_chance(&random, 0.3) ? 0 : 0.1 * random_uniform(&random);
        CofImage view = grey_view(labels, image.view.width, image.view.height);
        Poster p = evaluate(&image, options.min_area), all = evaluate(&image, 0);
        CofStatus status =
            cof_posterise(&image.view, MOST, &out.view, &view, palette, &n, &options);
        if (status == COF_ERR_EMPTY) {
            for (int i = 0; i < p.n; i++)
                assert_false(p.visible[i]);
        } else {
            assert_ok(status);
            check(&p, &image, &out, labels, palette, n);
        }
        for (int i = 0; i < p.n; i++) {
            merged += p.labels[i] != all.labels[i];
            mixtures += p.mixture[i] != 0;
        }
        test_image_check_padding(&out);
        test_image_free(&image);
        test_image_free(&out);
    }
    current_seed = 0;
    assert_true(merged > 2 * trials && mixtures > 2 * trials);
}

/* At most as many colours as asked for, the same for any number of threads, in place too, and
 * without outputs that are not wanted. */
static void few_colours_whatever_the_threads(void **state)
{
    (void)state;
    for (current_seed = 1; current_seed <= 20; current_seed++) {
        Random random = {current_seed};
        CofKind kind = current_seed % 2 ? COF_KIND_RGB : COF_KIND_GREY;
        TestImage image = test_image_new(&random, LAYOUT_ANY, 190, 130, kind_channels(kind, 0),
                                         kind, COF_SAMPLE_U8);
        TestImage first = test_image_like(&image);
        int colours = random_int(&random, 2, 12), n = 0;
        CofOptions options;
        cof_options_init(&options);
        options.min_area = 0.001;
        options.threads = 1;
        paint(&image, &random);
        assert_ok(cof_posterise(&image.view, colours, &first.view, NULL, NULL, &n, &options));
        assert_in_range(n, 1, colours);
        options.threads = 7;
        assert_ok(cof_posterise(&image.view, colours, &image.view, NULL, NULL, NULL, &options));
        assert_true(test_image_equal(&image, &first));
        test_image_free(&image);
        test_image_free(&first);
    }
    current_seed = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(equals_a_naive_evaluation, name_seed),
        cmocka_unit_test_teardown(few_colours_whatever_the_threads, name_seed),
    };
    return cmocka_run_group_tests_name("posterise", tests, NULL, NULL);
}
