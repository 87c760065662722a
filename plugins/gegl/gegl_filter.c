/* SPDX-License-Identifier: BSD-2-Clause */
/* The GEGL operation cof:filter. gegl-op.h includes this file several times to expand the
 * properties. */

/* clang-format off */
#ifdef GEGL_PROPERTIES

/* "none", then the order of CofPreset. */
enum_start(cof_gegl_look)
    enum_value(COF_GEGL_NO_LOOK, "none", "None: as set below")
    enum_value(COF_GEGL_SUBTLE, "subtle", "Subtle: grain goes")
    enum_value(COF_GEGL_TEXTURE, "texture", "Texture: all texture goes")
    enum_value(COF_GEGL_CARTOON, "cartoon", "Cartoon: painted in few colours")
enum_end(CofGeglLook)

/* In the order of CofMethod. */
enum_start(cof_gegl_method)
    enum_value(COF_GEGL_EXACT, "exact", "Exact")
    enum_value(COF_GEGL_FAST, "fast", "Fast")
    enum_value(COF_GEGL_AUTO, "auto", "Automatic")
enum_end(CofGeglMethod)

enum_start(cof_gegl_preset)
    enum_value(COF_GEGL_PAPER, "paper", "The paper")
    enum_value(COF_GEGL_AUTHORS, "authors", "The authors' code")
    enum_value(COF_GEGL_APP, "app", "The authors' app")
enum_end(CofGeglPreset)

/* "preset", then the order of CofBorder. */
enum_start(cof_gegl_border)
    enum_value(COF_GEGL_AS_PRESET, "preset", "As the preset has it")
    enum_value(COF_GEGL_CLIP, "clip", "Nothing")
    enum_value(COF_GEGL_MIRROR, "mirror", "The image mirrored")
    enum_value(COF_GEGL_REFLECT101, "reflect101", "Mirrored, the edge not repeated")
enum_end(CofGeglBorder)

/* For properties that a look sets: hosts show them insensitive. */
#define SET_BY_LOOKS ui_meta("sensitive", "look {none}")

property_enum(look, "Look", CofGeglLook, cof_gegl_look, COF_GEGL_NO_LOOK)
    description("A look sets all below, but model and seed, by the size of the picture: a large "
                "one shows what a small one does")

property_int(window, "Window", 15)
    description("Side of the square around each pixel, in pixels: larger ones smooth coarser "
                "textures. It is odd; an even one means the next")
    value_range(1, 63)
    ui_range(3, 31)
    ui_steps(2, 6)
    ui_meta("unit", "pixel-distance")
    SET_BY_LOOKS

property_int(iterations, "Iterations", 1)
    description("How many times the image is filtered, with what was learned from it once")
    value_range(1, 1000)
    ui_range(1, 20)
    ui_steps(1, 5)
    SET_BY_LOOKS

property_double(softness, "Softness", 0.75)
    description("How far a colour counts for its neighbours in the palette: 0 learns hard "
                "clusters, more smooths more evenly. The presets other than the paper's are always "
                "hard")
    value_range(0.0, 16.0)
    ui_range(0.0, 2.0)
    ui_steps(0.05, 0.25)
    ui_digits(2)
    ui_meta("sensitive", "look {none} & preset {paper}")

property_int(colours, "Colours", 32)
    description("Size of the palette that a colour image is learned with: more tell finer "
                "differences apart, and take longer")
    value_range(1, 256)
    ui_range(2, 64)
    ui_steps(1, 8)
    SET_BY_LOOKS

property_int(levels, "Levels", 256)
    description("The same for a grey image")
    value_range(2, 256)
    ui_steps(1, 32)
    SET_BY_LOOKS

property_enum(method, "Method", CofGeglMethod, cof_gegl_method, COF_GEGL_EXACT)
    description("Exact looks at every pixel of the window. Fast comes close to it, and takes no "
                "longer for a larger window. Automatic is fast where that pays")
    SET_BY_LOOKS

property_double(accuracy, "Accuracy", 45.0)
    description("How close fast comes to exact: the PSNR that it aims at, in dB")
    value_range(30.0, 70.0)
    ui_steps(1.0, 5.0)
    ui_digits(1)
    ui_meta("visible", "! method {exact}")
    SET_BY_LOOKS

property_int(filter_window, "Filter window", 0)
    description("Side of the window for filtering, if it is not that for learning, in pixels; 0: "
                "the same. An even one means the next odd one")
    value_range(0, 255)
    ui_range(0, 63)
    ui_steps(2, 6)
    ui_meta("unit", "pixel-distance")
    SET_BY_LOOKS

