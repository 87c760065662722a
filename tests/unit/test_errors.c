/* SPDX-License-Identifier: BSD-2-Clause */
/* Invalid input to the library: each case has its own status and message and changes nothing. */
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "testing.h"

enum { SIDE = 12, AREA = SIDE * SIDE };

/* A valid image, palette, model and output, which the tests break one at a time. */
typedef struct Bench {
    uint8_t pixels[AREA * 3], result[AREA * 3], mask_bytes[AREA], label_bytes[AREA];
    CofImage in, out, mask, labels;
    CofOptions options;
    CofReport report;
    CofProblem problem;
    CofStats *stats, *fresh; /* counted; without a palette */
    CofModel *model;
} Bench;

static int set_up(void **state)
{
    Bench *b = calloc(1, sizeof *b);
    Random random = {9};
    for (int i = 0; i < AREA * 3; i++) {
        b->pixels[i] = (uint8_t)random_int(&random, 0, 255);
        b->result[i] = 77;
    }
    memset(b->mask_bytes, 1, AREA);
    b->in = (CofImage){
        .data = b->pixels, .width = SIDE, .height = SIDE, .channels = 3, .kind = COF_KIND_RGB};
    b->out = b->in;
    b->out.data = b->result;
    b->mask = grey_view(b->mask_bytes, SIDE, SIDE);
    b->labels = grey_view(b->label_bytes, SIDE, SIDE);
    b->report.struct_size = sizeof b->report;
    cof_options_init(&b->options);
    b->options.colours = 5;
    b->options.window = 3;
    b->options.report = &b->report;
    b->options.problem = &b->problem;
    b->options.threads = 1;
    assert_ok(cof_stats_new(&b->stats, &b->options));
    assert_ok(cof_stats_new(&b->fresh, &b->options));
    assert_ok(cof_stats_scan(b->stats, &b->in, NULL, NULL));
    assert_ok(cof_stats_fit_palette(b->stats, NULL));
    assert_ok(cof_stats_add(b->stats, &b->in, NULL, NULL));
    assert_ok(cof_model_new(&b->model, b->stats, &b->options));
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    Bench *b = *state;
    cof_stats_free(&b->stats);
    cof_stats_free(&b->fresh);
    cof_model_free(&b->model);
    free(b);
    return 0;
}

static void assert_output_untouched(const Bench *b)
{
    for (int i = 0; i < AREA * 3; i++)
        assert_int_equal(b->result[i], 77);
}

static void assert_problem(const Bench *b, const char *words)
{
    if (!b->problem.text || !strstr(b->problem.text, words))
        fail_msg("'%s' does not say '%s'", b->problem.text ? b->problem.text : "", words);
}

/* Options of another version: too short, or longer with an unknown field set. */
static void options_of_other_versions(void **state)
{
    (void)state;
    struct {
        CofOptions options;
        uint64_t future[2];
    } newer;
    CofProblem problem;
    cof_options_init_sized(&newer.options, sizeof newer);
    assert_true(newer.future[0] == 0 && newer.future[1] == 0);
    assert_int_equal(newer.options.window, 15);
    assert_ok(cof_options_check(&newer.options, &problem));
    newer.future[1] = 1;
    assert_status(cof_options_check(&newer.options, &problem), COF_ERR_OPTION);
    assert_non_null(strstr(problem.text, "does not have"));
    CofOptions zero;
    memset(&zero, 0, sizeof zero);
    assert_status(cof_options_check(&zero, &problem), COF_ERR_OPTION);
    assert_non_null(strstr(problem.text, "cof_options_init"));
    CofReport report = {.struct_size = 8};
    CofOptions options;
    cof_options_init(&options);
    options.report = &report;
    assert_status(cof_options_check(&options, &problem), COF_ERR_OPTION);
    assert_non_null(strstr(problem.text, "report"));
}

