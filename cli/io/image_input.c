/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens an image for reading: its pages, planar TIFF files, and tags that libvips does not read. */
#include "io/image_input.h"

#include <stddef.h>

#include "io/cof_file.h"
#include "io/geo_tags.h"
#include "io/image_encoding.h"
#include "io/page_metadata.h"
#include "io/paths.h"
#include "io/pixel_limit.h"
#include "io/planar_layout.h"
#include "io/planar_tiff.h"
#include "vips_pixels.h"

/* A file to be opened, and what its TIFF header says. */
typedef struct Input {
    const char *name;
    char *options;      /* those of libvips, in brackets, or "" */
    VipsSource *source; /* of standard input, or of a planar file; NULL: read by name */
    bool is_tiff, is_planar;
    PageLayout layout; /* of a TIFF file */
    int described;     /* images that ImageJ claims */
    int directories;
    GeoTags tags;
    Encoding encoding;
} Input;

static void free_input(Input *input)
{
    g_free(input->options);
    VIPS_UNREF(input->source);
    page_layout_free(&input->layout);
}

static void read_tags(Input *input, const TiffHeader *header)
{
    const TiffPage *page = &header->pages[0];
    char *description = tiff_text(header, page, TIFF_IMAGE_DESCRIPTION);
    input->described = description ? described_images(description) : 0;
    g_free(description);
    input->tags = geo_tags_read(header);
    input->directories = header->n;
    input->layout = page_layout_of_tiff(header);
    input->is_tiff = true;
}

static bool has_planar_page(const TiffHeader *header)
{
    bool found = false;
    for (int i = 0; i < header->n && !found; i++)
        found = page_is_planar(header, &header->pages[i]);
    return found;
}

/* Reads the header of a TIFF file. A planar file is read through a source, which takes the file.
 * Returns false with libvips' error set if it cannot be read. */
static bool read_header(Input *input, FileBytes *file)
{
    TiffHeader header;
    if (!tiff_header_read(&header, file))
        return true; /* another format, or damaged, which libvips finds out */
    read_tags(input, &header);
    if (!has_planar_page(&header)) {
        tiff_header_free(&header);
        return true;
    }
    input->is_planar = true;
    input->source = planar_tiff_source(file, &header);
    return input->source != NULL;
}

/* Reads all of standard input: it may be empty, and libvips would buffer it anyway. */
static bool read_stream(Input *input, bool *is_printed)
{
    size_t size;
    char *bytes = cof_file_read("-", &size);
    *is_printed = !bytes;
    if (!bytes)
        return false;
    input->encoding = image_encoding_of_bytes(bytes, size);
    FileBytes file = file_bytes_take(bytes, size);
    bool ok = size > 0 && read_header(input, &file);
    if (size == 0)
        vips_error("cof", "%s", "is empty");
    if (ok && !input->source) {
        VipsBlob *blob = vips_blob_new((VipsCallbackFn)vips_area_free_cb, file.bytes, size);
        input->source = vips_source_new_from_blob(blob);
        vips_area_unref(VIPS_AREA(blob));
        file.bytes = NULL;
    }
    file_bytes_close(&file);
    return ok && input->source;
}

static bool read_file(Input *input)
{
    FileBytes file;
    char *path = vips_filename_get_filename(input->name);
    bool ok = !file_bytes_open(&file, path) || read_header(input, &file);
    input->encoding = image_encoding_of_file(input->name);
    file_bytes_close(&file);
    g_free(path);
    return ok;
}

/* The arguments of all loaders. */
#define STRICT "fail_on", VIPS_FAIL_ON_ERROR

/* Only the header has been read. Takes the reference. */
static VipsImage *within_limit(VipsImage *image)
{
    if (image && !pixel_limit_check(image))
        g_clear_object(&image);
    return image;
}

static VipsImage *load(const Input *input)
{
    return within_limit(
        input->source ? vips_image_new_from_source(input->source, input->options, STRICT, NULL)
                      : vips_image_new_from_file(input->name, STRICT, NULL));
}

