/* SPDX-License-Identifier: BSD-2-Clause */
/* Input rasters that GDAL reads, as images of libvips. */
#include "raster/raster_input.h"

#include <string.h>
#include <unistd.h>

#include "io/formats.h"
#include "io/image_file.h"
#include "io/paths.h"
#include "io/tiff_facts.h"
#include "options/arguments_files.h"
#include "options/arguments_options.h"
#include "raster/raster_module.h"
#include "ui/error_line.h"

#define RASTER "cof-raster"

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
           option_set(a, OPT_OVERVIEWS) || (a->format && written_format(a->format, NULL));
}

/* Whether a TIFF file has what libvips would lose or read wrong. */
static bool is_raster(const TiffFacts *facts)
{
    return facts->needs_gdal ||
           (facts->layout.n == 1 &&
            (facts->is_located || facts->is_named || facts->has_nodata || facts->has_many_bands));
}

bool raster_has_world_file(const char *path)
{
    const char *dot = strrchr(path, '.');
    if (!dot || strlen(dot) < 3 || strchr(dot, '/'))
        return false;
    int length = (int)(dot - path);
    char last = dot[strlen(dot) - 1], end = g_ascii_isupper(last) ? 'W' : 'w';
    char *names[] = {g_strdup_printf("%.*s.%c%c%c", length, path, dot[1], last, end),
                     g_strdup_printf("%.*s.wld", length, path)};
    bool found = false;
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        found = found || access(names[i], R_OK) == 0;
        g_free(names[i]);
    }
    return found;
}

/* Whether a file of GDAL or of a GIS lies beside an image. */
static bool has_companion(const char *path)
{
    char *companion = path_companion(path);
    bool found = companion || raster_has_world_file(path);
    g_free(companion);
    return found;
}

