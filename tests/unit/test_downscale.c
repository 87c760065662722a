/* SPDX-License-Identifier: BSD-2-Clause */
/* What coarse passes leave alone, tell and obey. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fields.h"
#include "testing.h"

/* A picture of two halves: the left one, which a mask shows, and the right one of other colours. */
typedef struct Halves {
    Picture picture, mask;
    CofWhere where;
    CofOptions options;
} Halves;

enum { WIDTH = 92, HEIGHT = 71, MIDDLE = 45 };

static Halves halves_new(CofKind kind, CofSample sample)
{
    Random random = {5};
    Halves h = {.picture = picture_new(&random, LAYOUT_ANY, WIDTH, HEIGHT, kind_channels(kind, 3),
                                       kind, sample),
                .mask = picture_new(&random, LAYOUT_ANY, WIDTH, HEIGHT, 1, COF_GREY, COF_U8)};
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            double base = x < MIDDLE ? 0.2 + 0.1 * (y / 9 % 2) : 0.8;
            picture_set(&h.mask, x, y, 0, x < MIDDLE - 5);
            for (int c = 0; c < h.picture.view.channels; c++)
                picture_set(&h.picture, x, y, c,
                            sample_max(&h.picture) * (base + 0.1 * random_uniform(&random)));
        }
    cof_options_init(&h.options);
    h.options.window = 7;
    h.options.colours = h.options.levels = 12;
    h.options.softness = 0;
    h.options.iterations = 3;
    h.options.coarse = 4;
    return h;
}

/* Once the pictures are in their place. */
static const CofWhere *in_the_left(Halves *h)
{
    h->where.mask = &h->mask.view;
    return &h->where;
}

static void halves_free(Halves *h)
{
    picture_free(&h->picture);
    picture_free(&h->mask);
}

static Picture like(const Picture *p)
{
    Random random = {99};
    return picture_new(&random, LAYOUT_ANY, p->view.width, p->view.height, p->view.channels,
                       p->view.kind, p->view.sample);
}

static CofModel *model_of(const CofImage *image, const CofWhere *where, const CofOptions *options)
{
    CofStats *stats = NULL;
    CofModel *model = NULL;
    assert_ok(learn_from(image, where, options, &stats));
    assert_ok(cof_model_new(&model, stats, options));
    cof_stats_free(&stats);
    return model;
}

/* What was never seen while learning keeps its bytes, though it was reduced and enlarged. */
static void unseen_values_stay(void **state)
{
    (void)state;
    for (int sample = 0; sample < 3; sample++)
        for (int method = 0; method < 2; method++) {
            Halves h = halves_new(COF_RGB, (CofSample)sample);
            Picture out = like(&h.picture);
            h.options.method = (CofMethod)method;
            assert_ok(cof_smooth_where(&h.picture.view, &out.view, in_the_left(&h), &h.options));
            int moved = 0;
            for (int y = 0; y < HEIGHT; y++)
                for (int x = 0; x < WIDTH; x++)
                    for (int c = 0; c < 3; c++) {
                        bool same =
                            picture_bits(&out, x, y, c) == picture_bits(&h.picture, x, y, c);
                        assert_true(same || x < MIDDLE);
                        moved += !same;
                    }
            assert_true(moved > MIDDLE * HEIGHT);
            picture_free(&out);
            halves_free(&h);
        }
}

/* A few pixels that are not transparent are still something to learn from, however large the cells
 * are that they lie in. */
static void a_little_alpha_counts(void **state)
{
    (void)state;
    for (int sample = 0; sample < 3; sample++) {
        Halves h = halves_new(COF_RGBA, (CofSample)sample);
        h.options.coarse = COF_MAX_COARSE;
        for (int i = 0; i < WIDTH * HEIGHT; i++)
            picture_set(&h.picture, i % WIDTH, i / WIDTH, 3, i == 500 || i == 510);
        assert_ok(cof_smooth(&h.picture.view, &h.picture.view, &h.options));
        halves_free(&h);
    }
}

