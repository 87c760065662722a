/* SPDX-License-Identifier: BSD-2-Clause */
/* Fails every allocation and every thread creation in turn. */
#include <stdlib.h>
#include <string.h>

#include "failing_heap.h"
#include "testing.h"

enum { WIDTH = 40, HEIGHT = 30 };

/* All objects that a scenario creates. */
typedef struct Desk {
    uint8_t rgb[WIDTH * HEIGHT * 3], out[WIDTH * HEIGHT * 3], labels[WIDTH * HEIGHT];
    CofImage in, to, map;
    CofOptions options;
    CofStats *stats, *other, *loaded;
    CofModel *model, *second;
    CofSelection *selection;
    CofPart *part;
    void *bytes;
    size_t size;
} Desk;

static void desk_new(Desk *d)
{
    memset(d, 0, sizeof *d);
    Random random = {4};
    for (size_t i = 0; i < sizeof d->rgb; i++)
        d->rgb[i] = (uint8_t)random_int(&random, 0, 255);
    memset(d->out, 99, sizeof d->out);
    d->in = (CofImage){
        .data = d->rgb, .width = WIDTH, .height = HEIGHT, .channels = 3, .kind = COF_KIND_RGB};
    d->to = d->in;
    d->to.data = d->out;
    d->map = grey_view(d->labels, WIDTH, HEIGHT);
    cof_options_init(&d->options);
    d->options.window = 3;
    d->options.colours = 4;
    d->options.threads = 2;
    d->options.iterations = 2;
}

static void desk_free(Desk *d)
{
    cof_stats_free(&d->stats);
    cof_stats_free(&d->other);
    cof_stats_free(&d->loaded);
    cof_model_free(&d->model);
    cof_model_free(&d->second);
    cof_selection_free(&d->selection);
    cof_part_free(&d->part);
    cof_context_free(&d->options.context);
    cof_free(d->bytes);
}

typedef CofStatus Scenario(Desk *d);

#define TRY(call) \
    do { \
        CofStatus status_ = (call); \
        if (status_ != COF_OK) \
            return status_; \
    } while (0)

static CofStatus smooth(Desk *d)
{
    return cof_smooth(&d->in, &d->to, &d->options);
}

/* Threads that the palette leaves idle need memory of their own. */
static CofStatus smooth_with_idle_threads(Desk *d)
{
    d->options.colours = 32;
    d->options.threads = 4;
    return cof_smooth(&d->in, &d->to, &d->options);
}

static CofStatus smooth_updating_the_model(Desk *d)
{
    d->options.update = COF_UPDATE_MODEL;
    d->options.border = COF_BORDER_MIRROR;
    TRY(cof_context_new(&d->options.context, 2, NULL));
    TRY(cof_smooth(&d->in, &d->to, &d->options));
    return cof_smooth(&d->in, &d->to, &d->options);
}

/* Smooths an image with gaps and a mask, with a reused CofContext. */
static CofStatus smooth_downscaled(Desk *d)
{
    CofRoi roi = {.mask = &d->map};
    d->options.downscale = 3;
    d->options.iterations = 3;
    d->options.update = COF_UPDATE_LABELS;
    memset(d->labels, 1, sizeof d->labels);
    d->in.valid = d->labels;
    TRY(cof_context_new(&d->options.context, 2, NULL));
    TRY(cof_smooth_roi(&d->in, &roi, &d->to, &d->options));
    return cof_smooth_roi(&d->in, NULL, &d->to, &d->options);
}

/* Filters with a guide, in place, with a progress callback. */
static int go_on(void *user, double done)
{
    (void)user;
    return done < 0;
}

static CofStatus filter_downscaled(Desk *d)
{
    enum { WIDE = 20000 }; /* a row is worth an allocation of its own */
    static uint8_t strip[WIDE * 2 * 4];
    CofImage wide = {
        .data = strip, .width = WIDE, .height = 2, .channels = 4, .kind = COF_KIND_RGBA};
    for (int i = 0; i < WIDE * 2 * 4; i++)
        strip[i] = d->rgb[i % (int)sizeof d->rgb];
    d->options.downscale = 2;
    d->options.method = COF_METHOD_FAST;
    d->options.progress = go_on;
    TRY(cof_stats_new(&d->stats, &d->options));
    TRY(cof_stats_scan(d->stats, &wide, NULL, &d->options));
    TRY(cof_stats_fit_palette(d->stats, &d->options));
    TRY(cof_stats_add(d->stats, &wide, NULL, &d->options));
    TRY(cof_model_new(&d->model, d->stats, &d->options));
    return cof_filter(d->model, &wide, &wide, &wide, &d->options);
}

