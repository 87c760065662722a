/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts libvips images to the samples that libcof reads, and back. */
#include "vips_pixels.h"

#include <math.h>

#include "vips_nodata.h"
#include "vips_options.h"

#define MAX_PIXELS_IN_MEMORY ((gint64)1 << 25)

/* What a thread needs for its tiles, and a pixel of an image in memory, measured with 8-bit RGB. */
#define BYTES_PER_THREAD 128e6
#define BYTES_PER_PIXEL 10.0

static CofKind kind_of(VipsInterpretation interpretation, int bands)
{
    switch (interpretation) {
    case VIPS_INTERPRETATION_B_W:
    case VIPS_INTERPRETATION_GREY16:
        return bands == 1 ? COF_KIND_GREY : bands == 2 ? COF_KIND_GREY_ALPHA : COF_KIND_BANDS;
    case VIPS_INTERPRETATION_sRGB:
    case VIPS_INTERPRETATION_RGB:
    case VIPS_INTERPRETATION_RGB16:
    case VIPS_INTERPRETATION_scRGB:
        return bands == 3 ? COF_KIND_RGB : bands == 4 ? COF_KIND_RGBA : COF_KIND_BANDS;
    default:
        return bands == 1 ? COF_KIND_GREY : COF_KIND_BANDS;
    }
}

static bool is_float(VipsBandFormat format)
{
    return format == VIPS_FORMAT_FLOAT || format == VIPS_FORMAT_DOUBLE;
}

static bool is_colour(CofKind kind)
{
    return kind == COF_KIND_RGB || kind == COF_KIND_RGBA;
}

/* Does the interpretation say which range the samples have? */
static bool has_range(VipsInterpretation interpretation)
{
    switch (interpretation) {
    case VIPS_INTERPRETATION_B_W:
    case VIPS_INTERPRETATION_GREY16:
    case VIPS_INTERPRETATION_sRGB:
    case VIPS_INTERPRETATION_RGB:
    case VIPS_INTERPRETATION_RGB16:
        return true;
    default:
        return false; /* 0..1: scRGB, or only the argument "kind" says what the bands are */
    }
}

/* The value of white in float colour images. Grey and other bands are not scaled. */
static double white_of(VipsInterpretation interpretation, CofKind kind)
{
    if (!is_colour(kind) || !has_range(interpretation))
        return 1;
    return interpretation == VIPS_INTERPRETATION_RGB16 ? 65535 : 255;
}

/* The divisor that brings alpha to at most 1: a power of two, so that no precision is lost. */
static double alpha_of(VipsInterpretation interpretation, CofKind kind)
{
    if ((kind != COF_KIND_RGBA && kind != COF_KIND_GREY_ALPHA) || !has_range(interpretation))
        return 1;
    bool deep =
        interpretation == VIPS_INTERPRETATION_RGB16 || interpretation == VIPS_INTERPRETATION_GREY16;
    return deep ? 65536 : 256;
}

/* The sRGB transfer function and its inverse, extended beyond 0..1. */
static float encode(float light)
{
    return light <= 0.0031308f ? 12.92f * light : 1.055f * powf(light, 1 / 2.4f) - 0.055f;
}

static float decode(float value)
{
    return value <= 0.04045f ? value / 12.92f : powf((value + 0.055f) / 1.055f, 2.4f);
}

static void code_row(const Pixels *p, const float *from, int n, int bands, bool back, float *to)
{
    bool has_alpha = p->kind == COF_KIND_RGBA || p->kind == COF_KIND_GREY_ALPHA;
    float white = (float)(back ? p->white : 1 / p->white);
    float alpha = (float)(back ? p->alpha : 1 / p->alpha);
    for (int i = 0; i < n * bands; i++)
        if (has_alpha && i % bands == bands - 1)
            to[i] = from[i] * alpha;
        else
            to[i] = !p->linear ? from[i] * white : back ? decode(from[i]) : encode(from[i]);
}

typedef struct Coding {
    Pixels pixels;
    bool back;
} Coding;

