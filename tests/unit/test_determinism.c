/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks that results are byte for byte the same for any number of threads, tiling, order and
 * layout. */
#include <stdlib.h>
#include <string.h>

#include "testing.h"

typedef struct Scene {
    TestImage image, mask;
    CofOptions options;
} Scene;

/* Coloured patches with noise, partly transparent or invalid. Large enough for pair sampling. */
static Scene scene_new(uint64_t seed, int width, int height, CofKind kind, CofSample sample)
{
    Random random = {seed};
    Scene s;
    int channels = kind_channels(kind, 4);
    double max = sample == COF_SAMPLE_U8 ? 255 : sample == COF_SAMPLE_U16 ? 65535 : 1;
    s.image = test_image_new(&random, LAYOUT_ANY, width, height, channels, kind, sample);
    s.mask = test_image_new(&random, LAYOUT_PACKED, width, height, 1, COF_KIND_GREY, COF_SAMPLE_U8);
    double base[7][4];
    for (int i = 0; i < 28; i++)
        base[i / 4][i % 4] = random_uniform(&random);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            for (int c = 0; c < channels; c++)
                test_image_set(
                    &s.image, x, y, c,
                    max * (base[(x / 9 + y / 7 * 3) % 7][c] + 0.05 * random_normal(&random)));
            test_image_set(&s.mask, x, y, 0, (x / 11 + y / 5) % 4 != 0);
        }
    test_image_add_gaps(&s.image, &random, 0.1);
    cof_options_init(&s.options);
    s.options.window = 9;
    s.options.colours = 12;
    s.options.iterations = 2;
    s.options.fidelity = 1;
    s.options.detail = 0.25;
    return s;
}

static void scene_free(Scene *s)
{
    test_image_free(&s->image);
    test_image_free(&s->mask);
}

static CofStats *learn_whole(const Scene *s)
{
    CofRoi roi = {.mask = &s->mask.view};
    CofStats *stats = NULL;
    assert_ok(cof_stats_new(&stats, &s->options));
    assert_ok(cof_stats_scan(stats, &s->image.view, &roi, &s->options));
    assert_ok(cof_stats_fit_palette(stats, &s->options));
    assert_ok(cof_stats_add(stats, &s->image.view, &roi, &s->options));
    return stats;
}

static const CofUpdate repeats[] = {COF_UPDATE_NONE, COF_UPDATE_LABELS, COF_UPDATE_MODEL};

static void threads_do_not_matter(void **state)
{
    (void)state;
    static const int threads[] = {1, 2, 3, 7};
    static const CofKind kinds[] = {COF_KIND_GREY, COF_KIND_RGBA, COF_KIND_BANDS};
    for (int kind = 0; kind < 3; kind++)
        for (int repeat = 0; repeat < 3; repeat++) {
            Scene s = scene_new(7 + (uint64_t)kind, 83, 71, kinds[kind], (CofSample)kind);
            TestImage first = test_image_like(&s.image), other = test_image_like(&s.image);
            CofRoi roi = {.mask = &s.mask.view};
            CofReport report = {.struct_size = sizeof report}, first_report = report;
            s.options.update = repeats[repeat];
            for (int i = 0; i < 4; i++) {
                s.options.threads = threads[i];
                s.options.report = i == 0 ? &first_report : &report;
                TestImage *out = i == 0 ? &first : &other;
                assert_ok(cof_smooth_roi(&s.image.view, &roi, &out->view, &s.options));
                if (i == 0)
                    continue;
                assert_true(test_image_equal(&first, &other));
                assert_memory_equal(report.change, first_report.change, sizeof report.change);
            }
            assert_false(test_image_equal(&first, &s.image));
            test_image_free(&first);
            test_image_free(&other);
            scene_free(&s);
        }
}

