/* SPDX-License-Identifier: BSD-2-Clause */
/* The operation cof: the Co-occurrence Filter. */
#include <string.h>

#include "vips_learning.h"
#include "vips_operations.h"
#include "vips_progress.h"

#define NAME "cof"
#define VIPS_COF_STRUCT VipsCofSmooth

/* Images of up to this many pixels are filtered in memory by one multi-threaded call, larger ones
 * tile by tile. Both give the same bytes. */
#define MAX_PIXELS_IN_MEMORY ((gint64)1 << 25)

typedef struct _VipsCofSmooth {
    VipsCofLearning parent_instance;

    VipsImage *in, *out;
    VipsArrayImage *from;
    VipsImage *guide, *labels, *matrix;
    char *model;
    VipsBlob *model_blob;
    int filter_window, border, space, iterations, repeat, method;
    double filter_sigma, until, accuracy;
    char *report;

    Pixels pixels, guide_pixels; /* of `in` and of guide or labels */
} VipsCofSmooth;

typedef struct _VipsCofSmoothClass {
    VipsCofLearningClass parent_class;
} VipsCofSmoothClass;

G_DEFINE_TYPE(VipsCofSmooth, vips_cof_smooth, vips_cof_learning_get_type())

static int refuse(const char *problem)
{
    vips_error(NAME, "%s", problem);
    return -1;
}

/* Explicit arguments override preset and look. */
static void apply_arguments(VipsCofSmooth *s, CofOptions *options)
{
    options->space = (CofSpace)s->space;
    if (vips_cof_is_set(s, "filter_window"))
        options->filter_window = s->filter_window;
    if (vips_cof_is_set(s, "filter_sigma"))
        options->filter_sigma = s->filter_sigma;
    if (vips_cof_is_set(s, "border"))
        options->border = (CofBorder)s->border;
    if (vips_cof_is_set(s, "iterations"))
        options->iterations = s->iterations;
    if (vips_cof_is_set(s, "repeat"))
        options->update = (CofUpdate)s->repeat;
    if (vips_cof_is_set(s, "until"))
        options->tolerance = s->until;
    if (vips_cof_is_set(s, "method"))
        options->method = (CofMethod)s->method;
    if (vips_cof_is_set(s, "accuracy"))
        options->accuracy = s->accuracy;
}

/* The options for an image that is learned from or filtered. */
static int options_of(VipsCofSmooth *s, const VipsImage *image, CofOptions *options)
{
    if (vips_cof_learning_options(&s->parent_instance, image, options) != 0)
        return -1;
    apply_arguments(s, options);
    const char *problem;
    return cof_options_check(options, &problem) == COF_OK ? 0 : refuse(problem);
}

static bool has_model(const VipsCofSmooth *s)
{
    return s->model || s->model_blob;
}

/* Is any argument set that only affects learning? */
static bool asks_to_learn(VipsCofSmooth *s)
{
    static const char *const names[] = {
        "from", "colours", "levels",   "low",       "high", "window", "sampling",
        "seed", "sigma",   "softness", "normalise", "mask", "region", "palette_from"};
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
        if (vips_cof_is_set(s, names[i]))
            return true;
    return false;
}

static bool differs_in_size(const VipsCofSmooth *s, const VipsImage *other)
{
    return other && (other->Xsize != s->in->Xsize || other->Ysize != s->in->Ysize);
}

/* Rejects arguments that conflict with a look or coarse. */
static int check_coarse(VipsCofSmooth *s, CofUpdate repeat)
{
    if (!vips_cof_learning_may_reduce(&s->parent_instance))
        return 0;
    if (s->labels)
        return refuse("labels cannot be reduced: not with a look or coarse");
    if (repeat == COF_UPDATE_MODEL)
        return refuse("a look, and coarse, learn once: not rolling");
    return 0;
}