/* Downscales, learns and filters part by part. */
static CofStatus filter_in_parts(Desk *d)
{
    static uint8_t pixels[WIDTH * HEIGHT * 3], valid[WIDTH * HEIGHT];
    CofImage small = d->in;
    CofRoi roi = {.downscaled = 1};
    CofCoarse *coarse = NULL;
    small.data = pixels;
    small.width = (WIDTH - 1) / 2 + 1;
    small.height = (HEIGHT - 1) / 2 + 1;
    d->options.downscale = 2;
    TRY(cof_downscale(&d->in, 2, &small, valid, &d->options));
    small.valid = valid;
    TRY(cof_stats_new(&d->stats, &d->options));
    TRY(cof_stats_scan(d->stats, &small, &roi, &d->options));
    TRY(cof_stats_fit_palette(d->stats, &d->options));
    TRY(cof_stats_add(d->stats, &small, &roi, &d->options));
    TRY(cof_model_new(&d->model, d->stats, &d->options));
    TRY(cof_coarse_new(&coarse, d->model, &small, &d->options));
    CofStatus status = cof_coarse_filter(coarse, &d->in, &d->to, &d->options);
    cof_coarse_free(&coarse);
    if (status == COF_OK)
        status = cof_coarse_new_filtered(&coarse, d->model, &small, &small, &d->options);
    cof_coarse_free(&coarse);
    return status;
}

/* Counts and filters a part that keeps its labels. */
static CofStatus filter_kept_part(Desk *d)
{
    TRY(cof_part_new(&d->part, &d->in, NULL));
    TRY(cof_stats_new(&d->stats, &d->options));
    TRY(cof_stats_scan(d->stats, &d->in, NULL, &d->options));
    TRY(cof_stats_fit_palette(d->stats, &d->options));
    TRY(cof_stats_add_part(d->stats, d->part, NULL, &d->options));
    TRY(cof_model_new(&d->model, d->stats, &d->options));
    return cof_filter_part(d->model, d->part, &d->to, &d->options);
}

static CofStatus learn_in_stages(Desk *d)
{
    TRY(cof_stats_new(&d->stats, &d->options));
    TRY(cof_stats_new(&d->other, &d->options));
    TRY(cof_stats_scan(d->stats, &d->in, NULL, &d->options));
    TRY(cof_stats_scan(d->other, &d->in, NULL, &d->options));
    TRY(cof_stats_merge(d->stats, d->other, NULL));
    TRY(cof_stats_save(d->stats, &d->bytes, &d->size, NULL));
    TRY(cof_stats_load(&d->loaded, d->bytes, d->size, NULL));
    TRY(cof_stats_fit_palette(d->loaded, &d->options));
    cof_stats_free(&d->other);
    TRY(cof_stats_new_like(&d->other, d->loaded, NULL));
    TRY(cof_stats_add(d->other, &d->in, NULL, &d->options));
    TRY(cof_stats_merge(d->loaded, d->other, NULL));
    return cof_model_new(&d->model, d->loaded, &d->options);
}

static CofStatus all_models(Desk *d)
{
    TRY(learn_in_stages(d));
    TRY(cof_model_new_soft(&d->second, d->loaded, &d->in, NULL, 1, &d->options));
    cof_model_free(&d->second);
    TRY(cof_model_new_matrix(&d->second, d->loaded, cof_model_matrix(d->model), &d->options));
    cof_model_free(&d->second);
    cof_free(d->bytes);
    d->bytes = NULL;
    TRY(cof_model_save(d->model, &d->bytes, &d->size, NULL));
    TRY(cof_model_load(&d->second, d->bytes, d->size, NULL));
    TRY(cof_model_label(d->second, &d->in, &d->map, &d->options));
    TRY(cof_filter_labels(d->second, &d->map, &d->in, &d->to, &d->options));
    return cof_filter(d->second, &d->in, &d->in, &d->to, &d->options);
}