static void learning_does_not_depend_on_threads(void **state)
{
    (void)state;
    Scene s = scene_new(21, 700, 600, COF_KIND_RGB, COF_SAMPLE_U8);
    s.options.threads = 1;
    CofStats *one = learn_whole(&s);
    assert_true(cof_stats_sampling_shift(one) > 0); /* sampling is active */
    s.options.threads = 7;
    CofStats *seven = learn_whole(&s);
    assert_same_stats(one, seven);
    CofModel *soft = NULL, *again = NULL;
    Scene small = scene_new(22, 90, 70, COF_KIND_RGB, COF_SAMPLE_U16);
    CofStats *palette = learn_whole(&small);
    small.options.threads = 1;
    assert_ok(cof_model_new_soft(&soft, palette, &small.image.view, NULL, 1, &small.options));
    small.options.threads = 3;
    assert_ok(cof_model_new_soft(&again, palette, &small.image.view, NULL, 1, &small.options));
    size_t k = (size_t)cof_model_size(soft);
    assert_memory_equal(cof_model_matrix(soft), cof_model_matrix(again), k * k * sizeof(double));
    cof_model_free(&soft);
    cof_model_free(&again);
    cof_stats_free(&palette);
    cof_stats_free(&one);
    cof_stats_free(&seven);
    scene_free(&small);
    scene_free(&s);
}

/* Calls a function for every tile of an image, in an unusual order. */
typedef void TileWork(const Scene *s, CofRect tile, void *context);

static void each_tile(const Scene *s, int side, TileWork *work, void *context)
{
    int columns = (s->image.view.width + side - 1) / side;
    int tiles = columns * ((s->image.view.height + side - 1) / side);
    for (int i = tiles - 1; i >= 0; i--) {
        CofRect tile = {i % columns * side, i / columns * side, side, side};
        work(s, rect_with_margin(tile, 0, &s->image.view), context);
    }
}

typedef struct Learning {
    CofStats *palette, *sum;
} Learning;

/* Scans each tile with separate statistics, which are saved, loaded and merged as on a cluster. */
static void scan_tile(const Scene *s, CofRect tile, void *context)
{
    Learning *l = context;
    CofImage view = view_part(&s->image.view, tile), mask = view_part(&s->mask.view, tile);
    CofRoi roi = {.mask = &mask};
    CofStats *one = NULL, *loaded = NULL;
    void *bytes = NULL;
    size_t size;
    assert_ok(cof_stats_new(&one, &s->options));
    assert_ok(cof_stats_scan(one, &view, &roi, &s->options));
    assert_ok(cof_stats_save(one, &bytes, &size, NULL));
    assert_ok(cof_stats_load(&loaded, bytes, size, NULL));
    assert_ok(cof_stats_merge(l->sum, loaded, NULL));
    cof_free(bytes);
    cof_stats_free(&one);
    cof_stats_free(&loaded);
}

static void count_tile(const Scene *s, CofRect tile, void *context)
{
    Learning *l = context;
    CofRect wide = rect_with_margin(tile, s->options.window / 2, &s->image.view);
    CofImage view = view_part(&s->image.view, wide), mask = view_part(&s->mask.view, wide);
    CofRoi roi = {.mask = &mask, .part = tile};
    CofStats *one = NULL;
    assert_ok(cof_stats_new_like(&one, l->palette, NULL));
    assert_ok(cof_stats_add(one, &view, &roi, &s->options));
    assert_ok(cof_stats_merge(l->sum, one, NULL));
    cof_stats_free(&one);
}

static CofStats *learn_by_tiles(const Scene *s, int side)
{
    Learning l = {0};
    assert_ok(cof_stats_new(&l.sum, &s->options));
    each_tile(s, side, scan_tile, &l);
    assert_ok(cof_stats_fit_palette(l.sum, &s->options));
    assert_ok(cof_stats_new_like(&l.palette, l.sum, NULL));
    each_tile(s, side, count_tile, &l);
    cof_stats_free(&l.palette);
    return l.sum;
}