static int code_region(VipsRegion *out, void *sequence, void *a, void *b, gboolean *stop)
{
    (void)a, (void)stop;
    VipsRegion *in = sequence;
    const Coding *coding = b;
    VipsRect *rect = &out->valid;
    if (vips_region_prepare(in, rect) != 0)
        return -1;
    for (int y = rect->top; y < VIPS_RECT_BOTTOM(rect); y++)
        code_row(&coding->pixels, (const float *)VIPS_REGION_ADDR(in, rect->left, y), rect->width,
                 out->im->Bands, coding->back, (float *)VIPS_REGION_ADDR(out, rect->left, y));
    return 0;
}

/* Converts floats to the range and encoding that libcof expects, or back. */
static int code(const Pixels *pixels, bool back, VipsImage *in, VipsImage **out)
{
    *out = vips_image_new();
    vips_object_local(*out, g_object_ref(in));
    Coding *coding = VIPS_NEW(*out, Coding);
    *coding = (Coding){*pixels, back};
    if (vips_image_pipelinev(*out, VIPS_DEMAND_STYLE_ANY, in, NULL) != 0 ||
        vips_image_generate(*out, vips_start_one, code_region, vips_stop_one, in, coding) != 0) {
        g_clear_object(out);
        return -1;
    }
    return 0;
}

/* Keeps 8-bit and 16-bit samples; casts all others to float. */
static int as_samples(VipsImage *in, VipsImage **out)
{
    if (in->BandFmt == VIPS_FORMAT_UCHAR || in->BandFmt == VIPS_FORMAT_USHORT)
        return vips_copy(in, out, NULL);
    return vips_cast(in, out, VIPS_FORMAT_FLOAT, NULL);
}

static bool is_coded(const Pixels *p)
{
    return p->linear || p->white != 1 || p->alpha != 1;
}

const char *const *pixels_kind_words(void)
{
    static const char *words[BANDS_AS_BANDS + 2] = {"auto"};
    static gsize made = 0;
    if (g_once_init_enter(&made)) {
        for (int kind = COF_KIND_GREY; kind <= COF_KIND_BANDS; kind++)
            words[BANDS_AS_GREY + kind] = cof_kind_name((CofKind)kind);
        g_once_init_leave(&made, 1);
    }
    return words;
}

void pixels_add_kind(VipsObjectClass *class, size_t offset, const char *text)
{
    VIPS_ARG_ENUM(class, "kind", 20, "Kind", text, VIPS_ARGUMENT_OPTIONAL_INPUT, offset,
                  vips_cof_enum_type("CofVipsKind", pixels_kind_words()), BANDS_AUTO);
}

static int bands_of(CofKind kind)
{
    return kind == COF_KIND_BANDS ? 0 : (int)kind - (int)COF_KIND_GREY + 1;
}

/* Does the image have the bands and samples of this kind? */
static int check_kind(const VipsImage *image, CofKind kind, const Argument *argument)
{
    char text[100];
    const char *word = cof_kind_name(kind);
    int bands = bands_of(kind);
    bool has_white = image->BandFmt == VIPS_FORMAT_UCHAR || image->BandFmt == VIPS_FORMAT_USHORT ||
                     is_float(image->BandFmt);
    if (bands != 0 && bands != image->Bands)
        g_snprintf(text, sizeof text, "kind %s needs %d band%s, but the image has %d", word, bands,
                   bands == 1 ? "" : "s", image->Bands);
    else if (bands > 1 && !has_white)
        g_snprintf(text, sizeof text, "kind %s needs 8-bit, 16-bit or float samples", word);
    else
        return 0;
    return problem_refuse(argument, COF_ERR_ARGUMENT, text);
}

static int check_samples(const VipsImage *image, BandsKind kind, const Argument *argument)
{
    if (vips_band_format_iscomplex(image->BandFmt))
        return problem_refuse(argument, COF_ERR_UNSUPPORTED, "its samples are complex numbers");
    if (image->Bands > COF_MAX_BANDS)
        return problem_refuse(argument, COF_ERR_UNSUPPORTED,
                              "it has more than " G_STRINGIFY(COF_MAX_BANDS) " bands");
    return kind == BANDS_AUTO ? 0 : check_kind(image, (CofKind)(kind - 1), argument);
}

