/* SPDX-License-Identifier: BSD-2-Clause */
/* The base class of operations that learn: options and learning. */
#include "vips_learning.h"

#include <string.h>

#include "vips_whole.h"

#define VIPS_COF_STRUCT VipsCofLearning
#define NO_LOOK 0

G_DEFINE_ABSTRACT_TYPE(VipsCofLearning, vips_cof_learning, VIPS_TYPE_OPERATION)

GType vips_cof_enum_type(const char *type, const char *const *names, int n)
{
    GType known = g_type_from_name(type);
    if (known != 0)
        return known;
    GEnumValue *values = g_new0(GEnumValue, (gsize)n + 2);
    for (int i = 0; i < n; i++)
        values[i] = (GEnumValue){i, names[i], names[i]};
    values[n] = (GEnumValue){n, "last", "last"}; /* libvips lists all values but the last */
    return g_enum_register_static(type, values); /* GLib keeps a pointer to the values */
}

bool vips_cof_is_set(void *operation, const char *argument)
{
    return vips_object_argument_isset(VIPS_OBJECT(operation), argument);
}

static const char *name_of(VipsCofLearning *learning)
{
    return VIPS_OBJECT_GET_CLASS(learning)->nickname;
}

CofRect vips_cof_learning_region(const VipsCofLearning *learning)
{
    int n = 0;
    const int *numbers = learning->region ? vips_array_int_get(learning->region, &n) : NULL;
    return n == 4 ? (CofRect){numbers[0], numbers[1], numbers[2], numbers[3]} : (CofRect){0};
}

bool vips_cof_learning_may_reduce(VipsCofLearning *l)
{
    return vips_cof_is_set(l, "coarse") ? l->coarse > 1 : l->look != NO_LOOK;
}

static int refuse(VipsCofLearning *l, const char *problem)
{
    vips_error(name_of(l), "%s", problem);
    return -1;
}

static int check_arguments(VipsCofLearning *l)
{
    int n = 4;
    if (l->region)
        vips_array_int_get(l->region, &n);
    if (n != 4)
        return refuse(l, "region must be four numbers: left top width height");
    if (l->look != NO_LOOK && vips_cof_is_set(l, "preset"))
        return refuse(l, "a look sets what a preset does: give one of them");
    if (l->exact_soft && vips_cof_learning_may_reduce(l))
        return refuse(l, "exact_soft learns from all pixels: not with a look or coarse");
    return 0;
}

static void apply_look(const VipsCofLearning *l, const VipsImage *image, CofOptions *options)
{
    if (l->look != NO_LOOK)
        cof_options_set_preset(options, (CofPreset)(l->look - 1), image->Xsize, image->Ysize);
}

/* Explicit arguments override the look. */
static void apply_arguments(VipsCofLearning *l, CofOptions *options)
{
    options->low = l->low;
    options->high = l->high;
    options->sampling = (CofSampling)l->sampling;
    options->seed = l->seed;
    if (vips_cof_is_set(l, "colours"))
        options->colours = l->colours;
    if (vips_cof_is_set(l, "levels"))
        options->levels = l->levels;
    if (vips_cof_is_set(l, "window"))
        options->window = l->window;
    if (vips_cof_is_set(l, "sigma"))
        options->sigma = l->sigma;
    if (vips_cof_is_set(l, "softness"))
        options->softness = l->softness;
    if (vips_cof_is_set(l, "normalise"))
        options->normalise = (CofNormalise)l->normalise;
    if (vips_cof_is_set(l, "coarse"))
        options->downscale = l->coarse;
}

int vips_cof_learning_options(VipsCofLearning *l, const VipsImage *image, CofOptions *options)
{
    if (check_arguments(l) != 0)
        return -1;
    cof_options_init(options);
    cof_options_set_variant(options, (CofVariant)l->preset);
    apply_look(l, image, options);
    apply_arguments(l, options);
    options->threads = vips_concurrency_get();
    return 0;
}

/* Opens an image to learn from. A mask applies to a single image of its size. */
static int open_source(VipsCofLearning *l, VipsImage *image, int n, bool labels,
                       LearningSource *source)
{
    *source = (LearningSource){.progress_image = image,
                               .region = vips_cof_learning_region(l),
                               .labels = labels,
                               .run = l->run};
    if (l->mask && n > 1)
        return refuse(l, "a mask needs a single image to learn from");
    if (l->mask && (l->mask->Xsize != image->Xsize || l->mask->Ysize != image->Ysize))
        return refuse(l, "the mask differs in size from the image");
    if (pixels_open(&source->pixels, image, name_of(l)) != 0)
        return -1;
    if (labels)
        source->pixels.kind = COF_KIND_GREY;
    if (labels && (source->pixels.sample != COF_SAMPLE_U8 || image->Bands != 1)) {
        pixels_close(&source->pixels);
        return refuse(l, "labels must have 8 bits and one band");
    }
    if (l->mask && pixels_mask(l->mask, &source->mask) != 0) {
        pixels_close(&source->pixels);
        return -1;
    }
    return 0;
}