/* A guide that is not the picture, and has no data here and there. */
static Picture guide_of(const Picture *p)
{
    Picture guide = like(p);
    for (int i = 0; i < 3 * WIDTH * HEIGHT; i++) {
        int x = i / 3 % WIDTH, y = i / 3 / WIDTH;
        picture_set(&guide, x, y, i % 3, i % 50 == 0 ? NAN : picture_get(p, x, y, 2 - i % 3) / 2);
    }
    return guide;
}

static void output_may_be_the_guide(void **state)
{
    (void)state;
    Halves h = halves_new(COF_RGB, COF_F32);
    for (int i = 0; i < 12; i++) {
        Picture guide = guide_of(&h.picture), apart = like(&h.picture);
        h.options.iterations = 1 + i % 3;
        h.options.threads = 1 + i / 3;
        CofModel *model = model_of(&guide.view, NULL, &h.options);
        assert_ok(cof_filter(model, &guide.view, &h.picture.view, &apart.view, &h.options));
        assert_ok(cof_filter(model, &guide.view, &h.picture.view, &guide.view, &h.options));
        assert_true(picture_equal(&guide, &apart));
        assert_false(picture_equal(&guide, &h.picture));
        picture_check_surroundings(&guide);
        cof_model_free(&model);
        picture_free(&guide);
        picture_free(&apart);
    }
    halves_free(&h);
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    static const int threads[] = {1, 2, 3, 8};
    static const CofKind kinds[] = {COF_GREY, COF_RGBA, COF_BANDS};
    for (int i = 0; i < 12; i++) {
        Halves h = halves_new(kinds[i % 3], (CofSample)(i % 3));
        Picture first = like(&h.picture), other = like(&h.picture);
        CofReport report = {.struct_size = sizeof report}, first_report = report;
        CofWork *work = NULL;
        assert_ok(cof_work_new(&work, 8));
        h.options.method = (CofMethod)(i / 6);
        h.options.repeat = (CofRepeat)(i / 3 % 2);
        for (int j = 0; j < 8; j++) {
            bool is_first = j == 0;
            h.options.threads = threads[j % 4];
            h.options.work = j < 4 ? NULL : work;
            h.options.report = is_first ? &first_report : &report;
            assert_ok(cof_smooth_where(&h.picture.view, is_first ? &first.view : &other.view,
                                       in_the_left(&h), &h.options));
            if (is_first)
                continue;
            assert_true(picture_equal(&first, &other));
            assert_memory_equal(report.change, first_report.change, sizeof report.change);
        }
        assert_false(picture_equal(&first, &h.picture));
        cof_work_free(&work);
        picture_free(&first);
        picture_free(&other);
        halves_free(&h);
    }
}

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Small passes count as passes; the stages take no more time than there is. */
static void reports_tell_all_passes(void **state)
{
    (void)state;
    Halves h = halves_new(COF_RGB, COF_U8);
    CofReport report = {.struct_size = sizeof report};
    h.options.report = &report;
    for (h.options.iterations = 1; h.options.iterations < 100; h.options.iterations += 33) {
        double start = seconds_now(), sum = 0;
        assert_ok(cof_smooth(&h.picture.view, &h.picture.view, &h.options));
        double taken = seconds_now() - start;
        assert_int_equal(report.passes, h.options.iterations);
        for (int stage = 0; stage < 16; stage++) {
            assert_true(report.seconds[stage] >= 0);
            assert_true(stage < COF_STAGE_TOTAL || report.seconds[stage] == 0);
            sum += report.seconds[stage];
        }
        assert_true(report.seconds[COF_STAGE_FILTER] > 0);
        assert_true(sum > 0 && sum <= taken);
    }
    h.options.until = 1e12; /* one pass over the small picture, and the last */
    assert_ok(cof_smooth(&h.picture.view, &h.picture.view, &h.options));
    assert_int_equal(report.passes, 2);
    halves_free(&h);
}

typedef struct Watch {
    int calls, stop_after;
    int ended; /* how often it was told of the end */
    double first, last, leap;
    bool went_back;
} Watch;

static int watch_progress(void *user, double done)
{
    Watch *watch = user;
    if (watch->calls == 0)
        watch->first = done;
    watch->went_back |= !(done >= watch->last && done <= 1);
    watch->leap = fmax(watch->leap, done - watch->last);
    watch->last = done;
    watch->ended += done >= 1;
    return ++watch->calls == watch->stop_after;
}

