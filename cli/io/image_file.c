/* SPDX-License-Identifier: BSD-2-Clause */
/* Image files, read with libvips. */
#include "io/image_file.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/atomic_file.h"
#include "io/encoding.h"
#include "io/formats.h"
#include "io/paths.h"
#include "io/tiff_facts.h"
#include "io/watched_image.h"
#include "ui/error_line.h"
#include "vips_pixels.h"

/* Images of up to this size are decoded when they are opened, so that a damaged file is found
 * before any work is done. */
#define MAX_PIXELS_IN_MEMORY ((gint64)1 << 25)

/* The largest text of a compressed SVG file, in bytes. */
#define MAX_SVG_BYTES (256 << 20)

/* The value of --max-pixels; 0: not set. */
static int64_t limit;

static bool check_pixels(int width, int height, int64_t default_limit)
{
    int64_t most = limit > 0 ? limit : default_limit;
    if ((int64_t)width * height <= most)
        return true;
    vips_error("cof", "has %d x %d pixels, more than the limit of %" PRId64 "; see --max-pixels",
               width, height, most);
    return false;
}

/* An interlaced image is decoded as a whole. */
bool pixel_limit_check(VipsImage *image, bool is_streamed)
{
    int interlaced = 0;
    if (vips_image_get_typeof(image, "interlaced") != 0)
        vips_image_get_int(image, "interlaced", &interlaced);
    return check_pixels(image->Xsize, image->Ysize,
                        is_streamed && !interlaced ? MAX_PIXELS_STREAMED : MAX_PIXELS_WHOLE);
}

bool pixel_limit_check_frame(int width, int height)
{
    return check_pixels(width, height, MAX_PIXELS_WHOLE);
}

void image_file_init(int64_t max_pixels)
{
    limit = max_pixels;
    vips_warning_init();
}

bool image_file_exists(const char *name)
{
    struct stat info;
    char *file = image_path_of_input(name);
    bool ok = path_is_stream(name) || (stat(file, &info) == 0 && access(file, R_OK) == 0);
    if (!ok) {
        print_error(name, strerror(errno));
    } else if (!path_is_stream(name) && S_ISDIR(info.st_mode)) {
        print_error(name, "is a folder");
        ok = false;
    }
    ok = ok && path_check_end(file);
    g_free(file);
    return ok;
}

/* Standard input and pipes, as files without names, since all readers read files. */

static bool copy_bytes(int from, int to)
{
    char buffer[1 << 14];
    ssize_t n, all = 0;
    while ((n = read(from, buffer, sizeof buffer)) > 0) {
        for (ssize_t done = 0, put; done < n; done += put)
            if ((put = write(to, buffer + done, (size_t)(n - done))) < 0)
                return false;
        all += n;
    }
    if (n == 0 && all == 0)
        errno = 0;
    return n == 0 && all > 0;
}

/* The path of a copy, or NULL. */
static char *copy_stream(const char *name)
{
    int file = unnamed_file_new();
    if (file < 0) {
        print_error(g_get_tmp_dir(), strerror(errno));
        return NULL;
    }
    int from = path_is_stream(name) ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
    bool ok = from >= 0 && copy_bytes(from, file);
    if (!ok)
        print_error(name, errno == 0 ? "is empty" : strerror(errno));
    if (from > STDIN_FILENO)
        close(from);
    if (ok)
        return g_strdup_printf("/dev/fd/%d", file);
    close(file);
    return NULL;
}

/* What comes from a pipe can be read once, so that its copy is kept. */
static char *stream_path(const char *name)
{
    static GMutex lock;
    static GHashTable *copies;
    g_mutex_lock(&lock);
    if (!copies)
        copies = g_hash_table_new(g_str_hash, g_str_equal);
    if (!g_hash_table_contains(copies, name))
        g_hash_table_insert(copies, g_strdup(name), copy_stream(name));
    char *path = g_strdup(g_hash_table_lookup(copies, name));
    g_mutex_unlock(&lock);
    return path;
}

char *image_file_path(const char *name)
{
    return path_is_stream(name) || path_is_pipe(name) ? stream_path(name)
                                                      : image_path_of_input(name);
}