static void tiles_learn_as_the_whole(void **state)
{
    (void)state;
    static const struct {
        CofKind kind;
        CofSample sample;
        int width, height, side;
    } cases[] = {
        {COF_KIND_RGB, COF_SAMPLE_U8, 700, 600, 128},
        {COF_KIND_RGBA, COF_SAMPLE_U16, 90, 77, 20},
        {COF_KIND_GREY, COF_SAMPLE_F32, 120, 60, 17},
        {COF_KIND_GREY, COF_SAMPLE_U8, 640, 480, 100},
        {COF_KIND_BANDS, COF_SAMPLE_F32, 101, 97, 33},
        {COF_KIND_GREY_ALPHA, COF_SAMPLE_U8, 31, 17, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Scene s =
            scene_new(31 + i, cases[i].width, cases[i].height, cases[i].kind, cases[i].sample);
        CofStats *whole = learn_whole(&s), *tiles = learn_by_tiles(&s, cases[i].side);
        assert_same_stats(whole, tiles);
        cof_stats_free(&whole);
        cof_stats_free(&tiles);
        scene_free(&s);
    }
}

/* Scans of several images can be merged in any order. */
static void order_does_not_matter(void **state)
{
    (void)state;
    Scene a = scene_new(41, 300, 200, COF_KIND_RGB, COF_SAMPLE_U8),
          b = scene_new(42, 150, 90, COF_KIND_RGB, COF_SAMPLE_U8);
    const CofImage *images[2] = {&a.image.view, &b.image.view};
    CofStats *stats[2] = {NULL, NULL};
    for (int i = 0; i < 2; i++) {
        assert_ok(cof_stats_new(&stats[i], &a.options));
        for (int j = 0; j < 2; j++)
            assert_ok(cof_stats_scan(stats[i], images[i ^ j], NULL, NULL));
    }
    assert_same_stats(stats[0], stats[1]);
    for (int i = 0; i < 2; i++) {
        assert_ok(cof_stats_fit_palette(stats[i], NULL));
        for (int j = 0; j < 2; j++)
            assert_ok(cof_stats_add(stats[i], images[i ^ j], NULL, NULL));
    }
    assert_same_stats(stats[0], stats[1]);
    cof_stats_free(&stats[0]);
    cof_stats_free(&stats[1]);
    scene_free(&a);
    scene_free(&b);
}

/* 0 and -0 are equal but differ in their bytes. */
static void order_of_zeros_does_not_matter(void **state)
{
    (void)state;
    float zeros[2][4] = {{0.0f, 1, -0.0f, 1}, {-0.0f, 1, 0.0f, 1}};
    for (int grey = 0; grey < 2; grey++) {
        CofStats *stats[2] = {NULL, NULL};
        for (int i = 0; i < 2; i++) {
            CofImage view = {.data = zeros[i],
                             .width = grey ? 4 : 2,
                             .height = 1,
                             .channels = grey ? 1 : 2,
                             .kind = grey ? COF_KIND_GREY : COF_KIND_BANDS,
                             .sample = COF_SAMPLE_F32};
            assert_ok(cof_stats_new(&stats[i], NULL));
            assert_ok(cof_stats_scan(stats[i], &view, NULL, NULL));
        }
        assert_same_stats(stats[0], stats[1]);
        cof_stats_free(&stats[0]);
        cof_stats_free(&stats[1]);
    }
}

/* A tile without invalid pixels may omit its mask. A strip of data off the sampling grid makes the
 * difference visible. */
static void valid_tiles_need_no_mask(void **state)
{
    (void)state;
    enum { SIDE = 300, LEFT = 131, STRIP = 8 };
    Random random = {2};
    uint8_t *pixels = malloc(SIDE * SIDE * 3), *valid = calloc(SIDE, SIDE);
    for (int i = 0; i < SIDE * SIDE * 3; i++)
        pixels[i] = (uint8_t)random_int(&random, 0, 255);
    for (int y = 0; y < SIDE; y++)
        memset(valid + y * SIDE + LEFT, 1, STRIP);
    CofImage whole = {.data = pixels,
                      .width = SIDE,
                      .height = SIDE,
                      .channels = 3,
                      .kind = COF_KIND_RGB,
                      .row_stride = SIDE * 3,
                      .pixel_stride = 3,
                      .valid = valid,
                      .valid_stride = SIDE};
    static const int edges[] = {0, LEFT, LEFT + STRIP, SIDE};
    CofStats *once = NULL, *tiles = NULL;
    assert_ok(cof_stats_new(&once, NULL));
    assert_ok(cof_stats_new(&tiles, NULL));
    assert_ok(cof_stats_scan(once, &whole, NULL, NULL));
    for (int i = 0; i < 3; i++) {
        CofImage tile = view_part(&whole, (CofRect){edges[i], 0, edges[i + 1] - edges[i], SIDE});
        if (i == 1)
            tile.valid = NULL;
        assert_ok(cof_stats_scan(tiles, &tile, NULL, NULL));
    }
    assert_same_stats(once, tiles);
    assert_ok(cof_stats_fit_palette(once, NULL));
    assert_int_equal(cof_stats_size(once), 32);
    cof_stats_free(&once);
    cof_stats_free(&tiles);
    free(pixels);
    free(valid);
}

/* Parts with enough samples on the grid need no others; those that smaller parts have kept are
 * dropped. */
static void sizes_of_scanned_parts_do_not_matter(void **state)
{
    (void)state;
    enum { WIDTH = 700, HEIGHT = 500 }; /* 3500 samples */
    Scene s = scene_new(43, WIDTH, HEIGHT, COF_KIND_RGB, COF_SAMPLE_U8);
    static const int edges[2][5] = {{0, 13, 40, 470, 500}, {0, 100, 200, 300, 500}};
    CofImage plain = s.image.view, masked = plain;
    uint8_t *valid = malloc(WIDTH * HEIGHT);
    plain.valid = NULL;
    masked.valid = memset(valid, 1, WIDTH * HEIGHT);
    masked.valid_stride = WIDTH;
    CofStats *stats[4] = {NULL};
    for (int i = 0; i < 4; i++)
        assert_ok(cof_stats_new(&stats[i], NULL));
    assert_ok(cof_stats_scan(stats[0], &plain, NULL, NULL));
    assert_ok(cof_stats_scan(stats[1], &masked, NULL, NULL));
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 4; j++) {
            CofRect rows = {0, edges[i][j], WIDTH, edges[i][j + 1] - edges[i][j]};
            CofImage part = view_part(&plain, rows);
            assert_ok(cof_stats_scan(stats[2 + i], &part, NULL, NULL));
        }
    for (int i = 1; i < 4; i++)
        assert_same_stats(stats[0], stats[i]);
    for (int i = 0; i < 4; i++)
        cof_stats_free(&stats[i]);
    free(valid);
    scene_free(&s);
}

