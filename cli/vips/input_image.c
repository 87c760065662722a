/* SPDX-License-Identifier: BSD-2-Clause */
/* Input images: their pages and their value of no data, as the options say. */
#include "vips/input_image.h"

#include "io/encoding.h"
#include "io/image_file.h"
#include "io/paths.h"
#include "io/save_options.h"
#include "options/arguments_options.h"
#include "raster/raster_input.h"
#include "raster/raster_output.h"
#include "ui/error_line.h"
#include "vips_pixels.h"

/* Sets the value of no data. Takes the reference; NULL is allowed. */
static VipsImage *apply_nodata(const Arguments *a, VipsImage *image, const char *name)
{
    VipsImage *copy = NULL;
    if (!image || a->nodata_rule == NODATA_AUTO)
        return image;
    if (vips_copy(image, &copy, NULL) != 0)
        print_vips_error(name, "cannot be read");
    else if (a->nodata_rule == NODATA_NONE)
        vips_image_remove(copy, META_NODATA);
    else
        vips_image_set_double(copy, META_NODATA, a->nodata);
    g_object_unref(image);
    return copy;
}

/* What of the tags that only GDAL and its like understand an image has: GEO_TAGS_POSITION and
 * GEO_TAGS_NODATA. */
static int geo_tags(const VipsImage *image)
{
    int tags = 0;
    if (vips_image_get_typeof(image, META_GEO_TAGS) == G_TYPE_INT)
        vips_image_get_int(image, META_GEO_TAGS, &tags);
    return tags;
}

/* Whether --in-place keeps all that the input and its companions have. */
static bool check_in_place(const Arguments *a, VipsImage *image, const char *name)
{
    if (!option_set(a, OPT_IN_PLACE) || (raster_of_image(image) && raster_is_written(a, name)))
        return true;
    bool has_tags =
        geo_tags(image) != 0 && !(raster_of_image(image) && raster_has_world_file(name));
    const char *not_read = encoding_of_image(image).not_read;
    char *target = path_target(name), *companion = target ? path_companion(target) : NULL;
    const char *lost = not_read    ? not_read
                       : companion ? companion
                       : has_tags  ? "its georeferencing or its no-data value"
                                   : NULL;
    bool ok = in_place_keeps(a, lost, name);
    g_free(companion);
    g_free(target);
    return ok;
}

static void note_rounding(const Arguments *a, const VipsImage *image, const char *name)
{
    bool is_double = image->BandFmt == VIPS_FORMAT_DOUBLE;
    bool is_long = image->BandFmt == VIPS_FORMAT_UINT || image->BandFmt == VIPS_FORMAT_INT;
    if ((is_double || is_long) && !arguments_keep_samples(a))
        print_note(
            name, is_double ? "64-bit floats are filtered as 32-bit floats, which have 7 digits"
                            : "32-bit integers are filtered as 32-bit floats, which have 7 digits");
}

bool input_exists(const char *name)
{
    return raster_name_is_virtual(name) || image_file_exists(name);
}

/* Opens the input with GDAL if that reads it. Returns false if libvips does. */
static bool open_raster(const Arguments *a, const char *name, RasterRole role, VipsImage **image)
{
    bool ok;
    *image = NULL;
    if (!raster_is_read(a, name, &ok))
        return !ok;
    if (input_exists(name))
        *image = raster_input_open(a, name, role);
    return true;
}

VipsImage *input_image_open(const Arguments *a, const char *name)
{
    VipsImage *raster;
    bool learns = a->subcommand == CMD_LEARN || a->subcommand == CMD_SHOW;
    bool is_raster = open_raster(a, name, learns ? RASTER_LEARNED : RASTER_FILTERED, &raster);
    VipsImage *image =
        is_raster ? raster : apply_nodata(a, image_file_open_pages(name, &a->pages), name);
    if (image && !check_in_place(a, image, name))
        g_clear_object(&image);
    if (image && !is_raster)
        note_rounding(a, image, name);
    return image;
}

VipsImage *input_image_open_single(const Arguments *a, const char *name)
{
    VipsImage *image = input_image_open(a, name);
    int n = image ? page_count(image) : 1;
    if (n == 1)
        return image;
    char *text = g_strdup_printf("has %d pages; choose one with --pages N", n);
    print_error(name, text);
    g_free(text);
    g_object_unref(image);
    return NULL;
}

VipsImage *input_image_open_all(const Arguments *a, const char *name)
{
    VipsImage *raster;
    if (open_raster(a, name, RASTER_LEARNED, &raster))
        return raster;
    return apply_nodata(a, image_file_open_pages(name, &(PageRange){0}), name);
}