property_double(filter_sigma, "Filter sigma", 0.0)
    description("How fast the weights fall off with distance when filtering: the standard "
                "deviation of a Gaussian, in pixels; 0: from the window, by the preset")
    value_range(0.0, 1e6)
    ui_range(0.0, 20.0)
    ui_gamma(1.5)
    ui_steps(0.1, 1.0)
    ui_digits(2)
    ui_meta("unit", "pixel-distance")
    SET_BY_LOOKS

property_double(sigma, "Learning sigma", 0.0)
    description("The same when learning")
    value_range(0.0, 1e6)
    ui_range(0.0, 20.0)
    ui_gamma(1.5)
    ui_steps(0.1, 1.0)
    ui_digits(2)
    ui_meta("unit", "pixel-distance")
    SET_BY_LOOKS

property_enum(preset, "Preset", CofGeglPreset, cof_gegl_preset, COF_GEGL_PAPER)
    description("Whose choices are taken where the paper, its authors' code and their app differ")
    SET_BY_LOOKS

property_enum(border, "Border", CofGeglBorder, cof_gegl_border, COF_GEGL_AS_PRESET)
    description("What stands beyond the image")
    SET_BY_LOOKS

property_file_path(model, "Model", "")
    description("A .cof file that was learned before, by the command cof learn. Without one, the "
                "image is learned from; with one, what belongs to learning has no effect")

property_seed(seed, "Random seed", rand)
    description("Another one chooses another palette to begin with")

#else

#define GETTEXT_PACKAGE "cof"
#define GEGL_OP_FILTER
#define GEGL_OP_NAME cof_filter
#define GEGL_OP_C_SOURCE gegl_filter.c

#include <libintl.h>
#include <stdbool.h>

#include <gegl-op.h>

/* clang-format on */

#include "gegl_buffer.h"
#include "gegl_model_cache.h"

#define NAME "cof:filter"

static int odd(int side)
{
    return side > 0 ? side | 1 : side;
}

static int threads_of_host(void)
{
    int threads = 0;
    g_object_get(gegl_config(), "threads", &threads, NULL);
    return threads;
}

static void set_options(const GeglProperties *o, CofOptions *options)
{
    cof_options_set_variant(options, (CofVariant)o->preset);
    options->window = odd(o->window);
    options->iterations = o->iterations;
    if (o->preset == COF_GEGL_PAPER)
        options->softness = o->softness;
    options->colours = o->colours;
    options->levels = o->levels;
    options->method = (CofMethod)o->method;
    options->accuracy = o->accuracy;
    options->filter_window = odd(o->filter_window);
    options->filter_sigma = o->filter_sigma;
    options->sigma = o->sigma;
    if (o->border != COF_GEGL_AS_PRESET)
        options->border = (CofBorder)(o->border - COF_GEGL_CLIP);
}

static void options_of(const GeglProperties *o, const CofImage *image, CofOptions *options)
{
    cof_options_init(options);
    if (o->look == COF_GEGL_NO_LOOK)
        set_options(o, options);
    else
        cof_options_set_preset(options, (CofPreset)(o->look - COF_GEGL_SUBTLE), image->width,
                               image->height);
    options->seed = o->seed;
    options->threads = threads_of_host();
}

static GeglModelCache *cache_of(GeglOperation *operation)
{
    GeglProperties *o = GEGL_PROPERTIES(operation);
    if (!o->user_data)
        o->user_data = gegl_model_cache_new();
    return o->user_data;
}

/* GEGL operations cannot report errors: the image is passed through with a warning. */
static void warn(GeglOperation *operation, const char *problem)
{
    if (gegl_model_cache_is_new_problem(cache_of(operation), problem))
        g_warning("%s: %s; the image is left as it is", NAME, problem);
}

static GeglRectangle whole_image(GeglOperation *operation)
{
    const GeglRectangle *rect = gegl_operation_source_get_bounding_box(operation, "input");
    return rect ? *rect : (GeglRectangle){0, 0, 0, 0};
}

/* The model is learned from the whole image, so every output pixel depends on all of it. */
static GeglRectangle whole_image_or(GeglOperation *operation, const GeglRectangle *roi)
{
    GeglRectangle rect = whole_image(operation);
    return buffer_fits(&rect) ? rect : *roi;
}

static GeglRectangle get_required_for_output(GeglOperation *operation, const gchar *input_pad,
                                             const GeglRectangle *roi)
{
    (void)input_pad;
    return whole_image_or(operation, roi);
}

static void prepare(GeglOperation *operation)
{
    PixelFormat format = pixel_format_for(gegl_operation_get_source_format(operation, "input"));
    gegl_operation_set_format(operation, "input", format.format);
    gegl_operation_set_format(operation, "output", format.format);
}