/* A file to be opened, and what is known of it. */
typedef struct Input {
    char *path, *options; /* options of libvips, in brackets, or "" */
    const Format *format;
    const char *operation; /* of libvips */
    VipsBlob *bytes;       /* of formats that are read from bytes; else NULL */
    bool is_tiff;
    TiffFacts tiff;
    PageLayout layout;
    Encoding encoding;
} Input;

static void free_input(Input *input)
{
    g_free(input->path);
    g_free(input->options);
    if (input->bytes)
        vips_area_unref(VIPS_AREA(input->bytes));
    page_layout_free(&input->layout);
}

static bool refuse(const char *text)
{
    vips_error("cof", "%s", text);
    return false;
}

/* Why no reader takes the file. */
static bool explain_refusal(const char *path)
{
    const Format *other = format_elsewhere(path);
    if (!other)
        return refuse("is in no format that cof reads; cof info --formats lists them");
    if (other->reader == FORMAT_BYTES)
        vips_error("cof", "may be %s, which is read only if its name ends in one of %s",
                   other->name, other->suffixes);
    else
        vips_error("cof",
                   "is a %s file that only GDAL reads; it is not installed, or does not know this "
                   "kind",
                   other->name);
    return false;
}

/* Decompresses a file of gzip; librsvg of Debian 12 does not end if such a file is cut off. */
static bool inflate(char **bytes, gsize *size)
{
    GConverter *inflater = G_CONVERTER(g_zlib_decompressor_new(G_ZLIB_COMPRESSOR_FORMAT_GZIP));
    GInputStream *file = g_memory_input_stream_new_from_data(*bytes, (gssize)*size, g_free);
    GInputStream *stream = g_converter_input_stream_new(file, inflater);
    GByteArray *text = g_byte_array_new();
    guint8 buffer[4096];
    gssize n;
    while ((n = g_input_stream_read(stream, buffer, sizeof buffer, NULL, NULL)) > 0 &&
           text->len < MAX_SVG_BYTES)
        g_byte_array_append(text, buffer, (guint)n);
    g_object_unref(stream);
    g_object_unref(file);
    g_object_unref(inflater);
    *size = text->len;
    *bytes = (char *)g_byte_array_free(text, FALSE);
    return n == 0 || refuse(n < 0 ? "is compressed, and damaged or cut off"
                                  : "is compressed, and its text is too long");
}

static bool read_bytes(Input *input)
{
    char *bytes;
    gsize size;
    if (!g_file_get_contents(input->path, &bytes, &size, NULL))
        return refuse(strerror(errno));
    bool is_gzip = size > 2 && memcmp(bytes, "\x1f\x8b", 2) == 0;
    bool ok = !is_gzip || inflate(&bytes, &size);
    if (ok)
        input->bytes = vips_blob_new((VipsCallbackFn)vips_area_free_cb, bytes, size);
    else
        g_free(bytes);
    return ok;
}

/* What must be known before libvips opens the file. Returns false with libvips' error set if it
 * must not. */
static bool look_at_file(Input *input, int page)
{
    input->format = format_of_file(input->path, &input->operation);
    input->encoding = encoding_of_file(input->path);
    if (!input->format)
        return input->encoding.gdal_fault ? refuse(input->encoding.gdal_fault)
                                          : explain_refusal(input->path);
    if (input->format->reader == FORMAT_BYTES && !read_bytes(input))
        return false;
    input->is_tiff = tiff_facts_read(input->path, page, &input->tiff);
    if (input->is_tiff) {
        const char *not_read = input->tiff.not_read;
        input->layout = input->tiff.layout;
        input->encoding = input->tiff.encoding;
        input->encoding.not_read = not_read;
    }
    return true;
}

/* Runs the loader. Pages are counted from 0; n 0: not given. Sets what of the file can be read at
 * random: *flags, of VipsForeignFlags. */
static VipsImage *run_loader(const Input *input, int page, int n, VipsAccess access, int *flags)
{
    VipsImage *image = NULL;
    VipsOperation *operation = vips_operation_new(input->operation);
    if (!operation)
        return NULL;
    if (input->bytes)
        g_object_set(operation, "buffer", input->bytes, NULL);
    else
        g_object_set(operation, "filename", input->path, NULL);
    g_object_set(operation, "fail_on", VIPS_FAIL_ON_ERROR, "access", access, NULL);
    if (n > 0)
        g_object_set(operation, "page", page, "n", n, NULL);
    bool ok = vips_object_set_from_string(VIPS_OBJECT(operation), input->options) == 0 &&
              vips_cache_operation_buildp(&operation) == 0;
    if (ok)
        g_object_get(operation, "out", &image, "flags", flags, NULL);
    vips_object_unref_outputs(VIPS_OBJECT(operation));
    g_object_unref(operation);
    return image;
}