static void close_source(LearningSource *source)
{
    pixels_close(&source->pixels);
    VIPS_UNREF(source->mask);
}

typedef int StreamFunction(const LearningSource *source, CofStats *stats, const CofOptions *options,
                           const char *operation);

typedef struct StreamPair {
    StreamFunction *in_parts, *whole;
} StreamPair;

static const StreamPair scanning = {stream_scan, whole_scan};
static const StreamPair counting = {stream_count, whole_count};

/* The options, with the window, follow the size of the first image; the downscaling factor follows
 * the size of each image. */
static CofOptions options_for(VipsCofLearning *l, const VipsImage *image, const CofOptions *options)
{
    CofOptions own = *options, look = *options;
    apply_look(l, image, &look);
    if (!vips_cof_is_set(l, "coarse"))
        own.downscale = look.downscale;
    return own;
}

static int learn_each_image(VipsCofLearning *l, VipsImage **images, int n, bool labels,
                            CofStats *stats, const CofOptions *options, const StreamPair *streams)
{
    int failed = 0;
    for (int i = 0; i < n && !failed; i++) {
        LearningSource source;
        failed = open_source(l, images[i], n, labels, &source);
        if (!failed) {
            CofOptions own = options_for(l, images[i], options);
            StreamFunction *stream = own.downscale > 1 ? streams->whole : streams->in_parts;
            failed = stream(&source, stats, &own, name_of(l));
            close_source(&source);
        }
    }
    return failed;
}

/* Loads a model or statistics; the other output stays NULL. */
static int load_bytes(const void *bytes, size_t size, const char *operation, CofStats **stats,
                      CofModel **model)
{
    CofStatus status = cof_model_load(model, bytes, size);
    if (status == COF_ERR_MISMATCH) /* not a model */
        status = cof_stats_load(stats, bytes, size);
    return status == COF_OK ? 0 : stream_fail(operation, status, NULL);
}

static int load_file(const char *filename, const char *operation, CofStats **stats,
                     CofModel **model)
{
    char *bytes;
    gsize size;
    GError *error = NULL;
    if (!g_file_get_contents(filename, &bytes, &size, &error)) {
        vips_error(operation, "%s", error->message);
        g_error_free(error);
        return -1;
    }
    int failed = load_bytes(bytes, size, operation, stats, model);
    g_free(bytes);
    return failed;
}

int vips_cof_load_model(const char *filename, VipsBlob *blob, const CofOptions *options,
                        const char *operation, CofModel **model)
{
    CofStats *stats = NULL;
    size_t size = 0;
    const void *bytes = blob ? vips_blob_get(blob, &size) : NULL;
    if (filename ? load_file(filename, operation, &stats, model)
                 : load_bytes(bytes, size, operation, &stats, model))
        return -1;
    CofStatus status = stats ? cof_model_new(model, stats, options) : COF_OK;
    cof_stats_free(&stats);
    return status == COF_OK ? 0 : stream_fail(operation, status, NULL);
}

/* Takes the palette of statistics or of a model. */
static CofStatus settle_from(CofStats *stats, CofStats *from_stats, CofModel *from_model)
{
    int bands;
    const float *palette =
        from_model ? cof_model_palette(from_model, &bands) : cof_stats_palette(from_stats, &bands);
    int k = from_model ? cof_model_size(from_model) : cof_stats_size(from_stats);
    if (!palette)
        return COF_ERR_MISMATCH;
    CofKind kind = bands == 3 ? COF_KIND_RGB : bands == 1 ? COF_KIND_GREY : COF_KIND_BANDS;
    return cof_stats_set_palette(stats, palette, k, bands, kind);
}

static int settle(VipsCofLearning *l, CofStats *stats, int k, const CofOptions *options)
{
    CofReport report = {.struct_size = sizeof report};
    CofOptions own = *options;
    own.report = &report;
    CofStatus status;
    if (k > 0) {
        status = cof_stats_set_labels(stats, k);
    } else if (l->palette_from) {
        CofStats *other = NULL;
        CofModel *model = NULL;
        if (load_file(l->palette_from, name_of(l), &other, &model) != 0)
            return -1;
        status = settle_from(stats, other, model);
        cof_stats_free(&other);
        cof_model_free(&model);
    } else {
        status = cof_stats_fit_palette(stats, &own);
    }
    run_report_add(l->run, &report, 0);
    return status == COF_OK ? 0 : stream_fail(name_of(l), status, &report);
}