/* Which samples are kept does not depend on the order of the images. */
static void many_images_keep_few_samples(void **state)
{
    (void)state;
    enum { SIDE = 2100, IMAGES = 4 }; /* 44100 samples each */
    CofOptions options;
    cof_options_init(&options);
    options.colours = 256;
    uint8_t *pixels = malloc(SIDE * SIDE * 3);
    CofImage view = {
        .data = pixels, .width = SIDE, .height = SIDE, .channels = 3, .kind = COF_KIND_RGB};
    CofStats *stats[2] = {NULL, NULL};
    for (int i = 0; i < 2; i++) {
        assert_ok(cof_stats_new(&stats[i], &options));
        for (int j = 0; j < IMAGES; j++) {
            Random random = {(uint64_t)(i == 0 ? j : IMAGES - 1 - j) + 50};
            for (int y = 0; y < SIDE * SIDE * 3; y += 3 * 10)
                pixels[y] = (uint8_t)random_int(&random, 0, 255);
            assert_ok(cof_stats_scan(stats[i], &view, NULL, NULL));
        }
    }
    assert_same_stats(stats[0], stats[1]);
    void *bytes = NULL;
    size_t size;
    assert_ok(cof_stats_save(stats[0], &bytes, &size, NULL));
    assert_true(size >= (1 << 16) * (8 + 3 * 4));
    assert_true(size < (1 << 16) * (8 + 3 * 4) + 300);
    cof_free(bytes);
    cof_stats_free(&stats[0]);
    cof_stats_free(&stats[1]);
    free(pixels);
}