typedef struct ImageRow {
    const char *words;
    void (*spoil)(CofImage *i);
} ImageRow;

#define SPOIL_IMAGE(name, statement) \
    static void name(CofImage *i) \
    { \
        statement; \
    }

SPOIL_IMAGE(no_data, i->data = NULL)
SPOIL_IMAGE(no_width, i->width = 0)
SPOIL_IMAGE(no_height, i->height = 0)
SPOIL_IMAGE(negative_width, i->width = -5)
SPOIL_IMAGE(huge, i->width = i->height = INT_MAX)
SPOIL_IMAGE(large, (i->width = i->height = 1 << 30, i->pixel_stride = 64))
SPOIL_IMAGE(huge_stride, i->row_stride = PTRDIFF_MAX / 4)
SPOIL_IMAGE(huge_step, i->pixel_stride = PTRDIFF_MAX / 4)
SPOIL_IMAGE(least_stride, i->row_stride = PTRDIFF_MIN)
SPOIL_IMAGE(huge_plane, i->channel_stride = PTRDIFF_MAX)
SPOIL_IMAGE(huge_valid_stride, (i->valid = i->data, i->valid_stride = PTRDIFF_MAX / 2))
SPOIL_IMAGE(no_channels, i->channels = 0)
SPOIL_IMAGE(other_channels, i->channels = 4)
SPOIL_IMAGE(many_bands, (i->kind = COF_KIND_BANDS, i->channels = 65))
SPOIL_IMAGE(unknown_kind, i->kind = (CofKind)5)
SPOIL_IMAGE(unknown_sample, i->sample = (CofSample)3)
SPOIL_IMAGE(reserved_used, i->reserved[0] = 1)
SPOIL_IMAGE(negative_place, (i->x = -1, i->full_width = i->full_height = 50))
SPOIL_IMAGE(outside_full, (i->x = 45, i->full_width = i->full_height = 50))
SPOIL_IMAGE(full_too_small, i->full_width = i->full_height = 5)
SPOIL_IMAGE(half_a_full_size, i->full_width = 50)
SPOIL_IMAGE(full_huge, i->full_width = i->full_height = INT_MAX)
SPOIL_IMAGE(place_overflows, (i->x = INT_MAX, i->full_width = i->full_height = 1 << 30))

static const ImageRow image_rows[] = {
    {"NULL", no_data},
    {"must be 1 to 2^30", no_width},
    {"must be 1 to 2^30", no_height},
    {"must be 1 to 2^30", negative_width},
    {"must be 1 to 2^30", huge},
    {"does not fit in memory", large},
    {"does not fit in memory", huge_stride},
    {"does not fit in memory", huge_step},
    {"does not fit in memory", least_stride},
    {"does not fit in memory", huge_plane},
    {"does not fit in memory", huge_valid_stride},
    {"number of channels", no_channels},
    {"number of channels", other_channels},
    {"number of channels", many_bands},
    {"number of channels", unknown_kind},
    {"sample type", unknown_sample},
    {"reserved", reserved_used},
    {"outside of its full image", negative_place},
    {"outside of its full image", outside_full},
    {"outside of its full image", full_too_small},
    {"full image must be", half_a_full_size},
    {"full image must be", full_huge},
    {"outside of its full image", place_overflows},
};