/* Sets kind, sample type and encoding of samples that were converted from `format`. */
static void describe(Pixels *p, VipsInterpretation interpretation, BandsKind kind,
                     VipsBandFormat format, const VipsImage *samples)
{
    p->sample = samples->BandFmt == VIPS_FORMAT_UCHAR    ? COF_SAMPLE_U8
                : samples->BandFmt == VIPS_FORMAT_USHORT ? COF_SAMPLE_U16
                                                         : COF_SAMPLE_F32;
    p->kind = kind == BANDS_AUTO ? kind_of(interpretation, samples->Bands) : (CofKind)(kind - 1);
    if (p->sample != COF_SAMPLE_F32)
        return;
    if (!is_float(format) && p->kind != COF_KIND_GREY)
        p->kind = COF_KIND_BANDS; /* the value of white is unknown */
    p->linear = is_colour(p->kind) && interpretation == VIPS_INTERPRETATION_scRGB;
    p->white = white_of(interpretation, p->kind);
    p->alpha = alpha_of(interpretation, p->kind);
}

/* The kind that the metadata state; otherwise that of the argument. */
static BandsKind stated_kind(const VipsImage *image, BandsKind kind)
{
    int stated = 0;
    if (vips_image_get_typeof(image, META_KIND) == G_TYPE_INT)
        vips_image_get_int(image, META_KIND, &stated);
    return stated > BANDS_AUTO && stated <= BANDS_AS_BANDS ? (BandsKind)stated : kind;
}

int pixels_open(Pixels *p, VipsImage *in, BandsKind kind, const Argument *argument)
{
    *p = (Pixels){.white = 1, .alpha = 1};
    kind = stated_kind(in, kind);
    VipsImage *decoded = NULL, *samples = NULL;
    if (vips_image_decode(in, &decoded) != 0)
        return -1;
    int failed = check_samples(decoded, kind, argument) || as_samples(decoded, &samples);
    if (!failed) {
        describe(p, vips_image_guess_interpretation(decoded), kind, decoded->BandFmt, samples);
        failed = nodata_mask(decoded, p->kind, &p->valid);
    }
    g_object_unref(decoded);
    if (!failed && is_coded(p))
        failed = code(p, false, samples, &p->image);
    else if (!failed)
        p->image = g_object_ref(samples);
    g_clear_object(&samples);
    if (failed)
        pixels_close(p);
    return failed;
}

int pixels_open_linear(Pixels *p, VipsImage *in)
{
    VipsImage *decoded = NULL;
    if (vips_image_decode(in, &decoded) != 0)
        return -1;
    *p = (Pixels){.kind = decoded->Bands == 4 ? COF_KIND_RGBA : COF_KIND_RGB,
                  .sample = COF_SAMPLE_F32,
                  .white = 1,
                  .alpha = 1};
    int failed = as_samples(decoded, &p->image);
    g_object_unref(decoded);
    return failed;
}

void pixels_close(Pixels *p)
{
    g_clear_object(&p->image);
    g_clear_object(&p->valid);
}

static int round_to(VipsImage *in, VipsBandFormat format, VipsImage **out)
{
    VipsImage *rounded = NULL;
    if (is_float(format))
        return vips_cast(in, out, format, NULL);
    if (vips_rint(in, &rounded, NULL) != 0)
        return -1;
    int failed = vips_cast(rounded, out, format, NULL);
    g_object_unref(rounded);
    return failed;
}

/* Converts filtered samples to the format of `in`. */
static int convert_back(const Pixels *p, VipsImage *in, VipsImage *filtered, VipsImage **out)
{
    VipsImage *decoded = NULL;
    int failed =
        is_coded(p) ? code(p, true, filtered, &decoded) : vips_copy(filtered, &decoded, NULL);
    if (failed)
        return -1;
    /* A coded input (LABQ, RADIANCE) keeps the format that decoding gave it. */
    VipsBandFormat format = in->Coding == VIPS_CODING_NONE ? in->BandFmt : decoded->BandFmt;
    failed =
        format == decoded->BandFmt ? vips_copy(decoded, out, NULL) : round_to(decoded, format, out);
    g_object_unref(decoded);
    return failed;
}

