/* SPDX-License-Identifier: BSD-2-Clause */
/* Filtering the downscaled image: unchanged pixels, reports, progress and cancellation; and part by
 * part. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fields.h"
#include "testing.h"

/* An image whose left half is in the mask and whose right half has other colours. */
typedef struct SplitImage {
    TestImage image, mask;
    CofRoi roi;
    CofOptions options;
} SplitImage;

enum { WIDTH = 92, HEIGHT = 71, MIDDLE = 45 };

static SplitImage split_image_new(CofKind kind, CofSample sample)
{
    Random random = {5};
    SplitImage h = {.image = test_image_new(&random, LAYOUT_ANY, WIDTH, HEIGHT,
                                            kind_channels(kind, 3), kind, sample),
                    .mask = test_image_new(&random, LAYOUT_ANY, WIDTH, HEIGHT, 1, COF_KIND_GREY,
                                           COF_SAMPLE_U8)};
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            double base = x < MIDDLE ? 0.2 + 0.1 * (y / 9 % 2) : 0.8;
            test_image_set(&h.mask, x, y, 0, x < MIDDLE - 5);
            for (int c = 0; c < h.image.view.channels; c++)
                test_image_set(&h.image, x, y, c,
                               sample_max(&h.image) * (base + 0.1 * random_uniform(&random)));
        }
    cof_options_init(&h.options);
    h.options.window = 7;
    h.options.colours = h.options.levels = 12;
    h.options.softness = 0;
    h.options.iterations = 3;
    h.options.downscale = 4;
    h.options.fidelity = 1;
    h.options.strength = 0.75;
    return h;
}

/* Call once the struct is at its final address. */
static const CofRoi *in_the_left(SplitImage *h)
{
    h->roi.mask = &h->mask.view;
    return &h->roi;
}

static void split_image_free(SplitImage *h)
{
    test_image_free(&h->image);
    test_image_free(&h->mask);
}

static CofModel *model_of(const CofImage *image, const CofRoi *roi, const CofOptions *options)
{
    CofStats *stats = NULL;
    CofModel *model = NULL;
    assert_ok(learn_from(image, roi, options, &stats));
    assert_ok(cof_model_new(&model, stats, options));
    cof_stats_free(&stats);
    return model;
}

/* Pixels whose labels were not learned keep their bytes, also when they are downscaled. */
static void unseen_values_stay(void **state)
{
    (void)state;
    for (int sample = 0; sample < 3; sample++)
        for (int method = 0; method < 2; method++) {
            SplitImage h = split_image_new(COF_KIND_RGB, (CofSample)sample);
            TestImage out = test_image_like(&h.image);
            h.options.method = (CofMethod)method;
            assert_ok(cof_smooth_roi(&h.image.view, in_the_left(&h), &out.view, &h.options));
            int moved = 0;
            for (int y = 0; y < HEIGHT; y++)
                for (int x = 0; x < WIDTH; x++)
                    for (int c = 0; c < 3; c++) {
                        bool same =
                            test_image_bits(&out, x, y, c) == test_image_bits(&h.image, x, y, c);
                        assert_true(same || x < MIDDLE + h.options.downscale);
                        moved += !same;
                    }
            assert_true(moved > MIDDLE * HEIGHT);
            test_image_free(&out);
            split_image_free(&h);
        }
}

/* A few opaque pixels are enough to learn from, however large their cells are. */
static void a_little_alpha_counts(void **state)
{
    (void)state;
    for (int sample = 0; sample < 3; sample++) {
        SplitImage h = split_image_new(COF_KIND_RGBA, (CofSample)sample);
        h.options.downscale = COF_MAX_DOWNSCALE;
        for (int i = 0; i < WIDTH * HEIGHT; i++)
            test_image_set(&h.image, i % WIDTH, i / WIDTH, 3, i == 500 || i == 510);
        assert_ok(cof_smooth(&h.image.view, &h.image.view, &h.options));
        split_image_free(&h);
    }
}