/* Two palettes, whatever is done with one: a call that fails frees both. */
static CofStatus smooth_with_two(Desk *d)
{
    d->options.palettes = 2;
    d->options.separation = 0.3;
    TRY(cof_smooth(&d->in, &d->to, &d->options));
    d->options.update = COF_UPDATE_MODEL;
    return cof_smooth(&d->in, &d->to, &d->options);
}

static CofStatus smooth_downscaled_with_two(Desk *d)
{
    d->options.palettes = 2;
    return smooth_downscaled(d);
}

static CofStatus parts_with_two(Desk *d)
{
    d->options.palettes = 2;
    return filter_in_parts(d);
}

static CofStatus members(Desk *d)
{
    d->options.palettes = 2;
    TRY(learn_in_stages(d));
    assert_int_equal(cof_stats_palettes(d->loaded), 2);
    assert_int_equal(cof_stats_size(cof_stats_member(d->loaded, 1)), 1);
    TRY(cof_model_new_soft(&d->second, d->loaded, &d->in, NULL, 1, &d->options));
    cof_model_free(&d->second);
    cof_free(d->bytes);
    d->bytes = NULL;
    TRY(cof_model_save(d->model, &d->bytes, &d->size, NULL));
    TRY(cof_model_load(&d->second, d->bytes, d->size, NULL));
    assert_int_equal(cof_model_palettes(d->second), 2);
    assert_int_equal(cof_model_size(cof_model_member(d->second, 1)), 1);
    cof_free(d->bytes);
    d->bytes = NULL;
    TRY(cof_stats_save(d->loaded, &d->bytes, &d->size, NULL));
    cof_stats_free(&d->other);
    TRY(cof_stats_load(&d->other, d->bytes, d->size, NULL));
    cof_stats_free(&d->stats);
    TRY(cof_stats_new(&d->stats, &d->options));
    TRY(cof_stats_set_palette_from_model(d->stats, d->second, NULL));
    return cof_filter(d->second, &d->in, &d->in, &d->to, &d->options);
}

static CofStatus given_palettes(Desk *d)
{
    static const float centres[6] = {10, 0, 0, 80, 5, 5};
    TRY(cof_stats_new(&d->stats, &d->options));
    TRY(cof_stats_set_palette(d->stats, centres, 2, 3, COF_KIND_RGB, NULL));
    TRY(cof_stats_add(d->stats, &d->in, NULL, &d->options));
    TRY(cof_stats_new(&d->other, &d->options));
    TRY(cof_stats_set_labels(d->other, 3, NULL));
    TRY(cof_stats_add_labels(d->other, &d->map, NULL, &d->options));
    TRY(cof_stats_new(&d->loaded, &d->options));
    return cof_stats_set_palette_from_stats(d->loaded, d->stats, NULL);
}

static CofStatus grey_and_bands(Desk *d)
{
    CofImage grey = grey_view(d->rgb, WIDTH, HEIGHT), bands = d->in;
    bands.kind = COF_KIND_BANDS;
    TRY(cof_smooth(&grey, &grey, &d->options));
    return cof_smooth(&bands, &bands, &d->options);
}

/* Scribbles in the corner, and all that is made of them. */
static CofStatus choosing(Desk *d)
{
    static float soft[WIDTH * HEIGHT];
    static uint8_t scribble[WIDTH * HEIGHT];
    static const double red[3] = {1, 0, 0};
    CofImage softly = {
        .data = soft, .width = WIDTH, .height = HEIGHT, .channels = 1, .sample = COF_SAMPLE_F32};
    CofImage marks = grey_view(scribble, WIDTH, HEIGHT);
    double chroma;
    memset(scribble, 1, WIDTH * 3);
    TRY(learn_in_stages(d));
    TRY(cof_select_spread(d->model, &d->in, &marks, &marks, &softly, &d->options));
    TRY(cof_select_threshold(d->model, &d->in, &marks, NULL, &softly, &d->map, NULL, &d->options));
    TRY(cof_mask_dilate(&marks, 5, &d->map, &d->options));
    cof_model_free(&d->model);
    d->options.gap = 1;
    TRY(cof_model_learn_pair(&d->model, &d->second, &d->in, &d->map, &d->options));
    TRY(cof_matte(d->model, d->second, &softly, &d->in, &softly, &d->options));
    TRY(cof_focus(d->model, d->second, &softly, NULL, &d->in, &d->to, &d->options));
    TRY(cof_mean_chroma(&d->in, &d->map, &chroma, &d->options));
    TRY(cof_tint(&d->in, red, chroma, &d->to, &d->options));
    TRY(cof_blend(&softly, &d->in, &d->to, &d->to, &d->options));
    return cof_recolour(&d->in, &d->map, red, &d->to, &softly, &d->options);
}

