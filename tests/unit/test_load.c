/* SPDX-License-Identifier: BSD-2-Clause */
/* cof_load() and cof_file_kind(): any .cof file becomes a model. */
#include <stdlib.h>
#include <string.h>

#include "testing.h"

enum { WIDTH = 31, HEIGHT = 22 };

/* A file of each kind, and what they hold. */
typedef struct Files {
    TestImage image;
    CofOptions options;
    CofStats *stats;
    CofModel *foreground, *background;
    void *bytes[4]; /* by CofFileKind */
    size_t sizes[4];
} Files;

static int set_up(void **state)
{
    Files *f = calloc(1, sizeof *f);
    Random random = {3};
    uint8_t inside[WIDTH * HEIGHT];
    f->image =
        test_image_new(&random, LAYOUT_PACKED, WIDTH, HEIGHT, 3, COF_KIND_RGB, COF_SAMPLE_U8);
    for (int i = 0; i < WIDTH * HEIGHT * 3; i++)
        test_image_set(&f->image, i / 3 % WIDTH, i / 3 / WIDTH, i % 3, random_int(&random, 0, 255));
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        inside[i] = i % WIDTH < WIDTH / 2;
    CofImage mask = grey_view(inside, WIDTH, HEIGHT);
    cof_options_init(&f->options);
    f->options.colours = 6;
    f->options.window = 5;
    assert_ok(learn_from(&f->image.view, NULL, &f->options, &f->stats));
    assert_ok(
        cof_model_learn_pair(&f->foreground, &f->background, &f->image.view, &mask, &f->options));
    assert_ok(cof_stats_save(f->stats, &f->bytes[COF_FILE_KIND_STATS],
                             &f->sizes[COF_FILE_KIND_STATS], NULL));
    assert_ok(cof_model_save(f->background, &f->bytes[COF_FILE_KIND_MODEL],
                             &f->sizes[COF_FILE_KIND_MODEL], NULL));
    assert_ok(cof_model_save_pair(f->foreground, f->background, &f->bytes[COF_FILE_KIND_PAIR],
                                  &f->sizes[COF_FILE_KIND_PAIR], NULL));
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    Files *f = *state;
    for (int kind = COF_FILE_KIND_STATS; kind <= COF_FILE_KIND_PAIR; kind++)
        cof_free(f->bytes[kind]);
    cof_stats_free(&f->stats);
    cof_model_free(&f->foreground);
    cof_model_free(&f->background);
    test_image_free(&f->image);
    free(f);
    return 0;
}

static void kinds_are_told_apart(void **state)
{
    Files *f = *state;
    for (int kind = COF_FILE_KIND_STATS; kind <= COF_FILE_KIND_PAIR; kind++) {
        CofFileKind found = 0;
        assert_ok(cof_file_kind(f->bytes[kind], f->sizes[kind], &found, NULL));
        assert_int_equal(found, kind);
        for (size_t size = 0; size < f->sizes[kind]; size++)
            assert_status(cof_file_kind(f->bytes[kind], size, &found, NULL), COF_ERR_FORMAT);
    }
    unsigned char *bytes = f->bytes[COF_FILE_KIND_MODEL];
    CofFileKind found = COF_FILE_KIND_PAIR;
    for (int kind = 0; kind < 256; kind += kind == 0 ? 4 : 1) {
        bytes[8] = (unsigned char)kind;
        assert_status(cof_file_kind(bytes, f->sizes[COF_FILE_KIND_MODEL], &found, NULL),
                      COF_ERR_FORMAT);
    }
    bytes[8] = COF_FILE_KIND_MODEL;
    bytes[4] = 3;
    assert_status(cof_file_kind(bytes, f->sizes[COF_FILE_KIND_MODEL], &found, NULL),
                  COF_ERR_VERSION);
    assert_int_equal(found, COF_FILE_KIND_PAIR);
}

static void a_model_is_loaded(void **state)
{
    Files *f = *state;
    CofModel *model = NULL, *foreground = f->foreground;
    assert_ok(cof_load(NULL, &model, f->bytes[COF_FILE_KIND_MODEL], f->sizes[COF_FILE_KIND_MODEL],
                       &f->options));
    assert_same_model(model, f->background);
    cof_model_free(&model);
    assert_ok(cof_load(&foreground, &model, f->bytes[COF_FILE_KIND_MODEL],
                       f->sizes[COF_FILE_KIND_MODEL], NULL));
    assert_same_model(model, f->background);
    assert_null(foreground);
    cof_model_free(&model);
}