/* A guide that differs from the image and has invalid pixels. */
static TestImage guide_of(const TestImage *p)
{
    TestImage guide = test_image_like(p);
    for (int i = 0; i < 3 * WIDTH * HEIGHT; i++) {
        int x = i / 3 % WIDTH, y = i / 3 / WIDTH;
        test_image_set(&guide, x, y, i % 3,
                       i % 50 == 0 ? NAN : test_image_get(p, x, y, 2 - i % 3) / 2);
    }
    return guide;
}

static void output_may_be_the_guide(void **state)
{
    (void)state;
    SplitImage h = split_image_new(COF_KIND_RGB, COF_SAMPLE_F32);
    for (int i = 0; i < 12; i++) {
        TestImage guide = guide_of(&h.image), apart = test_image_like(&h.image);
        h.options.iterations = 1 + i % 3;
        h.options.threads = 1 + i / 3;
        CofModel *model = model_of(&guide.view, NULL, &h.options);
        assert_ok(cof_filter(model, &guide.view, &h.image.view, &apart.view, &h.options));
        assert_ok(cof_filter(model, &guide.view, &h.image.view, &guide.view, &h.options));
        assert_true(test_image_equal(&guide, &apart));
        assert_false(test_image_equal(&guide, &h.image));
        test_image_check_padding(&guide);
        cof_model_free(&model);
        test_image_free(&guide);
        test_image_free(&apart);
    }
    split_image_free(&h);
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    static const int threads[] = {1, 2, 3, 8};
    static const CofKind kinds[] = {COF_KIND_GREY, COF_KIND_RGBA, COF_KIND_BANDS};
    for (int i = 0; i < 12; i++) {
        SplitImage h = split_image_new(kinds[i % 3], (CofSample)(i % 3));
        TestImage first = test_image_like(&h.image), other = test_image_like(&h.image);
        CofReport report = {.struct_size = sizeof report}, first_report = report;
        CofContext *context = NULL;
        assert_ok(cof_context_new(&context, 8, NULL));
        h.options.method = (CofMethod)(i / 6);
        h.options.update = (CofUpdate)(i / 3 % 2);
        for (int j = 0; j < 8; j++) {
            bool is_first = j == 0;
            h.options.threads = threads[j % 4];
            h.options.context = j < 4 ? NULL : context;
            h.options.report = is_first ? &first_report : &report;
            assert_ok(cof_smooth_roi(&h.image.view, in_the_left(&h),
                                     is_first ? &first.view : &other.view, &h.options));
            if (is_first)
                continue;
            assert_true(test_image_equal(&first, &other));
            assert_memory_equal(report.change, first_report.change, sizeof report.change);
        }
        assert_false(test_image_equal(&first, &h.image));
        cof_context_free(&context);
        test_image_free(&first);
        test_image_free(&other);
        split_image_free(&h);
    }
}

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Passes over the downscaled image are reported too; the stages add up to at most the total time.
 * */
static void reports_tell_all_passes(void **state)
{
    (void)state;
    SplitImage h = split_image_new(COF_KIND_RGB, COF_SAMPLE_U8);
    CofReport report = {.struct_size = sizeof report};
    h.options.report = &report;
    for (h.options.iterations = 1; h.options.iterations < 100; h.options.iterations += 33) {
        double start = seconds_now(), sum = 0;
        assert_ok(cof_smooth(&h.image.view, &h.image.view, &h.options));
        double taken = seconds_now() - start;
        assert_int_equal(report.passes, h.options.iterations);
        for (int stage = 0; stage < 16; stage++) {
            assert_true(report.seconds[stage] >= 0);
            assert_true(cof_stage_name((CofStage)stage) || report.seconds[stage] == 0);
            sum += report.seconds[stage];
        }
        assert_true(report.seconds[COF_STAGE_FILTER] > 0);
        assert_true(sum > 0 && sum <= taken);
    }
    h.options.tolerance = 1e12; /* one pass is enough */
    assert_ok(cof_smooth(&h.image.view, &h.image.view, &h.options));
    assert_int_equal(report.passes, 1);
    split_image_free(&h);
}

typedef struct ProgressLog {
    int calls, stop_after;
    int ended; /* number of calls with 1 */
    double first, last, leap;
    bool went_back;
} ProgressLog;