/* Rejects conflicting arguments. */
static int check_arguments(VipsCofSmooth *s, CofUpdate repeat)
{
    bool rolling = repeat == COF_UPDATE_MODEL;
    if (s->guide && s->labels)
        return refuse("give a guide or labels, not both");
    if (differs_in_size(s, s->guide))
        return refuse("the guide differs in size from the input");
    if (differs_in_size(s, s->labels))
        return refuse("the labels differ in size from the input");
    if (has_model(s) + (s->matrix != NULL) + (s->model && s->model_blob) > 1)
        return refuse("give one model or matrix");
    if (has_model(s) && asks_to_learn(s))
        return refuse("a model is learned already: options of learning have no effect with it");
    if (rolling && (has_model(s) || s->matrix || s->from || s->guide || s->labels))
        return refuse("rolling learns from the input itself, pass after pass");
    if (s->parent_instance.exact_soft && (rolling || s->labels || s->matrix || has_model(s)))
        return refuse(
            "exact_soft learns from pixels, once: not rolling, no labels, matrix or model");
    if (s->labels && (s->from || s->matrix || s->parent_instance.palette_from))
        return refuse("labels need no palette, and no other image to learn from");
    if (repeat == COF_UPDATE_LABELS && (s->guide || s->labels))
        return refuse("each pass labels anew what it filters: not with a guide or labels");
    return check_coarse(s, repeat);
}

/* Can one library call learn from the input and filter it? */
static bool is_plain(const VipsCofSmooth *s)
{
    return !has_model(s) && !s->matrix && !s->from && !s->guide && !s->labels &&
           !s->parent_instance.palette_from && !s->parent_instance.exact_soft;
}

static int count_labels(VipsCofSmooth *s, int *k)
{
    double max;
    if (vips_max(s->labels, &max, NULL) != 0)
        return -1;
    *k = vips_cof_is_set(s, "colours") ? s->parent_instance.colours : (int)max + 1;
    return 0;
}

/* Builds a model from a k x k matrix image, with a palette fitted to the images. */
static int model_of_matrix(VipsCofSmooth *s, VipsImage **images, int n, const CofOptions *options,
                           CofModel **model)
{
    VipsImage *doubles = NULL, *memory = NULL;
    CofStats *palette = NULL;
    CofReport report = {.struct_size = sizeof report};
    CofOptions own = *options;
    own.report = &report;
    if (s->matrix->Bands != 1 || s->matrix->Xsize != s->matrix->Ysize || s->matrix->Xsize > 256)
        return refuse("the matrix must have as many rows as columns, 256 at most");
    if (vips_cast(s->matrix, &doubles, VIPS_FORMAT_DOUBLE, NULL) != 0)
        return -1;
    memory = vips_image_copy_memory(doubles);
    g_object_unref(doubles);
    if (!memory)
        return -1;
    own.colours = own.levels = memory->Xsize;
    int failed = own.levels < 2 ? refuse("the matrix must have at least two rows") : 0;
    failed = failed || vips_cof_learning_palette(&s->parent_instance, images, n, &own, &palette);
    if (!failed && cof_stats_size(palette) != memory->Xsize)
        failed = refuse("the image has fewer colours than the matrix has rows");
    if (!failed) {
        const double *values = (const double *)VIPS_IMAGE_ADDR(memory, 0, 0);
        CofStatus status = cof_model_new_matrix(model, palette, values, &own);
        failed = status == COF_OK ? 0 : stream_fail(NAME, status, &report);
    }
    cof_stats_free(&palette);
    g_object_unref(memory);
    return failed;
}

static int learn_model(VipsCofSmooth *s, VipsImage **images, int n, const CofOptions *options,
                       CofModel **model)
{
    int k = 0;
    CofStats *stats = NULL;
    if (s->parent_instance.exact_soft)
        return vips_cof_learning_soft_model(&s->parent_instance, images, n, options, model);
    if (s->labels && count_labels(s, &k) != 0)
        return -1;
    if (vips_cof_learning_stats(&s->parent_instance, images, n, k, options, &stats) != 0)
        return -1;
    CofReport report = {.struct_size = sizeof report};
    CofOptions own = *options;
    own.report = &report;
    CofStatus status = cof_model_new(model, stats, &own);
    run_report_add(s->parent_instance.run, &report, 0);
    cof_stats_free(&stats);
    return status == COF_OK ? 0 : stream_fail(NAME, status, &report);
}

