/* SPDX-License-Identifier: BSD-2-Clause */
/* The outputs of the paper's authors' own code (tests/data/golden). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testing.h"

typedef struct Golden {
    int height, width, levels, window, channels;
    double learning_sigma, filter_sigma;
    uint8_t *labels, *mask; /* pixels of PGM files */
    double *in, *out, *pairs, *matrix;
    void *blocks[6];
} Golden;

static double number_in(const char *json, const char *key)
{
    char quoted[32];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *found = strstr(json, quoted);
    assert_non_null(found);
    return strtod(found + strlen(quoted), NULL);
}

/* Numbers of files are little-endian. */
static double *doubles(void *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        unsigned char *b = (unsigned char *)bytes + 8 * i;
        uint64_t bits = 0;
        for (int j = 7; j >= 0; j--)
            bits = bits << 8 | b[j];
        memcpy(b, &bits, 8);
    }
    return bytes;
}

static void *part(Golden *g, int block, const char *name, const char *suffix, size_t bytes)
{
    char file[64];
    size_t size;
    snprintf(file, sizeof file, "golden/%s.%s", name, suffix);
    g->blocks[block] = read_data(file, &size);
    assert_true(size >= bytes);
    return (char *)g->blocks[block] + size - bytes; /* behind the header, if there is one */
}

static Golden golden_read(const char *name)
{
    char file[64];
    snprintf(file, sizeof file, "golden/%s.json", name);
    char *json = read_data(file, NULL);
    Golden g = {.height = (int)number_in(json, "h"),
                .width = (int)number_in(json, "w"),
                .levels = (int)number_in(json, "levels"),
                .window = (int)number_in(json, "win"),
                .channels = (int)number_in(json, "chan"),
                .learning_sigma = number_in(json, "sl"),
                .filter_sigma = number_in(json, "sf")};
    free(json);
    size_t n = (size_t)g.height * (size_t)g.width, k = (size_t)g.levels;
    g.labels = part(&g, 0, name, "T.pgm", n);
    g.mask = part(&g, 1, name, "mask.pgm", n);
    size_t samples = n * (size_t)g.channels;
    g.in = doubles(part(&g, 2, name, "I.f64", samples * 8), samples);
    g.out = doubles(part(&g, 3, name, "J.f64", samples * 8), samples);
    g.pairs = doubles(part(&g, 4, name, "P.f64", k * k * 8), k * k);
    g.matrix = doubles(part(&g, 5, name, "M.f64", k * k * 8), k * k);
    return g;
}

static void golden_free(Golden *g)
{
    for (int i = 0; i < 6; i++)
        free(g->blocks[i]);
}

static CofModel *learn(const Golden *g, const CofOptions *options)
{
    CofStats *stats = NULL;
    CofModel *model = NULL;
    CofImage labels = grey_view(g->labels, g->width, g->height);
    CofImage mask = grey_view(g->mask, g->width, g->height);
    CofRoi roi = {.mask = &mask};
    assert_ok(cof_stats_new(&stats, options));
    assert_ok(cof_stats_set_labels(stats, g->levels, NULL));
    assert_ok(cof_stats_add_labels(stats, &labels, &roi, options));
    assert_ok(cof_model_new(&model, stats, options));
    cof_stats_free(&stats);
    return model;
}

static void check_matrix(const Golden *g, const CofModel *model)
{
    const double *matrix = cof_model_matrix(model), *pi = cof_model_frequencies(model);
    int k = g->levels;
    for (int a = 0; a < k; a++)
        for (int b = 0; b < k; b++) {
            int i = a * k + b;
            double chance = pi[a] * pi[b];
            assert_true(fabs(matrix[i] * chance - g->pairs[i]) <= 1e-12);
            double theirs = matrix[i] * chance / (chance + 0x1p-52);
            assert_true(fabs(theirs - g->matrix[i]) <= 1e-9 * fabs(g->matrix[i]));
        }
}

static void check_output(const Golden *g, const CofModel *model, const CofOptions *options)
{
    size_t n = (size_t)g->height * (size_t)g->width * (size_t)g->channels;
    float *pixels = malloc(n * sizeof *pixels);
    for (size_t i = 0; i < n; i++)
        pixels[i] = (float)g->in[i];
    CofImage image = {.data = pixels,
                      .width = g->width,
                      .height = g->height,
                      .channels = g->channels,
                      .kind = COF_KIND_BANDS,
                      .sample = COF_SAMPLE_F32};
    CofImage labels = grey_view(g->labels, g->width, g->height);
    assert_ok(cof_filter_labels(model, &labels, &image, &image, options));
    for (size_t i = 0; i < n; i++)
        assert_true(fabs((double)pixels[i] - g->out[i]) <= 1e-3);
    free(pixels);
}

static void compare(void **state)
{
    Golden g = golden_read(*state);
    CofOptions options;
    cof_options_init(&options);
    assert_ok(cof_options_set_variant(&options, COF_VARIANT_AUTHORS, NULL));
    options.window = g.window;
    options.sigma = g.learning_sigma;
    options.filter_sigma = g.filter_sigma;
    CofModel *model = learn(&g, &options);
    check_matrix(&g, model);
    check_output(&g, model, &options);
    cof_model_free(&model);
    golden_free(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(compare, "gray256"),
        cmocka_unit_test_prestate(compare, "gray32"),
        cmocka_unit_test_prestate(compare, "masked"),
        cmocka_unit_test_prestate(compare, "colour"),
    };
    return cmocka_run_group_tests_name("golden", tests, NULL, NULL);
}