/* Every function that takes an image rejects it with the same message. */
static void images_that_make_no_sense(void **state)
{
    Bench *b = *state;
    for (size_t i = 0; i < sizeof image_rows / sizeof image_rows[0]; i++) {
        CofImage bad = b->in;
        const char *words = image_rows[i].words;
        CofModel *model = NULL;
        image_rows[i].spoil(&bad);
#define REFUSED(call) \
    do { \
        assert_status(call, COF_ERR_ARGUMENT); \
        assert_problem(b, words); \
    } while (0)
        REFUSED(cof_smooth(&bad, &b->out, &b->options));
        REFUSED(cof_smooth(&b->in, &bad, &b->options));
        REFUSED(cof_stats_scan(b->fresh, &bad, NULL, &b->options));
        REFUSED(cof_stats_add(b->stats, &bad, NULL, &b->options));
        REFUSED(cof_model_new_soft(&model, b->stats, &bad, NULL, 1, &b->options));
        REFUSED(cof_model_label(b->model, &bad, &b->labels, &b->options));
        REFUSED(cof_filter(b->model, NULL, &bad, &b->out, &b->options));
        REFUSED(cof_filter(b->model, &bad, &b->in, &b->out, &b->options));
        REFUSED(cof_filter_labels(b->model, &b->labels, &bad, &b->out, &b->options));
        assert_null(model);
    }
    assert_output_untouched(b);
}

/* A report describes its own call, however early it failed. */
static void reports_are_fresh(void **state)
{
    Bench *b = *state;
    assert_ok(cof_smooth(&b->in, &b->out, &b->options));
    assert_int_equal(b->report.passes, 1);
    assert_null(b->problem.text);
    assert_status(cof_stats_add(b->fresh, &b->in, NULL, &b->options), COF_ERR_ARGUMENT);
    assert_problem(b, "no palette yet");
    assert_int_equal(b->report.passes, 0);
    assert_ok(cof_smooth(&b->in, &b->out, &b->options));
    b->options.iterations = -1;
    assert_status(cof_smooth(&b->in, &b->out, &b->options), COF_ERR_OPTION);
    assert_problem(b, "iterations");
    assert_int_equal(b->report.passes, 0);
    CofRoi roi = {.reserved = {1}};
    b->options.iterations = 1;
    assert_status(cof_smooth_roi(&b->in, &roi, &b->out, &b->options), COF_ERR_ARGUMENT);
    assert_problem(b, "reserved");
}

static void things_out_of_order(void **state)
{
    Bench *b = *state;
    CofModel *model = NULL;
    float centres[3] = {1, 2, (float)NAN};
    double matrix[25];
    assert_status(cof_stats_add(b->fresh, &b->in, NULL, NULL), COF_ERR_ARGUMENT);
    assert_status(cof_model_new(&model, b->fresh, NULL), COF_ERR_ARGUMENT);
    assert_status(cof_stats_fit_palette(b->fresh, NULL), COF_ERR_EMPTY);
    assert_status(cof_stats_scan(b->stats, &b->in, NULL, NULL), COF_ERR_ARGUMENT);
    assert_status(cof_stats_fit_palette(b->stats, NULL), COF_ERR_ARGUMENT);
    assert_status(cof_stats_set_labels(b->stats, 3, NULL), COF_ERR_ARGUMENT);
    assert_status(cof_stats_set_labels(b->fresh, 0, NULL), COF_ERR_ARGUMENT);
    assert_status(cof_stats_set_labels(b->fresh, 257, NULL), COF_ERR_ARGUMENT);
    assert_status(cof_stats_set_palette(b->fresh, centres, 1, 3, COF_KIND_RGB, NULL),
                  COF_ERR_ARGUMENT);
    centres[2] = 3;
    assert_status(cof_stats_set_palette(b->fresh, centres, 1, 2, COF_KIND_RGB, NULL),
                  COF_ERR_ARGUMENT);
    assert_status(cof_stats_set_palette(b->fresh, centres, 0, 3, COF_KIND_RGB, NULL),
                  COF_ERR_ARGUMENT);
    assert_status(cof_stats_set_palette(b->fresh, centres, 1, 3, (CofKind)9, NULL),
                  COF_ERR_ARGUMENT);
    for (int i = 0; i < 25; i++)
        matrix[i] = 1;
    matrix[7] = 2;
    assert_status(cof_model_new_matrix(&model, b->stats, matrix, &b->options), COF_ERR_ARGUMENT);
    assert_problem(b, "symmetric");
    matrix[7] = matrix[11] = -1;
    assert_status(cof_model_new_matrix(&model, b->stats, matrix, &b->options), COF_ERR_ARGUMENT);
    assert_problem(b, "not negative");
    matrix[7] = matrix[11] = (double)NAN;
    assert_status(cof_model_new_matrix(&model, b->stats, matrix, &b->options), COF_ERR_ARGUMENT);
    assert_null(model);
    /* No failed call has set the palette. */
    assert_ok(cof_stats_set_palette(b->fresh, centres, 1, 3, COF_KIND_RGB, NULL));
    assert_status(cof_model_new(&model, b->fresh, &b->options), COF_ERR_EMPTY);
}

