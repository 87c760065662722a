/* SPDX-License-Identifier: BSD-2-Clause */
/* Progress of many calls and options: it begins near 0, never goes back, and comes close to 1
 * before the end of the call, where it is 1. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "testing.h"

enum { WIDTH = 64, HEIGHT = 52, PIXELS = WIDTH * HEIGHT };

/* What is not reported before the end: the last task of a step, and storing the result. */
#define LEAST_BEFORE_THE_END 0.8

/* Short steps after the last one that counts. */
#define MAX_STEPS_AT_THE_END 12

/* Checked later: an assertion in the callback would longjmp out of the library. */
typedef struct Log {
    int calls, wrong;
    int ended; /* calls with 1 */
    double first, last, before_last;
} Log;

typedef struct Bench {
    uint8_t pixels[PIXELS * 3], result[PIXELS * 3], mask_bytes[PIXELS], mark_bytes[PIXELS];
    CofImage in, out, mask, marks;
    CofOptions options;
    Log log;
} Bench;

static int record(void *user, double done)
{
    Log *log = user;
    if (log->calls++ == 0)
        log->first = done;
    log->wrong += !(done >= log->last && done >= 0 && done <= 1); /* also for NaN */
    log->before_last = log->last;
    log->last = done;
    log->ended += done >= 1;
    return 0;
}

static Bench *bench_new(void)
{
    Bench *b = calloc(1, sizeof *b);
    Random random = {5};
    assert_non_null(b);
    for (int i = 0; i < PIXELS; i++) {
        b->mask_bytes[i] = i % WIDTH < WIDTH / 2;
        b->mark_bytes[i] = i % WIDTH < 9 && i / WIDTH < 9;
        for (int c = 0; c < 3; c++)
            b->pixels[3 * i + c] =
                (uint8_t)(random_int(&random, 0, 99) + (b->mask_bytes[i] ? 40 * c : 150 - 40 * c));
    }
    b->in = (CofImage){
        .data = b->pixels, .width = WIDTH, .height = HEIGHT, .channels = 3, .kind = COF_KIND_RGB};
    b->out = b->in;
    b->out.data = b->result;
    b->mask = grey_view(b->mask_bytes, WIDTH, HEIGHT);
    b->marks = grey_view(b->mark_bytes, WIDTH, HEIGHT);
    cof_options_init(&b->options);
    b->options.colours = 6;
    b->options.sampling = COF_SAMPLING_ALL;
    b->options.progress = record;
    b->options.user = &b->log;
    return b;
}

static void check_log(const Bench *b, const char *call)
{
    const Log *log = &b->log;
    const CofOptions *o = &b->options;
    bool even = o->threads > 1 || log->before_last >= LEAST_BEFORE_THE_END;
    if (log->wrong > 0 || log->first > 0.1 || log->last < 1 ||
        log->ended > MAX_STEPS_AT_THE_END * o->palettes || !even)
        fail_msg("%s: %d of %d steps are wrong, %d reach 1, from %g to %g and %g; window %d, "
                 "filter_window %d, iterations %d, update %d, downscale %d, filter_downscale %d, "
                 "palettes %d",
                 call, log->wrong, log->calls, log->ended, log->first, log->before_last, log->last,
                 o->window, o->filter_window, o->iterations, (int)o->update, o->downscale,
                 o->filter_downscale, o->palettes);
}