static int record_progress(void *user, double done)
{
    ProgressLog *log = user;
    if (log->calls == 0)
        log->first = done;
    log->went_back |= !(done >= log->last && done <= 1);
    log->leap = fmax(log->leap, done - log->last);
    log->last = done;
    log->ended += done >= 1;
    return ++log->calls == log->stop_after;
}

static void progress_runs_to_one(void **state)
{
    (void)state;
    SplitImage h = split_image_new(COF_KIND_RGB, COF_SAMPLE_F32);
    CofModel *model = model_of(&h.image.view, NULL, &h.options);
    TestImage out = test_image_like(&h.image);
    ProgressLog log;
    h.options.progress = record_progress;
    h.options.user = &log;
    h.options.threads = 1; /* one thread reports every task */
    for (int i = 0; i < 8; i++) {
        log = (ProgressLog){0};
        h.options.iterations = 1 + i / 2 % 3;
        h.options.update = (CofUpdate)(i / 4);
        if (i % 2 == 0)
            assert_ok(cof_smooth(&h.image.view, &out.view, &h.options));
        else
            assert_ok(cof_filter(model, h.options.update ? NULL : &h.image.view, &h.image.view,
                                 &out.view, &h.options));
        assert_true(log.calls > 10);
        assert_true(log.first == 0 && log.last == 1);
        assert_false(log.went_back);
        assert_true(log.leap < 0.2);
        assert_true(log.ended <= 2);
    }
    cof_model_free(&model);
    test_image_free(&out);
    split_image_free(&h);
}

/* A cancelled call leaves the pixels unchanged, in place or not. */
static void threads_can_be_cancelled(void **state)
{
    (void)state;
    for (int apart = 0; apart < 2; apart++) {
        SplitImage h = split_image_new(COF_KIND_RGBA, COF_SAMPLE_U8);
        TestImage before = test_image_like(&h.image), other = test_image_like(&h.image);
        TestImage *out = apart ? &other : &h.image;
        ProgressLog log;
        test_image_copy(&before, out);
        h.options.progress = record_progress;
        h.options.user = &log;
        h.options.threads = 2;
        CofStatus status = COF_ERR_CANCELLED;
        int stop = 0;
        while (status == COF_ERR_CANCELLED) {
            assert_true(test_image_equal(&before, out));
            log = (ProgressLog){.stop_after = ++stop};
            status = cof_smooth_roi(&h.image.view, in_the_left(&h), &out->view, &h.options);
        }
        assert_ok(status);
        assert_true(stop > 5); /* the calling thread may get few of the tasks */
        assert_false(test_image_equal(&before, out));
        test_image_free(&before);
        test_image_free(&other);
        split_image_free(&h);
    }
}

/* A cancelled call leaves the statistics unchanged. */
static void cancelled_learning_leaves_no_trace(void **state)
{
    (void)state;
    SplitImage h = split_image_new(COF_KIND_RGB, COF_SAMPLE_U8);
    CofStats *stats = NULL, *untouched = NULL;
    CofOptions cancelling = h.options;
    ProgressLog log;
    cancelling.progress = record_progress;
    cancelling.user = &log;
    for (int step = 0; step < 2; step++) {
        if (step == 0)
            assert_ok(cof_stats_new(&stats, &h.options));
        else
            assert_ok(cof_stats_fit_palette(stats, &h.options));
        assert_ok(cof_stats_new_like(&untouched, stats, NULL));
        CofStatus status = COF_ERR_CANCELLED;
        for (int stop = 1; status == COF_ERR_CANCELLED; stop++) {
            assert_same_stats(stats, untouched);
            log = (ProgressLog){.stop_after = stop};
            status = step == 0 ? cof_stats_scan(stats, &h.image.view, in_the_left(&h), &cancelling)
                               : cof_stats_add(stats, &h.image.view, in_the_left(&h), &cancelling);
            assert_true(stop > 1 || status == COF_ERR_CANCELLED);
        }
        assert_ok(status);
        assert_true(log.last == 1 && !log.went_back);
        cof_stats_free(&untouched);
    }
    cof_stats_free(&stats);
    split_image_free(&h);
}