static void things_that_do_not_belong_together(void **state)
{
    Bench *b = *state;
    CofOptions *o = &b->options;
    CofImage small = b->in, grey = grey_view(b->pixels, SIDE, SIDE), deep = b->in;
    CofImage small_bytes = b->mask, colour_mask = b->in, rgba = b->in;
    small.width--;
    small_bytes.height--;
    deep.sample = COF_SAMPLE_U16;
    deep.width = deep.height = SIDE / 2;
    rgba.kind = COF_KIND_RGBA;
    rgba.channels = 4;
    rgba.width = SIDE / 2;
    CofRoi small_mask = {.mask = &small_bytes}, wrong_mask = {.mask = &colour_mask};
    assert_status(cof_filter(b->model, &small, &b->in, &b->out, o), COF_ERR_MISMATCH);
    assert_problem(b, "guide and input differ in size or place");
    assert_status(cof_filter(b->model, NULL, &b->in, &small, o), COF_ERR_MISMATCH);
    assert_problem(b, "input and output differ in full size");
    CofImage elsewhere = b->in;
    elsewhere.x = 3;
    elsewhere.full_width = elsewhere.full_height = 2 * SIDE;
    assert_status(cof_filter(b->model, &elsewhere, &b->in, &b->out, o), COF_ERR_MISMATCH);
    assert_problem(b, "differ in size or place");
    uint8_t wide[4 * AREA * 3];
    CofImage large = {
        .data = wide, .width = 2 * SIDE, .height = 2 * SIDE, .channels = 3, .kind = COF_KIND_RGB};
    assert_status(cof_filter(b->model, NULL, &b->in, &large, o), COF_ERR_MISMATCH);
    assert_problem(b, "full size");
    assert_status(cof_smooth(&b->in, &large, o), COF_ERR_MISMATCH);
    assert_status(cof_filter(b->model, NULL, &b->in, &grey, o), COF_ERR_MISMATCH);
    assert_status(cof_filter(b->model, NULL, &grey, &grey, o), COF_ERR_MISMATCH);
    assert_problem(b, "not of the kind");
    assert_status(cof_filter(b->model, NULL, &b->in, &deep, o), COF_ERR_MISMATCH);
    assert_status(cof_filter_labels(b->model, &small_bytes, &b->in, &b->out, o), COF_ERR_MISMATCH);
    assert_status(cof_filter_labels(b->model, &colour_mask, &b->in, &b->out, o), COF_ERR_ARGUMENT);
    assert_problem(b, "grey with 8 bits");
    assert_status(cof_smooth_roi(&b->in, &small_mask, &b->out, o), COF_ERR_MISMATCH);
    assert_problem(b, "differs from the image in size");
    assert_status(cof_smooth_roi(&b->in, &wrong_mask, &b->out, o), COF_ERR_ARGUMENT);
    assert_status(cof_stats_add(b->stats, &grey, NULL, o), COF_ERR_MISMATCH);
    assert_status(cof_stats_add(b->stats, &b->in, &small_mask, o), COF_ERR_MISMATCH);
    assert_status(cof_model_label(b->model, &b->in, &small_bytes, o), COF_ERR_MISMATCH);
    assert_status(cof_model_label(b->model, &grey, &b->labels, o), COF_ERR_MISMATCH);
    assert_ok(cof_stats_scan(b->fresh, &b->in, NULL, o));
    assert_ok(cof_stats_scan(b->fresh, &rgba, NULL, o)); /* alpha and depth do not matter to Lab */
    assert_ok(cof_stats_scan(b->fresh, &deep, NULL, o));
    assert_status(cof_stats_scan(b->fresh, &grey, NULL, o), COF_ERR_MISMATCH);
    assert_problem(b, "differs in kind");
    assert_status(cof_stats_merge(b->fresh, b->stats, NULL), COF_ERR_MISMATCH);
    CofStats *other = NULL;
    CofOptions others = *o;
    others.window = 5;
    assert_ok(cof_stats_new(&other, &others));
    assert_status(cof_stats_merge(b->fresh, other, NULL), COF_ERR_MISMATCH);
    cof_stats_free(&other);
    assert_output_untouched(b);
}