#define CHECK(call) \
    do { \
        b->log = (Log){0}; \
        assert_ok(call); \
        check_log(b, #call); \
    } while (0)

/* A call whose steps are too short to be counted. */
#define CHECK_SHORT(call) \
    do { \
        b->log = (Log){0}; \
        assert_ok(call); \
        assert_true(b->log.wrong == 0 && b->log.last == 1); \
    } while (0)

static void check_filters(Bench *b)
{
    CofModel *model = NULL;
    CofOptions *o = &b->options;
    CHECK(cof_smooth(&b->in, &b->out, o));
    if (o->update == COF_UPDATE_MODEL)
        return;
    CHECK(cof_model_learn(&model, &b->in, NULL, 1, o));
    CHECK(cof_filter(model, NULL, &b->in, &b->out, o));
    if (o->update == COF_UPDATE_NONE)
        CHECK(cof_filter(model, &b->in, &b->in, &b->out, o));
    cof_model_free(&model);
}

static void of_filters(void **state)
{
    (void)state;
    static const int windows[][2] = {{1, 0}, {1, 15}, {7, 0}, {15, 1}}; /* learning, filter */
    static const int factors[][2] = {{1, 0}, {2, 0}, {3, 1}, {1, 3}, {4, 2}, {2, 5}};
    Bench *b = bench_new();
    CofOptions *o = &b->options;
    for (int w = 0; w < 4; w++)
        for (int f = 0; f < 6; f++)
            for (int i = 0; i < 9; i++) {
                o->window = windows[w][0];
                o->filter_window = windows[w][1];
                o->downscale = factors[f][0];
                o->filter_downscale = factors[f][1];
                o->iterations = 1 + i / 3;
                o->update = (CofUpdate)(i % 3);
                o->threads = 1 + (w + f + i) % 2;
                o->method = (CofMethod)((w + f) % 3);
                o->palettes = 1 + (w + i) % 3;
                if (f == 0 || o->update != COF_UPDATE_MODEL)
                    check_filters(b);
            }
    free(b);
}

static void check_learning(Bench *b)
{
    CofStats *stats = NULL;
    CofModel *model = NULL, *other = NULL;
    CofOptions *o = &b->options;
    CofImage both[2] = {b->in, b->in};
    assert_ok(cof_stats_new(&stats, o));
    CHECK(cof_stats_scan(stats, &b->in, NULL, o));
    CHECK_SHORT(cof_stats_fit_palette(stats, o));
    CHECK(cof_stats_add(stats, &b->in, NULL, o));
    CHECK_SHORT(cof_model_new(&model, stats, o));
    if (o->downscale == 1) {
        CofPart *part = NULL;
        assert_ok(cof_part_new(&part, &b->in, NULL));
        CHECK(cof_stats_add_part(stats, part, NULL, o));
        CHECK(cof_filter_part(model, part, &b->out, o));
        cof_part_free(&part);
    }
    CHECK(cof_model_label(model, &b->in, &b->marks, o));
    cof_model_free(&model);
    CHECK(cof_model_learn(&model, both, NULL, 2, o));
    if (o->downscale == 1) {
        CHECK(cof_model_new_soft(&other, stats, both, NULL, 2, o));
        cof_model_free(&other);
        cof_model_free(&model);
        CHECK(cof_model_learn_pair(&model, &other, &b->in, &b->mask, o));
        CHECK(cof_focus(model, other, NULL, NULL, &b->in, &b->out, o));
    }
    cof_model_free(&model);
    cof_model_free(&other);
    cof_stats_free(&stats);
}

static void of_learning(void **state)
{
    (void)state;
    for (int i = 0; i < 12; i++) {
        Bench *b = bench_new();
        b->options.window = 1 + 4 * (i % 3);
        b->options.downscale = 1 + i / 3 % 2;
        b->options.threads = 1 + i / 6;
        b->options.palettes = 1 + i % 2;
        check_learning(b);
        free(b);
    }
}

static void check_drawing(Bench *b, const CofImage *found)
{
    static const double point[2] = {4, 4};
    CofSelection *selection = NULL;
    CofOptions *o = &b->options;
    CHECK(cof_selection_new(&selection, &b->in, o));
    CHECK_SHORT(cof_selection_add_stroke(selection, COF_STROKE_FOREGROUND, point, 1, 2, o));
    CHECK_SHORT(cof_selection_add_pixels(selection, COF_STROKE_FOREGROUND, &b->marks, o));
    CHECK_SHORT(cof_selection_update(selection, found, o));
    CHECK_SHORT(cof_selection_correct(selection, found, o));
    CHECK_SHORT(cof_selection_set_mask(selection, found, o));
    CHECK_SHORT(cof_selection_correct(selection, found, o));
    CHECK_SHORT(cof_selection_follow(selection, &b->in, found, o));
    CHECK_SHORT(cof_mask_stroke(found, point, 1, 2, 255, o));
    cof_selection_free(&selection);
}

static void of_selections(void **state)
{
    (void)state;
    static const double blue[3] = {0, 0, 1};
    for (int i = 0; i < 8; i++) {
        Bench *b = bench_new();
        CofOptions *o = &b->options;
        float matte[PIXELS];
        CofImage soft = grey_view((uint8_t *)matte, WIDTH, HEIGHT), found = b->mask;
        soft.sample = COF_SAMPLE_F32;
        found.data = b->result;
        o->threads = 1 + i % 2;
        o->window = i < 2 ? 1 : 5;
        o->palettes = 1 + i / 2 % 2;
        o->spread_window = 1 + 2 * i;
        o->spread_iterations = 1 + i;
        o->threshold = i % 3 == 0 ? 0.5 : 0;
        o->iterations = i % 4;
        o->select_method = COF_SELECT_SPREAD;
        CHECK(cof_select(&b->in, &b->marks, NULL, &found, o));
        o->select_method = COF_SELECT_WATERSHED;
        CHECK(cof_select(&b->in, &b->marks, NULL, &found, o));
        check_drawing(b, &found);
        CHECK(cof_focus_mask(&b->in, &b->mask, &b->out, o));
        CHECK(cof_mask_prior(&b->mask, &soft, o));
        o->downscale = 1 + i % 3;
        o->filter_downscale = i / 2;
        CHECK(cof_recolour(&b->in, &b->mask, blue, &b->out, &soft, o));
        CHECK(cof_posterise(&b->in, 2 + i, &b->out, NULL, NULL, NULL, o));
        free(b);
    }
}

/* The first two cannot be cancelled, and tell only their end. */
static void of_short_calls(void **state)
{
    (void)state;
    static const double blue[3] = {0, 0, 1};
    Bench *b = bench_new();
    CofOptions *o = &b->options;
    double chroma;
    CHECK_SHORT(cof_tint(&b->in, blue, 0, &b->out, o));
    CHECK_SHORT(cof_blend(&b->mask, &b->in, &b->out, &b->out, o));
    assert_int_equal(b->log.calls, 1);
    CHECK_SHORT(cof_mean_chroma(&b->in, NULL, &chroma, o));
    assert_true(b->log.calls > 1);
    free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_filters),
        cmocka_unit_test(of_learning),
        cmocka_unit_test(of_selections),
        cmocka_unit_test(of_short_calls),
    };
    return cmocka_run_group_tests_name("progress", tests, NULL, NULL);
}