int pixels_restore(const Pixels *p, VipsImage *in, VipsImage *filtered, VipsImage **out)
{
    VipsImage *converted = NULL;
    if (!p->valid || in->Coding != VIPS_CODING_NONE)
        return convert_back(p, in, filtered, out);
    if (convert_back(p, in, filtered, &converted) != 0)
        return -1;
    int failed = nodata_restore(p->valid, in, converted, out);
    g_object_unref(converted);
    return failed;
}

int pixels_mask(VipsImage *in, VipsImage **out)
{
    VipsImage *steps[6] = {NULL};
    double black = 0;
    bool has_alpha = vips_image_hasalpha(in);
    int bands = has_alpha ? in->Bands - 1 : in->Bands;
    int failed = vips_extract_band(in, &steps[0], 0, "n", bands, NULL) ||
                 vips_relational_const(steps[0], &steps[1], VIPS_OPERATION_RELATIONAL_NOTEQ, &black,
                                       1, NULL) ||
                 vips_bandor(steps[1], &steps[2], NULL);
    if (!failed && has_alpha)
        failed = vips_extract_band(in, &steps[3], bands, NULL) ||
                 vips_relational_const(steps[3], &steps[4], VIPS_OPERATION_RELATIONAL_NOTEQ, &black,
                                       1, NULL) ||
                 vips_andimage(steps[2], steps[4], &steps[5], NULL);
    if (!failed)
        *out = g_object_ref(steps[has_alpha ? 5 : 2]);
    for (int i = 0; i < 6; i++)
        g_clear_object(&steps[i]);
    return failed ? -1 : 0;
}

bool pixels_are_large(const VipsImage *image)
{
    return (gint64)image->Xsize * image->Ysize > MAX_PIXELS_IN_MEMORY;
}

bool pixels_take_less_in_parts(const VipsImage *image)
{
    double pixels = (double)image->Xsize * image->Ysize;
    return pixels_are_large(image) &&
           BYTES_PER_THREAD * vips_concurrency_get() <= BYTES_PER_PIXEL * pixels;
}

CofImage pixels_view(const Pixels *p, VipsRegion *region)
{
    const VipsRect *rect = &region->valid;
    return (CofImage){.data = VIPS_REGION_ADDR_TOPLEFT(region),
                      .width = rect->width,
                      .height = rect->height,
                      .channels = region->im->Bands,
                      .kind = p->kind,
                      .sample = p->sample,
                      .row_stride = (ptrdiff_t)VIPS_REGION_LSKIP(region),
                      .x = rect->left,
                      .y = rect->top,
                      .full_width = region->im->Xsize,
                      .full_height = region->im->Ysize};
}

CofImage pixels_whole(const Pixels *p, VipsImage *image)
{
    return (CofImage){.data = VIPS_IMAGE_ADDR(image, 0, 0),
                      .width = image->Xsize,
                      .height = image->Ysize,
                      .channels = image->Bands,
                      .kind = p->kind,
                      .sample = p->sample,
                      .row_stride = (ptrdiff_t)VIPS_IMAGE_SIZEOF_LINE(image)};
}

int pixel_memory_load(PixelMemory *memory, const Pixels *source)
{
    *memory = (PixelMemory){.pixels = vips_image_copy_memory(source->image)};
    if (memory->pixels && source->valid)
        memory->valid = vips_image_copy_memory(source->valid);
    if (!memory->pixels || (source->valid && !memory->valid))
        return -1;
    memory->view = pixels_whole(source, memory->pixels);
    if (memory->valid) {
        memory->view.valid = VIPS_IMAGE_ADDR(memory->valid, 0, 0);
        memory->view.valid_stride = (ptrdiff_t)VIPS_IMAGE_SIZEOF_LINE(memory->valid);
    }
    return 0;
}

void pixel_memory_free(PixelMemory *memory)
{
    g_clear_object(&memory->pixels);
    g_clear_object(&memory->valid);
}