static void progress_runs_to_one(void **state)
{
    (void)state;
    Halves h = halves_new(COF_RGB, COF_F32);
    CofModel *model = model_of(&h.picture.view, NULL, &h.options);
    Picture out = like(&h.picture);
    Watch watch;
    h.options.progress = watch_progress;
    h.options.user = &watch;
    h.options.threads = 1; /* which hears of every task */
    for (int i = 0; i < 8; i++) {
        watch = (Watch){0};
        h.options.iterations = 1 + i / 2;
        h.options.repeat = (CofRepeat)(i / 4);
        if (i % 2 == 0)
            assert_ok(cof_smooth(&h.picture.view, &out.view, &h.options));
        else
            assert_ok(cof_filter(model, h.options.repeat ? NULL : &h.picture.view, &h.picture.view,
                                 &out.view, &h.options));
        assert_true(watch.calls > 10);
        assert_true(watch.first == 0 && watch.last == 1);
        assert_false(watch.went_back);
        assert_true(watch.leap < 0.2);
        assert_true(watch.ended <= 2);
    }
    cof_model_free(&model);
    picture_free(&out);
    halves_free(&h);
}

/* Cancelled anywhere, in place or not: the pixels are as they were. */
static void threads_can_be_cancelled(void **state)
{
    (void)state;
    for (int apart = 0; apart < 2; apart++) {
        Halves h = halves_new(COF_RGBA, COF_U8);
        Picture before = like(&h.picture), other = like(&h.picture);
        Picture *out = apart ? &other : &h.picture;
        Watch watch;
        picture_copy(&before, out);
        h.options.progress = watch_progress;
        h.options.user = &watch;
        h.options.threads = 2;
        CofStatus status = COF_ERR_CANCELLED;
        int stop = 0;
        while (status == COF_ERR_CANCELLED) {
            assert_true(picture_equal(&before, out));
            watch = (Watch){.stop_after = ++stop};
            status = cof_smooth_where(&h.picture.view, &out->view, in_the_left(&h), &h.options);
        }
        assert_ok(status);
        assert_true(stop > 5); /* the calling thread may get few of the tasks */
        assert_false(picture_equal(&before, out));
        picture_free(&before);
        picture_free(&other);
        halves_free(&h);
    }
}

/* Statistics that a cancelled call has left are those from before it. */
static void cancelled_learning_leaves_no_trace(void **state)
{
    (void)state;
    Halves h = halves_new(COF_RGB, COF_U8);
    CofStats *stats = NULL, *untouched = NULL;
    CofOptions cancelling = h.options;
    Watch watch;
    cancelling.progress = watch_progress;
    cancelling.user = &watch;
    for (int step = 0; step < 2; step++) {
        if (step == 0)
            assert_ok(cof_stats_new(&stats, &h.options));
        else
            assert_ok(cof_stats_settle(stats, &h.options));
        assert_ok(cof_stats_new_like(&untouched, stats));
        CofStatus status = COF_ERR_CANCELLED;
        for (int stop = 1; status == COF_ERR_CANCELLED; stop++) {
            assert_same_stats(stats, untouched);
            watch = (Watch){.stop_after = stop};
            status = step == 0
                         ? cof_stats_scan(stats, &h.picture.view, in_the_left(&h), &cancelling)
                         : cof_stats_add(stats, &h.picture.view, in_the_left(&h), &cancelling);
            assert_true(stop > 1 || status == COF_ERR_CANCELLED);
        }
        assert_ok(status);
        assert_true(watch.last == 1 && !watch.went_back);
        cof_stats_free(&untouched);
    }
    cof_stats_free(&stats);
    halves_free(&h);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(unseen_values_stay),
        cmocka_unit_test(a_little_alpha_counts),
        cmocka_unit_test(output_may_be_the_guide),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(reports_tell_all_passes),
        cmocka_unit_test(progress_runs_to_one),
        cmocka_unit_test(threads_can_be_cancelled),
        cmocka_unit_test(cancelled_learning_leaves_no_trace),
    };
    return cmocka_run_group_tests_name("reduced", tests, NULL, NULL);
}