/* The image downscaled in strips of `rows` rows. */
static TestImage downscaled(const SplitImage *h, int rows, bool with_valid, uint8_t **valid)
{
    Random random = {3};
    const CofImage *in = &h->image.view;
    int n = h->options.downscale, width = (in->width - 1) / n + 1,
        height = (in->height - 1) / n + 1;
    TestImage small =
        test_image_new(&random, LAYOUT_ANY, width, height, in->channels, in->kind, in->sample);
    *valid = with_valid ? malloc((size_t)(width * height)) : NULL;
    for (int y = 0; y < height; y += rows) {
        int last = y + rows < height ? y + rows : height;
        int bottom = last * n < in->height ? last * n : in->height;
        CofImage from = view_part(in, (CofRect){0, y * n, in->width, bottom - y * n});
        CofImage to = view_part(&small.view, (CofRect){0, y, width, last - y});
        assert_ok(
            cof_downscale(&from, n, &to, with_valid ? *valid + y * width : NULL, &h->options));
    }
    small.view.valid = *valid;
    return small;
}

/* Runs all passes on the two halves of the small image. */
static CofCoarse *coarse_of_halves(SplitImage *h, const CofModel *model, const TestImage *small)
{
    CofCoarse *coarse = NULL;
    CofOptions options = h->options;
    TestImage filtered = test_image_like(small);
    int margin, height = small->view.height, half = height / 2;
    options.filter_downscale = options.strength = 1;
    options.detail = 0;
    assert_ok(cof_filter_margin(model, &margin, &options));
    for (int i = 0; i < 2; i++) {
        CofRect part = {0, i ? half : 0, small->view.width, i ? height - half : half};
        CofImage from = view_part(&small->view, rect_with_margin(part, margin, &small->view));
        CofImage to = view_part(&filtered.view, part);
        assert_ok(cof_filter(model, NULL, &from, &to, &options));
    }
    assert_ok(cof_coarse_new_filtered(&coarse, model, &small->view, &filtered.view, &h->options));
    test_image_free(&filtered);
    return coarse;
}

/* Filters tile by tile with what was learned from the small image. */
static void filter_in_parts(SplitImage *h, const TestImage *small, const CofRoi *roi, int width,
                            int height, bool in_halves, TestImage *out)
{
    CofCoarse *coarse = NULL;
    CofModel *model = NULL;
    CofStats *stats = NULL;
    assert_ok(learn_from(&small->view, roi, &h->options, &stats));
    assert_ok(cof_model_new(&model, stats, &h->options));
    if (in_halves)
        coarse = coarse_of_halves(h, model, small);
    else
        assert_ok(cof_coarse_new(&coarse, model, &small->view, &h->options));
    int margin = cof_coarse_margin(coarse);
    for (int y = 0; y < HEIGHT; y += height)
        for (int x = 0; x < WIDTH; x += width) {
            CofRect tile = {x, y, WIDTH - x < width ? WIDTH - x : width,
                            HEIGHT - y < height ? HEIGHT - y : height};
            CofImage from =
                view_part(&h->image.view, rect_with_margin(tile, margin, &h->image.view));
            CofImage to = view_part(&out->view, tile);
            assert_ok(cof_coarse_filter(coarse, &from, &to, &h->options));
        }
    cof_coarse_free(&coarse);
    cof_coarse_free(&coarse);
    cof_model_free(&model);
    cof_stats_free(&stats);
}

static void check_same(SplitImage *h, const TestImage *small, bool in_halves)
{
    TestImage whole = test_image_like(&h->image), parts = test_image_like(&h->image);
    CofRoi roi = {.downscaled = 1};
    assert_ok(cof_smooth(&h->image.view, &whole.view, &h->options));
    int step = h->options.downscale; /* with 2, tiles are narrower than the small image */
    filter_in_parts(h, small, &roi, step > 2 ? 37 : 5, step > 2 ? 23 : 31, in_halves, &parts);
    assert_true(test_image_equal(&whole, &parts));
    test_image_free(&whole);
    test_image_free(&parts);
}

