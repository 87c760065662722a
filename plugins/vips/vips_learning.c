/* SPDX-License-Identifier: BSD-2-Clause */
/* What operations that learn have in common: their options, and how they learn. */
#include "vips_learning.h"

#include <string.h>

#include "vips_whole.h"

#define COF_STRUCT CofLearning
#define NO_LOOK 0

G_DEFINE_ABSTRACT_TYPE(CofLearning, cof_learning, VIPS_TYPE_OPERATION)

GType cof_choice_type(const char *type, const char *const *names, int n)
{
    GType known = g_type_from_name(type);
    if (known != 0)
        return known;
    GEnumValue *values = g_new0(GEnumValue, (gsize)n + 2);
    for (int i = 0; i < n; i++)
        values[i] = (GEnumValue){i, names[i], names[i]};
    values[n] = (GEnumValue){n, "last", "last"}; /* libvips lists all values but the last */
    return g_enum_register_static(type, values); /* which keeps the values for ever */
}

bool cof_is_given(void *operation, const char *argument)
{
    return vips_object_argument_isset(VIPS_OBJECT(operation), argument);
}

static const char *name_of(CofLearning *learning)
{
    return VIPS_OBJECT_GET_CLASS(learning)->nickname;
}

CofRect cof_learning_region(const CofLearning *learning)
{
    int n = 0;
    const int *numbers = learning->region ? vips_array_int_get(learning->region, &n) : NULL;
    return n == 4 ? (CofRect){numbers[0], numbers[1], numbers[2], numbers[3]} : (CofRect){0};
}

bool cof_learning_may_reduce(CofLearning *l)
{
    return cof_is_given(l, "coarse") ? l->coarse > 1 : l->look != NO_LOOK;
}

static int refuse(CofLearning *l, const char *problem)
{
    vips_error(name_of(l), "%s", problem);
    return -1;
}

static int check_arguments(CofLearning *l)
{
    int n = 4;
    if (l->region)
        vips_array_int_get(l->region, &n);
    if (n != 4)
        return refuse(l, "region must be four numbers: left top width height");
    if (l->look != NO_LOOK && cof_is_given(l, "preset"))
        return refuse(l, "a look sets what a preset does: give one of them");
    if (l->exact_soft && cof_learning_may_reduce(l))
        return refuse(l, "exact_soft learns from all pixels: not with a look or coarse");
    return 0;
}

static void take_look(const CofLearning *l, const VipsImage *picture, CofOptions *options)
{
    if (l->look != NO_LOOK)
        cof_options_look(options, (CofLook)(l->look - 1), picture->Xsize, picture->Ysize);
}

/* What is given goes before the look. */
static void take_arguments(CofLearning *l, CofOptions *options)
{
    options->low = l->low;
    options->high = l->high;
    options->sampling = (CofSampling)l->sampling;
    options->seed = l->seed;
    if (cof_is_given(l, "colours"))
        options->colours = l->colours;
    if (cof_is_given(l, "levels"))
        options->levels = l->levels;
    if (cof_is_given(l, "window"))
        options->window = l->window;
    if (cof_is_given(l, "sigma"))
        options->sigma = l->sigma;
    if (cof_is_given(l, "softness"))
        options->softness = l->softness;
    if (cof_is_given(l, "normalise"))
        options->normalise = (CofNormalise)l->normalise;
    if (cof_is_given(l, "coarse"))
        options->coarse = l->coarse;
}

int cof_learning_options(CofLearning *l, const VipsImage *picture, CofOptions *options)
{
    if (check_arguments(l) != 0)
        return -1;
    cof_options_init(options);
    cof_options_preset(options, (CofPreset)l->preset);
    take_look(l, picture, options);
    take_arguments(l, options);
    options->threads = vips_concurrency_get();
    return 0;
}

/* The mask belongs to one image, of its size. */
static int open_lesson(CofLearning *l, VipsImage *image, int n, bool labels, Lesson *lesson)
{
    *lesson = (Lesson){
        .watched = image, .region = cof_learning_region(l), .labels = labels, .run = l->run};
    if (l->mask && n > 1)
        return refuse(l, "a mask needs a single image to learn from");
    if (l->mask && (l->mask->Xsize != image->Xsize || l->mask->Ysize != image->Ysize))
        return refuse(l, "the mask differs in size from the image");
    if (pixels_open(&lesson->pixels, image, name_of(l)) != 0)
        return -1;
    if (labels)
        lesson->pixels.kind = COF_GREY;
    if (labels && (lesson->pixels.sample != COF_U8 || image->Bands != 1)) {
        pixels_close(&lesson->pixels);
        return refuse(l, "labels must have 8 bits and one band");
    }
    if (l->mask && pixels_mask(l->mask, &lesson->mask) != 0) {
        pixels_close(&lesson->pixels);
        return -1;
    }
    return 0;
}

