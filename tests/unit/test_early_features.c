/* SPDX-License-Identifier: BSD-2-Clause */
/* Spare tasks, done by threads that a job leaves idle; and labels from the features that these have
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

enum { TASKS = 12, SPARE_TASKS = 60, COLOURS = 32 };

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
    if (call.threads > 2) /* the system may refuse some */
        assert_int_equal(count_spare(&work), SPARE_TASKS);
    call.spare = NULL;
    assert_ok(cofi_call_end(&call, COF_OK));
}

/* What labelling writes: labels and packed Lab. */
typedef struct Written {
    uint8_t *labels, *low[3];
    int16_t *high[3];
} Written;

static void *new_bytes(size_t n)
{
    void *bytes = malloc(n);
    assert_non_null(bytes);
    return memset(bytes, 255, n);
}

static Written label(CofiCall *call, const CofiPalette *palette, const CofImage *image,
                     const CofiEarlyFeatures *early)
{
    size_t pixels = (size_t)image->width * (size_t)image->height;
    Written to = {.labels = new_bytes(pixels)};
    for (int band = 0; band < 3; band++) {
        to.low[band] = new_bytes(pixels);
        to.high[band] = new_bytes(pixels * sizeof *to.high[band]);
    }
    CofiPackedLab packed = {{to.high[0], to.high[1], to.high[2]},
                            {to.low[0], to.low[1], to.low[2]}};
    CofiLabelRows rows = {.n = 1,
                          .palettes = {palette},
                          .labels = {to.labels},
                          .packed = &packed,
                          .stride = image->width,
                          .early = early};
    CofRect all = {0, 0, image->width, image->height};
    assert_ok(cofi_label_image(call, &rows, image, all, 1));
    return to;
}

static void check_equal(const Written *a, const Written *b, size_t pixels)
{
    assert_memory_equal(a->labels, b->labels, pixels);
    for (int band = 0; band < 3; band++) {
        assert_memory_equal(a->low[band], b->low[band], pixels);
        assert_memory_equal(a->high[band], b->high[band], pixels * sizeof *a->high[band]);
    }
}

static void written_free(Written *w)
{
    free(w->labels);
    for (int band = 0; band < 3; band++) {
        free(w->low[band]);
        free(w->high[band]);
    }
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

/* Finds the features of some rows, and checks for which blocks they are there. */
static void find_some(Random *random, const CofiEarlyFeatures *early, int width, int height)
{
    double share = 1.3 * random_uniform(random);
    int n = early->tasks.n;
    assert_true(n == height || (n < height && n % COFI_TOGETHER == 0));
    uint8_t *is_found = new_bytes((size_t)height);
    for (int y = 0; y < height; y++) {
        is_found[y] = y < n && random_chance(random, share);
        if (is_found[y])
            early->tasks.task(early->tasks.context, y, 0);
    }
    for (int y = 0; y < height; y += COFI_TOGETHER) {
        const float *planes[COF_MAX_BANDS];
        CofRect block = {width / 2, y, width - width / 2,
                         height - y < COFI_TOGETHER ? height - y : COFI_TOGETHER};
        bool all = !memchr(is_found + y, 0, (size_t)block.height);
        assert_int_equal(cofi_early_features_have(early, block, planes), all);
    }
    free(is_found);
}

/* Rows whose features were not found, or only some of a block, are labelled as well. */
static void check_labels(Random *random, CofKind kind, CofSample sample, int width, int height)
{
    TestImage image = new_image(random, kind, sample, width, height);
    CofImage view;
    assert_null(cofi_image_complete(&image.view, &view));
    float centres[3 * COLOURS];
    for (int i = 0; i < 3 * COLOURS; i++)
        centres[i] = (float)(i % 3 == 0 ? random_int(random, 0, 100) : random_int(random, -60, 60));
    CofiPalette palette;
    assert_ok(cofi_palette_given(&palette, COF_KIND_RGB, 3, COLOURS, centres));
    CofiCall call = begin_call(4);
    Written expected = label(&call, &palette, &view, NULL);
    if (call.threads > 2) { /* the system may refuse some */
        CofiEarlyFeatures early;
        assert_true(cofi_early_features_pay(&call, &view, COLOURS));
        assert_ok(cofi_early_features_offer(&early, &call, &view, COLOURS));
        assert_ptr_equal(call.spare, &early.tasks);
        find_some(random, &early, width, height);
        cofi_early_features_end(&call);
        assert_null(call.spare);
        Written written = label(&call, &palette, &view, &early);
        check_equal(&written, &expected, (size_t)width * (size_t)height);
        written_free(&written);
    }
    assert_ok(cofi_call_end(&call, COF_OK));
    test_image_check_padding(&image);
    test_image_free(&image);
    cofi_palette_free(&palette);
    written_free(&expected);
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

/* Two threads try two seedings of 32 colours, and all share the one of 33. */
static void early_features_need_idle_threads(void **state)
{
    (void)state;
    Random random = {6};
    TestImage grey = new_image(&random, COF_KIND_GREY, COF_SAMPLE_U8, 50, 40),
              rgb = new_image(&random, COF_KIND_RGB, COF_SAMPLE_U8, 50, 40);
    CofImage grey_complete, rgb_complete;
    assert_null(cofi_image_complete(&grey.view, &grey_complete));
    assert_null(cofi_image_complete(&rgb.view, &rgb_complete));
    CofiCall two = begin_call(2), four = begin_call(4);
    assert_false(cofi_early_features_pay(&two, &rgb_complete, COLOURS));
    assert_false(cofi_early_features_pay(&four, &grey_complete, COLOURS));
    assert_false(cofi_early_features_pay(&four, &rgb_complete, 33));
    assert_false(cofi_early_features_pay(&four, &rgb_complete, 4));
    assert_int_equal(cofi_early_features_pay(&four, &rgb_complete, COLOURS), four.threads > 2);
    assert_ok(cofi_call_end(&four, COF_OK));
    assert_ok(cofi_call_end(&two, COF_OK));
    test_image_free(&grey);
    test_image_free(&rgb);
}

/* Rows of one pixel take as much memory as rows of 16. */
static void narrow_images_take_no_more_memory(void **state)
{
    (void)state;
    enum { TALL = 400000 };
    static uint8_t pixels[3 * TALL];
    CofImage column = {
        .data = pixels, .width = 1, .height = TALL, .channels = 3, .kind = COF_KIND_RGB};
    CofImage view;
    assert_null(cofi_image_complete(&column, &view));
    CofiCall call = begin_call(3);
    CofiEarlyFeatures early;
    if (cofi_early_features_pay(&call, &view, COLOURS)) {
        assert_ok(cofi_early_features_offer(&early, &call, &view, COLOURS));
        assert_in_range(early.tasks.n, 1, 10000);
        cofi_early_features_end(&call);
    }
    assert_ok(cofi_call_end(&call, COF_OK));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tasks_run_once),
        cmocka_unit_test(idle_threads_do_spare_tasks),
        cmocka_unit_test(labels_are_the_same),
        cmocka_unit_test(early_features_need_idle_threads),
        cmocka_unit_test(narrow_images_take_no_more_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