static CofStatus posterise(Desk *d)
{
    d->options.min_area = 0.01;
    return cof_posterise(&d->in, 8, &d->to, &d->map, NULL, NULL, &d->options);
}

/* The functions that do all of it in one call. */
static CofStatus learn_at_once(Desk *d)
{
    return cof_model_learn(&d->model, &d->in, NULL, 1, &d->options);
}

static CofImage marks_in_the_corner(void)
{
    static uint8_t marks[WIDTH * HEIGHT];
    memset(marks, 1, WIDTH * 3);
    return grey_view(marks, WIDTH, HEIGHT);
}

static CofStatus select_at_once(Desk *d)
{
    CofImage scribbles = marks_in_the_corner();
    d->options.gap = 0;
    return cof_select(&d->in, &scribbles, NULL, &d->map, &d->options);
}

static CofStatus spread_at_once(Desk *d)
{
    d->options.select_method = COF_SELECT_SPREAD;
    d->options.spread_iterations = 2;
    d->options.spread_window = 5;
    return select_at_once(d);
}

static CofStatus focus_at_once(Desk *d)
{
    CofImage scribbles = marks_in_the_corner();
    d->options.select_method = COF_SELECT_SPREAD;
    d->options.spread_iterations = 2;
    d->options.spread_window = 5;
    d->options.gap = 0;
    return cof_focus_mask(&d->in, &scribbles, &d->to, &d->options);
}

static CofStatus learn_downscaled(Desk *d)
{
    CofImage images[2] = {d->in, d->in};
    CofRoi rois[2] = {{.mask = &d->map}, {.region = {3, 3, 30, 20}}};
    memset(d->labels, 1, sizeof d->labels);
    d->options.downscale = 2;
    TRY(cof_model_learn(&d->model, images, rois, 2, &d->options));
    return cof_filter(d->model, NULL, &d->in, &d->to, &d->options);
}

static CofStatus pair_files(Desk *d)
{
    CofModel *pair[2] = {NULL, NULL};
    memset(d->labels, 1, sizeof d->labels / 2);
    d->options.gap = 0;
    TRY(cof_model_learn_pair(&d->model, &d->second, &d->in, &d->map, &d->options));
    TRY(cof_model_save_pair(d->model, d->second, &d->bytes, &d->size, NULL));
    CofStatus status = cof_load(&pair[0], &pair[1], d->bytes, d->size, &d->options);
    cof_model_free(&pair[0]);
    cof_model_free(&pair[1]);
    cof_free(d->bytes);
    d->bytes = NULL;
    TRY(status);
    TRY(cof_stats_new(&d->stats, &d->options));
    TRY(cof_stats_scan(d->stats, &d->in, NULL, &d->options));
    TRY(cof_stats_fit_palette(d->stats, &d->options));
    TRY(cof_stats_add(d->stats, &d->in, NULL, &d->options));
    TRY(cof_stats_save(d->stats, &d->bytes, &d->size, NULL));
    status = cof_load(NULL, &pair[1], d->bytes, d->size, &d->options);
    cof_model_free(&pair[1]);
    return status;
}

/* A mask from which small parts are removed is written when that is done. */
static CofStatus spread_and_clean(Desk *d)
{
    static uint8_t marks[WIDTH * HEIGHT];
    CofImage scribbles = grey_view(marks, WIDTH, HEIGHT);
    memset(marks, 1, WIDTH * 3);
    memset(d->labels, 77, sizeof d->labels);
    d->options.select_method = COF_SELECT_SPREAD;
    d->options.spread_iterations = 2;
    d->options.spread_window = 5;
    d->options.min_area = 0.05;
    CofStatus status = cof_select(&d->in, &scribbles, NULL, &d->map, &d->options);
    if (status != COF_OK)
        assert_true(d->labels[0] == 77 &&
                    memcmp(d->labels, d->labels + 1, sizeof d->labels - 1) == 0);
    return status;
}