/* Loads n pages, counted from 0. */
static VipsImage *load_pages(const Input *input, int page, int n)
{
    return within_limit(
        input->source ? vips_image_new_from_source(input->source, input->options, "page", page, "n",
                                                   n, STRICT, NULL)
                      : vips_image_new_from_file(input->name, "page", page, "n", n, STRICT, NULL));
}

/* The pages of a file that is not a TIFF, as libvips sees them. */
static bool find_layout(Input *input, VipsImage *image)
{
    int n = vips_image_get_n_pages(image);
    input->layout = (PageLayout){.n = 1};
    if (n < 2 || page_count(image) > 1)
        return true;
    VipsImage *second = load_pages(input, 1, 1);
    if (!second)
        return false;
    input->layout = page_layout_of_images(image, second, n);
    g_object_unref(second);
    return true;
}

/* Replaces the image, whose pages are known, by the pages that the user wants. */
static VipsImage *select_pages(Input *input, VipsImage *image, const PageRange *pages)
{
    int position, n, all = input->layout.n;
    VipsImage *selected = NULL, *copy = NULL;
    if (page_layout_find(&input->layout, pages, &position, &n))
        selected = all == 1 && position == 0 ? g_object_ref(image) : load_pages(input, position, n);
    g_object_unref(image);
    if (!selected || vips_copy(selected, &copy, NULL) != 0) {
        VIPS_UNREF(selected);
        return NULL;
    }
    g_object_unref(selected);
    int first = pages && pages->first > 0 ? pages->first - 1 : 0;
    select_page_metadata(copy, first, n, all);
    return copy;
}

/* ImageJ writes one directory for stacks above 4 GB. */
static bool has_hidden_images(const Input *input)
{
    if (input->described <= 1 || input->described <= input->directories)
        return false;
    vips_error("cof",
               "has %d images but %d directories, as ImageJ writes large stacks; save it "
               "as OME-TIFF or BigTIFF",
               input->described, input->directories);
    return true;
}

/* libvips takes the last row of a PNG file as black if its data are missing. */
static bool lacks_data(const Input *input)
{
    if (input->encoding.lacks_data)
        vips_error("cof", "%s", "is too short for the number of its pixels");
    return input->encoding.lacks_data;
}

static VipsImage *open_pages(Input *input, const PageRange *pages)
{
    bool chosen = *input->options != '\0'; /* the user chose pages by options of libvips */
    if (chosen && pages && pages->first > 0) {
        vips_error("cof", "--pages cannot be combined with %s", input->options);
        return NULL;
    }
    if (has_hidden_images(input) || lacks_data(input))
        return NULL;
    VipsImage *image = load(input), *copy = NULL;
    if (image && !chosen && (input->is_tiff || find_layout(input, image)))
        return select_pages(input, image, pages);
    if (image && chosen && vips_copy(image, &copy, NULL) == 0 &&
        page_count(copy) != input->layout.n)
        remove_layout_description(copy);
    VIPS_UNREF(image);
    return copy;
}

static void set_metadata(Input *input, VipsImage *image)
{
    if (input->is_planar)
        remove_layout_description(image);
    image_encoding_store(image, input->encoding);
    const GeoTags *tags = &input->tags;
    if (tags->is_located || tags->has_nodata)
        vips_image_set_int(image, META_GEO_TAGS,
                           (tags->is_located ? GEO_TAGS_POSITION : 0) |
                               (tags->has_nodata ? GEO_TAGS_NODATA : 0));
    if (tags->has_nodata)
        vips_image_set_double(image, META_NODATA, tags->nodata);
}

VipsImage *image_input_open(const char *name, const PageRange *pages, bool *is_printed)
{
    Input input = {.name = name};
    bool is_stream = path_is_stream(name);
    *is_printed = false;
    input.options = is_stream ? g_strdup("") : vips_filename_get_options(name);
    bool ok = is_stream ? read_stream(&input, is_printed) : read_file(&input);
    VipsImage *image = ok ? open_pages(&input, pages) : NULL;
    if (image)
        set_metadata(&input, image);
    free_input(&input);
    return image;
}