/* 512 samples for each colour, at least 2^14 and at most 2^16, where the image has so many. */
static void samples_follow_the_colours(void **state)
{
    (void)state;
    enum { SIDE = 2100 };
    static const struct {
        int colours;
        size_t samples; /* the largest square up to the limit that a whole step gives */
    } cases[] = {{2, 124 * 124}, {32, 124 * 124}, {64, 175 * 175}, {128, 210 * 210}};
    uint8_t *pixels = calloc(SIDE * SIDE, 3);
    CofImage view = {
        .data = pixels, .width = SIDE, .height = SIDE, .channels = 3, .kind = COF_KIND_RGB};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CofStats *stats = NULL;
        void *bytes = NULL;
        size_t size;
        CofOptions options;
        cof_options_init(&options);
        options.colours = cases[i].colours;
        assert_ok(cof_stats_new(&stats, &options));
        assert_ok(cof_stats_scan(stats, &view, NULL, NULL));
        assert_ok(cof_stats_save(stats, &bytes, &size, NULL));
        assert_true(size >= cases[i].samples * (8 + 3 * 4));
        assert_true(size < cases[i].samples * (8 + 3 * 4) + 300);
        cof_free(bytes);
        cof_stats_free(&stats);
    }
    free(pixels);
}

typedef struct Filtering {
    const CofModel *model;
    TestImage *out;
    const TestImage *labels; /* NULL: from the image */
} Filtering;

static void filter_tile(const Scene *s, CofRect tile, void *context)
{
    Filtering *f = context;
    CofRect wide = rect_with_margin(tile, margin_of(f->model, &s->options), &s->image.view);
    CofImage in = view_part(&s->image.view, wide), out = view_part(&f->out->view, tile);
    if (f->labels) {
        CofImage labels = view_part(&f->labels->view, wide);
        assert_ok(cof_filter_labels(f->model, &labels, &in, &out, &s->options));
    } else {
        assert_ok(cof_filter(f->model, NULL, &in, &out, &s->options));
    }
}

static void tiles_filter_as_the_whole(void **state)
{
    (void)state;
    for (int border = 0; border < 3; border++)
        for (int repeat = 0; repeat < 2; repeat++) {
            Scene s = scene_new(51, 130, 83, COF_KIND_RGBA, COF_SAMPLE_U16);
            s.options.border = (CofBorder)border;
            s.options.update = repeats[repeat];
            s.options.filter_window = border == 2 ? 31 : 7;
            TestImage whole = test_image_like(&s.image), tiles = test_image_like(&s.image),
                      labelled = test_image_like(&s.image);
            Random random = {1};
            TestImage labels =
                test_image_new(&random, LAYOUT_ANY, 130, 83, 1, COF_KIND_GREY, COF_SAMPLE_U8);
            CofStats *stats = learn_whole(&s);
            CofModel *model = NULL;
            assert_ok(cof_model_new(&model, stats, &s.options));
            assert_ok(cof_filter(model, NULL, &s.image.view, &whole.view, &s.options));
            Filtering f = {model, &tiles, NULL};
            each_tile(&s, 29, filter_tile, &f);
            assert_true(test_image_equal(&whole, &tiles));
            assert_ok(cof_model_label(model, &s.image.view, &labels.view, NULL));
            if (repeat == 0) {
                f = (Filtering){model, &labelled, &labels};
                each_tile(&s, 40, filter_tile, &f);
                assert_true(test_image_equal(&whole, &labelled));
            }
            test_image_free(&labels);
            test_image_free(&labelled);
            test_image_free(&whole);
            test_image_free(&tiles);
            cof_model_free(&model);
            cof_stats_free(&stats);
            scene_free(&s);
        }
}