static int make_model(VipsCofSmooth *s, const CofOptions *options, CofModel **model)
{
    VipsImage *one = s->labels ? s->labels : s->guide ? s->guide : s->in, **images = &one;
    int n = 1;
    CofOptions learning;
    if (has_model(s))
        return vips_cof_load_model(s->model, s->model_blob, options, NAME, model);
    if (s->from)
        images = vips_array_image_get(s->from, &n);
    if (n == 0)
        return stream_fail(NAME, COF_ERR_EMPTY, NULL);
    if (options_of(s, images[0], &learning) != 0)
        return -1;
    return s->matrix ? model_of_matrix(s, images, n, &learning, model)
                     : learn_model(s, images, n, &learning, model);
}

/* A new image in memory with the size, format and metadata of another. */
static VipsImage *memory_like(VipsImage *image)
{
    VipsImage *copy = vips_image_new_memory();
    if (vips_image_pipelinev(copy, VIPS_DEMAND_STYLE_ANY, image, NULL) == 0 &&
        vips_image_write_prepare(copy) == 0)
        return copy;
    g_object_unref(copy);
    return NULL;
}

/* The images of a call that filters the whole input in memory. */
typedef struct Whole {
    VipsImage *in, *out, *guide, *mask;
    CofImage in_view, out_view, guide_view, mask_view;
} Whole;

static int open_whole(VipsCofSmooth *s, Whole *w)
{
    VipsImage *mask = s->parent_instance.mask, *bytes = NULL;
    w->in = vips_image_copy_memory(s->pixels.image);
    w->out = w->in ? memory_like(w->in) : NULL;
    if (!w->out)
        return -1;
    w->in_view = pixels_whole(&s->pixels, w->in);
    w->out_view = pixels_whole(&s->pixels, w->out);
    if (s->guide_pixels.image) {
        w->guide = vips_image_copy_memory(s->guide_pixels.image);
        if (!w->guide)
            return -1;
        w->guide_view = pixels_whole(&s->guide_pixels, w->guide);
    }
    if (!mask || !is_plain(s))
        return 0;
    if (differs_in_size(s, mask))
        return refuse("the mask differs in size from the image");
    if (pixels_mask(mask, &bytes) != 0)
        return -1;
    w->mask = vips_image_copy_memory(bytes);
    g_object_unref(bytes);
    if (!w->mask)
        return -1;
    w->mask_view = pixels_whole(&(Pixels){.kind = COF_KIND_GREY, .sample = COF_SAMPLE_U8}, w->mask);
    return 0;
}

static void close_whole(Whole *w)
{
    VIPS_UNREF(w->in);
    VIPS_UNREF(w->out);
    VIPS_UNREF(w->guide);
    VIPS_UNREF(w->mask);
}

static CofStatus run_whole(VipsCofSmooth *s, const CofModel *model, const Whole *w,
                           const CofOptions *options)
{
    CofRoi where = {.region = vips_cof_learning_region(&s->parent_instance),
                    .mask = w->mask ? &w->mask_view : NULL};
    if (!model)
        return cof_smooth_roi(&w->in_view, &w->out_view, &where, options);
    if (s->labels)
        return cof_filter_labels(model, &w->guide_view, &w->in_view, &w->out_view, options);
    return cof_filter(model, w->guide ? &w->guide_view : NULL, &w->in_view, &w->out_view, options);
}

/* model NULL: learns from the input in the same call. */
static int filter_whole(VipsCofSmooth *s, const CofModel *model, const CofOptions *options,
                        VipsImage **out)
{
    Whole w = {0};
    if (open_whole(s, &w) != 0) {
        close_whole(&w);
        return -1;
    }
    CofReport report = {.struct_size = sizeof report};
    CofOptions own = *options;
    own.report = &report;
    ImageProgress progress;
    image_progress_begin(&progress, s->in, &own);
    CofStatus status = run_whole(s, model, &w, &own);
    image_progress_end(&progress);
    if (status == COF_OK) {
        run_report_add(s->parent_instance.run, &report, (double)w.in->Xsize * w.in->Ysize);
        *out = g_object_ref(w.out);
    }
    close_whole(&w);
    return status == COF_OK ? 0 : stream_fail(NAME, status, &report);
}