/* Asks GDAL. */
static bool is_geographic(const char *path)
{
    const GdalInterface *gdal = raster_module();
    Raster *raster = gdal ? gdal->open(path, 1) : NULL;
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

/* Whether only GDAL reads a file, or a library that the user must ask for. */
static bool is_for_gdal(const char *path)
{
    const char *operation;
    const Format *format = format_of_file(path, &operation);
    if (format && (format->reader != FORMAT_ASKED || encoding_of_file(path).gdal_fault))
        return false;
    return !path_is_video(path) && raster_module() && raster_module()->recognises(path);
}

/* What libvips does not read may be a raster; what it reads may be one that other files locate. */
static bool is_raster_file(const char *path, int page)
{
    TiffFacts facts;
    bool is_tiff = tiff_facts_read(path, page, &facts), found = is_tiff && is_raster(&facts);
    page_layout_free(&facts.layout);
    if (found || (is_tiff && !has_companion(path)))
        return found;
    return is_for_gdal(path) || (has_companion(path) && is_geographic(path));
}

/* Standard input is an image, unless libvips cannot read it. */
static bool is_raster_stream(const char *path, int page)
{
    TiffFacts facts;
    bool is_wrong = tiff_facts_read(path, page, &facts) && facts.needs_gdal;
    page_layout_free(&facts.layout);
    return is_wrong || is_for_gdal(path);
}

static bool is_stream_or_pipe(const char *name)
{
    return path_is_stream(name) || path_is_pipe(name);
}

static bool is_read_automatically(const Arguments *a, const char *name)
{
    bool is_stream = is_stream_or_pipe(name);
    if (!is_stream && (needs_gdal(a) || raster_name_is_virtual(name)))
        return true;
    if (!is_stream && (access(name, R_OK) != 0 || path_is_folder(name) || path_is_special(name)))
        return false;
    char *path = image_file_path(name);
    bool found = path && (is_stream ? is_raster_stream(path, a->pages.first)
                                    : is_raster_file(path, a->pages.first));
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

static void print_part_error(const char *output, const char *part, const char *name)
{
    char *text = g_strdup_printf(path_is_same(output, part) ? "is a part of the input %s"
                                                            : "replaces a part of the input %s",
                                 name);
    print_error(output, text);
    g_free(text);
}

/* An output must not replace another file that the raster is read from, such as one that a VRT
 * names, or its header. What belongs to the raster alone may go with it. */
static bool has_no_output(Raster *raster, const char *name)
{
    if (!arguments_replace_files())
        return true;
    char **files = raster_module()->files(raster);
    const char *output = NULL;
    for (char **file = files; *file && !output; file++) {
        output = path_is_same(*file, name) ? NULL : arguments_output_at(*file);
        if (output && path_is_same(output, name))
            output = NULL;
        else if (output)
            print_part_error(output, *file, name);
    }
    g_strfreev(files);
    return !output;
}

bool raster_inputs_check(const Arguments *a)
{
    const char *others[] = {a->mask, a->labels, a->guide, a->apply_mask};
    int n = arguments_n_inputs(a), n_others = (int)G_N_ELEMENTS(others);
    bool ok = true;
    for (int i = 0; i < n + a->n_learn_from + n_others && ok; i++) {
        const char *name = i < n                     ? a->operands[i]
                           : i < n + a->n_learn_from ? a->learn_from[i - n]
                                                     : others[i - n - a->n_learn_from];
        bool has_parts = name && !path_is_special(name) &&
                         (raster_name_is_virtual(name) || raster_format_is_read(name));
        Raster *raster = has_parts && raster_module() ? raster_module()->open(name, 1) : NULL;
        ok = !raster || has_no_output(raster, name);
        if (raster)
            raster_module()->unref(raster);
        vips_error_clear();
    }
    return ok;
}

static RasterChoice choice_of(const Arguments *a, RasterRole role, const TiffFacts *tiff)
{
    RasterChoice choice = {.is_premultiplied = tiff->is_premultiplied};
    if (role == RASTER_OTHER)
        return choice;
    choice.kind = a->kind;
    choice.learned = a->bands.numbers;
    choice.n_learned = a->bands.n;
    choice.filtered = role == RASTER_LEARNED ? a->bands.numbers : a->filter_bands.numbers;
    choice.n_filtered = role == RASTER_LEARNED ? a->bands.n : a->filter_bands.n;
    choice.is_unchanged = arguments_keep_samples(a);
    choice.all_valid = a->nodata_rule == NODATA_NONE;
    choice.has_nodata = a->nodata_rule == NODATA_VALUE;
    choice.nodata = a->nodata;
    return choice;
}

static void unref_raster(void *raster)
{
    raster_module()->unref(raster);
}

/* Takes the reference. */
static VipsImage *decode(VipsImage *image, const char *name)
{
    if (pixel_limit_check(image, true))
        return image_file_decode(image, name);
    g_object_unref(image);
    return NULL;
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
        image = decode(image, name);
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

/* The other pages must not be lost without a word. */
static bool has_chosen_page(const Arguments *a, Raster *raster, const char *name)
{
    int n = raster_module()->facts(raster).pages;
    if (n == 1 || a->pages.first > 0)
        return true;
    char *text = g_strdup_printf("has %d pages, and GDAL reads one; choose it with --pages N", n);
    print_error(name, text);
    g_free(text);
    return false;
}

/* A guide or a mask may have one page for all. */
static Raster *open_page(const char *path, int page, RasterRole role)
{
    const GdalInterface *gdal = raster_module();
    Raster *raster = gdal->open(path, 1);
    bool is_right = page < 2 || (role == RASTER_OTHER && raster && gdal->facts(raster).pages == 1);
    if (!raster || is_right)
        return raster;
    gdal->unref(raster);
    return gdal->open(path, page);
}

/* What GDAL would read wrong; prints an error if there is something. */
static bool is_read_right(Raster *raster, const TiffFacts *tiff, const Encoding *encoding,
                          const char *name)
{
    const char *fault = encoding->gdal_fault ? encoding->gdal_fault : tiff->encoding.fault;
    if (!fault && tiff->orientation > 1 && !raster_module()->facts(raster).is_located)
        fault = "has a tag that turns it, which GDAL ignores; turn its pixels";
    if (fault)
        print_error(name, fault);
    return !fault;
}

VipsImage *raster_input_open(const Arguments *a, const char *name, RasterRole role)
{
    if (a->pages.first != a->pages.last) {
        print_error(name, "GDAL reads one page at a time; choose one with --pages N");
        return NULL;
    }
    char *path = is_stream_or_pipe(name) ? image_file_path(name) : g_strdup(name);
    TiffFacts tiff = {0};
    Encoding encoding = {0};
    if (!path)
        return NULL;
    if (tiff_facts_read(path, a->pages.first, &tiff))
        page_layout_free(&tiff.layout);
    else
        encoding = encoding_of_file(path);
    Raster *raster = open_page(path, a->pages.first, role);
    g_free(path);
    if (raster && !(has_chosen_page(a, raster, name) && has_no_output(raster, name) &&
                    is_read_right(raster, &tiff, &encoding, name))) {
        raster_module()->unref(raster);
        return NULL;
    }
    RasterChoice choice = choice_of(a, role, &tiff);
    VipsImage *image = raster ? open_image(raster, &choice, role == RASTER_LEARNED, name) : NULL;
    if (!image) {
        print_vips_error(name, "cannot be read");
        return NULL;
    }
    encoding_store(image, (Encoding){.not_read = tiff.lost_by_gdal});
    if (raster_module()->facts(raster).is_rounded)
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
        guide = decode(guide, name);
    *failed = !guide;
    return guide;
}
