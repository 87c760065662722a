/* SPDX-License-Identifier: BSD-2-Clause */
/* The GEGL operation cof:filter. */
#include <stdbool.h>

#include <gegl-plugin.h>

#include "gegl_buffer.h"
#include "gegl_device.h"
#include "gegl_model_cache.h"
#include "gegl_properties.h"

#define NAME "cof:filter"

typedef struct GeglCofFilter {
    GeglOperationFilter parent_instance;
    FilterProperties properties;
    GeglModelCache *cache;
    GeglDevice device;
    int width, height; /* of the last image; 0: there was none */
    gint showing;      /* 1: a source will show values */
} GeglCofFilter;

typedef struct GeglCofFilterClass {
    GeglOperationFilterClass parent_class;
} GeglCofFilterClass;

GType gegl_cof_filter_get_type(void);
G_DEFINE_DYNAMIC_TYPE(GeglCofFilter, gegl_cof_filter, GEGL_TYPE_OPERATION_FILTER)

/* GObject checks types before it calls a method. */
static GeglCofFilter *self_of(void *object)
{
    return object;
}

static gboolean show_values(gpointer node)
{
    GeglOperation *operation = gegl_node_get_gegl_operation(node);
    GeglCofFilter *self = self_of(operation);
    g_atomic_int_set(&self->showing, 0);
    filter_properties_show(&self->properties, self->width, self->height, G_OBJECT(operation));
    return G_SOURCE_REMOVE;
}

/* Not at once, since a host may be setting further properties. The main loop may run the source
 * before this thread, which filters, goes on. The source keeps the node, which GEGL tells of
 * changed properties, alive. */
static void show_values_soon(GeglCofFilter *self)
{
    if (filter_properties_are_shown(&self->properties) && self->width > 0 &&
        g_atomic_int_compare_and_exchange(&self->showing, 0, 1))
        g_idle_add_full(G_PRIORITY_HIGH, show_values, g_object_ref(GEGL_OPERATION(self)->node),
                        g_object_unref);
}

static int threads_of_host(void)
{
    int threads = 0;
    g_object_get(gegl_config(), "threads", &threads, NULL);
    return threads;
}

/* GEGL operations cannot report errors: the image is passed through with a warning. */
static void warn(GeglOperation *operation, const char *problem)
{
    if (gegl_model_cache_is_new_problem(self_of(operation)->cache, problem))
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
    BufferFormat format = buffer_format_for(gegl_operation_get_source_format(operation, "input"));
    gegl_operation_set_format(operation, "input", format.format);
    gegl_operation_set_format(operation, "output", format.format);
}

/* For a model that changes between passes, which cannot be kept. */
static CofStatus learn_and_filter(const CofImage *image, CofOptions *options,
                                  GeglProgress *progress)
{
    g_debug("learns and filters %d x %d pixels", image->width, image->height);
    gegl_progress_begin(progress, "Filtering", 0, 1, 1, options);
    return cof_smooth(image, image, options);
}

static CofStatus filter_with(const CofModel *model, const CofImage *image, CofOptions *options,
                             GeglProgress *progress)
{
    g_debug("filters %d x %d pixels", image->width, image->height);
    gegl_progress_begin(progress, "Filtering", progress->to, 1, 1, options);
    return cof_filter(model, NULL, image, image, options);
}

static bool filter_with_options(GeglCofFilter *self, const CofImage *image, CofOptions *options,
                                GeglProgress *progress, char problem[MAX_PROBLEM])
{
    const char *file = self->properties.model;
    CofStatus status;
    if (options->update == COF_UPDATE_MODEL && !(file && *file)) {
        status = learn_and_filter(image, options, progress);
    } else {
        const CofModel *model =
            gegl_model_cache_get(self->cache, file, image, options, progress, problem);
        if (!model)
            return false;
        status = filter_with(model, image, options, progress);
    }
    if (status != COF_OK)
        gegl_model_cache_explain(problem, file, options->problem);
    return status == COF_OK;
}

/* With the device, if there is one. If it fails, the image is unchanged, and the CPU filters it.
 */
static bool filter_on_device(GeglCofFilter *self, const CofImage *image, CofOptions *options,
                             GeglProgress *progress, char problem[MAX_PROBLEM])
{
    options->context = gegl_device_context(&self->device, options->threads);
    if (filter_with_options(self, image, options, progress, problem))
        return true;
    CofProblem reason = *options->problem;
    if (!options->context || reason.status != COF_ERR_UNSUPPORTED)
        return false;
    options->context = NULL;
    if (!filter_with_options(self, image, options, progress, problem))
        return false;
    gegl_device_give_up(&self->device, reason.text);
    return true;
}