static void close_lesson(Lesson *lesson)
{
    pixels_close(&lesson->pixels);
    VIPS_UNREF(lesson->mask);
}

typedef int Stream(const Lesson *lesson, CofStats *stats, const CofOptions *options,
                   const char *operation);

typedef struct Streams {
    Stream *in_parts, *whole;
} Streams;

static const Streams scanning = {stream_scan, whole_scan};
static const Streams counting = {stream_count, whole_count};

/* The first of the images has set the window for all; how much each is reduced follows from its own
 * size. */
static CofOptions options_for(CofLearning *l, const VipsImage *image, const CofOptions *options)
{
    CofOptions own = *options, look = *options;
    take_look(l, image, &look);
    if (!cof_is_given(l, "coarse"))
        own.coarse = look.coarse;
    return own;
}

static int each_image(CofLearning *l, VipsImage **images, int n, bool labels, CofStats *stats,
                      const CofOptions *options, const Streams *streams)
{
    int failed = 0;
    for (int i = 0; i < n && !failed; i++) {
        Lesson lesson;
        failed = open_lesson(l, images[i], n, labels, &lesson);
        if (!failed) {
            CofOptions own = options_for(l, images[i], options);
            Stream *stream = own.coarse > 1 ? streams->whole : streams->in_parts;
            failed = stream(&lesson, stats, &own, name_of(l));
            close_lesson(&lesson);
        }
    }
    return failed;
}