static int scan_and_settle(VipsCofLearning *l, VipsImage **images, int n, int k,
                           const CofOptions *options, CofStats **stats)
{
    CofReport report = {.struct_size = sizeof report};
    CofOptions own = *options;
    own.report = &report;
    CofStatus status = cof_stats_new(stats, &own);
    if (status != COF_OK)
        return stream_fail(name_of(l), status, &report);
    if (learn_each_image(l, images, n, k > 0, *stats, options, &scanning) == 0 &&
        settle(l, *stats, k, options) == 0)
        return 0;
    cof_stats_free(stats);
    return -1;
}

int vips_cof_learning_palette(VipsCofLearning *l, VipsImage **images, int n,
                              const CofOptions *options, CofStats **stats)
{
    return scan_and_settle(l, images, n, 0, options, stats);
}

/* All images in memory, with their views for libcof. */
typedef struct LoadedImages {
    int n;
    LearningSource *sources;
    VipsImage **pixels, **masks;
    CofImage *views, *mask_views;
    CofRoi *where;
} LoadedImages;

static void free_loaded(LoadedImages *loaded)
{
    for (int i = 0; i < loaded->n; i++) {
        close_source(&loaded->sources[i]);
        VIPS_UNREF(loaded->pixels[i]);
        VIPS_UNREF(loaded->masks[i]);
    }
    g_free(loaded->sources);
    g_free(loaded->pixels);
    g_free(loaded->masks);
    g_free(loaded->views);
    g_free(loaded->mask_views);
    g_free(loaded->where);
}

static int load_images(VipsCofLearning *l, VipsImage **images, int n, LoadedImages *loaded)
{
    const Pixels bytes = {.kind = COF_KIND_GREY, .sample = COF_SAMPLE_U8};
    for (int i = 0; i < n; i++, loaded->n++) {
        LearningSource *source = &loaded->sources[i];
        if (open_source(l, images[i], n, false, source) != 0)
            return -1;
        loaded->pixels[i] = vips_image_copy_memory(source->pixels.image);
        loaded->masks[i] = source->mask ? vips_image_copy_memory(source->mask) : NULL;
        if (!loaded->pixels[i] || (source->mask && !loaded->masks[i])) {
            loaded->n++;
            return -1;
        }
        loaded->views[i] = pixels_whole(&source->pixels, loaded->pixels[i]);
        loaded->where[i].region = source->region;
        if (loaded->masks[i]) {
            loaded->mask_views[i] = pixels_whole(&bytes, loaded->masks[i]);
            loaded->where[i].mask = &loaded->mask_views[i];
        }
    }
    return 0;
}

int vips_cof_learning_soft_model(VipsCofLearning *l, VipsImage **images, int n,
                                 const CofOptions *options, CofModel **model)
{
    gsize size = (gsize)n;
    LoadedImages loaded = {.sources = g_new0(LearningSource, size),
                           .pixels = g_new0(VipsImage *, size),
                           .masks = g_new0(VipsImage *, size),
                           .views = g_new0(CofImage, size),
                           .mask_views = g_new0(CofImage, size),
                           .where = g_new0(CofRoi, size)};
    CofStats *palette = NULL;
    CofReport report = {.struct_size = sizeof report};
    CofOptions own = *options;
    own.report = &report;
    int failed =
        load_images(l, images, n, &loaded) || scan_and_settle(l, images, n, 0, options, &palette);
    if (!failed) {
        CofStatus status = cof_model_new_soft(model, palette, loaded.views, loaded.where, n, &own);
        run_report_add(l->run, &report, 0);
        failed = status == COF_OK ? 0 : stream_fail(name_of(l), status, &report);
    }
    cof_stats_free(&palette);
    free_loaded(&loaded);
    return failed ? -1 : 0;
}

int vips_cof_learning_stats(VipsCofLearning *l, VipsImage **images, int n, int k,
                            const CofOptions *options, CofStats **stats)
{
    if (scan_and_settle(l, images, n, k, options, stats) != 0)
        return -1;
    if (learn_each_image(l, images, n, k > 0, *stats, options, &counting) == 0)
        return 0;
    cof_stats_free(stats);
    return -1;
}

static const char *const preset_names[] = {"paper", "authors", "app"};
static const char *const look_names[] = {"none", "subtle", "texture", "cartoon"};
static const char *const sampling_names[] = {"auto", "all"};
static const char *const normalise_names[] = {"counts", "marginals"};