static void labels_beyond_the_palette(void **state)
{
    Bench *b = *state;
    b->label_bytes[40] = 5; /* k is 5 */
    assert_status(cof_filter_labels(b->model, &b->labels, &b->in, &b->out, &b->options),
                  COF_ERR_MISMATCH);
    assert_problem(b, "label");
    assert_status(cof_stats_add_labels(b->stats, &b->labels, NULL, &b->options), COF_ERR_MISMATCH);
    assert_problem(b, "label");
    assert_output_untouched(b);
    /* Labels of invalid pixels are ignored. */
    b->mask_bytes[40] = 0;
    b->in.valid = b->mask_bytes;
    assert_ok(cof_filter_labels(b->model, &b->labels, &b->in, &b->out, &b->options));
    CofRoi roi = {.mask = &b->mask};
    assert_ok(cof_stats_add_labels(b->stats, &b->labels, &roi, &b->options));
}

static void nothing_to_learn_from(void **state)
{
    Bench *b = *state;
    CofRoi roi = {.mask = &b->mask};
    memset(b->mask_bytes, 0, AREA);
    assert_status(cof_smooth_roi(&b->in, &roi, &b->out, &b->options), COF_ERR_EMPTY);
    b->in.valid = b->mask_bytes;
    assert_status(cof_smooth(&b->in, &b->out, &b->options), COF_ERR_EMPTY);
    float nans[AREA];
    for (int i = 0; i < AREA; i++)
        nans[i] = (float)NAN;
    CofImage grey = grey_view((uint8_t *)nans, SIDE, SIDE);
    grey.sample = COF_SAMPLE_F32;
    assert_status(cof_smooth(&grey, &grey, &b->options), COF_ERR_EMPTY);
    assert_problem(b, "nothing to learn from");
    assert_output_untouched(b);
}