VipsImage *input_image_open_companion(const Arguments *a, const char *name)
{
    VipsImage *raster;
    PageRange pages = a->pages;
    pages.or_single = true;
    if (open_raster(a, name, RASTER_OTHER, &raster))
        return raster;
    return image_file_open_pages(name, &pages);
}

/* libvips blends what is transparent with black. */
static void note_lost_transparency(VipsImage *in, const char *output)
{
    bool is_encoded = in->Coding != VIPS_CODING_NONE; /* Radiance has four bytes, but no alpha */
    if (!is_encoded && vips_image_hasalpha(in) && !save_has_alpha(output))
        print_note(output, "this format has no transparency; transparent parts are black");
}

/* A tag of EXIF data that libvips does not write by itself. */
static void *find_own_tag(VipsImage *image, const char *field, GValue *value, void *unused)
{
    static const char *const made[] = {"Orientation",
                                       "XResolution",
                                       "YResolution",
                                       "ResolutionUnit",
                                       "YCbCrPositioning",
                                       "ExifVersion",
                                       "ComponentsConfiguration",
                                       "FlashpixVersion",
                                       "ColorSpace",
                                       "PixelXDimension",
                                       "PixelYDimension",
                                       NULL};
    static const char before[] = "exif-ifd0-";
    (void)image, (void)value, (void)unused;
    bool is_tag = g_str_has_prefix(field, "exif-ifd") && strlen(field) > strlen(before);
    return is_tag && !g_strv_contains(made, field + strlen(before)) ? (void *)field : NULL;
}

static bool has_metadata(VipsImage *image, const char *field)
{
    return vips_image_get_typeof(image, field) != 0 &&
           (strcmp(field, VIPS_META_EXIF_NAME) != 0 || vips_image_map(image, find_own_tag, NULL));
}

/* What the output lacks of the metadata that were to be written. */
static void append_lost_metadata(GString *list, VipsImage *in, const char *output)
{
    static const struct {
        const char *field, *words;
    } kinds[] = {{VIPS_META_ICC_NAME, "the ICC profile"},
                 {VIPS_META_EXIF_NAME, "EXIF"},
                 {VIPS_META_XMP_NAME, "XMP"},
                 {VIPS_META_IPTC_NAME, "IPTC"}};
    char *path = image_path_of_output(output);
    VipsImage *out = path_is_stream(output) ? NULL : image_file_open_header(path);
    for (size_t i = 0; i < G_N_ELEMENTS(kinds) && !path_is_stream(output); i++)
        if (has_metadata(in, kinds[i].field) &&
            (!out || vips_image_get_typeof(out, kinds[i].field) == 0))
            g_string_append_printf(list, "%s%s", list->len > 0 ? ", " : "", kinds[i].words);
    VIPS_UNREF(out);
    g_free(path);
}

/* Formats without floats hold 0 to 1. */
static void note_clipped_floats(VipsImage *in, const char *output)
{
    bool is_float = in->BandFmt == VIPS_FORMAT_FLOAT || in->BandFmt == VIPS_FORMAT_DOUBLE;
    bool is_unit = in->Type != VIPS_INTERPRETATION_LAB && in->Type != VIPS_INTERPRETATION_MULTIBAND;
    VipsImage *colours = NULL;
    double most = 0;
    if (is_float && is_unit && !path_is_stream(output) &&
        !image_file_holds(in, false, output, NULL, in) &&
        vips_extract_band(in, &colours, 0, "n", MIN(in->Bands, 3), NULL) == 0 &&
        vips_max(colours, &most, NULL) == 0 && most > 1)
        print_note(output, "this format has no floats; values above 1 are white");
    VIPS_UNREF(colours);
}

static void note_lost_metadata(VipsImage *in, const char *input, const char *output)
{
    const char *not_read = encoding_of_image(in).not_read;
    GString *list = g_string_new(not_read);
    append_lost_metadata(list, in, output);
    if (list->len > 0) {
        g_string_prepend(list, ": ");
        g_string_prepend(list, path_is_stream(output) ? "standard output" : output);
        g_string_prepend(list, "not kept in ");
        print_note(input, list->str);
    }
    g_string_free(list, TRUE);
}

void note_losses(VipsImage *in, const char *input, const char *output)
{
    note_lost_transparency(in, output);
    note_clipped_floats(in, output);
    note_lost_metadata(in, input, output);
    int tags = geo_tags(in);
    bool located = tags & GEO_TAGS_POSITION, marked = tags & GEO_TAGS_NODATA;
    if (tags == 0)
        return;
    char *text = g_strdup_printf("%s not kept in %s",
                                 !marked    ? "georeferencing is"
                                 : !located ? "the no-data value is"
                                            : "georeferencing and the no-data value are",
                                 path_is_stream(output) ? "standard output" : output);
    print_note(input, text);
    g_free(text);
}
