/* SPDX-License-Identifier: BSD-2-Clause */
/* Spare tasks, which threads do that a job leaves idle; and labels from the features that they have
 * found, against labels without them. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "call/call.h"
#include "image/image.h"
#include "learn/early_features.h"
#include "learn/label_image.h"
#include "testing.h"

enum { TASKS = 12, SPARE_TASKS = 60 };

typedef struct Work {
    atomic_int runs[TASKS], spare_runs[SPARE_TASKS];
    atomic_bool runs_now, is_wrong;
    long nanoseconds; /* that each of the first two tasks takes */
} Work;

static void wait_for(long nanoseconds)
{
    struct timespec time = {.tv_nsec = nanoseconds};
    if (nanoseconds > 0)
        nanosleep(&time, NULL);
}

static void do_task(void *context, int task, int worker)
{
    (void)worker;
    Work *work = context;
    wait_for(task < 2 ? work->nanoseconds : 0);
    atomic_fetch_add(&work->runs[task], 1);
}

static void do_spare(void *context, int task, int worker)
{
    (void)worker;
    Work *work = context;
    if (!atomic_load(&work->runs_now))
        atomic_store(&work->is_wrong, true);
    atomic_fetch_add(&work->spare_runs[task], 1);
}

/* Runs a job of n tasks, and checks that it did each once. */
static void run_job(CofiCall *call, Work *work, int n)
{
    memset(work->runs, 0, sizeof work->runs);
    atomic_store(&work->runs_now, true);
    assert_ok(cofi_call_few_tasks(call, n, do_task, work));
    atomic_store(&work->runs_now, false);
    for (int i = 0; i < TASKS; i++)
        assert_int_equal(atomic_load(&work->runs[i]), i < n);
    assert_false(atomic_load(&work->is_wrong));
}

static int count_spare(const Work *work)
{
    int done = 0;
    for (int i = 0; i < SPARE_TASKS; i++) {
        int runs = atomic_load(&work->spare_runs[i]);
        assert_true(runs == 0 || runs == 1);
        assert_true(i == 0 || runs <= atomic_load(&work->spare_runs[i - 1])); /* in their order */
        done += runs;
    }
    return done;
}

static CofiCall begin_call(int threads)
{
    CofiCall call;
    CofOptions options;
    cof_options_init(&options);
    options.threads = threads;
    assert_ok(cofi_call_begin(&call, &options));
    return call;
}

static void tasks_run_once(void **state)
{
    (void)state;
    Random random = {4};
    static Work work;
    for (int threads = 1; threads <= 7; threads++) {
        CofiCall call = begin_call(threads);
        for (int run = 0; run < 100; run++) {
            work = (Work){.nanoseconds = random_chance(&random, 0.1) ? 100000 : 0};
            CofiSpareTasks spare = {
                .n = random_int(&random, 0, SPARE_TASKS), .task = do_spare, .context = &work};
            call.spare = random_chance(&random, 0.2) ? NULL : &spare;
            for (int job = 0, before = 0; job < 3; job++) {
                run_job(&call, &work, random_int(&random, 0, TASKS));
                int done = count_spare(&work);
                assert_true(done >= before && done <= (call.spare ? spare.n : 0));
                before = done;
            }
            call.spare = NULL;
        }
        assert_ok(cofi_call_end(&call, COF_OK));
    }
}

/* Two tasks of a tenth of a second leave the others enough time for all spare tasks. */
static void idle_threads_do_spare_tasks(void **state)
{
    (void)state;
    static Work work;
    CofiCall call = begin_call(4);
    CofiSpareTasks spare = {.n = SPARE_TASKS, .task = do_spare, .context = &work};
    work = (Work){.nanoseconds = 100000000};
    call.spare = &spare;
    for (int job = 0; job < 20 && count_spare(&work) < SPARE_TASKS; job++)
        run_job(&call, &work, 2);
    assert_int_equal(count_spare(&work), call.threads > 2 ? SPARE_TASKS : 0);
    call.spare = NULL;
    assert_ok(cofi_call_end(&call, COF_OK));
}