static int filter(VipsCofSmooth *s, const CofOptions *options, VipsImage **out)
{
    bool whole = (gint64)s->in->Xsize * s->in->Ysize <= MAX_PIXELS_IN_MEMORY ||
                 options->update == COF_UPDATE_MODEL || options->tolerance > 0 ||
                 options->downscale > 1;
    CofModel *model = NULL;
    if (whole && is_plain(s))
        return filter_whole(s, NULL, options, out);
    if (make_model(s, options, &model) != 0)
        return -1;
    const Pixels *guide = s->guide_pixels.image ? &s->guide_pixels : NULL;
    int failed = whole ? filter_whole(s, model, options, out)
                       : stream_filter(&model, &s->pixels, guide, s->labels != NULL, options,
                                       s->parent_instance.run, NAME, out);
    cof_model_free(&model);
    return failed;
}

/* Sets the report so far, and attaches it to the image, which may still be computed on demand. */
static void attach_report(VipsCofSmooth *s)
{
    RunReport *run = s->parent_instance.run;
    char *text = run_report_text(run);
    g_object_set(s, "report", text, NULL);
    g_free(text);
    run_report_attach(s->out, run);
}

static int vips_cof_smooth_build(VipsObject *object)
{
    VipsCofSmooth *s = (VipsCofSmooth *)object;
    if (VIPS_OBJECT_CLASS(vips_cof_smooth_parent_class)->build(object) != 0)
        return -1;
    CofOptions options;
    VipsImage *other = s->labels ? s->labels : s->guide, *filtered = NULL, *restored = NULL;
    if (options_of(s, s->in, &options) != 0 || check_arguments(s, options.update) != 0 ||
        pixels_open(&s->pixels, s->in, NAME) != 0 ||
        (other && pixels_open(&s->guide_pixels, other, NAME) != 0))
        return -1;
    if (s->labels && (s->guide_pixels.sample != COF_SAMPLE_U8 || s->labels->Bands != 1))
        return refuse("labels must have 8 bits and one band");
    if (s->labels)
        s->guide_pixels.kind = COF_KIND_GREY;
    int failed =
        filter(s, &options, &filtered) || pixels_restore(&s->pixels, s->in, filtered, &restored);
    g_clear_object(&filtered);
    if (failed)
        return -1;
    g_object_set(object, "out", vips_image_new(), NULL);
    failed = vips_image_write(restored, s->out);
    g_object_unref(restored);
    attach_report(s);
    return failed;
}

static void cof_smooth_dispose(GObject *object)
{
    VipsCofSmooth *s = (VipsCofSmooth *)object;
    pixels_close(&s->pixels);
    pixels_close(&s->guide_pixels);
    G_OBJECT_CLASS(vips_cof_smooth_parent_class)->dispose(object);
}

static const char *const borders[] = {"clip", "mirror", "reflect101"};
static const char *const spaces[] = {"lab", "as-is"};
static const char *const repeats[] = {"frozen", "relabel", "rolling"};
static const char *const methods[] = {"exact", "fast", "auto"};