/* Strokes, in turn with masks of them. */
static CofStatus draw(Desk *d)
{
    static const double line[4] = {3, 3, 20, 12}, point[2] = {30, 25};
    TRY(cof_selection_new(&d->selection, &d->in, &d->options));
    TRY(cof_selection_add_stroke(d->selection, COF_STROKE_FOREGROUND, line, 2, 2, &d->options));
    TRY(cof_selection_update(d->selection, &d->map, &d->options));
    TRY(cof_selection_add_pixels(d->selection, COF_STROKE_ERASE, &d->map, &d->options));
    TRY(cof_selection_add_stroke(d->selection, COF_STROKE_FOREGROUND, point, 1, 1, &d->options));
    d->options.min_area = 0.1;
    TRY(cof_selection_update(d->selection, &d->map, &d->options));
    TRY(cof_selection_add_stroke(d->selection, COF_STROKE_BACKGROUND, line, 1, 1, &d->options));
    TRY(cof_selection_correct(d->selection, &d->map, &d->options));
    TRY(cof_selection_set_mask(d->selection, &d->map, &d->options));
    TRY(cof_selection_add_stroke(d->selection, COF_STROKE_BACKGROUND, point, 1, 3, &d->options));
    TRY(cof_selection_correct(d->selection, NULL, &d->options));
    TRY(cof_selection_follow(d->selection, &d->in, &d->map, &d->options));
    return cof_mask_stroke(&d->map, line, 2, 2, 255, &d->options);
}

/* An image just above the size from which on it is downscaled. */
static CofStatus spread_in_large(Desk *d)
{
    enum { WIDE = 500001, TALL = 2 };
    static uint8_t strip[WIDE * TALL], marks[WIDE * TALL], others[WIDE * TALL], result[WIDE * TALL];
    CofImage image = grey_view(strip, WIDE, TALL), scribbles = grey_view(marks, WIDE, TALL);
    CofImage background = grey_view(others, WIDE, TALL), mask = grey_view(result, WIDE, TALL);
    for (int i = 0; i < WIDE * TALL; i++)
        strip[i] = d->rgb[i % (int)sizeof d->rgb];
    memset(marks, 1, 100);
    memset(others + 1000, 1, 100);
    memset(result, 77, sizeof result);
    d->options.select_method = COF_SELECT_SPREAD;
    d->options.levels = 4;
    d->options.spread_iterations = 1;
    d->options.spread_window = 3;
    d->options.threshold = 0.5;
    CofStatus status = cof_select(&image, &scribbles, &background, &mask, &d->options);
    if (status != COF_OK) /* each byte equals the next one */
        assert_true(result[0] == 77 && memcmp(result, result + 1, sizeof result - 1) == 0);
    return status;
}

static void refuse_each_allocation(void **state)
{
    Scenario *scenario = (Scenario *)*state;
    Desk *d = malloc(sizeof *d);
    long refused = 0;
    for (;; refused++) {
        desk_new(d);
        heap.allocations = 0;
        heap.refuse_at = refused;
        int before = heap.n_blocks;
        CofStatus status = scenario(d);
        heap.refuse_at = -1;
        bool reached = heap.allocations > refused;
        desk_free(d);
        assert_int_equal(heap.n_blocks, before);
        if (!reached) {
            assert_ok(status);
            break;
        }
        /* Only memory that is cached for a later call may be missing. */
        assert_true(status == COF_ERR_MEMORY || status == COF_OK);
    }
    print_message("%ld allocations refused\n", refused);
    assert_true(refused > 5);
    free(d);
}

typedef struct Large {
    CofImage image, mask;
    uint8_t *result;
    size_t n;
    CofOptions options;
} Large;

/* An image that is downscaled, so that the mask is fitted to it at full size. */
static Large large_new(void)
{
    enum { WIDE = 549, TALL = 547 };
    static uint8_t pixels[WIDE * TALL], result[WIDE * TALL];
    Random random = {4};
    for (int i = 0; i < WIDE * TALL; i++)
        pixels[i] = (uint8_t)(random_int(&random, 0, 31) + (i % WIDE < WIDE / 2 ? 0 : 200));
    Large large = {.image = grey_view(pixels, WIDE, TALL),
                   .mask = grey_view(result, WIDE, TALL),
                   .result = result,
                   .n = sizeof result};
    cof_options_init(&large.options);
    large.options.threads = 2;
    return large;
}

