/* SPDX-License-Identifier: BSD-2-Clause */
/* Several threads read one CofStats, and use one CofModel, at the same time. The thread sanitizer
 * tells if a call that only reads writes. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "testing.h"

enum { READERS = 4, WIDTH = 64, HEIGHT = 48 };

/* What the readers share, and what one thread found before them. */
typedef struct Shared {
    const CofStats *stats;
    const CofModel *expected;
    const CofImage *image;
    CofOptions options;
    void *bytes;
    size_t size;
    pthread_barrier_t start;
} Shared;

static bool same_bytes(const Shared *s, const CofStats *stats)
{
    void *bytes = NULL;
    size_t size = 0;
    bool same = cof_stats_save(stats, &bytes, &size, NULL) == COF_OK && size == s->size &&
                memcmp(bytes, s->bytes, size) == 0;
    cof_free(bytes);
    return same;
}

/* Assertions of cmocka belong to the main thread: a reader returns whether all was well. */
static bool read_contents(const Shared *s)
{
    CofOptions o;
    CofKind kind;
    const int *squares;
    int bands, distances;
    cof_options_init(&o);
    cof_stats_options(s->stats, &o);
    bool has_palette = cof_stats_size(s->stats) > 0;
    const uint64_t *counts = cof_stats_counts(s->stats, &squares, &distances);
    return o.window == s->options.window && cof_stats_kind(s->stats, &kind) == COF_OK &&
           kind == COF_KIND_RGB && (cof_stats_palette(s->stats, &bands) != NULL) == has_palette &&
           (cof_stats_histogram(s->stats) != NULL) == has_palette &&
           (counts != NULL) == has_palette && cof_stats_sampling_shift(s->stats) >= 0;
}

static bool copy_stats(const Shared *s)
{
    CofStats *copy = NULL, *into = NULL;
    bool ok = cof_stats_new_like(&copy, s->stats, NULL) == COF_OK &&
              cof_stats_new_like(&into, s->stats, NULL) == COF_OK &&
              cof_stats_merge(into, s->stats, NULL) == COF_OK && same_bytes(s, into);
    cof_stats_free(&copy);
    cof_stats_free(&into);
    return ok;
}

static bool make_models(const Shared *s)
{
    CofModel *model = NULL, *soft = NULL;
    int k = cof_model_size(s->expected);
    size_t size = (size_t)k * (size_t)k * sizeof(double);
    bool ok = cof_model_new(&model, s->stats, &s->options) == COF_OK &&
              memcmp(cof_model_matrix(model), cof_model_matrix(s->expected), size) == 0 &&
              cof_model_new_soft(&soft, s->stats, s->image, NULL, 1, &s->options) == COF_OK;
    cof_model_free(&model);
    cof_model_free(&soft);
    return ok;
}

static bool filter(const Shared *s)
{
    uint8_t pixels[WIDTH * HEIGHT * 3];
    CofImage out = {
        .data = pixels, .width = WIDTH, .height = HEIGHT, .channels = 3, .kind = COF_KIND_RGB};
    return cof_filter(s->expected, NULL, s->image, &out, &s->options) == COF_OK;
}

static void *read_all(void *argument)
{
    Shared *s = argument;
    bool ok = true;
    pthread_barrier_wait(&s->start);
    for (int i = 0; i < 5; i++) {
        ok = ok && read_contents(s) && same_bytes(s, s->stats) && copy_stats(s);
        if (s->expected)
            ok = ok && make_models(s) && filter(s);
    }
    return ok ? argument : NULL;
}

static void run_readers(Shared *s)
{
    pthread_t threads[READERS];
    assert_ok(cof_stats_save(s->stats, &s->bytes, &s->size, NULL));
    assert_int_equal(pthread_barrier_init(&s->start, NULL, READERS), 0);
    for (int i = 0; i < READERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, read_all, s), 0);
    for (int i = 0; i < READERS; i++) {
        void *result = NULL;
        assert_int_equal(pthread_join(threads[i], &result), 0);
        assert_ptr_equal(result, s);
    }
    pthread_barrier_destroy(&s->start);
    cof_free(s->bytes);
}

static void threads_read_one_stats(void **state)
{
    (void)state;
    Random random = {6};
    uint8_t pixels[WIDTH * HEIGHT * 3];
    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (uint8_t)random_int(&random, 0, 255);
    CofImage image = {
        .data = pixels, .width = WIDTH, .height = HEIGHT, .channels = 3, .kind = COF_KIND_RGB};
    Shared s = {.image = &image};
    cof_options_init(&s.options);
    s.options.colours = 8;
    s.options.window = 5;
    s.options.threads = 2;
    CofStats *stats = NULL;
    CofModel *model = NULL;
    assert_ok(cof_stats_new(&stats, &s.options));
    assert_ok(cof_stats_scan(stats, &image, NULL, NULL));
    s.stats = stats;
    run_readers(&s); /* the samples of a scan are sorted when they are saved */
    assert_ok(cof_stats_fit_palette(stats, NULL));
    assert_ok(cof_stats_add(stats, &image, NULL, NULL));
    assert_ok(cof_model_new(&model, stats, &s.options));
    s.expected = model;
    run_readers(&s);
    cof_stats_free(&stats);
    cof_model_free(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(threads_read_one_stats)};
    return cmocka_run_group_tests_name("sharing", tests, NULL, NULL);
}
