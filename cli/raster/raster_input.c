/* SPDX-License-Identifier: BSD-2-Clause */
/* Input rasters that GDAL reads, as images of libvips. */
#include "raster/raster_input.h"

#include <string.h>
#include <unistd.h>

#include "io/geo_tags.h"
#include "io/image_file.h"
#include "io/image_input.h"
#include "io/output_path.h"
#include "io/page_layout.h"
#include "io/paths.h"
#include "io/pixel_limit.h"
#include "io/raster_formats.h"
#include "io/watched_image.h"
#include "raster/raster_module.h"
#include "ui/error_line.h"

#define RASTER "cof-raster"

/* libvips reads up to 4 bands as what they are. */
#define MAX_IMAGE_BANDS 4
#define PHOTOMETRIC_CMYK 5

bool raster_name_is_virtual(const char *name)
{
    size_t prefix = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
    return g_str_has_prefix(name, "/vsi") ||
           (prefix > 1 && name[prefix] == ':' && access(name, F_OK) != 0);
}

/* Options that only GDAL can follow. */
static bool needs_gdal(const Arguments *a)
{
    return option_set(a, OPT_BANDS) || option_set(a, OPT_FILTER_BANDS) || option_set(a, OPT_CO) ||
           option_set(a, OPT_OVERVIEWS) || (a->format && raster_format_named(a->format));
}

/* Whether a TIFF file of one page has tags that libvips would lose, or many bands. */
static bool is_raster_header(const TiffHeader *header)
{
    GeoTags tags = geo_tags_read(header);
    PageLayout layout = page_layout_of_tiff(header);
    const TiffPage *page = &header->pages[0];
    bool is_cmyk = tiff_number(header, page, TIFF_PHOTOMETRIC, 0, 0) == PHOTOMETRIC_CMYK;
    bool has_many = tiff_number(header, page, TIFF_SAMPLES_PER_PIXEL, 0, 1) > MAX_IMAGE_BANDS;
    bool is_single = layout.n == 1;
    page_layout_free(&layout);
    return is_single &&
           (tags.is_located || tags.is_named || tags.has_nodata || (has_many && !is_cmyk));
}

/* What can be said of a file without GDAL. */
typedef enum Guess { GUESS_IMAGE, GUESS_RASTER, GUESS_UNKNOWN } Guess;

static Guess guess_by_header(const char *path)
{
    FileBytes file;
    TiffHeader header;
    if (!file_bytes_open(&file, path))
        return GUESS_IMAGE;
    Guess guess = GUESS_UNKNOWN;
    if (tiff_header_read(&header, &file)) {
        guess = is_raster_header(&header) ? GUESS_RASTER : GUESS_IMAGE;
        tiff_header_free(&header);
    }
    file_bytes_close(&file);
    return guess;
}

/* Whether a file of GDAL or of a GIS lies beside an image: metadata, or the six numbers of a
 * position, whose suffix has the first and the last letter of the image's and a w. */
static bool has_companion(const char *path)
{
    const char *dot = strrchr(path, '.');
    if (!dot || strlen(dot) < 3 || strchr(dot, '/'))
        return false;
    int length = (int)(dot - path);
    char last = dot[strlen(dot) - 1];
    char *names[] = {g_strdup_printf("%s.aux.xml", path),
                     g_strdup_printf("%.*s.%c%cw", length, path, dot[1], last),
                     g_strdup_printf("%.*s.wld", length, path)};
    bool found = false;
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        found = found || access(names[i], R_OK) == 0;
        g_free(names[i]);
    }
    return found;
}

static bool is_jp2(const char *path)
{
    return vips_iscasepostfix(path, ".jp2") || vips_iscasepostfix(path, ".j2k");
}

/* Asks GDAL. */
static bool is_geographic(const char *path)
{
    const GdalInterface *gdal = raster_module();
    Raster *raster = gdal ? gdal->open(path) : NULL;
    bool found = raster && gdal->facts(raster).is_geographic;
    if (raster)
        gdal->unref(raster);
    vips_error_clear();
    return found;
}

bool raster_is_file(const char *path)
{
    return raster_format_is_read(path) && raster_module() && raster_module()->recognises(path);
}

static bool is_raster_file(const char *path)
{
    Guess guess = guess_by_header(path);
    bool is_tiff = guess != GUESS_UNKNOWN;
    if (guess == GUESS_RASTER || (is_tiff && !has_companion(path)))
        return guess == GUESS_RASTER;
    bool is_image = vips_foreign_find_load(path) != NULL;
    vips_error_clear();
    if (!is_image)
        return raster_module() && !path_is_video(path) && raster_module()->recognises(path);
    return (has_companion(path) || is_jp2(path)) && is_geographic(path);
}

