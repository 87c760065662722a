/* SPDX-License-Identifier: BSD-2-Clause */
/* Every public function that can fail says why: the status, and the argument at fault. It does not
 * need a place for the reason, changes nothing, and a success clears what was there before. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "testing.h"

enum { SIDE = 12, AREA = SIDE * SIDE };

/* Valid arguments of all functions, of which the tests break one at a time. */
typedef struct Bench {
    uint8_t pixels[AREA * 3], result[AREA * 3], mask_bytes[AREA], mark_bytes[AREA],
        label_bytes[AREA];
    float soft_values[AREA];
    CofImage in, out, mask, marks, labels, soft, small, grey;
    CofOptions options;
    CofProblem problem;
    CofStats *stats, *fresh; /* counted; without a palette */
    CofModel *model, *foreground, *background, *grey_model;
    void *file, *pair_file;
    size_t file_size, pair_size;
} Bench;

static void paint(Bench *b)
{
    Random random = {9};
    for (int i = 0; i < AREA * 3; i++)
        b->pixels[i] = (uint8_t)random_int(&random, 0, 255);
    for (int i = 0; i < AREA; i++) {
        b->mask_bytes[i] = i % SIDE < SIDE / 2;
        b->mark_bytes[i] = i == AREA / 2 + 2;
        b->soft_values[i] = (float)b->mask_bytes[i];
    }
    b->in = (CofImage){
        .data = b->pixels, .width = SIDE, .height = SIDE, .channels = 3, .kind = COF_KIND_RGB};
    b->out = b->small = b->in;
    b->out.data = b->result;
    b->small.width--;
    b->mask = grey_view(b->mask_bytes, SIDE, SIDE);
    b->marks = grey_view(b->mark_bytes, SIDE, SIDE);
    b->labels = grey_view(b->label_bytes, SIDE, SIDE);
    b->grey = grey_view(b->pixels, SIDE, SIDE);
    b->soft = grey_view((uint8_t *)b->soft_values, SIDE, SIDE);
    b->soft.sample = COF_SAMPLE_F32;
}

static int set_up(void **state)
{
    Bench *b = calloc(1, sizeof *b);
    paint(b);
    cof_options_init(&b->options);
    b->options.colours = 5;
    b->options.window = b->options.spread_window = 3;
    b->options.gap = 0;
    b->options.threads = 1;
    assert_ok(cof_stats_new(&b->fresh, &b->options));
    assert_ok(learn_from(&b->in, NULL, &b->options, &b->stats));
    assert_ok(cof_model_new(&b->model, b->stats, &b->options));
    assert_ok(cof_model_learn(&b->grey_model, &b->grey, NULL, 1, &b->options));
    assert_ok(cof_model_learn_pair(&b->foreground, &b->background, &b->in, &b->mask, &b->options));
    assert_ok(cof_model_save(b->model, &b->file, &b->file_size, NULL));
    assert_ok(
        cof_model_save_pair(b->foreground, b->background, &b->pair_file, &b->pair_size, NULL));
    memset(b->result, 77, sizeof b->result);
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    Bench *b = *state;
    cof_stats_free(&b->stats);
    cof_stats_free(&b->fresh);
    cof_model_free(&b->model);
    cof_model_free(&b->foreground);
    cof_model_free(&b->background);
    cof_model_free(&b->grey_model);
    cof_free(b->file);
    cof_free(b->pair_file);
    free(b);
    return 0;
}

static void check_problem(const CofProblem *problem, CofStatus status, const char *argument,
                          const char *call)
{
    if (problem->status != status || !problem->text || problem->text[0] == '\0')
        fail_msg("%s: no reason", call);
    if (!problem->argument || strcmp(problem->argument, argument) != 0)
        fail_msg("%s: the argument is '%s' (%s), expected '%s'", call,
                 problem->argument ? problem->argument : "", problem->text, argument);
    assert_null(problem->option);
}