/* Filters the image in place. On failure leaves it unchanged and sets `problem`. */
static bool filter(GeglOperation *operation, const CofImage *image, char problem[MAX_PROBLEM])
{
    GeglCofFilter *self = self_of(operation);
    GeglProgress progress = {.operation = operation};
    CofOptions options;
    CofProblem reason = {.status = COF_OK};
    self->width = image->width;
    self->height = image->height;
    show_values_soon(self);
    if (filter_properties_options(&self->properties, image->width, image->height, &options,
                                  &reason) != COF_OK) {
        gegl_model_cache_explain(problem, NULL, &reason);
        return false;
    }
    options.threads = threads_of_host();
    options.problem = &reason;
    bool done = filter_on_device(self, image, &options, &progress, problem);
    gegl_progress_end(&progress);
    return done;
}

static gboolean process(GeglOperation *operation, GeglBuffer *input, GeglBuffer *output,
                        const GeglRectangle *roi, gint level)
{
    (void)level; /* mipmap level, 0 unless a host enables mipmap rendering */
    char problem[MAX_PROBLEM] = "not enough memory";
    BufferFormat format = buffer_format_for(gegl_operation_get_source_format(operation, "input"));
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
        return GEGL_OPERATION_CLASS(gegl_cof_filter_parent_class)
            ->process(operation, context, output, roi, level);
    warn(operation,
         "the image is larger than 2^30 pixels, wider than 2^23 or has no end (gegl:crop gives "
         "it one)");
    GObject *input = gegl_operation_context_get_object(context, "input");
    gegl_operation_context_take_object(context, "output", g_object_ref(input));
    return TRUE;
}

static GeglRectangle get_invalidated_by_change(GeglOperation *operation, const gchar *input_pad,
                                               const GeglRectangle *roi)
{
    (void)input_pad;
    return whole_image_or(operation, roi);
}

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *property)
{
    (void)property;
    filter_properties_set(&self_of(object)->properties, id, value);
    show_values_soon(self_of(object));
}

static void get_property(GObject *object, guint id, GValue *value, GParamSpec *property)
{
    (void)property;
    filter_properties_get(&self_of(object)->properties, id, value);
}

static void gegl_cof_filter_init(GeglCofFilter *self)
{
    filter_properties_init(&self->properties);
    self->cache = gegl_model_cache_new();
}

static void finalize(GObject *object)
{
    GeglCofFilter *self = self_of(object);
    gegl_device_clear(&self->device);
    gegl_model_cache_free(self->cache);
    filter_properties_clear(&self->properties);
    G_OBJECT_CLASS(gegl_cof_filter_parent_class)->finalize(object);
}

static void init_object_class(GObjectClass *class)
{
    class->set_property = set_property;
    class->get_property = get_property;
    class->finalize = finalize;
    filter_properties_install(class);
}

static void gegl_cof_filter_class_init(GeglCofFilterClass *class)
{
    GeglOperationClass *operation_class = GEGL_OPERATION_CLASS(class);
    init_object_class(G_OBJECT_CLASS(class));
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
        "Smooths textures and keeps the boundaries between them. Colours that often occur side by "
        "side in the image are averaged, others are kept apart. A preset sets the options that "
        "suit the size of the image; options that are changed override it.",
        "gimp:menu-path", "<Image>/Filters/Enhance", "gimp:menu-label", "_Co-occurrence Filter...",
        NULL);
}

static void gegl_cof_filter_class_finalize(GeglCofFilterClass *class)
{
    (void)class;
}

/* The functions that GEGL looks for in a module. */
G_MODULE_EXPORT const GeglModuleInfo *gegl_module_query(GTypeModule *module);
G_MODULE_EXPORT gboolean gegl_module_register(GTypeModule *module);

const GeglModuleInfo *gegl_module_query(GTypeModule *module)
{
    static const GeglModuleInfo info = {GEGL_MODULE_ABI_VERSION};
    (void)module;
    return &info;
}

gboolean gegl_module_register(GTypeModule *module)
{
    gegl_cof_filter_register_type(module);
    return TRUE;
}