static void places_outside(void **state)
{
    Bench *b = *state;
    CofOptions *o = &b->options;
    CofRoi outside = {.region = {SIDE, 0, 4, 4}}, negative = {.region = {0, 0, -4, 4}};
    CofRoi huge = {.region = {INT_MAX, INT_MAX, INT_MAX, INT_MAX}};
    CofRoi part_outside = {.part = {SIDE - 1, 0, 2, 2}}, part_empty = {.part = {1, 1, 0, 3}};
    assert_status(cof_smooth_roi(&b->in, &outside, &b->out, o), COF_ERR_MISMATCH);
    assert_problem(b, "region");
    assert_status(cof_smooth_roi(&b->in, &negative, &b->out, o), COF_ERR_ARGUMENT);
    assert_problem(b, "no pixels");
    assert_status(cof_smooth_roi(&b->in, &huge, &b->out, o), COF_ERR_MISMATCH);
    assert_status(cof_stats_add(b->stats, &b->in, &part_outside, o), COF_ERR_MISMATCH);
    assert_problem(b, "part");
    assert_status(cof_stats_add(b->stats, &b->in, &part_empty, o), COF_ERR_ARGUMENT);
    CofRoi beyond_view = {.part = {0, 0, SIDE, SIDE}};
    CofImage corner = b->in;
    corner.full_width = corner.full_height = SIDE;
    corner.width = corner.height = SIDE / 2;
    assert_status(cof_stats_scan(b->fresh, &corner, &beyond_view, o), COF_ERR_MISMATCH);
    assert_problem(b, "does not contain the part");
    CofImage tile = b->in;
    tile.full_width = tile.full_height = 100;
    tile.x = tile.y = 20;
    CofRoi all_of_tile = {.part = {20, 20, SIDE, SIDE}};
    assert_status(cof_smooth(&tile, &b->out, o), COF_ERR_ARGUMENT);
    assert_problem(b, "whole image");
    assert_status(cof_stats_add(b->stats, &tile, NULL, o), COF_ERR_MISMATCH);
    assert_status(cof_stats_add(b->stats, &tile, &all_of_tile, o), COF_ERR_MISMATCH);
    assert_problem(b, "half a window");
    assert_status(cof_filter(b->model, NULL, &tile, &b->out, o), COF_ERR_MISMATCH);
    assert_problem(b, "full size");
    CofImage corner_of_tile = tile, inside = tile;
    corner_of_tile.width = corner_of_tile.height = inside.width = inside.height = 2;
    corner_of_tile.data = inside.data = b->result;
    assert_status(cof_filter(b->model, NULL, &tile, &corner_of_tile, o), COF_ERR_MISMATCH);
    assert_problem(b, "extend far enough");
    assert_string_equal(b->problem.argument, "in");
    inside.x = inside.y = 99;
    assert_status(cof_filter(b->model, NULL, &tile, &inside, o), COF_ERR_ARGUMENT);
    assert_string_equal(b->problem.argument, "out");
    inside.x = inside.y = 98;
    assert_status(cof_filter(b->model, NULL, &tile, &inside, o), COF_ERR_MISMATCH);
    assert_string_equal(b->problem.argument, "in");
    inside.x = inside.y = 24;
    o->tolerance = 1;
    assert_status(cof_filter(b->model, NULL, &tile, &inside, o), COF_ERR_OPTION);
    assert_string_equal(b->problem.option, "tolerance");
    assert_output_untouched(b);
    o->tolerance = 0;
    assert_ok(cof_filter(b->model, NULL, &tile, &inside, o));
    memset(b->result, 77, sizeof b->result);
    assert_output_untouched(b);
}

static void options_that_do_not_go_together(void **state)
{
    Bench *b = *state;
    CofOptions *o = &b->options;
    o->update = COF_UPDATE_MODEL;
    assert_status(cof_filter(b->model, NULL, &b->in, &b->out, o), COF_ERR_OPTION);
    assert_problem(b, "only cof_smooth()");
    assert_string_equal(b->problem.option, "update");
    o->update = COF_UPDATE_LABELS;
    assert_status(cof_filter(b->model, &b->in, &b->in, &b->out, o), COF_ERR_OPTION);
    assert_problem(b, "cannot be updated");
    assert_string_equal(b->problem.option, "update");
    assert_status(cof_filter_labels(b->model, &b->labels, &b->in, &b->out, o), COF_ERR_OPTION);
    assert_output_untouched(b);
    assert_status(cof_context_new(&o->context, -1, NULL), COF_ERR_OPTION);
}

/* The bench with statistics and a model of the downscaled image. */
static void learn_downscaled(Bench *b)
{
    cof_stats_free(&b->stats);
    cof_stats_free(&b->fresh);
    cof_model_free(&b->model);
    b->options.downscale = 2;
    assert_ok(cof_stats_new(&b->fresh, &b->options));
    assert_ok(learn_from(&b->in, NULL, &b->options, &b->stats));
    assert_ok(cof_model_new(&b->model, b->stats, &b->options));
}