static CofSelection *marked(const Large *large)
{
    static const double near[2] = {100, 100}, far[2] = {500, 400};
    CofSelection *selection = NULL;
    assert_ok(cof_selection_new(&selection, &large->image, &large->options));
    assert_ok(
        cof_selection_add_stroke(selection, COF_STROKE_FOREGROUND, near, 1, 9, &large->options));
    assert_ok(
        cof_selection_add_stroke(selection, COF_STROKE_BACKGROUND, far, 1, 9, &large->options));
    return selection;
}

/* Refuses each allocation of cof_selection_update() in turn. An update that fails writes nothing
 * and, where `retried`, does not spoil the next one. */
static void refuse_updates(const Large *large, CofSelection *selection, bool retried)
{
    long refused = 0;
    for (;; refused++) {
        memset(large->result, 77, large->n);
        heap.allocations = 0;
        heap.refuse_at = refused;
        CofStatus status = cof_selection_update(selection, &large->mask, &large->options);
        heap.refuse_at = -1;
        if (heap.allocations <= refused) {
            assert_ok(status);
            break;
        }
        assert_true(status == COF_ERR_MEMORY || status == COF_OK);
        if (status != COF_OK) /* each byte equals the next one */
            assert_true(large->result[0] == 77 &&
                        memcmp(large->result, large->result + 1, large->n - 1) == 0);
        if (retried)
            assert_ok(cof_selection_update(selection, &large->mask, &large->options));
    }
    print_message("%ld allocations refused\n", refused);
    assert_true(refused > 5);
}

/* A selection keeps some of the memory of its first update that gets so far: the allocations of
 * the first updates are refused, and then those of the later ones. */
static void draw_in_large(void **state)
{
    (void)state;
    Large large = large_new();
    int before = heap.n_blocks;
    CofSelection *selection = marked(&large);
    uint8_t *expected = malloc(large.n);
    assert_non_null(expected);
    assert_ok(cof_selection_update(selection, &large.mask, &large.options));
    memcpy(expected, large.result, large.n);
    cof_selection_free(&selection);
    selection = marked(&large);
    for (int later = 0; later < 2; later++) {
        refuse_updates(&large, selection, later);
        assert_memory_equal(large.result, expected, large.n);
    }
    cof_selection_free(&selection);
    assert_int_equal(heap.n_blocks, before);
    free(expected);
}

/* draw() refuses each allocation for a small image. One that is downscaled needs a few more, which
 * come first. */
static void begin_in_large(void **state)
{
    enum { FIRST = 16 };
    (void)state;
    Large large = large_new();
    CofSelection *selection = NULL;
    int before = heap.n_blocks;
    for (long refused = 0; refused < FIRST; refused++) {
        heap.allocations = 0;
        heap.refuse_at = refused;
        CofStatus status = cof_selection_new(&selection, &large.image, &large.options);
        heap.refuse_at = -1;
        assert_true(heap.allocations > refused);
        assert_status(status, COF_ERR_MEMORY);
        assert_null(selection);
        assert_int_equal(heap.n_blocks, before);
    }
}

/* Updating the model needs no more memory for many passes than for three; of two, the second stores
 * its result, so that it needs less. */
static void passes_do_not_pile_up(void **state)
{
    (void)state;
    Desk *d = malloc(sizeof *d);
    size_t peaks[2];
    for (int i = 0; i < 2; i++) {
        desk_new(d);
        d->options.update = COF_UPDATE_MODEL;
        d->options.iterations = i == 0 ? 3 : 20;
        d->options.window = 15; /* and many colours: what a pass leaves would show */
        d->options.colours = 64;
        d->options.threads = 1; /* so that the scan asks for memory in the same order */
        heap.bytes = heap.peak = 0;
        assert_ok(smooth(d));
        peaks[i] = heap.peak;
        desk_free(d);
    }
    assert_true(peaks[0] > 0);
    assert_int_equal(peaks[0], peaks[1]);
    free(d);
}

static void refuse_threads(void **state)
{
    (void)state;
    Desk *d = malloc(sizeof *d);
    uint8_t first[sizeof d->out];
    for (long from = 0; from < 4; from++) {
        desk_new(d);
        d->options.threads = 4;
        heap.threads = 0;
        heap.refuse_threads_from = from;
        assert_ok(smooth(d));
        heap.refuse_threads_from = -1;
        if (from == 0)
            memcpy(first, d->out, sizeof first);
        assert_memory_equal(first, d->out, sizeof first);
        desk_free(d);
    }
    free(d);
}