/* A tile whose windows have no gap may omit the mask of the image: the result is the same. */
static void valid_tiles_filter_without_mask(void **state)
{
    (void)state;
    static const CofKind kinds[] = {COF_KIND_GREY, COF_KIND_RGB, COF_KIND_BANDS};
    for (int i = 0; i < 9; i++) {
        Scene s = scene_new(71 + (uint64_t)i, 150, 140, kinds[i % 3], (CofSample)(i / 3));
        s.options.iterations = 1 + i / 3 % 2;
        for (int at = 0; at < 150 * 140; at++)
            s.image.valid[at / 150 * s.image.view.valid_stride + at % 150] =
                at % 150 > 20 || at % 7 > 0;
        CofStats *stats = learn_whole(&s);
        CofModel *model = NULL;
        TestImage whole = test_image_like(&s.image), tile = test_image_like(&s.image);
        assert_ok(cof_model_new(&model, stats, &s.options));
        assert_ok(cof_filter(model, NULL, &s.image.view, &whole.view, &s.options));
        test_image_copy(&tile, &whole);
        CofRect right = {80, 0, 70, 140};
        CofRect wide = rect_with_margin(right, margin_of(model, &s.options), &s.image.view);
        assert_true(wide.x > 20);
        CofImage in = view_part(&s.image.view, wide), out = view_part(&tile.view, right);
        in.valid = NULL;
        assert_ok(cof_filter(model, NULL, &in, &out, &s.options));
        assert_true(test_image_equal(&whole, &tile));
        test_image_free(&whole);
        test_image_free(&tile);
        cof_model_free(&model);
        cof_stats_free(&stats);
        scene_free(&s);
    }
}

static void one_call_is_the_stages(void **state)
{
    (void)state;
    Scene s = scene_new(61, 100, 80, COF_KIND_RGB, COF_SAMPLE_F32);
    TestImage stages = test_image_like(&s.image), once = test_image_like(&s.image);
    CofRoi roi = {.mask = &s.mask.view};
    CofStats *stats = learn_whole(&s);
    CofModel *model = NULL;
    assert_ok(cof_model_new(&model, stats, &s.options));
    assert_ok(cof_filter(model, NULL, &s.image.view, &stages.view, &s.options));
    assert_ok(cof_smooth_roi(&s.image.view, &roi, &once.view, &s.options));
    assert_true(test_image_equal(&stages, &once));
    /* Filters in place, with a CofContext that was used before. */
    CofContext *context = NULL;
    assert_ok(cof_context_new(&context, 3, NULL));
    s.options.context = context;
    assert_ok(cof_smooth_roi(&s.image.view, &roi, &once.view, &s.options));
    assert_true(test_image_equal(&stages, &once));
    assert_ok(cof_smooth_roi(&s.image.view, &roi, &s.image.view, &s.options));
    assert_true(test_image_equal(&stages, &s.image));
    cof_context_free(&context);
    assert_null(context);
    cof_model_free(&model);
    cof_stats_free(&stats);
    test_image_free(&stages);
    test_image_free(&once);
    scene_free(&s);
}

static void early_stop_is_a_shorter_run(void **state)
{
    (void)state;
    Scene s = scene_new(71, 80, 60, COF_KIND_RGB, COF_SAMPLE_U8);
    TestImage stopped = test_image_like(&s.image), counted = test_image_like(&s.image);
    CofReport report = {.struct_size = sizeof report};
    s.options.report = &report;
    s.options.iterations = 20;
    assert_ok(cof_smooth(&s.image.view, &counted.view, &s.options));
    assert_int_equal(report.passes, 20);
    s.options.tolerance = (report.change[4] + report.change[5]) / 2;
    assert_true(report.change[5] < report.change[4]);
    assert_ok(cof_smooth(&s.image.view, &stopped.view, &s.options));
    assert_int_equal(report.passes, 6);
    s.options.tolerance = 0;
    s.options.iterations = 6;
    assert_ok(cof_smooth(&s.image.view, &counted.view, &s.options));
    assert_true(test_image_equal(&stopped, &counted));
    test_image_free(&stopped);
    test_image_free(&counted);
    scene_free(&s);
}

typedef struct ProgressLog {
    int calls, stop_after;
    double last;
    bool went_back; /* checked later: an assertion in the callback would longjmp out of the library
                     */
} ProgressLog;

static int record_progress(void *user, double done)
{
    ProgressLog *log = user;
    log->went_back |= !(done >= log->last && done <= 1);
    log->last = done;
    return ++log->calls == log->stop_after;
}