#define REFUSED_DOWNSCALED(call, name) \
    do { \
        assert_status(call, COF_ERR_OPTION); \
        assert_non_null(b->problem.option); \
        assert_string_equal(b->problem.option, name); \
    } while (0)
#define OPTION_REFUSED(call) REFUSED_DOWNSCALED(call, "downscale")
#define FILTER_REFUSED(call) REFUSED_DOWNSCALED(call, "filter_downscale")

/* Learning and filtering of whole images, with labels from them: all else cannot be downscaled. */
static void downscaling_is_for_whole_images(void **state)
{
    Bench *b = *state;
    CofOptions *o = &b->options;
    CofRect left = {0, 0, SIDE / 2, SIDE};
    CofRoi part = {.part = left};
    CofImage tile = view_part(&b->in, left), out_tile = view_part(&b->out, left);
    int margin = 77;
    learn_downscaled(b);
    FILTER_REFUSED(cof_filter(b->model, NULL, &b->in, &out_tile, o));
    FILTER_REFUSED(cof_filter(b->model, &b->in, &b->in, &out_tile, o));
    OPTION_REFUSED(cof_stats_scan(b->fresh, &tile, NULL, o));
    OPTION_REFUSED(cof_stats_scan(b->fresh, &b->in, &part, o));
    OPTION_REFUSED(cof_stats_add(b->stats, &tile, NULL, o));
    OPTION_REFUSED(cof_stats_add(b->stats, &b->in, &part, o));
    OPTION_REFUSED(cof_stats_add_labels(b->stats, &b->labels, NULL, o));
    OPTION_REFUSED(cof_stats_set_labels(b->fresh, 3, &b->problem));
    FILTER_REFUSED(cof_filter_labels(b->model, &b->labels, &b->in, &b->out, o));
    FILTER_REFUSED(cof_filter_labels(b->model, &b->labels, &b->in, &out_tile, o));
    FILTER_REFUSED(cof_filter_margin(b->model, &margin, o));
    assert_int_equal(margin, 77);
    o->update = COF_UPDATE_MODEL;
    OPTION_REFUSED(cof_smooth(&b->in, &b->out, o));
    assert_output_untouched(b);
    /* Rejected calls change nothing: the whole image is still filtered correctly. */
    o->update = COF_UPDATE_NONE;
    part.part = (CofRect){0, 0, SIDE, SIDE};
    assert_ok(cof_stats_scan(b->fresh, &b->in, &part, o));
    assert_ok(cof_stats_fit_palette(b->fresh, o));
    assert_ok(cof_stats_add(b->fresh, &b->in, &part, o));
    assert_same_stats(b->fresh, b->stats);
    assert_ok(cof_filter(b->model, NULL, &b->in, &b->out, o));
}

static void downscaling_excludes_a_foreground(void **state)
{
    Bench *b = *state;
    CofOptions *o = &b->options;
    CofModel *model = NULL, *other = NULL;
    float softly[AREA];
    CofImage soft = {
        .data = softly, .width = SIDE, .height = SIDE, .channels = 1, .sample = COF_SAMPLE_F32};
    for (int i = 0; i < AREA; i++)
        softly[i] = 77;
    learn_downscaled(b);
    OPTION_REFUSED(cof_model_new_soft(&model, b->stats, &b->in, NULL, 1, o));
    OPTION_REFUSED(cof_model_learn_pair(&model, &other, &b->in, &b->mask, o));
    OPTION_REFUSED(cof_focus_mask(&b->in, &b->mask, &b->out, o));
    FILTER_REFUSED(cof_focus(b->model, b->model, NULL, NULL, &b->in, &b->out, o));
    FILTER_REFUSED(cof_matte(b->model, b->model, NULL, &b->in, &soft, o));
    FILTER_REFUSED(cof_select_spread(b->model, &b->in, &b->mask, NULL, &soft, o));
    FILTER_REFUSED(
        cof_select_threshold(b->model, &b->in, &b->mask, NULL, &soft, &b->labels, NULL, o));
    assert_null(model);
    assert_null(other);
    assert_output_untouched(b);
    for (int i = 0; i < AREA; i++)
        assert_true(softly[i] == 77 && b->label_bytes[i] == 0);
}