/* Only the header is read. libvips would decode a file that is not read at random itself, and lose
 * the error of a part that fails while another thread finds that none is left. So such files are
 * opened to be read from top to bottom, by image_file_decode(). */
static VipsImage *load(const Input *input, int page, int n)
{
    int flags = 0;
    VipsImage *image = run_loader(input, page, n, VIPS_ACCESS_RANDOM, &flags);
    if (image && !(flags & VIPS_FOREIGN_PARTIAL)) {
        g_object_unref(image);
        image = run_loader(input, page, n, VIPS_ACCESS_SEQUENTIAL, &flags);
    }
    if (image && !pixel_limit_check(image, input->format->is_streamed))
        g_clear_object(&image);
    return image;
}

/* The pages of a file that is not a TIFF, as libvips sees them. */
static bool find_layout(Input *input, VipsImage *image)
{
    int n = vips_image_get_n_pages(image);
    input->layout = (PageLayout){.n = 1};
    if (n < 2 || page_count(image) > 1)
        return true;
    VipsImage *second = load(input, 1, 1);
    if (!second)
        return false;
    bool smaller = is_overview(second->Xsize, second->Ysize, image->Xsize, image->Ysize);
    if (input->bytes || !smaller) /* a smaller page of a document is a page */
        input->layout.n = n;
    input->layout.mixed =
        !smaller && (second->Xsize != image->Xsize || second->Ysize != image->Ysize);
    g_object_unref(second);
    return true;
}

/* Replaces the image, whose pages are known, by the pages that the user wants. */
static VipsImage *select_pages(Input *input, VipsImage *image, const PageRange *pages)
{
    int position, n, all = input->layout.n;
    VipsImage *selected = NULL, *copy = NULL;
    if (page_layout_find(&input->layout, pages, &position, &n))
        selected = all == 1 && position == 0 ? g_object_ref(image) : load(input, position, n);
    g_object_unref(image);
    if (!selected || vips_copy(selected, &copy, NULL) != 0) {
        VIPS_UNREF(selected);
        return NULL;
    }
    g_object_unref(selected);
    if (n > 1 && page_count(copy) != n) {
        g_object_unref(copy);
        vips_error("cof", "has pages of different sizes; choose one with --pages N");
        return NULL;
    }
    int first = pages && pages->first > 0 ? pages->first - 1 : 0;
    select_page_metadata(copy, first, n, all);
    return copy;
}

/* ImageJ writes one directory for stacks above 4 GB. */
static bool has_hidden_images(const TiffFacts *tiff)
{
    if (tiff->described <= 1 || tiff->described <= tiff->directories)
        return false;
    vips_error("cof",
               "has %d images but %d directories, as ImageJ writes large stacks; save it "
               "as OME-TIFF or BigTIFF",
               tiff->described, tiff->directories);
    return true;
}

/* Whether libvips would read the file right; sets its error if not. */
static bool can_be_read(const Input *input)
{
    if (input->tiff.lacks_pages)
        return refuse("has a damaged directory, so that pages are missing");
    if (input->tiff.needs_gdal) {
        vips_error("cof", "%s, which only GDAL reads; it is not installed, or was not asked for",
                   input->tiff.needs_gdal);
        return false;
    }
    return !has_hidden_images(&input->tiff);
}

/* What libvips would decode wrong, in words; NULL: nothing. */
static const char *decoding_fault(const Input *input, VipsImage *image)
{
    if (input->format->reader != FORMAT_ASKED && input->encoding.fault)
        return input->encoding.fault;
    if (input->encoding.width > image->Xsize ||
        input->encoding.height > vips_image_get_page_height(image))
        return "its frames do not fill its screen, which libvips would crop";
    return NULL;
}