static void label(CofiCall *call, const CofiPalette *palette, const CofImage *image,
                  const CofiEarlyFeatures *early, uint8_t *labels)
{
    CofiLabelRows rows = {
        .n = 1, .palettes = {palette}, .labels = {labels}, .stride = image->width, .early = early};
    CofRect all = {0, 0, image->width, image->height};
    memset(labels, 255, (size_t)image->width * (size_t)image->height);
    assert_ok(cofi_label_image(call, &rows, image, all, 1));
}

static TestImage new_image(Random *random, CofKind kind, CofSample sample, int width, int height)
{
    TestImage image =
        test_image_new(random, LAYOUT_ANY, width, height, kind_channels(kind, 3), kind, sample);
    double max = cofi_sample_max(sample);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            for (int c = 0; c < image.view.channels; c++)
                test_image_set(&image, x, y, c, max * random_uniform(random));
    test_image_add_gaps(&image, random, 0.1);
    return image;
}

/* Rows whose features were not found, or only some of a block, are labelled as well. */
static void check_labels(Random *random, CofKind kind, CofSample sample, int width, int height)
{
    TestImage image = new_image(random, kind, sample, width, height);
    CofImage view;
    assert_null(cofi_image_complete(&image.view, &view));
    float centres[3 * 20];
    for (int i = 0; i < 60; i++)
        centres[i] = (float)(i % 3 == 0 ? random_int(random, 0, 100) : random_int(random, -60, 60));
    CofiPalette palette;
    assert_ok(cofi_palette_given(&palette, COF_KIND_RGB, 3, 20, centres));
    size_t pixels = (size_t)width * (size_t)height;
    uint8_t *expected = malloc(pixels), *labels = malloc(pixels);
    assert_true(expected && labels);
    CofiCall call = begin_call(4);
    label(&call, &palette, &view, NULL, expected);
    CofiEarlyFeatures early;
    if (cofi_early_features_pay(&call, &view)) {
        assert_ok(cofi_early_features_offer(&early, &call, &view));
        assert_ptr_equal(call.spare, &early.tasks);
        double share = random_uniform(random) * 1.3;
        for (int y = 0; y < early.tasks.n; y++)
            if (random_chance(random, share))
                early.tasks.task(early.tasks.context, y, 0);
        cofi_early_features_end(&call);
        assert_null(call.spare);
        label(&call, &palette, &view, &early, labels);
        assert_memory_equal(labels, expected, pixels);
    }
    assert_ok(cofi_call_end(&call, COF_OK));
    test_image_check_padding(&image);
    test_image_free(&image);
    cofi_palette_free(&palette);
    free(expected);
    free(labels);
}

static void labels_are_the_same(void **state)
{
    (void)state;
    static const CofKind kinds[] = {COF_KIND_RGB, COF_KIND_RGBA};
    static const CofSample samples[] = {COF_SAMPLE_U8, COF_SAMPLE_U16, COF_SAMPLE_F32};
    Random random = {5};
    for (int run = 0; run < 60; run++)
        check_labels(&random, kinds[run % 2], samples[run % 3], random_int(&random, 1, 900),
                     random_int(&random, 1, 300));
}

static void few_threads_and_other_kinds_have_no_early_features(void **state)
{
    (void)state;
    Random random = {6};
    TestImage grey = new_image(&random, COF_KIND_GREY, COF_SAMPLE_U8, 50, 40),
              rgb = new_image(&random, COF_KIND_RGB, COF_SAMPLE_U8, 50, 40);
    CofImage grey_complete, rgb_complete;
    assert_null(cofi_image_complete(&grey.view, &grey_complete));
    assert_null(cofi_image_complete(&rgb.view, &rgb_complete));
    CofiCall two = begin_call(2), four = begin_call(4);
    assert_false(cofi_early_features_pay(&two, &rgb_complete));
    assert_false(cofi_early_features_pay(&four, &grey_complete));
    assert_int_equal(cofi_early_features_pay(&four, &rgb_complete), four.threads > 2);
    assert_ok(cofi_call_end(&four, COF_OK));
    assert_ok(cofi_call_end(&two, COF_OK));
    test_image_free(&grey);
    test_image_free(&rgb);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tasks_run_once),
        cmocka_unit_test(idle_threads_do_spare_tasks),
        cmocka_unit_test(labels_are_the_same),
        cmocka_unit_test(few_threads_and_other_kinds_have_no_early_features),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