/* Statistics become a model with the options of the call. */
static void statistics_become_a_model(void **state)
{
    Files *f = *state;
    CofModel *model = NULL, *expected = NULL, *foreground = f->foreground;
    f->options.softness = 2;
    f->options.sigma = 1.25;
    f->options.normalise = COF_NORMALISE_MARGINALS;
    f->options.window = 9; /* a learning option: that of the statistics counts */
    assert_ok(cof_model_new(&expected, f->stats, &f->options));
    assert_ok(cof_load(&foreground, &model, f->bytes[COF_FILE_KIND_STATS],
                       f->sizes[COF_FILE_KIND_STATS], &f->options));
    assert_same_model(model, expected);
    assert_null(foreground);
    CofOptions recipe = f->options;
    cof_model_options(model, &recipe);
    assert_int_equal(recipe.window, 5);
    assert_true(recipe.softness == 2 && recipe.sigma == 1.25);
    cof_model_free(&model);
    cof_model_free(&expected);
}

static void statistics_without_a_palette_are_empty(void **state)
{
    Files *f = *state;
    CofStats *stats = NULL;
    CofModel *model = NULL;
    CofProblem problem;
    void *bytes = NULL;
    size_t size;
    CofOptions o = f->options;
    o.problem = &problem;
    for (int scanned = 0; scanned < 3; scanned++) { /* nothing, scanned, a palette without counts */
        CofStatus expected = COF_ERR_EMPTY;
        assert_ok(cof_stats_new(&stats, &o));
        if (scanned > 0)
            assert_ok(cof_stats_scan(stats, &f->image.view, NULL, NULL));
        if (scanned > 1)
            assert_ok(cof_stats_fit_palette(stats, NULL));
        assert_ok(cof_stats_save(stats, &bytes, &size, NULL));
        assert_status(cof_load(NULL, &model, bytes, size, &o), expected);
        assert_int_equal(problem.status, expected);
        assert_null(model);
        cof_free(bytes);
        cof_stats_free(&stats);
    }
}

static void a_pair_is_two_models(void **state)
{
    Files *f = *state;
    CofModel *model = NULL, *foreground = NULL;
    const void *bytes = f->bytes[COF_FILE_KIND_PAIR];
    size_t size = f->sizes[COF_FILE_KIND_PAIR];
    assert_ok(cof_load(&foreground, &model, bytes, size, NULL));
    assert_same_model(model, f->background);
    assert_same_model(foreground, f->foreground);
    cof_model_free(&model);
    cof_model_free(&foreground);
    assert_ok(cof_model_load_pair(&foreground, &model, bytes, size, NULL));
    assert_same_model(model, f->background);
    assert_same_model(foreground, f->foreground);
    cof_model_free(&model);
    cof_model_free(&foreground);
    assert_status(cof_load(NULL, &model, bytes, size, NULL), COF_ERR_MISMATCH);
    assert_null(model);
}

/* Damaged files of every kind are refused, and nothing is set. */
static void damaged_files_are_refused(void **state)
{
    Files *f = *state;
    for (int kind = COF_FILE_KIND_STATS; kind <= COF_FILE_KIND_PAIR; kind++) {
        unsigned char *bytes = f->bytes[kind];
        CofModel *model = NULL, *foreground = NULL;
        for (size_t i = 0; i < f->sizes[kind]; i += i < 200 ? 1 : 61) {
            unsigned char flip = (unsigned char)(1u << i % 8);
            bytes[i] ^= flip;
            CofStatus status = cof_load(&foreground, &model, bytes, f->sizes[kind], NULL);
            bytes[i] ^= flip;
            assert_true(status == COF_ERR_FORMAT || status == COF_ERR_VERSION);
            assert_status(cof_load(&foreground, &model, bytes, i, NULL), COF_ERR_FORMAT);
        }
        assert_true(!model && !foreground);
    }
}

int main(void)
{
#define ROW(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        ROW(kinds_are_told_apart),      ROW(a_model_is_loaded),
        ROW(statistics_become_a_model), ROW(statistics_without_a_palette_are_empty),
        ROW(a_pair_is_two_models),      ROW(damaged_files_are_refused),
    };
    return cmocka_run_group_tests_name("load", tests, NULL, NULL);
}