/* The call has `o` for its options or `p` for its problem. */
#define FAILS(call, expected, argument) \
    do { \
        CofProblem *p = &b->problem; \
        CofOptions *o = &b->options; \
        b->problem = (CofProblem){.option = "stale"}; \
        o->problem = p; \
        assert_status(call, expected); \
        check_problem(&b->problem, expected, argument, #call); \
        o->problem = p = NULL; \
        assert_status(call, expected); \
        (void)p; \
    } while (0)
#define REFUSES(call, argument) FAILS(call, COF_ERR_ARGUMENT, argument)

#define SUCCEEDS(call) \
    do { \
        CofProblem *p = &b->problem; \
        CofOptions *o = &b->options; \
        b->problem = (CofProblem){.status = COF_ERR_BUSY, .option = "stale", .text = "stale"}; \
        o->problem = p; \
        assert_ok(call); \
        assert_true(!p->status && !p->option && !p->argument && !p->text); \
        o->problem = NULL; \
    } while (0)

static void assert_outputs_untouched(const Bench *b)
{
    for (int i = 0; i < AREA * 3; i++)
        assert_int_equal(b->result[i], 77);
    for (int i = 0; i < AREA; i++)
        assert_int_equal(b->label_bytes[i], 0);
}

static void of_options(void **state)
{
    Bench *b = *state;
    CofContext *context = NULL;
    REFUSES(cof_options_set_variant(NULL, COF_VARIANT_APP, p), "options");
    REFUSES(cof_options_set_preset(NULL, COF_PRESET_SUBTLE, 9, 9, p), "options");
    REFUSES(cof_options_set_preset(o, COF_PRESET_SUBTLE, 0, 9, p), "width");
    REFUSES(cof_options_set_preset(o, COF_PRESET_SUBTLE, 9, -1, p), "height");
    REFUSES(cof_options_set(NULL, "window", "3", p), "options");
    REFUSES(cof_options_set(o, NULL, "3", p), "name");
    REFUSES(cof_options_set(o, "window", NULL, p), "value");
    FAILS(cof_options_set(o, "windows", "3", p), COF_ERR_OPTION, "name");
    REFUSES(cof_context_new(NULL, 1, p), "out");
    SUCCEEDS(cof_options_check(o, p));
    SUCCEEDS(cof_options_set(o, "window", "3", p));
    SUCCEEDS(cof_options_set_variant(o, COF_VARIANT_PAPER, p));
    SUCCEEDS(cof_context_new(&context, 1, p));
    cof_context_free(&context);
    SUCCEEDS(cof_options_set_preset(o, COF_PRESET_SUBTLE, 9, 9, p));
}

/* Without a module there are no devices. */
static void of_devices(void **state)
{
    Bench *b = *state;
    CofContext *context = NULL;
    CofDeviceInfo info = {.name = "stale"};
    assert_int_equal(setenv("COF_MODULE_PATH", "/nonexistent", 1), 0);
    assert_int_equal(cof_device_count(), 0);
    REFUSES(cof_device_info(0, NULL, p), "info");
    FAILS(cof_device_info(0, &info, p), COF_ERR_UNSUPPORTED, "index");
    assert_string_equal(info.name, "stale");
    REFUSES(cof_context_new_device(NULL, "gpu", 1, p), "out");
    FAILS(cof_context_new_device(&context, "gpu", 1, p), COF_ERR_UNSUPPORTED, "device");
    FAILS(cof_context_new_device(&context, NULL, 1, p), COF_ERR_UNSUPPORTED, "device");
    REFUSES(cof_context_new_opencl(&context, NULL, b, 1, p), "opencl_context");
    REFUSES(cof_context_new_opencl(&context, b, NULL, 1, p), "opencl_device");
    REFUSES(cof_context_new_opencl(NULL, b, b, 1, p), "out");
    FAILS(cof_context_new_opencl(&context, b, b, 1, p), COF_ERR_UNSUPPORTED, "opencl_device");
    assert_status(cof_context_new_device(&context, "gpu", -1, &b->problem), COF_ERR_OPTION);
    assert_string_equal(b->problem.option, "threads");
    assert_null(context);
}

static void of_stats(void **state)
{
    Bench *b = *state;
    static const float centre[3] = {1, 2, 3};
    CofStats *stats = NULL;
    REFUSES(cof_stats_new(NULL, o), "out");
    REFUSES(cof_stats_new_like(NULL, b->stats, p), "out");
    REFUSES(cof_stats_new_like(&stats, NULL, p), "other");
    REFUSES(cof_stats_scan(NULL, &b->in, NULL, o), "stats");
    REFUSES(cof_stats_scan(b->stats, &b->in, NULL, o), "stats"); /* has a palette */
    REFUSES(cof_stats_scan(b->fresh, NULL, NULL, o), "image");
    REFUSES(cof_stats_scan(b->fresh, &b->in, &(CofRoi){.reserved = {1}}, o), "roi");
    REFUSES(cof_stats_fit_palette(NULL, o), "stats");
    REFUSES(cof_stats_set_palette(NULL, centre, 1, 3, COF_KIND_RGB, p), "stats");
    REFUSES(cof_stats_set_palette(b->stats, centre, 1, 3, COF_KIND_RGB, p), "stats");
    REFUSES(cof_stats_set_palette_from_stats(NULL, b->stats, p), "stats");
    REFUSES(cof_stats_set_palette_from_stats(b->fresh, NULL, p), "from");
    REFUSES(cof_stats_set_palette_from_stats(b->fresh, b->fresh, p), "from");
    REFUSES(cof_stats_set_palette_from_model(NULL, b->model, p), "stats");
    REFUSES(cof_stats_set_palette_from_model(b->fresh, NULL, p), "model");
    REFUSES(cof_stats_set_palette_from_model(b->stats, b->model, p), "stats");
    REFUSES(cof_stats_set_palette(b->fresh, NULL, 1, 3, COF_KIND_RGB, p), "centres");
    REFUSES(cof_stats_set_palette(b->fresh, centre, 0, 3, COF_KIND_RGB, p), "k");
    REFUSES(cof_stats_set_palette(b->fresh, centre, 257, 3, COF_KIND_RGB, p), "k");
    REFUSES(cof_stats_set_palette(b->fresh, centre, 1, 2, COF_KIND_RGB, p), "bands");
    REFUSES(cof_stats_set_palette(b->fresh, centre, 1, 3, (CofKind)9, p), "kind");
    REFUSES(cof_stats_set_labels(NULL, 3, p), "stats");
    REFUSES(cof_stats_set_labels(b->fresh, 0, p), "k");
    REFUSES(cof_stats_add(NULL, &b->in, NULL, o), "stats");
    REFUSES(cof_stats_add(b->fresh, &b->in, NULL, o), "stats"); /* has no palette */
    REFUSES(cof_stats_add(b->stats, NULL, NULL, o), "image");
    FAILS(cof_stats_add(b->stats, &b->grey, NULL, o), COF_ERR_MISMATCH, "image");
    FAILS(cof_stats_add(b->stats, &b->in, &(CofRoi){.mask = &b->small}, o), COF_ERR_ARGUMENT,
          "roi");
    assert_null(stats);
    SUCCEEDS(cof_stats_new(&stats, o));
    cof_stats_free(&stats);
    SUCCEEDS(cof_stats_new_like(&stats, b->stats, p));
    SUCCEEDS(cof_stats_add(stats, &b->in, NULL, o));
    SUCCEEDS(cof_stats_merge(stats, b->stats, p));
    SUCCEEDS(cof_stats_decay(stats, 1, 2, p));
    cof_stats_free(&stats);
    SUCCEEDS(cof_stats_scan(b->fresh, &b->in, NULL, o));
    SUCCEEDS(cof_stats_fit_palette(b->fresh, o));
}

static void of_labels_and_sums(void **state)
{
    Bench *b = *state;
    CofStats *grey = NULL;
    assert_ok(cof_stats_new(&grey, &b->options));
    assert_ok(cof_stats_scan(grey, &b->grey, NULL, NULL));
    REFUSES(cof_stats_add_labels(NULL, &b->labels, NULL, o), "stats");
    REFUSES(cof_stats_add_labels(b->stats, NULL, NULL, o), "labels");
    REFUSES(cof_stats_add_labels(b->stats, &b->in, NULL, o), "labels");
    b->label_bytes[0] = 5;
    FAILS(cof_stats_add_labels(b->stats, &b->labels, NULL, o), COF_ERR_MISMATCH, "labels");
    FAILS(cof_filter_labels(b->model, &b->labels, &b->in, &b->out, o), COF_ERR_MISMATCH, "labels");
    b->label_bytes[0] = 0;
    REFUSES(cof_stats_merge(NULL, b->stats, p), "into");
    REFUSES(cof_stats_merge(b->stats, NULL, p), "from");
    REFUSES(cof_stats_merge(b->stats, b->stats, p), "from");
    FAILS(cof_stats_merge(b->stats, b->fresh, p), COF_ERR_MISMATCH, "from");
    assert_ok(cof_stats_scan(b->fresh, &b->in, NULL, NULL));
    FAILS(cof_stats_merge(b->fresh, grey, p), COF_ERR_MISMATCH, "from");
    FAILS(cof_stats_scan(b->fresh, &b->grey, NULL, o), COF_ERR_MISMATCH, "image");
    REFUSES(cof_stats_decay(NULL, 1, 2, p), "stats");
    REFUSES(cof_stats_decay(b->fresh, 1, 2, p), "stats");
    REFUSES(cof_stats_decay(b->stats, 3, 2, p), "denominator");
    assert_outputs_untouched(b);
    SUCCEEDS(cof_stats_add_labels(b->stats, &b->labels, NULL, o));
    cof_stats_free(&grey);
}

static void of_models(void **state)
{
    Bench *b = *state;
    CofModel *model = NULL, *other = NULL;
    CofImage mixed[2] = {b->in, b->grey}, tile = b->in;
    CofRoi rois[2] = {{.mask = NULL}, {.mask = &b->small}};
    double matrix[25] = {1};
    tile.full_width = tile.full_height = 50;
    REFUSES(cof_model_learn(NULL, &b->in, NULL, 1, o), "out");
    REFUSES(cof_model_learn(&model, NULL, NULL, 1, o), "images");
    REFUSES(cof_model_learn(&model, &b->in, NULL, 0, o), "n");
    REFUSES(cof_model_learn(&model, &b->in, NULL, -1, o), "n");
    REFUSES(cof_model_learn(&model, &tile, NULL, 1, o), "images");
    FAILS(cof_model_learn(&model, mixed, NULL, 2, o), COF_ERR_MISMATCH, "images");
    REFUSES(cof_model_learn(&model, &b->in, rois + 1, 1, o), "rois");
    REFUSES(cof_model_new(NULL, b->stats, o), "out");
    REFUSES(cof_model_new(&model, NULL, o), "stats");
    REFUSES(cof_model_new(&model, b->fresh, o), "stats");
    REFUSES(cof_model_new_soft(NULL, b->stats, &b->in, NULL, 1, o), "out");
    REFUSES(cof_model_new_soft(&model, NULL, &b->in, NULL, 1, o), "stats");
    REFUSES(cof_model_new_soft(&model, b->stats, NULL, NULL, 1, o), "images");
    REFUSES(cof_model_new_soft(&model, b->stats, &b->in, NULL, 0, o), "n");
    FAILS(cof_model_new_soft(&model, b->stats, mixed, NULL, 2, o), COF_ERR_MISMATCH, "images");
    REFUSES(cof_model_new_soft(&model, b->stats, &b->in, rois + 1, 1, o), "rois");
    REFUSES(cof_model_new_matrix(NULL, b->stats, matrix, o), "out");
    REFUSES(cof_model_new_matrix(&model, NULL, matrix, o), "stats");
    REFUSES(cof_model_new_matrix(&model, b->stats, NULL, o), "matrix");
    matrix[1] = 2;
    REFUSES(cof_model_new_matrix(&model, b->stats, matrix, o), "matrix");
    REFUSES(cof_model_learn_pair(NULL, &other, &b->in, &b->mask, o), "foreground");
    REFUSES(cof_model_learn_pair(&model, NULL, &b->in, &b->mask, o), "background");
    REFUSES(cof_model_learn_pair(&model, &other, NULL, &b->mask, o), "image");
    REFUSES(cof_model_learn_pair(&model, &other, &tile, &b->mask, o), "image");
    REFUSES(cof_model_learn_pair(&model, &other, &b->in, NULL, o), "mask");
    FAILS(cof_model_learn_pair(&model, &other, &b->small, &b->mask, o), COF_ERR_MISMATCH, "mask");
    REFUSES(cof_model_label(NULL, &b->in, &b->labels, o), "model");
    REFUSES(cof_model_label(b->model, NULL, &b->labels, o), "image");
    REFUSES(cof_model_label(b->model, &b->in, NULL, o), "labels");
    FAILS(cof_model_label(b->model, &b->grey, &b->labels, o), COF_ERR_MISMATCH, "image");
    assert_true(!model && !other);
    assert_outputs_untouched(b);
    CofImage three[3] = {b->in, b->in, b->grey};
    FAILS(cof_model_learn(&model, three, NULL, 3, o), COF_ERR_MISMATCH, "images");
    b->options.problem = &b->problem;
    assert_status(cof_model_learn(&model, three, NULL, 3, &b->options), COF_ERR_MISMATCH);
    assert_int_equal(b->problem.index, 2);
    three[1].width = 0;
    assert_status(cof_model_learn(&model, three, NULL, 3, &b->options), COF_ERR_ARGUMENT);
    assert_int_equal(b->problem.index, 1);
    assert_null(model);
    SUCCEEDS(cof_model_learn(&model, &b->in, rois, 1, o));
    cof_model_free(&model);
    SUCCEEDS(cof_model_new(&model, b->stats, o));
    cof_model_free(&model);
    SUCCEEDS(cof_model_learn_pair(&model, &other, &b->in, &b->mask, o));
    cof_model_free(&model);
    cof_model_free(&other);
    SUCCEEDS(cof_model_label(b->model, &b->in, &b->labels, o));
}

static void of_files(void **state)
{
    Bench *b = *state;
    CofStats *stats = NULL;
    CofModel *model = NULL, *other = NULL;
    CofFileKind kind = COF_FILE_KIND_PAIR;
    void *bytes = NULL;
    size_t size = 0, n = b->file_size;
    REFUSES(cof_stats_save(NULL, &bytes, &size, p), "stats");
    REFUSES(cof_stats_save(b->stats, NULL, &size, p), "bytes");
    REFUSES(cof_stats_save(b->stats, &bytes, NULL, p), "size");
    REFUSES(cof_stats_load(NULL, b->file, n, p), "out");
    REFUSES(cof_stats_load(&stats, NULL, n, p), "bytes");
    FAILS(cof_stats_load(&stats, b->file, n, p), COF_ERR_MISMATCH, "bytes");
    FAILS(cof_stats_load(&stats, b->file, n - 1, p), COF_ERR_FORMAT, "bytes");
    REFUSES(cof_model_save(NULL, &bytes, &size, p), "model");
    REFUSES(cof_model_save(b->model, NULL, &size, p), "bytes");
    REFUSES(cof_model_save(b->model, &bytes, NULL, p), "size");
    REFUSES(cof_model_load(NULL, b->file, n, p), "out");
    REFUSES(cof_model_load(&model, NULL, n, p), "bytes");
    FAILS(cof_model_load(&model, b->pair_file, b->pair_size, p), COF_ERR_MISMATCH, "bytes");
    REFUSES(cof_model_save_pair(NULL, b->background, &bytes, &size, p), "foreground");
    REFUSES(cof_model_save_pair(b->foreground, NULL, &bytes, &size, p), "background");
    REFUSES(cof_model_save_pair(b->foreground, b->background, NULL, &size, p), "bytes");
    REFUSES(cof_model_save_pair(b->foreground, b->background, &bytes, NULL, p), "size");
    FAILS(cof_model_save_pair(b->foreground, b->grey_model, &bytes, &size, p), COF_ERR_MISMATCH,
          "background");
    REFUSES(cof_model_load_pair(NULL, &other, b->pair_file, b->pair_size, p), "foreground");
    REFUSES(cof_model_load_pair(&model, NULL, b->pair_file, b->pair_size, p), "background");
    REFUSES(cof_model_load_pair(&model, &other, NULL, b->pair_size, p), "bytes");
    FAILS(cof_model_load_pair(&model, &other, b->file, n, p), COF_ERR_MISMATCH, "bytes");
    REFUSES(cof_file_kind(NULL, n, &kind, p), "bytes");
    REFUSES(cof_file_kind(b->file, n, NULL, p), "kind");
    FAILS(cof_file_kind(b->file, 3, &kind, p), COF_ERR_FORMAT, "bytes");
    REFUSES(cof_load(&other, NULL, b->file, n, o), "model");
    REFUSES(cof_load(&other, &model, NULL, n, o), "bytes");
    FAILS(cof_load(&other, &model, b->file, n - 1, o), COF_ERR_FORMAT, "bytes");
    FAILS(cof_load(NULL, &model, b->pair_file, b->pair_size, o), COF_ERR_MISMATCH, "bytes");
    assert_true(!stats && !model && !other && !bytes && size == 0 && kind == COF_FILE_KIND_PAIR);
    SUCCEEDS(cof_file_kind(b->file, n, &kind, p));
    SUCCEEDS(cof_load(NULL, &model, b->file, n, o));
    cof_model_free(&model);
    SUCCEEDS(cof_model_load_pair(&model, &other, b->pair_file, b->pair_size, p));
    cof_model_free(&model);
    cof_model_free(&other);
    SUCCEEDS(cof_stats_save(b->stats, &bytes, &size, p));
    SUCCEEDS(cof_stats_load(&stats, bytes, size, p));
    cof_stats_free(&stats);
    cof_free(bytes);
}

static void of_parts(void **state)
{
    Bench *b = *state;
    CofImage tile = b->in, wrong = b->in;
    CofPart *part = NULL;
    CofStats *empty = NULL;
    wrong.width = 0;
    tile.full_width = tile.full_height = 50;
    REFUSES(cof_part_new(NULL, &b->in, p), "out");
    REFUSES(cof_part_new(&part, NULL, p), "image");
    REFUSES(cof_part_new(&part, &wrong, p), "image");
    assert_null(part);
    SUCCEEDS(cof_part_new(&part, &b->in, p));
    SUCCEEDS(cof_stats_new(&empty, o));
    REFUSES(cof_stats_add_part(NULL, part, NULL, o), "stats");
    REFUSES(cof_stats_add_part(b->stats, NULL, NULL, o), "part");
    REFUSES(cof_stats_add_part(empty, part, NULL, o), "stats");
    REFUSES(cof_filter_part(NULL, part, &b->out, o), "model");
    REFUSES(cof_filter_part(b->model, NULL, &b->out, o), "part");
    REFUSES(cof_filter_part(b->model, part, NULL, o), "out");
    FAILS(cof_filter_part(b->grey_model, part, &b->out, o), COF_ERR_MISMATCH, "part");
    assert_outputs_untouched(b);
    SUCCEEDS(cof_stats_add_part(b->stats, part, NULL, o));
    SUCCEEDS(cof_filter_part(b->model, part, &b->out, o));
    cof_part_free(&part);
    SUCCEEDS(cof_part_new(&part, &tile, p));
    FAILS(cof_stats_add_part(b->stats, part, NULL, o), COF_ERR_MISMATCH, "part");
    FAILS(cof_filter_part(b->model, part, &tile, o), COF_ERR_MISMATCH, "part");
    cof_part_free(&part);
    cof_stats_free(&empty);
}

static void of_filters(void **state)
{
    Bench *b = *state;
    CofImage tile = b->in, deep = b->out;
    int margin = 0;
    tile.full_width = tile.full_height = 50;
    deep.sample = COF_SAMPLE_U16;
    deep.width = deep.height = 6;
    REFUSES(cof_smooth(NULL, &b->out, o), "in");
    REFUSES(cof_smooth(&b->in, NULL, o), "out");
    REFUSES(cof_smooth(&tile, &b->out, o), "in");
    FAILS(cof_smooth_roi(&b->in, &(CofRoi){.region = {50, 50, 2, 2}}, &b->out, o), COF_ERR_MISMATCH,
          "roi");
    FAILS(cof_smooth(&b->small, &b->out, o), COF_ERR_MISMATCH, "out");
    FAILS(cof_smooth(&b->in, &deep, o), COF_ERR_MISMATCH, "out");
    REFUSES(cof_filter(NULL, NULL, &b->in, &b->out, o), "model");
    REFUSES(cof_filter(b->model, NULL, NULL, &b->out, o), "in");
    REFUSES(cof_filter(b->model, NULL, &b->in, NULL, o), "out");
    FAILS(cof_filter(b->model, &b->small, &b->in, &b->out, o), COF_ERR_MISMATCH, "guide");
    FAILS(cof_filter(b->model, &b->grey, &b->in, &b->out, o), COF_ERR_MISMATCH, "guide");
    FAILS(cof_filter(b->model, NULL, &b->grey, &b->grey, o), COF_ERR_MISMATCH, "in");
    FAILS(cof_filter(b->model, NULL, &b->in, &deep, o), COF_ERR_MISMATCH, "out");
    REFUSES(cof_filter_labels(NULL, &b->labels, &b->in, &b->out, o), "model");
    REFUSES(cof_filter_labels(b->model, NULL, &b->in, &b->out, o), "labels");
    REFUSES(cof_filter_labels(b->model, &b->labels, NULL, &b->out, o), "in");
    REFUSES(cof_filter_labels(b->model, &b->labels, &b->in, NULL, o), "out");
    REFUSES(cof_filter_margin(NULL, &margin, o), "model");
    REFUSES(cof_filter_margin(b->model, NULL, o), "margin");
    assert_outputs_untouched(b);
    SUCCEEDS(cof_smooth(&b->in, &b->out, o));
    SUCCEEDS(cof_filter(b->model, NULL, &b->in, &b->out, o));
    SUCCEEDS(cof_filter_labels(b->model, &b->labels, &b->in, &b->out, o));
    SUCCEEDS(cof_filter_margin(b->model, &margin, o));
}

static void of_selections(void **state)
{
    Bench *b = *state;
    const CofModel *m = b->model;
    CofImage *in = &b->in, *marks = &b->marks, *soft = &b->soft, *mask = &b->labels;
    CofImage small = grey_view(b->mask_bytes, SIDE - 1, SIDE), tile = *in;
    CofImage nothing = grey_view(b->label_bytes, SIDE, SIDE);
    tile.full_width = tile.full_height = 50;
    REFUSES(cof_select(NULL, marks, NULL, mask, o), "image");
    REFUSES(cof_select(in, NULL, NULL, mask, o), "foreground");
    REFUSES(cof_select(in, marks, NULL, NULL, o), "mask");
    REFUSES(cof_select(&tile, marks, NULL, mask, o), "image");
    FAILS(cof_select(in, &small, NULL, mask, o), COF_ERR_MISMATCH, "foreground");
    FAILS(cof_select(in, marks, &small, mask, o), COF_ERR_MISMATCH, "background");
    FAILS(cof_select(in, marks, NULL, &small, o), COF_ERR_MISMATCH, "mask");
    FAILS(cof_select(in, &nothing, NULL, mask, o), COF_ERR_EMPTY, "foreground");
    FAILS(cof_select(in, marks, &nothing, mask, o), COF_ERR_EMPTY, "background");
    REFUSES(cof_select(in, marks, marks, mask, o), "background");
    REFUSES(cof_select_spread(NULL, in, marks, NULL, soft, o), "model");
    REFUSES(cof_select_spread(m, NULL, marks, NULL, soft, o), "image");
    REFUSES(cof_select_spread(m, in, NULL, NULL, soft, o), "foreground");
    REFUSES(cof_select_spread(m, in, marks, NULL, NULL, o), "soft");
    FAILS(cof_select_spread(m, in, &small, NULL, soft, o), COF_ERR_MISMATCH, "foreground");
    FAILS(cof_select_spread(m, in, marks, &small, soft, o), COF_ERR_MISMATCH, "background");
    REFUSES(cof_select_spread(m, in, marks, NULL, marks, o), "soft");
    FAILS(cof_select_spread(m, &b->grey, marks, NULL, soft, o), COF_ERR_MISMATCH, "image");
    REFUSES(cof_select_threshold(NULL, in, marks, NULL, soft, mask, NULL, o), "model");
    REFUSES(cof_select_threshold(m, NULL, marks, NULL, soft, mask, NULL, o), "image");
    REFUSES(cof_select_threshold(m, in, NULL, NULL, soft, mask, NULL, o), "foreground");
    REFUSES(cof_select_threshold(m, in, marks, NULL, NULL, mask, NULL, o), "soft");
    REFUSES(cof_select_threshold(m, in, marks, NULL, soft, NULL, NULL, o), "mask");
    FAILS(cof_select_threshold(m, in, marks, NULL, soft, &small, NULL, o), COF_ERR_MISMATCH,
          "mask");
    assert_outputs_untouched(b);
    SUCCEEDS(cof_select_spread(m, in, marks, NULL, soft, o));
    SUCCEEDS(cof_select_threshold(m, in, marks, NULL, soft, mask, NULL, o));
    SUCCEEDS(cof_select(in, marks, NULL, mask, o));
    b->options.select_method = COF_SELECT_SPREAD;
    REFUSES(cof_select(in, marks, marks, mask, o), "background");
    SUCCEEDS(cof_select(in, marks, NULL, mask, o));
}

static void of_strokes(void **state)
{
    Bench *b = *state;
    const double line[4] = {2, 2, 5, 5}, far[2] = {-90, 4}, infinite[2] = {1, (double)INFINITY};
    const CofStroke mark = COF_STROKE_FOREGROUND;
    CofImage *in = &b->in, *marks = &b->marks, *mask = &b->labels;
    CofImage small = grey_view(b->mask_bytes, SIDE - 1, SIDE), tile = *in, part = *mask;
    CofSelection *s = NULL;
    tile.full_width = tile.full_height = part.full_width = part.full_height = 50;
    REFUSES(cof_selection_new(NULL, in, o), "selection");
    REFUSES(cof_selection_new(&s, NULL, o), "image");
    REFUSES(cof_selection_new(&s, &tile, o), "image");
    assert_null(s);
    SUCCEEDS(cof_selection_new(&s, in, o));
    REFUSES(cof_selection_add_stroke(NULL, mark, line, 2, 1, o), "selection");
    REFUSES(cof_selection_add_stroke(s, (CofStroke)-1, line, 2, 1, o), "mark");
    REFUSES(cof_selection_add_stroke(s, (CofStroke)3, line, 2, 1, o), "mark");
    REFUSES(cof_selection_add_stroke(s, mark, NULL, 2, 1, o), "points");
    REFUSES(cof_selection_add_stroke(s, mark, infinite, 1, 1, o), "points");
    FAILS(cof_selection_add_stroke(s, mark, line, 0, 1, o), COF_ERR_EMPTY, "points");
    FAILS(cof_selection_add_stroke(s, mark, far, 1, 1, o), COF_ERR_EMPTY, "points");
    REFUSES(cof_selection_add_stroke(s, mark, line, 2, -1, o), "radius");
    REFUSES(cof_selection_add_stroke(s, mark, line, 2, 10001, o), "radius");
    REFUSES(cof_selection_add_stroke(s, mark, line, 2, (double)NAN, o), "radius");
    REFUSES(cof_selection_add_pixels(NULL, mark, marks, o), "selection");
    REFUSES(cof_selection_add_pixels(s, (CofStroke)3, marks, o), "mark");
    REFUSES(cof_selection_add_pixels(s, mark, NULL, o), "pixels");
    REFUSES(cof_selection_add_pixels(s, mark, in, o), "pixels");
    FAILS(cof_selection_add_pixels(s, mark, &small, o), COF_ERR_MISMATCH, "pixels");
    REFUSES(cof_selection_follow(NULL, in, marks, o), "selection");
    REFUSES(cof_selection_follow(s, &tile, marks, o), "last");
    FAILS(cof_selection_follow(s, marks, marks, o), COF_ERR_MISMATCH, "last");
    REFUSES(cof_selection_follow(s, in, NULL, o), "mask");
    REFUSES(cof_selection_follow(s, in, in, o), "mask");
    FAILS(cof_selection_follow(s, NULL, &small, o), COF_ERR_MISMATCH, "mask");
    REFUSES(cof_selection_update(NULL, mask, o), "selection");
    REFUSES(cof_selection_update(s, in, o), "mask");
    FAILS(cof_selection_update(s, &small, o), COF_ERR_MISMATCH, "mask");
    REFUSES(cof_selection_correct(NULL, mask, o), "selection");
    REFUSES(cof_selection_correct(s, in, o), "mask");
    FAILS(cof_selection_correct(s, &small, o), COF_ERR_MISMATCH, "mask");
    REFUSES(cof_selection_set_mask(NULL, marks, o), "selection");
    REFUSES(cof_selection_set_mask(s, NULL, o), "mask");
    REFUSES(cof_selection_set_mask(s, in, o), "mask");
    FAILS(cof_selection_set_mask(s, &small, o), COF_ERR_MISMATCH, "mask");
    b->options.problem = &b->problem; /* no argument is wrong, but marks are missing */
    assert_status(cof_selection_update(s, mask, &b->options), COF_ERR_EMPTY);
    assert_status(cof_selection_update(s, NULL, &b->options), COF_ERR_EMPTY);
    assert_status(cof_selection_correct(s, mask, &b->options), COF_ERR_EMPTY);
    assert_true(b->problem.text && !b->problem.argument && !b->problem.option);
    REFUSES(cof_mask_stroke(NULL, line, 2, 1, 1, o), "mask");
    REFUSES(cof_mask_stroke(in, line, 2, 1, 1, o), "mask");
    REFUSES(cof_mask_stroke(&part, line, 2, 1, 1, o), "mask");
    REFUSES(cof_mask_stroke(mask, NULL, 2, 1, 1, o), "points");
    REFUSES(cof_mask_stroke(mask, infinite, 1, 1, 1, o), "points");
    FAILS(cof_mask_stroke(mask, line, 0, 1, 1, o), COF_ERR_EMPTY, "points");
    FAILS(cof_mask_stroke(mask, far, 1, 1, 1, o), COF_ERR_EMPTY, "points");
    REFUSES(cof_mask_stroke(mask, line, 2, -1, 1, o), "radius");
    REFUSES(cof_mask_stroke(mask, line, 2, 1, 256, o), "value");
    REFUSES(cof_mask_stroke(mask, line, 2, 1, -1, o), "value");
    assert_outputs_untouched(b);
    SUCCEEDS(cof_selection_add_stroke(s, mark, line, 2, 1, o));
    SUCCEEDS(cof_selection_add_pixels(s, mark, marks, o));
    SUCCEEDS(cof_selection_update(s, mask, o));
    SUCCEEDS(cof_selection_correct(s, mask, o));
    SUCCEEDS(cof_selection_set_mask(s, mask, o));
    SUCCEEDS(cof_selection_correct(s, NULL, o));
    SUCCEEDS(cof_selection_follow(s, in, mask, o));
    SUCCEEDS(cof_mask_stroke(mask, line, 2, 1, 255, o));
    cof_selection_free(&s);
    assert_null(s);
}

static void of_masks(void **state)
{
    Bench *b = *state;
    CofImage small = grey_view(b->mask_bytes, SIDE - 1, SIDE), tile = b->mask;
    tile.full_width = tile.full_height = 50;
    REFUSES(cof_mask_dilate(NULL, 1, &b->labels, o), "mask");
    REFUSES(cof_mask_dilate(&b->in, 1, &b->labels, o), "mask");
    REFUSES(cof_mask_dilate(&tile, 1, &b->labels, o), "mask");
    REFUSES(cof_mask_dilate(&b->mask, 1, NULL, o), "out");
    REFUSES(cof_mask_dilate(&b->mask, 1e9, &b->labels, o), "radius");
    FAILS(cof_mask_dilate(&b->mask, 1, &small, o), COF_ERR_MISMATCH, "out");
    REFUSES(cof_mask_prior(NULL, &b->soft, o), "mask");
    REFUSES(cof_mask_prior(&b->mask, NULL, o), "prior");
    REFUSES(cof_mask_prior(&tile, &b->soft, o), "mask");
    REFUSES(cof_mask_prior(&b->mask, &b->labels, o), "prior");
    FAILS(cof_mask_prior(&small, &b->soft, o), COF_ERR_MISMATCH, "prior");
    REFUSES(cof_focus_mask(NULL, &b->mask, &b->out, o), "in");
    REFUSES(cof_focus_mask(&b->in, NULL, &b->out, o), "mask");
    REFUSES(cof_focus_mask(&b->in, &b->mask, NULL, o), "out");
    FAILS(cof_focus_mask(&b->in, &small, &b->out, o), COF_ERR_MISMATCH, "mask");
    FAILS(cof_focus_mask(&b->in, &b->mask, &b->small, o), COF_ERR_MISMATCH, "out");
    FAILS(cof_focus_mask(&b->in, &b->mask, &b->grey, o), COF_ERR_MISMATCH, "out");
    assert_outputs_untouched(b);
    SUCCEEDS(cof_mask_dilate(&b->mask, 1, &b->labels, o));
    SUCCEEDS(cof_mask_prior(&b->mask, &b->soft, o));
    SUCCEEDS(cof_focus_mask(&b->in, &b->mask, &b->out, o));
}

static void of_mattes(void **state)
{
    Bench *b = *state;
    const CofModel *f = b->foreground, *g = b->background;
    CofImage *in = &b->in, *out = &b->out, *soft = &b->soft;
    CofImage small = grey_view(b->mask_bytes, SIDE - 1, SIDE);
    REFUSES(cof_matte(NULL, g, NULL, in, soft, o), "foreground");
    REFUSES(cof_matte(f, NULL, NULL, in, soft, o), "background");
    REFUSES(cof_matte(f, g, NULL, NULL, soft, o), "image");
    REFUSES(cof_matte(f, g, NULL, in, NULL, o), "matte");
    REFUSES(cof_matte(f, g, NULL, in, out, o), "matte");
    FAILS(cof_matte(f, g, &small, in, soft, o), COF_ERR_MISMATCH, "prior");
    FAILS(cof_matte(f, g, NULL, &b->grey, soft, o), COF_ERR_MISMATCH, "image");
    FAILS(cof_matte(f, g, NULL, in, &small, o), COF_ERR_MISMATCH, "matte");
    REFUSES(cof_focus(NULL, g, NULL, NULL, in, out, o), "foreground");
    REFUSES(cof_focus(f, NULL, NULL, NULL, in, out, o), "background");
    REFUSES(cof_focus(f, g, NULL, NULL, NULL, out, o), "in");
    REFUSES(cof_focus(f, g, NULL, NULL, in, NULL, o), "out");
    REFUSES(cof_focus(f, g, in, NULL, in, out, o), "prior");
    FAILS(cof_focus(f, g, NULL, &b->grey, in, out, o), COF_ERR_MISMATCH, "guide");
    FAILS(cof_focus(b->grey_model, g, NULL, NULL, in, out, o), COF_ERR_MISMATCH, "foreground");
    assert_outputs_untouched(b);
    SUCCEEDS(cof_matte(f, g, NULL, in, soft, o));
    SUCCEEDS(cof_focus(f, g, soft, NULL, in, out, o));
}

static void of_blends(void **state)
{
    Bench *b = *state;
    CofImage *in = &b->in, *out = &b->out;
    CofImage small = grey_view(b->mask_bytes, SIDE - 1, SIDE);
    static const double red[3] = {1, 0, 0}, wrong[3] = {2, 0, 0};
    double chroma = 77;
    REFUSES(cof_blend(NULL, in, in, out, o), "matte");
    REFUSES(cof_blend(in, in, in, out, o), "matte");
    REFUSES(cof_blend(&b->mask, NULL, in, out, o), "in");
    REFUSES(cof_blend(&b->mask, in, NULL, out, o), "other");
    REFUSES(cof_blend(&b->mask, in, in, NULL, o), "out");
    FAILS(cof_blend(&small, in, in, out, o), COF_ERR_MISMATCH, "matte");
    FAILS(cof_blend(&b->mask, in, &b->grey, out, o), COF_ERR_MISMATCH, "other");
    FAILS(cof_blend(&b->mask, in, &b->small, out, o), COF_ERR_MISMATCH, "other");
    FAILS(cof_blend(&b->mask, in, in, &b->small, o), COF_ERR_MISMATCH, "out");
    REFUSES(cof_tint(NULL, red, 0, out, o), "in");
    REFUSES(cof_tint(in, red, 0, NULL, o), "out");
    REFUSES(cof_tint(in, NULL, 0, out, o), "colour");
    REFUSES(cof_tint(in, wrong, 0, out, o), "colour");
    REFUSES(cof_tint(in, red, -1, out, o), "reference_chroma");
    REFUSES(cof_tint(&b->grey, red, 0, &b->grey, o), "in");
    REFUSES(cof_mean_chroma(NULL, &b->mask, &chroma, o), "image");
    REFUSES(cof_mean_chroma(in, &b->mask, NULL, o), "chroma");
    FAILS(cof_mean_chroma(in, &small, &chroma, o), COF_ERR_MISMATCH, "mask");
    REFUSES(cof_mean_chroma(&b->grey, &b->mask, &chroma, o), "image");
    REFUSES(cof_mean_chroma(in, in, &chroma, o), "mask");
    FAILS(cof_mean_chroma(in, &b->labels, &chroma, o), COF_ERR_EMPTY, "mask");
    assert_true(chroma == 77);
    REFUSES(cof_recolour(NULL, &b->mask, red, out, NULL, o), "in");
    REFUSES(cof_recolour(&b->grey, &b->mask, red, &b->grey, NULL, o), "in");
    REFUSES(cof_recolour(in, in, red, out, NULL, o), "mask");
    REFUSES(cof_recolour(in, &b->mask, red, out, &b->mask, o), "matte");
    REFUSES(cof_recolour(in, NULL, red, out, NULL, o), "mask");
    REFUSES(cof_recolour(in, &b->mask, NULL, out, NULL, o), "colour");
    REFUSES(cof_recolour(in, &b->mask, wrong, out, NULL, o), "colour");
    REFUSES(cof_recolour(in, &b->mask, red, NULL, NULL, o), "out");
    FAILS(cof_recolour(in, &small, red, out, NULL, o), COF_ERR_MISMATCH, "mask");
    FAILS(cof_recolour(in, &b->labels, red, out, &b->soft, o), COF_ERR_EMPTY, "mask");
    b->options.update = COF_UPDATE_LABELS;
    assert_status(cof_recolour(in, &b->mask, red, out, NULL, &b->options), COF_ERR_OPTION);
    b->options.update = COF_UPDATE_NONE;
    assert_outputs_untouched(b);
    SUCCEEDS(cof_recolour(in, &b->mask, red, out, &b->soft, o));
    SUCCEEDS(cof_blend(&b->mask, in, in, out, o));
    SUCCEEDS(cof_tint(in, red, 0, out, o));
    SUCCEEDS(cof_mean_chroma(in, NULL, &chroma, o));
}

static void of_posterising(void **state)
{
    Bench *b = *state;
    const CofImage *in = &b->in, *out = &b->out;
    float palette[3 * 4];
    int n = 77;
    REFUSES(cof_posterise(NULL, 4, out, NULL, palette, &n, o), "in");
    REFUSES(cof_posterise(in, 1, out, NULL, palette, &n, o), "colours");
    REFUSES(cof_posterise(in, 257, out, NULL, palette, &n, o), "colours");
    REFUSES(cof_posterise(in, 4, out, in, palette, &n, o), "labels");
    FAILS(cof_posterise(in, 4, &b->small, NULL, palette, &n, o), COF_ERR_MISMATCH, "out");
    FAILS(cof_posterise(in, 4, &b->grey, NULL, palette, &n, o), COF_ERR_MISMATCH, "out");
    assert_int_equal(n, 77);
    assert_outputs_untouched(b);
    SUCCEEDS(cof_posterise(in, 4, out, NULL, palette, &n, o));
    assert_in_range(n, 1, 4);
    SUCCEEDS(cof_posterise(in, 4, NULL, NULL, NULL, NULL, o));
}

/* Functions that free or query accept NULL. */
static void null_has_no_contents(void **state)
{
    (void)state;
    CofKind kind = COF_KIND_RGBA;
    cof_options_init_sized(NULL, 0);
    cof_stats_free(NULL);
    cof_stats_free(&(CofStats *){NULL});
    cof_model_free(NULL);
    cof_model_free(&(CofModel *){NULL});
    cof_context_free(NULL);
    cof_context_free(&(CofContext *){NULL});
    cof_selection_free(NULL);
    cof_selection_free(&(CofSelection *){NULL});
    cof_free(NULL);
    cof_stats_options(NULL, NULL);
    cof_model_options(NULL, NULL);
    assert_int_equal(cof_stats_size(NULL), 0);
    assert_int_equal(cof_stats_sampling_shift(NULL), 0);
    assert_null(cof_stats_palette(NULL, NULL));
    assert_null(cof_stats_histogram(NULL));
    assert_null(cof_stats_counts(NULL, NULL, NULL));
    assert_status(cof_stats_kind(NULL, &kind), COF_ERR_ARGUMENT);
    assert_int_equal(cof_model_size(NULL), 0);
    assert_null(cof_model_palette(NULL, NULL));
    assert_null(cof_model_matrix(NULL));
    assert_null(cof_model_frequencies(NULL));
    assert_status(cof_model_kind(NULL, &kind), COF_ERR_ARGUMENT);
    assert_int_equal(kind, COF_KIND_RGBA);
}

int main(void)
{
#define ROW(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        ROW(of_options),         ROW(of_devices),     ROW(of_stats),
        ROW(of_labels_and_sums), ROW(of_models),      ROW(of_files),
        ROW(of_filters),         ROW(of_parts),       ROW(of_selections),
        ROW(of_strokes),         ROW(of_masks),       ROW(of_mattes),
        ROW(of_blends),          ROW(of_posterising), cmocka_unit_test(null_has_no_contents),
    };
    return cmocka_run_group_tests_name("problems", tests, NULL, NULL);
}