static void check_parts(SplitImage *h, int rows, bool with_valid)
{
    uint8_t *valid;
    TestImage small = downscaled(h, rows, with_valid, &valid);
    check_same(h, &small, false);
    check_same(h, &small, true);
    test_image_check_padding(&small);
    small.view.valid = NULL;
    free(valid);
    test_image_free(&small);
}

/* In parts, the result is that of the whole image, to the byte. */
static void parts_make_the_whole(void **state)
{
    (void)state;
    static const CofKind kinds[] = {COF_KIND_RGB, COF_KIND_RGBA, COF_KIND_GREY, COF_KIND_BANDS};
    static const CofSample samples[] = {COF_SAMPLE_U8, COF_SAMPLE_U16, COF_SAMPLE_F32};
    for (int i = 0; i < 24; i++) {
        SplitImage h = split_image_new(kinds[i % 4], samples[i / 4 % 3]);
        h.options.update = i % 2 ? COF_UPDATE_LABELS : COF_UPDATE_NONE;
        h.options.method = i >= 12 ? COF_METHOD_FAST : COF_METHOD_EXACT;
        h.options.window = i >= 12 ? 13 : 7;
        check_parts(&h, 1 + i % 7, false);
        h.options.downscale = 2;
        h.options.window = 5;
        h.options.threads = 1 + i % 3;
        check_parts(&h, 1 + i % 7, false);
        split_image_free(&h);
    }
}

/* Pixels without data, some of which fill whole cells. */
static void parts_may_have_gaps(void **state)
{
    (void)state;
    Random random = {8};
    static const CofSample samples[] = {COF_SAMPLE_U8, COF_SAMPLE_U16, COF_SAMPLE_F32};
    for (int i = 0; i < 6; i++) {
        SplitImage h = split_image_new(i % 2 ? COF_KIND_RGBA : COF_KIND_RGB, samples[i / 2]);
        test_image_add_gaps(&h.image, &random, 0.2);
        uint8_t *valid = malloc(WIDTH * HEIGHT);
        memset(valid, 1, WIDTH * HEIGHT);
        for (int y = 16; y < 32; y++)
            memset(valid + y * WIDTH + 24, 0, 20);
        const uint8_t *before = h.image.view.valid;
        h.image.view.valid = valid;
        h.image.view.valid_stride = 0;
        check_parts(&h, 3, true);
        h.image.view.valid = before;
        free(valid);
        split_image_free(&h);
    }
}

/* NaN marks small pixels without data, if no mask is asked for. */
static void empty_cells_are_nan(void **state)
{
    (void)state;
    SplitImage h = split_image_new(COF_KIND_RGB, COF_SAMPLE_F32);
    for (int i = 0; i < 64; i++)
        test_image_set(&h.image, 8 + i % 8, 12 + i / 8, i % 3, NAN);
    uint8_t *valid;
    TestImage small = downscaled(&h, 5, false, &valid);
    assert_true(isnan(test_image_get(&small, 2, 3, 0)));
    assert_false(isnan(test_image_get(&small, 1, 3, 0)));
    test_image_free(&small);
    check_parts(&h, 4, false);
    split_image_free(&h);
}