/* Each public call starts one set of threads, besides the calling thread. */
static void one_pool_per_call(void **state)
{
    (void)state;
    static uint8_t marks[WIDTH * HEIGHT], result[WIDTH * HEIGHT];
    CofImage scribbles = grey_view(marks, WIDTH, HEIGHT), mask = grey_view(result, WIDTH, HEIGHT);
    Desk *d = malloc(sizeof *d);
    desk_new(d);
    memset(marks, 1, WIDTH * 9);
    d->options.threads = 4;
    d->options.gap = 0;
#define ONE_POOL(call) \
    do { \
        heap.threads = 0; \
        assert_ok(call); \
        assert_in_range(heap.threads, HAS_THREADS ? 1 : 0, HAS_THREADS ? 3 : 0); \
    } while (0)
    ONE_POOL(cof_model_learn_pair(&d->model, &d->second, &d->in, &scribbles, &d->options));
    ONE_POOL(cof_select(&d->in, &scribbles, NULL, &mask, &d->options));
    d->options.select_method = COF_SELECT_SPREAD;
    ONE_POOL(cof_select(&d->in, &scribbles, NULL, &mask, &d->options));
    ONE_POOL(cof_selection_new(&d->selection, &d->in, &d->options));
    ONE_POOL(cof_focus_mask(&d->in, &scribbles, &d->to, &d->options));
    ONE_POOL(cof_smooth(&d->in, &d->to, &d->options));
    cof_model_free(&d->model);
    ONE_POOL(cof_model_learn(&d->model, &d->in, NULL, 1, &d->options));
    int margin;
    heap.threads = 0;
    assert_ok(cof_filter_margin(d->model, &margin, &d->options)); /* needs none */
    assert_int_equal(heap.threads, 0);
    assert_ok(cof_context_new(&d->options.context, 4, NULL));
    heap.threads = 0;
    assert_ok(cof_focus_mask(&d->in, &scribbles, &d->to, &d->options));
    assert_int_equal(heap.threads, 0);
    desk_free(d);
    free(d);
}

/* A context keeps the memory of a call for the next one, which allocates little. */
static void contexts_keep_memory(void **state)
{
    (void)state;
    Desk *d = malloc(sizeof *d);
    desk_new(d);
    d->options.threads = 1;
    assert_ok(cof_context_new(&d->options.context, 1, NULL));
    size_t before = heap.peak = heap.bytes;
    assert_ok(cof_smooth(&d->in, &d->to, &d->options));
    size_t first = heap.peak - before, kept = heap.bytes - before;
    assert_in_range(kept, 1, first);
    for (int i = 0; i < 2; i++) {
        heap.peak = heap.bytes;
        assert_ok(cof_smooth(&d->in, &d->to, &d->options));
        assert_int_equal(heap.bytes - before, kept);
        assert_in_range(heap.peak - heap.bytes, 0, first / 2);
    }
    desk_free(d);
    free(d);
}

/* Shortens a file to `size` bytes, with a size and a checksum that are right. */
static void shorten(unsigned char *bytes, size_t size)
{
    enum { SIZE_AT = 16, HEADER = 24, CHECKSUM = 4 };
    uint32_t crc = 0xffffffff;
    for (size_t i = 0; i < 8; i++)
        bytes[SIZE_AT + i] = (unsigned char)((uint64_t)(size - HEADER - CHECKSUM) >> 8 * i);
    for (size_t i = 0; i < size - CHECKSUM; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
    }
    for (size_t i = 0; i < CHECKSUM; i++)
        bytes[size - CHECKSUM + i] = (unsigned char)(~crc >> 8 * i);
}