static VipsImage *open_pages(Input *input, const PageRange *pages)
{
    bool chosen = *input->options != '\0'; /* the user chose pages by options of libvips */
    if (chosen && pages && pages->first > 0) {
        vips_error("cof", "--pages cannot be combined with %s", input->options);
        return NULL;
    }
    if (!look_at_file(input, pages ? pages->first : 0) || !can_be_read(input))
        return NULL;
    VipsImage *image = load(input, 0, 0), *copy = NULL;
    const char *fault = image ? decoding_fault(input, image) : NULL;
    if (fault) {
        refuse(fault);
        g_clear_object(&image);
    }
    if (image && !chosen && (input->is_tiff || find_layout(input, image)))
        return select_pages(input, image, pages);
    if (image && chosen && vips_copy(image, &copy, NULL) == 0 &&
        page_count(copy) != input->layout.n)
        remove_layout_description(copy);
    VIPS_UNREF(image);
    return copy;
}

static void set_metadata(const Input *input, VipsImage *image)
{
    const TiffFacts *tiff = &input->tiff;
    int tags =
        (tiff->is_located ? GEO_TAGS_POSITION : 0) | (tiff->has_nodata ? GEO_TAGS_NODATA : 0);
    if (tags != 0)
        vips_image_set_int(image, META_GEO_TAGS, tags);
    if (input->encoding.orientation > 0)
        vips_image_set_int(image, VIPS_META_ORIENTATION, input->encoding.orientation);
    if (tiff->has_nodata)
        vips_image_set_double(image, META_NODATA, tiff->nodata);
    if (tiff->has_no_unit) { /* the number stays, as ImageJ needs it */
        image->Xres /= 10;
        image->Yres /= 10;
        vips_image_set_string(image, VIPS_META_RESOLUTION_UNIT, "cm");
    }
}

/* Gives the image its own copies of ICC profiles, EXIF data and the like. Those of the HEIC and
 * AVIF loader of libvips 8.14 are freed with the image that it returned, and not with the last
 * image that shares them. */
static void copy_blobs(VipsImage *image)
{
    char **fields = vips_image_get_fields(image);
    for (char **field = fields; *field; field++) {
        const void *bytes;
        size_t size;
        if (vips_image_get_typeof(image, *field) == VIPS_TYPE_BLOB &&
            vips_image_get_blob(image, *field, &bytes, &size) == 0)
            vips_image_set_blob_copy(image, *field, bytes, size);
    }
    g_strfreev(fields);
}

/* jxlload, and magickload in libvips 8.14, give images in colour the interpretation of grey ones.
 * Takes the reference. */
static VipsImage *correct_colours(VipsImage *image)
{
    VipsImage *copy = NULL;
    bool is_grey =
        image->Type == VIPS_INTERPRETATION_B_W || image->Type == VIPS_INTERPRETATION_GREY16;
    if (!is_grey || image->Bands < 3)
        return image;
    VipsInterpretation type = image->Bands > 4 ? VIPS_INTERPRETATION_MULTIBAND
                              : image->Type == VIPS_INTERPRETATION_B_W ? VIPS_INTERPRETATION_sRGB
                                                                       : VIPS_INTERPRETATION_RGB16;
    int failed = vips_copy(image, &copy, "interpretation", type, NULL);
    g_object_unref(image);
    return failed ? NULL : copy;
}

/* Scales samples whose largest value is not that of their type. Takes the reference. */
static VipsImage *scale_white(VipsImage *image, int white)
{
    VipsImage *steps[3] = {NULL}, *scaled = NULL;
    double most = image->BandFmt == VIPS_FORMAT_UCHAR ? UINT8_MAX : UINT16_MAX;
    if (white == 0 || white == most)
        return image;
    int failed = vips_cast(image, &steps[0], VIPS_FORMAT_DOUBLE, NULL) ||
                 vips_linear1(steps[0], &steps[1], most / white, 1e-6, NULL) || /* halves go up */
                 vips_rint(steps[1], &steps[2], NULL) ||
                 vips_cast(steps[2], &scaled, image->BandFmt, NULL);
    for (int i = 0; i < 3; i++)
        VIPS_UNREF(steps[i]);
    g_object_unref(image);
    return failed ? NULL : scaled;
}

