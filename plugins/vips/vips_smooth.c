/* SPDX-License-Identifier: BSD-2-Clause */
/* The operation cof: the Co-occurrence Filter. */
#include "vips_smooth.h"

#include "vips_progress.h"

#define VIPS_COF_STRUCT VipsCofSmooth

G_DEFINE_TYPE(VipsCofSmooth, vips_cof_smooth, vips_cof_learning_get_type())

/* Can one library call learn from the input and filter it? */
static bool is_plain(const VipsCofSmooth *s)
{
    return !smooth_has_model(s) && !s->matrix && !s->learn_from && !s->guide_pixels.image &&
           !s->parent_instance.palette_from && !s->parent_instance.exact_soft;
}

/* The factors of learning and of filtering. */
typedef struct Factors {
    int learned, filtered;
} Factors;

/* model NULL: the factor of learning is that of the options. */
static Factors factors_of(const CofModel *model, const CofOptions *options)
{
    CofOptions learned = *options;
    cof_model_options(model, &learned);
    return (Factors){learned.downscale,
                     options->filter_downscale > 0 ? options->filter_downscale : learned.downscale};
}

/* Can the image be filtered downscaled, and then refined in parts? */
static bool streams_downscaled(const VipsCofSmooth *s, Factors factors)
{
    return factors.filtered == factors.learned && !s->guide_pixels.image &&
           small_image_is_streamed(&s->pixels);
}

/* Must the image be filtered by one call? */
static bool needs_whole(const VipsCofSmooth *s, const CofModel *model, const CofOptions *options)
{
    Factors factors = factors_of(model, options);
    return s->parent_instance.device || !pixels_are_large(s->in) ||
           options->update == COF_UPDATE_MODEL || options->tolerance > 0 ||
           (factors.filtered > 1 && !streams_downscaled(s, factors));
}

/* Runs the passes on the downscaled image. */
static int make_coarse(VipsCofSmooth *s, const CofModel *model, int factor,
                       const CofOptions *options, CofCoarse **coarse)
{
    CofImage view;
    Argument argument = vips_cof_argument(&s->parent_instance, "in");
    if (small_image_get(&s->parent_instance.small, &s->pixels, s->in, factor, &argument, &view) !=
        0)
        return -1;
    CofReport report = {.struct_size = sizeof report};
    CofProblem problem;
    CofOptions own = *options;
    own.report = &report;
    own.problem = &problem;
    ImageProgress progress;
    image_progress_begin(&progress, s->in, &own);
    CofStatus status = cof_coarse_new(coarse, model, &view, &own);
    image_progress_end(&progress);
    small_image_clear(&s->parent_instance.small);
    run_report_add(s->parent_instance.run, &report, (double)view.width * view.height);
    return status == COF_OK ? 0 : problem_fail(&argument, &problem);
}

static int filter_on_demand(VipsCofSmooth *s, CofModel **model, const CofOptions *options,
                            VipsImage **out)
{
    CofCoarse *coarse = NULL;
    int factor = factors_of(*model, options).filtered;
    if (factor > 1 && make_coarse(s, *model, factor, options, &coarse) != 0)
        return -1;
    const Pixels *guide = s->guide_pixels.image ? &s->guide_pixels : NULL;
    Argument argument = vips_cof_argument(&s->parent_instance, "in");
    int failed = stream_filter(model, &coarse, &s->pixels, guide, s->labels != NULL, options,
                               s->parent_instance.run, &argument, out);
    cof_coarse_free(&coarse);
    return failed;
}