static void add_choices(VipsObjectClass *class)
{
    VIPS_COF_ARG_ENUM(class, "preset", 100, "Preset",
                      "rules for sigmas, softness, normalise and border",
                      vips_cof_enum_type("CofVipsPreset", preset_names, G_N_ELEMENTS(preset_names)),
                      preset, COF_VARIANT_PAPER);
    VIPS_COF_ARG_ENUM(
        class, "look", 99, "Look",
        "sets the other options, by the size of the picture: subtle takes away grain, "
        "texture all texture, cartoon paints in a few colours",
        vips_cof_enum_type("CofVipsLook", look_names, G_N_ELEMENTS(look_names)), look, NO_LOOK);
    VIPS_COF_ARG_ENUM(
        class, "sampling", 106, "Sampling", "how many pairs are counted",
        vips_cof_enum_type("CofVipsSampling", sampling_names, G_N_ELEMENTS(sampling_names)),
        sampling, COF_SAMPLING_AUTO);
    VIPS_COF_ARG_ENUM(
        class, "normalise", 110, "Normalise",
        "what co-occurrences are divided by (default: the preset's)",
        vips_cof_enum_type("CofVipsNormalise", normalise_names, G_N_ELEMENTS(normalise_names)),
        normalise, COF_NORMALISE_COUNTS);
}

static void add_numbers(VipsObjectClass *class)
{
    VIPS_COF_ARG_INT(class, "window", 101, "Window", "odd side of the learning window", window, 1,
                     63, 15);
    VIPS_COF_ARG_INT(class, "colours", 102, "Colours", "clusters for RGB and bands", colours, 1,
                     256, 32);
    VIPS_COF_ARG_INT(
        class, "coarse", 99, "Coarse",
        "learn from the picture reduced by this factor, and make all passes but the last "
        "on that",
        coarse, 1, COF_MAX_DOWNSCALE, 1);
    VIPS_COF_ARG_INT(class, "levels", 103, "Levels", "bins for grey; 256 is exact for 8 bits",
                     levels, 2, 256, 256);
    VIPS_COF_ARG_DOUBLE(class, "low", 104, "Low",
                        "where the bins begin; low = high: as the image has it", low, -1e30, 1e30,
                        0);
    VIPS_COF_ARG_DOUBLE(class, "high", 105, "High", "where the bins end", high, -1e30, 1e30, 0);
    VIPS_ARG_UINT64(class, "seed", 107, "Seed", "of the k-means seeding",
                    VIPS_ARGUMENT_OPTIONAL_INPUT, offsetof(VIPS_COF_STRUCT, seed), 0, G_MAXUINT64,
                    0);
    VIPS_COF_ARG_DOUBLE(class, "sigma", 108, "Sigma",
                        "std of the learning Gaussian in pixels; 0: by the preset from the window",
                        sigma, 0, 1e6, 0);
    VIPS_COF_ARG_DOUBLE(class, "softness", 109, "Softness",
                        "how far a value counts for its neighbours in the palette (default: the "
                        "preset's, 0.75)",
                        softness, 0, 16, 0.75);
}

static void vips_cof_learning_finalize(GObject *object)
{
    run_report_unref(((VipsCofLearning *)object)->run);
    G_OBJECT_CLASS(vips_cof_learning_parent_class)->finalize(object);
}

static void vips_cof_learning_class_init(VipsCofLearningClass *class)
{
    GObjectClass *gobject_class = G_OBJECT_CLASS(class);
    VipsObjectClass *object_class = VIPS_OBJECT_CLASS(class);
    gobject_class->set_property = vips_object_set_property;
    gobject_class->get_property = vips_object_get_property;
    gobject_class->finalize = vips_cof_learning_finalize;
    object_class->nickname = "cof_learning";
    object_class->description = "learn what occurs together";
    add_choices(object_class);
    add_numbers(object_class);
    VIPS_ARG_BOOL(object_class, "exact_soft", 110, "Exactly soft",
                  "weigh each pixel by its own distance to the colours; slow, and in memory",
                  VIPS_ARGUMENT_OPTIONAL_INPUT, offsetof(VIPS_COF_STRUCT, exact_soft), FALSE);
    VIPS_ARG_IMAGE(object_class, "mask", 111, "Mask", "learn only where this is not black",
                   VIPS_ARGUMENT_OPTIONAL_INPUT, offsetof(VIPS_COF_STRUCT, mask));
    VIPS_ARG_BOXED(object_class, "region", 112, "Region",
                   "learn only inside: left top width height", VIPS_ARGUMENT_OPTIONAL_INPUT,
                   offsetof(VIPS_COF_STRUCT, region), VIPS_TYPE_ARRAY_INT);
    VIPS_ARG_STRING(object_class, "palette_from", 113, "Palette from",
                    "a file of statistics or a model, whose palette is used",
                    VIPS_ARGUMENT_OPTIONAL_INPUT, offsetof(VIPS_COF_STRUCT, palette_from), NULL);
}

static void vips_cof_learning_init(VipsCofLearning *l)
{
    l->colours = 32;
    l->levels = 256;
    l->window = 15;
    l->coarse = 1;
    l->softness = 0.75;
    l->run = run_report_new();
}