static void add_images(VipsObjectClass *class)
{
    VIPS_ARG_IMAGE(class, "in", 1, "Input", "input image", VIPS_ARGUMENT_REQUIRED_INPUT,
                   offsetof(VIPS_COF_STRUCT, in));
    VIPS_ARG_IMAGE(class, "out", 2, "Output", "output image", VIPS_ARGUMENT_REQUIRED_OUTPUT,
                   offsetof(VIPS_COF_STRUCT, out));
    VIPS_ARG_STRING(
        class, "report", 30, "Report",
        "what was done, as JSON; of learning only, where a large image is filtered later",
        VIPS_ARGUMENT_OPTIONAL_OUTPUT, offsetof(VIPS_COF_STRUCT, report), NULL);
    VIPS_ARG_BOXED(class, "from", 10, "From", "images to learn from, instead of the input",
                   VIPS_ARGUMENT_OPTIONAL_INPUT, offsetof(VIPS_COF_STRUCT, from),
                   VIPS_TYPE_ARRAY_IMAGE);
    VIPS_ARG_STRING(class, "model", 11, "Model",
                    "a file that has a model, or statistics, instead of learning",
                    VIPS_ARGUMENT_OPTIONAL_INPUT, offsetof(VIPS_COF_STRUCT, model), NULL);
    VIPS_ARG_BOXED(class, "model_blob", 11, "Model blob", "the same, as bytes",
                   VIPS_ARGUMENT_OPTIONAL_INPUT, offsetof(VIPS_COF_STRUCT, model_blob),
                   VIPS_TYPE_BLOB);
    VIPS_ARG_IMAGE(class, "guide", 12, "Guide", "the image whose values decide what mixes",
                   VIPS_ARGUMENT_OPTIONAL_INPUT, offsetof(VIPS_COF_STRUCT, guide));
    VIPS_ARG_IMAGE(class, "labels", 13, "Labels",
                   "the label of each pixel, in 8 bits, instead of a palette",
                   VIPS_ARGUMENT_OPTIONAL_INPUT, offsetof(VIPS_COF_STRUCT, labels));
    VIPS_ARG_IMAGE(class, "matrix", 14, "Matrix", "how strongly labels mix, instead of learning",
                   VIPS_ARGUMENT_OPTIONAL_INPUT, offsetof(VIPS_COF_STRUCT, matrix));
}

static void add_numbers(VipsObjectClass *class)
{
    VIPS_COF_ARG_INT(class, "filter_window", 20, "Filter window",
                     "odd side of the filtering window; 0: that of learning", filter_window, 0, 255,
                     0);
    VIPS_COF_ARG_DOUBLE(class, "filter_sigma", 21, "Filter sigma",
                        "std of the filtering Gaussian in pixels; 0: by the preset", filter_sigma,
                        0, 1e6, 0);
    VIPS_COF_ARG_INT(class, "iterations", 24, "Iterations", "passes", iterations, 1, 1000, 1);
    VIPS_COF_ARG_DOUBLE(
        class, "until", 26, "Until",
        "stop after a pass that changes less than this (mean square, in 8-bit units)", until, 0,
        1e12, 0);
    VIPS_COF_ARG_DOUBLE(class, "accuracy", 28, "Accuracy",
                        "of the fast method, against the exact one, in dB", accuracy, 30, 70, 45);
}

static void add_choices(VipsObjectClass *class)
{
    VIPS_COF_ARG_ENUM(class, "border", 22, "Border",
                      "what stands beyond the image (default: the preset's)",
                      vips_cof_enum_type("CofVipsBorder", borders, G_N_ELEMENTS(borders)), border,
                      COF_BORDER_CLIP);
    VIPS_COF_ARG_ENUM(class, "space", 23, "Space", "where colours are averaged",
                      vips_cof_enum_type("CofVipsSpace", spaces, G_N_ELEMENTS(spaces)), space,
                      COF_SPACE_LAB);
    VIPS_COF_ARG_ENUM(class, "repeat", 25, "Repeat", "what several passes learn from",
                      vips_cof_enum_type("CofVipsRepeat", repeats, G_N_ELEMENTS(repeats)), repeat,
                      COF_UPDATE_NONE);
    VIPS_COF_ARG_ENUM(class, "method", 27, "Method", "how the filter is computed",
                      vips_cof_enum_type("CofVipsMethod", methods, G_N_ELEMENTS(methods)), method,
                      COF_METHOD_EXACT);
}

static void vips_cof_smooth_class_init(VipsCofSmoothClass *class)
{
    GObjectClass *gobject_class = G_OBJECT_CLASS(class);
    VipsObjectClass *object_class = VIPS_OBJECT_CLASS(class);
    gobject_class->set_property = vips_object_set_property;
    gobject_class->get_property = vips_object_get_property;
    gobject_class->dispose = cof_smooth_dispose;
    object_class->nickname = NAME;
    object_class->description = "smooth textures, keep the boundaries between them";
    object_class->build = vips_cof_smooth_build;
    add_images(object_class);
    add_numbers(object_class);
    add_choices(object_class);
}

static void vips_cof_smooth_init(VipsCofSmooth *s)
{
    s->iterations = 1;
    s->accuracy = 45;
}