/* What does not fit is refused. */
static void parts_are_checked(void **state)
{
    (void)state;
    SplitImage h = split_image_new(COF_KIND_RGB, COF_SAMPLE_U8);
    uint8_t *valid;
    TestImage small = downscaled(&h, 100, false, &valid), out = test_image_like(&h.image);
    CofRoi roi = {.downscaled = 1}, bad = {.downscaled = 2};
    CofStats *stats = NULL, *fresh = NULL;
    CofModel *model = NULL;
    CofCoarse *coarse = NULL;
    assert_ok(learn_from(&small.view, &roi, &h.options, &stats));
    assert_ok(cof_model_new(&model, stats, &h.options));
    assert_ok(cof_stats_new(&fresh, &h.options));
    assert_status(cof_stats_scan(fresh, &small.view, &bad, &h.options), COF_ERR_ARGUMENT);
    assert_status(cof_downscale(&h.image.view, 1, &small.view, NULL, &h.options), COF_ERR_ARGUMENT);
    assert_status(cof_downscale(&h.image.view, 3, &small.view, NULL, &h.options), COF_ERR_MISMATCH);
    CofImage part = view_part(&h.image.view, (CofRect){0, 8, WIDTH, 20});
    assert_status(cof_downscale(&part, 4, &small.view, NULL, &h.options), COF_ERR_MISMATCH);
    CofOptions other = h.options;
    other.filter_downscale = 3;
    assert_status(cof_coarse_new(&coarse, model, &small.view, &other), COF_ERR_OPTION);
    other = h.options;
    other.tolerance = 1;
    assert_status(cof_coarse_new(&coarse, model, &small.view, &other), COF_ERR_OPTION);
    other = h.options;
    other.update = COF_UPDATE_MODEL;
    assert_status(cof_coarse_new(&coarse, model, &small.view, &other), COF_ERR_OPTION);
    CofImage half = view_part(&small.view, (CofRect){0, 0, 5, 5});
    assert_status(cof_coarse_new(&coarse, model, &half, &h.options), COF_ERR_ARGUMENT);
    assert_status(cof_coarse_new(&coarse, NULL, &small.view, &h.options), COF_ERR_ARGUMENT);
    assert_status(cof_coarse_new(NULL, model, &small.view, &h.options), COF_ERR_ARGUMENT);
    other = h.options;
    assert_status(cof_coarse_new_filtered(&coarse, model, &small.view, NULL, &other),
                  COF_ERR_ARGUMENT);
    assert_status(cof_coarse_new_filtered(&coarse, model, &small.view, &half, &other),
                  COF_ERR_ARGUMENT);
    assert_status(cof_coarse_new_filtered(&coarse, model, &small.view, &h.image.view, &other),
                  COF_ERR_MISMATCH);
    assert_null(coarse);
    assert_int_equal(cof_coarse_margin(NULL), 0);
    assert_ok(cof_coarse_new(&coarse, model, &small.view, &h.options));
    assert_status(cof_coarse_filter(NULL, &h.image.view, &out.view, &h.options), COF_ERR_ARGUMENT);
    assert_status(cof_coarse_filter(coarse, &part, &out.view, &h.options), COF_ERR_MISMATCH);
    assert_status(cof_coarse_filter(coarse, &small.view, &small.view, &h.options),
                  COF_ERR_MISMATCH);
    TestImage same = test_image_like(&h.image);
    other = h.options;
    other.filter_window = 31;
    other.filter_downscale = 1;
    assert_ok(cof_coarse_filter(coarse, &h.image.view, &out.view, &h.options));
    assert_ok(cof_coarse_filter(coarse, &h.image.view, &same.view, &other)); /* not read */
    assert_true(test_image_equal(&out, &same));
    test_image_free(&same);
    CofImage over = small.view;
    over.data = h.image.view.data;
    over.row_stride = h.image.view.row_stride;
    over.pixel_stride = h.image.view.pixel_stride;
    over.channel_stride = h.image.view.channel_stride;
    assert_status(cof_downscale(&h.image.view, 4, &over, NULL, &h.options), COF_ERR_ARGUMENT);
    assert_status(cof_smooth_roi(&h.image.view, &roi, &out.view, &h.options), COF_ERR_ARGUMENT);
    CofModel *second = NULL;
    assert_status(cof_model_learn(&second, &h.image.view, &roi, 1, &h.options), COF_ERR_ARGUMENT);
    cof_coarse_free(&coarse);
    cof_model_free(&model);
    cof_stats_free(&stats);
    cof_stats_free(&fresh);
    test_image_free(&small);
    test_image_free(&out);
    split_image_free(&h);
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
        cmocka_unit_test(parts_make_the_whole),
        cmocka_unit_test(parts_may_have_gaps),
        cmocka_unit_test(empty_cells_are_nan),
        cmocka_unit_test(parts_are_checked),
    };
    return cmocka_run_group_tests_name("downscale", tests, NULL, NULL);
}