/* Loads all beginnings of a file of up to 600 bytes, and some longer ones. */
static void load_beginnings(const unsigned char *bytes, size_t size)
{
    enum { SHORT = 600, STEP = 40009 };
    unsigned char *copy = malloc(size);
    assert_non_null(copy);
    for (size_t n = 28; n < size; n += n < SHORT ? 1 : STEP) {
        CofStats *stats = NULL;
        CofModel *model = NULL, *other = NULL;
        CofFileKind kind;
        memcpy(copy, bytes, n);
        shorten(copy, n);
        heap.bytes = heap.peak = 0;
        assert_ok(cof_file_kind(copy, n, &kind, NULL));
        CofStatus status = kind == COF_FILE_KIND_STATS ? cof_stats_load(&stats, copy, n, NULL)
                           : kind == COF_FILE_KIND_MODEL
                               ? cof_model_load(&model, copy, n, NULL)
                               : cof_model_load_pair(&model, &other, copy, n, NULL);
        assert_int_equal(status, COF_ERR_FORMAT);
        assert_in_range(heap.peak, 0, 4 * n + 4096);
    }
    free(copy);
}

/* What a file claims to hold costs no memory before the bytes are there. */
static void files_cost_what_they_hold(void **state)
{
    (void)state;
    Desk *d = malloc(sizeof *d);
    desk_new(d);
    assert_ok(cof_stats_new(&d->stats, &d->options));
    assert_ok(cof_stats_set_labels(d->stats, 256, NULL));
    assert_ok(cof_stats_add_labels(d->stats, &d->map, NULL, &d->options));
    assert_ok(cof_stats_save(d->stats, &d->bytes, &d->size, NULL));
    load_beginnings(d->bytes, d->size);
    cof_free(d->bytes);
    assert_ok(cof_model_new(&d->model, d->stats, &d->options));
    assert_ok(cof_model_save(d->model, &d->bytes, &d->size, NULL));
    load_beginnings(d->bytes, d->size);
    cof_free(d->bytes);
    assert_ok(cof_model_save_pair(d->model, d->model, &d->bytes, &d->size, NULL));
    load_beginnings(d->bytes, d->size);
    cof_free(d->bytes);
    d->bytes = NULL;
    cof_model_free(&d->model);
    cof_stats_free(&d->stats);
    d->options.palettes = COF_MAX_PALETTES;
    d->options.colours = 64;
    assert_ok(cof_stats_new(&d->stats, &d->options));
    assert_ok(cof_stats_scan(d->stats, &d->in, NULL, &d->options));
    assert_ok(cof_stats_fit_palette(d->stats, &d->options));
    assert_ok(cof_stats_add(d->stats, &d->in, NULL, &d->options));
    assert_ok(cof_stats_save(d->stats, &d->bytes, &d->size, NULL));
    load_beginnings(d->bytes, d->size);
    cof_free(d->bytes);
    d->bytes = NULL;
    assert_ok(cof_model_new(&d->model, d->stats, &d->options));
    assert_ok(cof_model_save(d->model, &d->bytes, &d->size, NULL));
    load_beginnings(d->bytes, d->size);
    desk_free(d);
    free(d);
}

int main(void)
{
#define SCENARIO(name) \
    { \
#name, refuse_each_allocation, NULL, NULL, (void *)name \
    }
    const struct CMUnitTest tests[] = {
        SCENARIO(smooth),
        SCENARIO(smooth_updating_the_model),
        SCENARIO(smooth_with_idle_threads),
        SCENARIO(smooth_downscaled),
        SCENARIO(filter_downscaled),
        SCENARIO(filter_in_parts),
        SCENARIO(filter_kept_part),
        SCENARIO(learn_in_stages),
        SCENARIO(all_models),
        SCENARIO(smooth_with_two),
        SCENARIO(smooth_downscaled_with_two),
        SCENARIO(parts_with_two),
        SCENARIO(members),
        SCENARIO(given_palettes),
        SCENARIO(grey_and_bands),
        SCENARIO(choosing),
        SCENARIO(learn_at_once),
        SCENARIO(posterise),
        SCENARIO(select_at_once),
        SCENARIO(spread_at_once),
        SCENARIO(focus_at_once),
        SCENARIO(learn_downscaled),
        SCENARIO(pair_files),
        SCENARIO(spread_and_clean),
        SCENARIO(draw),
        SCENARIO(spread_in_large),
        cmocka_unit_test(draw_in_large),
        cmocka_unit_test(begin_in_large),
        cmocka_unit_test(passes_do_not_pile_up),
        cmocka_unit_test(refuse_threads),
        cmocka_unit_test(one_pool_per_call),
        cmocka_unit_test(contexts_keep_memory),
        cmocka_unit_test(files_cost_what_they_hold),
    };
    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