VipsImage *image_scale_alpha(VipsImage *image, double factor)
{
    const double by[] = {1, 1, 1, factor}, plus[4] = {0};
    VipsImage *scaled = NULL;
    if (image->Type != VIPS_INTERPRETATION_scRGB || image->Bands != 4)
        return image;
    int failed = vips_linear(image, &scaled, by, plus, 4, NULL);
    g_object_unref(image);
    return failed ? NULL : scaled;
}

/* Rotates the image as its orientation tag says. Pages lie below each other, so they cannot be
 * rotated together, and keep the tag. Takes the reference. */
static VipsImage *apply_orientation(VipsImage *image)
{
    VipsImage *rotated = NULL;
    if (vips_image_get_orientation(image) == 1 || page_count(image) > 1)
        return image;
    remove_layout_description(image);
    vips_image_remove(image, VIPS_META_PAGE_HEIGHT); /* rotation changes it */
    int failed = vips_autorot(image, &rotated, NULL);
    g_object_unref(image);
    if (failed || image_file_is_large(rotated))
        return rotated;
    VipsImage *pixels = vips_image_copy_memory(rotated);
    g_object_unref(rotated);
    return pixels;
}

bool image_file_is_large(const VipsImage *image)
{
    return (gint64)image->Xsize * image->Ysize > MAX_PIXELS_IN_MEMORY;
}

/* Decodes all of an image to memory, or to a temporary file. */
static VipsImage *decode_all(VipsImage *watched)
{
    bool is_small = VIPS_IMAGE_SIZEOF_IMAGE(watched) <= vips_get_disc_threshold();
    VipsImage *pixels = is_small ? vips_image_new_memory() : vips_image_new_temp_file("%s.v");
    if (pixels &&
        (vips_image_write(watched, pixels) != 0 || watched_image_restore_failure(watched)))
        g_clear_object(&pixels);
    return pixels;
}

VipsImage *image_file_decode(VipsImage *image, const char *name)
{
    bool is_sequential = vips_image_is_sequential(image);
    VipsImage *watched = watched_image_new(image, name);
    if (!watched || (image_file_is_large(watched) && !is_sequential))
        return watched;
    VipsImage *pixels = decode_all(watched);
    g_object_unref(watched);
    return pixels;
}

/* Opens the image, and decodes it if it is small. */
static VipsImage *open_and_decode(Input *input, const char *name, const PageRange *pages)
{
    VipsImage *image = open_pages(input, pages);
    if (image) {
        set_metadata(input, image);
        copy_blobs(image);
        image = correct_colours(image);
    }
    if (image && strcmp(input->format->name, "OpenEXR") == 0)
        image = image_scale_alpha(image, 1 / LIGHT_ALPHA);
    if (image)
        image = scale_white(image, input->encoding.white);
    if (image)
        image = image_file_decode(image, name);
    if (image)
        image = apply_orientation(image);
    if (image)
        encoding_store(image, input->encoding);
    return image;
}

VipsImage *image_file_open_header(const char *path)
{
    Input input = {.path = g_strdup(path), .options = g_strdup("")};
    input.format = format_of_file(path, &input.operation);
    VipsImage *image =
        input.format && input.format->reader == FORMAT_VIPS ? load(&input, 0, 0) : NULL;
    if (!image)
        vips_error_clear();
    free_input(&input);
    return image;
}

VipsImage *image_file_open(const char *name)
{
    return image_file_open_pages(name, NULL);
}

VipsImage *image_file_open_pages(const char *name, const PageRange *pages)
{
    if (!image_file_exists(name))
        return NULL;
    if (path_is_video(name)) {
        print_error(name, "is a video; use cof video INPUT OUTPUT");
        return NULL;
    }
    Input input = {.path = image_file_path(name)};
    if (!input.path)
        return NULL;
    input.options = image_path_options(access(name, F_OK) == 0 ? "" : name);
    vips_warning_clear();
    VipsImage *image = open_and_decode(&input, name, pages);
    if (!image)
        print_vips_error(name, "cannot be decoded");
    else if (input.tiff.has_unnamed_sample)
        print_note(name, "its last band, whose meaning the file does not state, is taken for "
                         "transparency");
    free_input(&input);
    if (vips_warning_print(image ? name : NULL) && image)
        g_clear_object(&image);
    return image;
}