/* Bytes as one of both: the other stays NULL. */
static int load_bytes(const void *bytes, size_t size, const char *operation, CofStats **stats,
                      CofModel **model)
{
    CofStatus status = cof_model_load(model, bytes, size);
    if (status == COF_ERR_MISMATCH) /* it is no model */
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

int cof_load_model(const char *filename, VipsBlob *blob, const CofOptions *options,
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

/* The palette of a file. */
static CofStatus settle_from(CofStats *stats, CofStats *from_stats, CofModel *from_model)
{
    int bands;
    const float *palette =
        from_model ? cof_model_palette(from_model, &bands) : cof_stats_palette(from_stats, &bands);
    int k = from_model ? cof_model_size(from_model) : cof_stats_size(from_stats);
    if (!palette)
        return COF_ERR_MISMATCH;
    CofKind kind = bands == 3 ? COF_RGB : bands == 1 ? COF_GREY : COF_BANDS;
    return cof_stats_settle_palette(stats, palette, k, bands, kind);
}

static int settle(CofLearning *l, CofStats *stats, int k, const CofOptions *options)
{
    CofReport report = {.struct_size = sizeof report};
    CofOptions own = *options;
    own.report = &report;
    CofStatus status;
    if (k > 0) {
        status = cof_stats_settle_labels(stats, k);
    } else if (l->palette_from) {
        CofStats *other = NULL;
        CofModel *model = NULL;
        if (load_file(l->palette_from, name_of(l), &other, &model) != 0)
            return -1;
        status = settle_from(stats, other, model);
        cof_stats_free(&other);
        cof_model_free(&model);
    } else {
        status = cof_stats_settle(stats, &own);
    }
    run_report_add(l->run, &report, 0);
    return status == COF_OK ? 0 : stream_fail(name_of(l), status, &report);
}

static int scan_and_settle(CofLearning *l, VipsImage **images, int n, int k,
                           const CofOptions *options, CofStats **stats)
{
    CofReport report = {.struct_size = sizeof report};
    CofOptions own = *options;
    own.report = &report;
    CofStatus status = cof_stats_new(stats, &own);
    if (status != COF_OK)
        return stream_fail(name_of(l), status, &report);
    if (each_image(l, images, n, k > 0, *stats, options, &scanning) == 0 &&
        settle(l, *stats, k, options) == 0)
        return 0;
    cof_stats_free(stats);
    return -1;
}

int cof_learning_palette(CofLearning *l, VipsImage **images, int n, const CofOptions *options,
                         CofStats **stats)
{
    return scan_and_settle(l, images, n, 0, options, stats);
}

/* All of them in memory, as libcof reads them. */
typedef struct Shelf {
    int n;
    Lesson *lessons;
    VipsImage **pixels, **masks;
    CofImage *views, *mask_views;
    CofWhere *where;
} Shelf;

static void close_shelf(Shelf *shelf)
{
    for (int i = 0; i < shelf->n; i++) {
        close_lesson(&shelf->lessons[i]);
        VIPS_UNREF(shelf->pixels[i]);
        VIPS_UNREF(shelf->masks[i]);
    }
    g_free(shelf->lessons);
    g_free(shelf->pixels);
    g_free(shelf->masks);
    g_free(shelf->views);
    g_free(shelf->mask_views);
    g_free(shelf->where);
}

static int fill_shelf(CofLearning *l, VipsImage **images, int n, Shelf *shelf)
{
    const Pixels bytes = {.kind = COF_GREY, .sample = COF_U8};
    for (int i = 0; i < n; i++, shelf->n++) {
        Lesson *lesson = &shelf->lessons[i];
        if (open_lesson(l, images[i], n, false, lesson) != 0)
            return -1;
        shelf->pixels[i] = vips_image_copy_memory(lesson->pixels.image);
        shelf->masks[i] = lesson->mask ? vips_image_copy_memory(lesson->mask) : NULL;
        if (!shelf->pixels[i] || (lesson->mask && !shelf->masks[i])) {
            shelf->n++;
            return -1;
        }
        shelf->views[i] = pixels_whole(&lesson->pixels, shelf->pixels[i]);
        shelf->where[i].region = lesson->region;
        if (shelf->masks[i]) {
            shelf->mask_views[i] = pixels_whole(&bytes, shelf->masks[i]);
            shelf->where[i].mask = &shelf->mask_views[i];
        }
    }
    return 0;
}

int cof_learning_soft_model(CofLearning *l, VipsImage **images, int n, const CofOptions *options,
                            CofModel **model)
{
    gsize size = (gsize)n;
    Shelf shelf = {.lessons = g_new0(Lesson, size),
                   .pixels = g_new0(VipsImage *, size),
                   .masks = g_new0(VipsImage *, size),
                   .views = g_new0(CofImage, size),
                   .mask_views = g_new0(CofImage, size),
                   .where = g_new0(CofWhere, size)};
    CofStats *palette = NULL;
    CofReport report = {.struct_size = sizeof report};
    CofOptions own = *options;
    own.report = &report;
    int failed =
        fill_shelf(l, images, n, &shelf) || scan_and_settle(l, images, n, 0, options, &palette);
    if (!failed) {
        CofStatus status = cof_model_new_soft(model, palette, shelf.views, shelf.where, n, &own);
        run_report_add(l->run, &report, 0);
        failed = status == COF_OK ? 0 : stream_fail(name_of(l), status, &report);
    }
    cof_stats_free(&palette);
    close_shelf(&shelf);
    return failed ? -1 : 0;
}

int cof_learning_stats(CofLearning *l, VipsImage **images, int n, int k, const CofOptions *options,
                       CofStats **stats)
{
    if (scan_and_settle(l, images, n, k, options, stats) != 0)
        return -1;
    if (each_image(l, images, n, k > 0, *stats, options, &counting) == 0)
        return 0;
    cof_stats_free(stats);
    return -1;
}

static const char *const presets[] = {"paper", "authors", "app"};
static const char *const looks[] = {"none", "subtle", "texture", "cartoon"};
static const char *const samplings[] = {"auto", "all"};
static const char *const normalisations[] = {"counts", "marginals"};

static void add_choices(VipsObjectClass *class)
{
    COF_ARG_CHOICE(
        class, "preset", 100, "Preset", "rules for sigmas, softness, normalise and border",
        cof_choice_type("CofVipsPreset", presets, G_N_ELEMENTS(presets)), preset, COF_PRESET_PAPER);
    COF_ARG_CHOICE(class, "look", 99, "Look",
                   "sets the other options, by the size of the picture: subtle takes away grain, "
                   "texture all texture, cartoon paints in a few colours",
                   cof_choice_type("CofVipsLook", looks, G_N_ELEMENTS(looks)), look, NO_LOOK);
    COF_ARG_CHOICE(class, "sampling", 106, "Sampling", "how many pairs are counted",
                   cof_choice_type("CofVipsSampling", samplings, G_N_ELEMENTS(samplings)), sampling,
                   COF_SAMPLING_AUTO);
    COF_ARG_CHOICE(
        class, "normalise", 110, "Normalise",
        "what co-occurrences are divided by (default: the preset's)",
        cof_choice_type("CofVipsNormalise", normalisations, G_N_ELEMENTS(normalisations)),
        normalise, COF_NORMALISE_COUNTS);
}

static void add_numbers(VipsObjectClass *class)
{
    COF_ARG_WHOLE(class, "window", 101, "Window", "odd side of the learning window", window, 1, 63,
                  15);
    COF_ARG_WHOLE(class, "colours", 102, "Colours", "clusters for RGB and bands", colours, 1, 256,
                  32);
    COF_ARG_WHOLE(class, "coarse", 99, "Coarse",
                  "learn from the picture reduced by this factor, and make all passes but the last "
                  "on that",
                  coarse, 1, COF_MAX_COARSE, 1);
    COF_ARG_WHOLE(class, "levels", 103, "Levels", "bins for grey; 256 is exact for 8 bits", levels,
                  2, 256, 256);
    COF_ARG_NUMBER(class, "low", 104, "Low",
                   "where the bins begin; low = high: as the image has it", low, -1e30, 1e30, 0);
    COF_ARG_NUMBER(class, "high", 105, "High", "where the bins end", high, -1e30, 1e30, 0);
    VIPS_ARG_UINT64(class, "seed", 107, "Seed", "of the k-means seeding",
                    VIPS_ARGUMENT_OPTIONAL_INPUT, offsetof(COF_STRUCT, seed), 0, G_MAXUINT64, 0);
    COF_ARG_NUMBER(class, "sigma", 108, "Sigma",
                   "std of the learning Gaussian in pixels; 0: by the preset from the window",
                   sigma, 0, 1e6, 0);
    COF_ARG_NUMBER(class, "softness", 109, "Softness",
                   "how far a value counts for its neighbours in the palette (default: the "
                   "preset's, 0.75)",
                   softness, 0, 16, 0.75);
}

static void cof_learning_finalize(GObject *object)
{
    run_report_unref(((CofLearning *)object)->run);
    G_OBJECT_CLASS(cof_learning_parent_class)->finalize(object);
}

static void cof_learning_class_init(CofLearningClass *class)
{
    GObjectClass *gobject_class = G_OBJECT_CLASS(class);
    VipsObjectClass *object_class = VIPS_OBJECT_CLASS(class);
    gobject_class->set_property = vips_object_set_property;
    gobject_class->get_property = vips_object_get_property;
    gobject_class->finalize = cof_learning_finalize;
    object_class->nickname = "cof_learning";
    object_class->description = "learn what occurs together";
    add_choices(object_class);
    add_numbers(object_class);
    VIPS_ARG_BOOL(object_class, "exact_soft", 110, "Exactly soft",
                  "weigh each pixel by its own distance to the colours; slow, and in memory",
                  VIPS_ARGUMENT_OPTIONAL_INPUT, offsetof(COF_STRUCT, exact_soft), FALSE);
    VIPS_ARG_IMAGE(object_class, "mask", 111, "Mask", "learn only where this is not black",
                   VIPS_ARGUMENT_OPTIONAL_INPUT, offsetof(COF_STRUCT, mask));
    VIPS_ARG_BOXED(object_class, "region", 112, "Region",
                   "learn only inside: left top width height", VIPS_ARGUMENT_OPTIONAL_INPUT,
                   offsetof(COF_STRUCT, region), VIPS_TYPE_ARRAY_INT);
    VIPS_ARG_STRING(object_class, "palette_from", 113, "Palette from",
                    "a file of statistics or a model, whose palette is used",
                    VIPS_ARGUMENT_OPTIONAL_INPUT, offsetof(COF_STRUCT, palette_from), NULL);
}

static void cof_learning_init(CofLearning *l)
{
    l->colours = 32;
    l->levels = 256;
    l->window = 15;
    l->coarse = 1;
    l->softness = 0.75;
    l->run = run_report_new();
}