static int call_again(void *user, double done)
{
    (void)done;
    Bench *b = user;
    CofOptions again = b->options;
    again.progress = NULL;
    again.report = NULL;
    /* The CofContext is in use by the call that runs this callback. */
    return cof_smooth(&b->in, &b->in, &again) != COF_ERR_BUSY;
}

static void context_in_use(void **state)
{
    Bench *b = *state;
    assert_ok(cof_context_new(&b->options.context, 2, NULL));
    b->options.progress = call_again;
    b->options.user = b;
    assert_ok(cof_smooth(&b->in, &b->out, &b->options));
    cof_context_free(&b->options.context);
}

static void every_status_has_words(void **state)
{
    (void)state;
    for (int status = 0; status >= -10; status--) {
        const char *words = cof_status_string((CofStatus)status);
        assert_non_null(words);
        assert_string_not_equal(words, "unknown status");
    }
    assert_string_equal(cof_status_string((CofStatus)-11), "unknown status");
    assert_int_equal(cof_version(),
                     (COF_VERSION_MAJOR << 16 | COF_VERSION_MINOR << 8 | COF_VERSION_PATCH));
    assert_non_null(strstr("c neon avx2 avx512 vbmi wasm", cof_cpu_level()));
}

/* The largest and smallest floats, and values that are no colours, stay finite. */
static void extreme_values(void **state)
{
    (void)state;
    float pixels[AREA * 3], out[AREA * 3];
    Random random = {3};
    const float extremes[] = {FLT_MAX, -FLT_MAX, FLT_MIN, 1e-40f, -5, 0, 1, 1e20f};
    for (int kind = 0; kind < 2; kind++)
        for (int same = 0; same < 3; same++) {
            for (int i = 0; i < AREA * 3; i++)
                pixels[i] = same == 0    ? extremes[random_int(&random, 0, 7)]
                            : same == 1  ? -FLT_MAX
                            : i % 3 == 0 ? FLT_MAX
                                         : FLT_MAX * (float)random_uniform(&random);
            CofImage in = {.data = pixels,
                           .width = SIDE,
                           .height = SIDE,
                           .channels = 3,
                           .kind = kind ? COF_KIND_RGB : COF_KIND_BANDS,
                           .sample = COF_SAMPLE_F32};
            CofImage to = in;
            to.data = out;
            CofOptions options;
            cof_options_init(&options);
            options.filter_window = same == 2 ? 1 : 0; /* to Lab and back: the last bit may grow */
            for (options.downscale = 1; options.downscale < 6; options.downscale++) {
                options.fidelity = options.downscale % 3;
                options.detail = options.downscale % 2 ? 2 : 0.5;
                assert_ok(cof_smooth(&in, &to, &options));
                for (int i = 0; i < AREA * 3; i++)
                    assert_true(isfinite(out[i]));
            }
        }
}

int main(void)
{
#define ROW(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        ROW(options_of_other_versions),
        ROW(images_that_make_no_sense),
        ROW(reports_are_fresh),
        ROW(things_out_of_order),
        ROW(things_that_do_not_belong_together),
        ROW(labels_beyond_the_palette),
        ROW(nothing_to_learn_from),
        ROW(places_outside),
        ROW(options_that_do_not_go_together),
        ROW(downscaling_is_for_whole_images),
        ROW(downscaling_excludes_a_foreground),
        ROW(context_in_use),
        ROW(every_status_has_words),
        ROW(extreme_values),
    };
    return cmocka_run_group_tests_name("errors", tests, NULL, NULL);
}