/* Filters the image in place. On failure leaves it unchanged and sets `problem`. */
static bool filter(GeglOperation *operation, const CofImage *image, char problem[MAX_PROBLEM])
{
    const GeglProperties *o = GEGL_PROPERTIES(operation);
    CofReport report = {.struct_size = sizeof report};
    CofOptions options;
    const char *reason = NULL;
    options_of(o, image, &options);
    if (cof_options_check(&options, &reason) != COF_OK) {
        g_strlcpy(problem, reason, MAX_PROBLEM);
        return false;
    }
    GeglProgress progress = {.operation = operation};
    CofStatus status = COF_OK;
    const CofModel *model =
        gegl_model_cache_get(cache_of(operation), o->model, image, &options, &progress, problem);
    if (model) {
        options.report = &report;
        g_debug("filters %d x %d pixels", image->width, image->height);
        gegl_progress_begin(&progress, "Filtering", progress.to, 1, 1, &options);
        status = cof_filter(model, NULL, image, image, &options);
    }
    gegl_progress_end(&progress);
    if (status != COF_OK)
        gegl_model_cache_explain(problem, o->model, status, &report);
    return model && status == COF_OK;
}

static gboolean process(GeglOperation *operation, GeglBuffer *input, GeglBuffer *output,
                        const GeglRectangle *roi, gint level)
{
    (void)level; /* mipmap level, 0 unless a host enables mipmap rendering */
    char problem[MAX_PROBLEM] = "not enough memory";
    PixelFormat format = pixel_format_for(gegl_operation_get_source_format(operation, "input"));
    GeglRectangle rect = whole_image_or(operation, roi);
    CofImage image = buffer_read(&format, input, &rect);
    if (image.data && filter(operation, &image, problem)) {
        warn(operation, NULL);
        buffer_write(&format, &image, &rect, roi, output);
    } else {
        warn(operation, problem);
        gegl_buffer_copy(input, roi, GEGL_ABYSS_NONE, output, roi);
    }
    g_free(image.data);
    return TRUE;
}

/* Passes the input buffer through, without a copy, if it is infinite or too large. */
static gboolean process_or_pass(GeglOperation *operation, GeglOperationContext *context,
                                const gchar *output, const GeglRectangle *roi, gint level)
{
    GeglRectangle rect = whole_image(operation);
    if (buffer_fits(&rect))
        return GEGL_OPERATION_CLASS(gegl_op_parent_class)
            ->process(operation, context, output, roi, level);
    warn(operation,
         "the image is larger than 2^30 pixels, wider than 2^23 or has no end (gegl:crop gives "
         "it one)");
    GObject *input = gegl_operation_context_get_object(context, "input");
    gegl_operation_context_take_object(context, "output", g_object_ref(input));
    return TRUE;
}

static void finalize(GObject *object)
{
    GeglProperties *o = GEGL_PROPERTIES(object);
    gegl_model_cache_free(o->user_data);
    g_clear_pointer(&o->rand, gegl_random_free);
    G_OBJECT_CLASS(gegl_op_parent_class)->finalize(object);
}

static GeglRectangle get_invalidated_by_change(GeglOperation *operation, const gchar *input_pad,
                                               const GeglRectangle *roi)
{
    (void)input_pad;
    return whole_image_or(operation, roi);
}

static void gegl_op_class_init(GeglOpClass *class)
{
    GeglOperationClass *operation_class = GEGL_OPERATION_CLASS(class);
    G_OBJECT_CLASS(class)->finalize = finalize;
    GEGL_OPERATION_FILTER_CLASS(class)->process = process;
    operation_class->process = process_or_pass;
    operation_class->prepare = prepare;
    operation_class->get_required_for_output = get_required_for_output;
    operation_class->get_invalidated_by_change = get_invalidated_by_change;
    operation_class->get_cached_region = whole_image_or;
    operation_class->opencl_support = FALSE;
    operation_class->threaded = FALSE; /* libcof has threads of its own */
    /* No key "license": GEGL hides operations whose licence is not in its list. */
    gegl_operation_class_set_keys(
        operation_class, "name", NAME, "title", "Co-occurrence Filter", "categories",
        "enhance:noise-reduction", "description",
        "Smooths textures and keeps the boundaries between them. What a texture is, it learns from "
        "the image: colours that often occur side by side are mixed, others stay apart.",
        "gimp:menu-path", "<Image>/Filters/Enhance", "gimp:menu-label", "_Co-occurrence Filter...",
        NULL);
}

#endif