static int filter(VipsCofSmooth *s, const CofOptions *options, VipsImage **out)
{
    CofModel *model = NULL;
    if (is_plain(s) && needs_whole(s, NULL, options))
        return smooth_whole(s, NULL, options, out);
    if (smooth_make_model(s, options, &model) != 0)
        return -1;
    int failed = needs_whole(s, model, options) ? smooth_whole(s, model, options, out)
                                                : filter_on_demand(s, &model, options, out);
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

/* Averages linear light as it is; the labels come from the same image, sRGB-encoded. */
static int keep_linear(VipsCofSmooth *s)
{
    Pixels encoded = s->pixels;
    if (pixels_open_linear(&s->pixels, s->in) != 0) {
        s->pixels = encoded;
        return -1;
    }
    if (encoded.valid)
        s->pixels.valid = g_object_ref(encoded.valid);
    if (s->guide_pixels.image)
        pixels_close(&encoded);
    else
        s->guide_pixels = encoded;
    return 0;
}

static int open_images(VipsCofSmooth *s)
{
    Argument in = vips_cof_argument(&s->parent_instance, "in");
    Argument other = vips_cof_argument(&s->parent_instance, s->labels ? "labels" : "guide");
    VipsImage *guide = s->labels ? s->labels : s->guide;
    if (pixels_open(&s->pixels, s->in, (BandsKind)s->parent_instance.kind, &in) != 0 ||
        (guide && pixels_open(&s->guide_pixels, guide, BANDS_AUTO, &other) != 0))
        return -1;
    if (s->labels && (s->guide_pixels.sample != COF_SAMPLE_U8 || s->labels->Bands != 1))
        return problem_refuse(&other, COF_ERR_ARGUMENT, "labels must have 8 bits and one band");
    if (s->labels)
        s->guide_pixels.kind = COF_KIND_GREY;
    return 0;
}

static int filter_image(VipsCofSmooth *s, const CofOptions *options, VipsImage **out)
{
    VipsImage *filtered = NULL;
    if (s->pixels.linear && options->space == COF_SPACE_NATIVE && keep_linear(s) != 0)
        return -1;
    if (filter(s, options, &filtered) != 0)
        return -1;
    int failed = pixels_restore(&s->pixels, s->in, filtered, out);
    g_object_unref(filtered);
    return failed;
}

static int vips_cof_smooth_build(VipsObject *object)
{
    VipsCofSmooth *s = (VipsCofSmooth *)object;
    if (VIPS_OBJECT_CLASS(vips_cof_smooth_parent_class)->build(object) != 0)
        return -1;
    CofOptions options;
    VipsImage *result = NULL;
    if (vips_cof_learning_options(&s->parent_instance, s->in, &options) != 0 ||
        open_images(s) != 0 || smooth_check_arguments(s, &options) != 0 ||
        filter_image(s, &options, &result) != 0)
        return -1;
    g_object_set(object, "out", vips_image_new(), NULL);
    int failed = vips_image_write(result, s->out);
    g_object_unref(result);
    attach_report(s);
    return failed;
}

static void vips_cof_smooth_dispose(GObject *object)
{
    VipsCofSmooth *s = (VipsCofSmooth *)object;
    pixels_close(&s->pixels);
    pixels_close(&s->guide_pixels);
    G_OBJECT_CLASS(vips_cof_smooth_parent_class)->dispose(object);
}

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
    VIPS_ARG_BOXED(class, "learn_from", 10, "Learn from",
                   "images to learn from, instead of the input", VIPS_ARGUMENT_OPTIONAL_INPUT,
                   offsetof(VIPS_COF_STRUCT, learn_from), VIPS_TYPE_ARRAY_IMAGE);
    VIPS_ARG_STRING(class, "model", 11, "Model",
                    "a file of a model or of statistics, instead of learning",
                    VIPS_ARGUMENT_OPTIONAL_INPUT, offsetof(VIPS_COF_STRUCT, model), NULL);
    VIPS_ARG_BOXED(class, "model_blob", 12, "Model blob", "the same, as bytes",
                   VIPS_ARGUMENT_OPTIONAL_INPUT, offsetof(VIPS_COF_STRUCT, model_blob),
                   VIPS_TYPE_BLOB);
    VIPS_ARG_IMAGE(class, "guide", 13, "Guide", "the image whose values decide what is averaged",
                   VIPS_ARGUMENT_OPTIONAL_INPUT, offsetof(VIPS_COF_STRUCT, guide));
    VIPS_ARG_IMAGE(class, "labels", 14, "Labels",
                   "the label of each pixel, in 8 bits, instead of a palette",
                   VIPS_ARGUMENT_OPTIONAL_INPUT, offsetof(VIPS_COF_STRUCT, labels));
    VIPS_ARG_IMAGE(class, "matrix", 15, "Matrix",
                   "how strongly labels are averaged, instead of learning",
                   VIPS_ARGUMENT_OPTIONAL_INPUT, offsetof(VIPS_COF_STRUCT, matrix));
}

static void vips_cof_smooth_class_init(VipsCofSmoothClass *class)
{
    GObjectClass *gobject_class = G_OBJECT_CLASS(class);
    VipsObjectClass *object_class = VIPS_OBJECT_CLASS(class);
    gobject_class->set_property = vips_object_set_property;
    gobject_class->get_property = vips_object_get_property;
    gobject_class->dispose = vips_cof_smooth_dispose;
    object_class->nickname = SMOOTH_NAME;
    object_class->description = "smooth textures, keep the boundaries between them";
    object_class->build = vips_cof_smooth_build;
    add_images(object_class);
    vips_cof_install_options(object_class, COF_OPTION_GROUP_FILTER,
                             offsetof(VIPS_COF_STRUCT, parent_instance.values));
}

static void vips_cof_smooth_init(VipsCofSmooth *s)
{
    (void)s;
}