static bool is_read_automatically(const Arguments *a, const char *name)
{
    if (path_is_stream(name))
        return false;
    if (needs_gdal(a) || raster_name_is_virtual(name))
        return true;
    char *path = image_path_of_input(name);
    bool found = strcmp(path, name) == 0 && access(path, R_OK) == 0 && !path_is_folder(path) &&
                 is_raster_file(path);
    g_free(path);
    return found;
}

/* Without GDAL, a file that libvips reads is read with libvips, which prints a note. */
bool raster_is_read(const Arguments *a, const char *name, bool *ok)
{
    *ok = true;
    if (a->reader == READER_VIPS)
        return false;
    if (a->reader == READER_AUTO && !is_read_automatically(a, name))
        return false;
    if (raster_module())
        return true;
    *ok = a->reader == READER_AUTO && !needs_gdal(a) && !raster_name_is_virtual(name);
    if (!*ok)
        print_error(name, "this needs GDAL, which is not installed or not built in");
    return false;
}

static RasterChoice choice_of(const Arguments *a, RasterRole role)
{
    RasterChoice choice = {0};
    if (role == RASTER_OTHER)
        return choice;
    choice.kind = a->kind;
    choice.learned = a->bands.numbers;
    choice.n_learned = a->bands.n;
    choice.filtered = role == RASTER_LEARNED ? a->bands.numbers : a->filter_bands.numbers;
    choice.n_filtered = role == RASTER_LEARNED ? a->bands.n : a->filter_bands.n;
    choice.all_valid = a->nodata_rule == NODATA_NONE;
    choice.has_nodata = a->nodata_rule == NODATA_VALUE;
    choice.nodata = a->nodata;
    return choice;
}

static void unref_raster(void *raster)
{
    raster_module()->unref(raster);
}

/* Small images are read at once, so that a damaged file is found before any work is done. */
static VipsImage *load_if_small(VipsImage *image, const char *name)
{
    if (!pixel_limit_check(image)) {
        g_object_unref(image);
        return NULL;
    }
    if (image_file_is_large(image))
        return watched_image_new(image, name);
    VipsImage *pixels = vips_image_copy_memory(image);
    g_object_unref(image);
    return pixels;
}

/* For the note about an output that cannot hold them. */
static void set_tags(VipsImage *image, const RasterFacts *facts)
{
    int tags =
        (facts->is_located ? GEO_TAGS_POSITION : 0) | (facts->has_nodata ? GEO_TAGS_NODATA : 0);
    if (tags != 0)
        vips_image_set_int(image, META_GEO_TAGS, tags);
}

/* Takes the raster. */
static VipsImage *open_image(Raster *raster, const RasterChoice *choice, bool learned,
                             const char *name)
{
    const GdalInterface *gdal = raster_module();
    VipsImage *image = NULL;
    if (gdal->choose(raster, choice) == 0)
        image = gdal->image(raster, learned);
    if (image)
        image = load_if_small(image, name);
    if (!image) {
        gdal->unref(raster);
        return NULL;
    }
    RasterFacts facts = gdal->facts(raster);
    set_tags(image, &facts);
    vips_image_set_string(image, VIPS_META_LOADER, "tiff"); /* the format of standard output */
    g_object_set_data_full(G_OBJECT(image), RASTER, raster, unref_raster);
    return image;
}

VipsImage *raster_input_open(const Arguments *a, const char *name, RasterRole role)
{
    RasterChoice choice = choice_of(a, role);
    if (a->pages.first > 0) {
        print_error(name, "GDAL reads one page; to choose pages, use --reader vips");
        return NULL;
    }
    Raster *raster = raster_module()->open(name);
    VipsImage *image = raster ? open_image(raster, &choice, role == RASTER_LEARNED, name) : NULL;
    if (!image)
        print_vips_error(name, "cannot be read");
    else if (raster_module()->facts(raster).is_rounded)
        print_note(name, "64-bit floats are filtered as 32-bit floats, which have 7 digits");
    return image;
}

Raster *raster_of_image(VipsImage *image)
{
    return g_object_get_data(G_OBJECT(image), RASTER);
}

VipsImage *raster_input_guide(VipsImage *image, const char *name, bool *failed)
{
    Raster *raster = raster_of_image(image);
    *failed = false;
    if (!raster || !raster_module()->facts(raster).has_guide)
        return NULL;
    VipsImage *guide = raster_module()->image(raster, true);
    if (guide)
        guide = load_if_small(guide, name);
    *failed = !guide;
    return guide;
}