static void threads_can_be_cancelled(void **state)
{
    (void)state;
    Scene s = scene_new(81, 90, 120, COF_KIND_RGB, COF_SAMPLE_U8);
    TestImage before = test_image_like(&s.image);
    test_image_copy(&before, &s.image);
    ProgressLog log = {0};
    s.options.progress = record_progress;
    s.options.user = &log;
    s.options.threads = 2;
    s.options.update = COF_UPDATE_MODEL;
    CofImage other = s.image.view;
    TestImage out = test_image_like(&s.image);
    assert_ok(cof_smooth(&other, &out.view, &s.options));
    assert_true(log.calls > 10);
    assert_true(log.last == 1);
    assert_false(log.went_back);
    /* A cancelled in-place call leaves the pixels unchanged. */
    int calls = log.calls;
    for (int stop = 1; stop < calls; stop += stop < 10 ? 1 : 7) {
        log = (ProgressLog){.stop_after = stop};
        CofStatus status = cof_smooth(&other, &other, &s.options);
        if (status == COF_OK) { /* the calling thread may get fewer tasks than before */
            test_image_copy(&s.image, &before);
            continue;
        }
        assert_int_equal(status, COF_ERR_CANCELLED);
        assert_true(test_image_equal(&before, &s.image));
    }
    test_image_free(&before);
    test_image_free(&out);
    scene_free(&s);
}

/* A cancelled call leaves the statistics unchanged. */
static void cancelled_learning_leaves_no_trace(void **state)
{
    (void)state;
    Scene s = scene_new(91, 120, 90, COF_KIND_RGB, COF_SAMPLE_U8);
    ProgressLog log = {.stop_after = 1};
    CofOptions cancelling = s.options;
    cancelling.progress = record_progress;
    cancelling.user = &log;
    CofStats *stats = NULL, *untouched = NULL;
    assert_ok(cof_stats_new(&stats, &s.options));
    assert_ok(cof_stats_new(&untouched, &s.options));
    assert_status(cof_stats_scan(stats, &s.image.view, NULL, &cancelling), COF_ERR_CANCELLED);
    assert_same_stats(stats, untouched);
    assert_ok(cof_stats_scan(stats, &s.image.view, NULL, &s.options));
    log = (ProgressLog){.stop_after = 3};
    assert_status(cof_stats_fit_palette(stats, &cancelling), COF_ERR_CANCELLED);
    assert_int_equal(cof_stats_size(stats), 0);
    assert_ok(cof_stats_fit_palette(stats, &s.options));
    cof_stats_free(&untouched);
    assert_ok(cof_stats_new_like(&untouched, stats, NULL));
    for (int stop = 1; stop < 30; stop += 4) {
        log = (ProgressLog){.stop_after = stop};
        if (cof_stats_add(stats, &s.image.view, NULL, &cancelling) == COF_OK)
            break; /* the calling thread got fewer tasks than that */
        assert_same_stats(stats, untouched);
    }
    cof_stats_free(&stats);
    cof_stats_free(&untouched);
    scene_free(&s);
}

/* With an argument, runs only the tests whose names match it. */
int main(int argc, char **argv)
{
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(learning_does_not_depend_on_threads),
        cmocka_unit_test(tiles_learn_as_the_whole),
        cmocka_unit_test(order_does_not_matter),
        cmocka_unit_test(order_of_zeros_does_not_matter),
        cmocka_unit_test(valid_tiles_need_no_mask),
        cmocka_unit_test(sizes_of_scanned_parts_do_not_matter),
        cmocka_unit_test(many_images_keep_few_samples),
        cmocka_unit_test(samples_follow_the_colours),
        cmocka_unit_test(tiles_filter_as_the_whole),
        cmocka_unit_test(valid_tiles_filter_without_mask),
        cmocka_unit_test(one_call_is_the_stages),
        cmocka_unit_test(early_stop_is_a_shorter_run),
        cmocka_unit_test(threads_can_be_cancelled),
        cmocka_unit_test(cancelled_learning_leaves_no_trace),
    };
    return cmocka_run_group_tests_name("determinism", tests, NULL, NULL);
}
