/* SPDX-License-Identifier: BSD-2-Clause */
/* Image files, written with libvips. */
#include "io/image_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/atomic_file.h"
#include "io/encoding.h"
#include "io/formats.h"
#include "io/indexed_png.h"
#include "io/paths.h"
#include "io/save_options.h"
#include "io/watched_image.h"
#include "ui/error_line.h"
#include "ui/message_stream.h"

/* The value of --quality; 0: not set. */
static int quality;

void image_save_init(int quality_of_all)
{
    quality = quality_of_all;
}

bool image_file_can_save(const char *name, const char *format)
{
    if (path_is_stream(name)) {
        bool known = !format || format_saver(format);
        if (!known)
            print_error(format, "no format that cof writes has this suffix");
        return known;
    }
    if (strlen(name) >= MAX_IMAGE_PATH) {
        print_error(name, strerror(ENAMETOOLONG));
        return false;
    }
    if (!format_saver(name)) {
        print_error(name, path_is_video(name) ? "is the name of a video; use cof video INPUT OUTPUT"
                                              : "no format that cof writes has this suffix");
        return false;
    }
    char *path = image_path_of_output(name);
    bool special = path_is_special(path), ok = !special && path_can_create_image(path, path);
    if (special)
        print_error(path, "is not a file; to write to a pipe, use -");
    g_free(path);
    return ok;
}

/* Whether an image is encoded in memory: openjpeg repeats a failed write without end. */
static bool is_encoded_in_memory(VipsImage *image, const char *name)
{
    return save_is(name, "jp2ksave") || indexed_png_is_wanted(image, name);
}

/* Encodes the image in memory, in the format of the suffix, and writes the bytes. */
static bool write_via_memory(VipsImage *image, const char *suffix, FILE *file)
{
    void *bytes = NULL;
    size_t size = 0;
    bool ok = (indexed_png_is_wanted(image, suffix)
                   ? indexed_png_encode(image, suffix, &bytes, &size)
                   : vips_image_write_to_buffer(image, suffix, &bytes, &size, NULL)) == 0;
    if (ok && (fwrite(bytes, 1, size, file) != size || fflush(file) != 0)) {
        vips_error_system(errno, "cof", "%s", "write error");
        ok = false;
    }
    g_free(bytes);
    return ok;
}

/* cfitsio's errors at the end of a file are lost. Such a file has blocks of 2880 bytes. */
static bool is_whole(VipsImage *image, const char *file)
{
    enum { BLOCK = 2880 };
    struct stat info;
    if (!save_is(file, "fitssave") ||
        (stat(file, &info) == 0 && info.st_size % BLOCK == 0 &&
         (guint64)info.st_size >= BLOCK + VIPS_IMAGE_SIZEOF_IMAGE(image)))
        return true;
    vips_error_system(ENOSPC, "cof", "%s", "cannot be written");
    return false;
}

static bool write_file(VipsImage *image, const char *temporary, const char *options)
{
    const char *suffix = strrchr(temporary, '.'); /* atomic_file_begin() puts one into the name */
    bool in_memory = is_encoded_in_memory(image, temporary);
    char *target = g_strconcat(in_memory ? suffix : temporary, options, NULL);
    FILE *file = in_memory ? fopen(temporary, "wb") : NULL;
    if (in_memory && !file)
        vips_error_system(errno, "cof", "%s", "cannot be opened");
    bool ok = in_memory ? file && write_via_memory(image, target, file)
                        : vips_image_write_to_file(image, target, NULL) == 0;
    if (file && fclose(file) != 0 && ok) {
        vips_error_system(errno, "cof", "%s", "write error");
        ok = false;
    }
    g_free(target);
    return ok;
}

/* An image that is written while it is computed may fail because an image that it is made from
 * cannot be decoded. */
static void print_failure(VipsImage *image, const char *name, const char *file)
{
    if (!watched_image_print_failure(image))
        print_vips_write_error(name, file);
}

/* `name` is the path in error messages. */
static bool write_and_rename(VipsImage *image, const char *path, const char *name,
                             const char *options)
{
    char *temporary = atomic_file_begin(path, name);
    if (!temporary)
        return false;
    vips_warning_clear();
    bool ok = write_file(image, temporary, options) && is_whole(image, temporary) &&
              !watched_image_restore_failure(image);
    if (!ok)
        print_failure(image, name, temporary);
    ok = !vips_warning_print(ok ? name : NULL) && ok;
    bool replaces = access(path, F_OK) == 0;
    ok = atomic_file_end(temporary, ok ? path : NULL, name);
    if (ok && replaces)
        path_remove_companions(path);
    return ok;
}

/* The file name suffix for the format of the input. */
static const char *suffix_of_input(VipsImage *input)
{
    static const char *const suffixes[][2] = {{"jpeg", ".jpg"}, {"png", ".png"}, {"webp", ".webp"},
                                              {"tiff", ".tif"}, {"gif", ".gif"}, {"heif", ".avif"},
                                              {"jxl", ".jxl"},  {"ppm", ".ppm"}, {"rad", ".hdr"}};
    const char *loader = "";
    if (vips_image_get_typeof(input, VIPS_META_LOADER) == 0 ||
        vips_image_get_string(input, VIPS_META_LOADER, &loader) != 0)
        return ".png";
    for (size_t i = 0; i < G_N_ELEMENTS(suffixes); i++)
        if (strncmp(loader, suffixes[i][0], strlen(suffixes[i][0])) == 0)
            return format_saver(suffixes[i][1]) ? suffixes[i][1] : ".png";
    return ".png";
}

/* A name or a suffix that selects the format of an output. */
static const char *selecting_name(const char *name, const char *format, VipsImage *input)
{
    return !path_is_stream(name) ? name : format ? format : suffix_of_input(input);
}

bool image_file_can_save_pages(const char *name, const char *format, VipsImage *input)
{
    return save_is(selecting_name(name, format, input), "tiffsave gifsave webpsave");
}

/* The options of the user in a name, and those that follow from the input. */
static char *options_for(const char *name, VipsImage *image, VipsImage *input)
{
    Encoding encoding = encoding_of_image(input);
    char *given = image_path_options(name);
    char *options = save_options(name, given, image, &encoding, quality);
    g_free(given);
    return options;
}

/* The directory of a TIFF file is written last, but its position first: libvips writes a damaged
 * file to a pipe. libtiff reads each directory again to add the next one, without which a file that
 * a shell opened only for writing would end after its first page. */
static bool needs_memory(VipsImage *image, const char *suffix)
{
    int file = fileno(message_output()), flags = fcntl(file, F_GETFL);
    bool has_more = page_count(image) > 1 || save_options_set(suffix, "pyramid");
    bool is_readable = flags >= 0 && (flags & O_ACCMODE) == O_RDWR;
    return g_ascii_strncasecmp(suffix, ".tif", 4) == 0 &&
           (lseek(file, 0, SEEK_CUR) < 0 || (has_more && !is_readable));
}

static bool write_to_target(VipsImage *image, const char *suffix)
{
    VipsTarget *target = vips_target_new_to_descriptor(fileno(message_output()));
    bool ok = target && vips_image_write_to_target(image, suffix, target, NULL) == 0;
    VIPS_UNREF(target);
    return ok;
}

static bool write_to_stream(VipsImage *image, const char *name, VipsImage *input)
{
    if (quality > 0 && !save_has_quality(name)) {
        print_error(name, "this format has no --quality");
        return false;
    }
    char *path = image_path_of_output(name), *options = options_for(name, image, input);
    char *suffix = g_strconcat(path, options, NULL);
    vips_warning_clear();
    bool ok = needs_memory(image, suffix) || is_encoded_in_memory(image, suffix)
                  ? write_via_memory(image, suffix, message_output())
                  : write_to_target(image, suffix);
    ok = ok && !watched_image_restore_failure(image);
    if (!ok)
        print_failure(image, "standard output", NULL);
    ok = !vips_warning_print(ok ? suffix : NULL) && ok;
    g_free(path);
    g_free(options);
    g_free(suffix);
    return ok;
}

#if VIPS_MAJOR_VERSION == 8 && VIPS_MINOR_VERSION < 17
#define VIPS_FOREIGN_SAVEABLE_ANY VIPS_SAVEABLE_ANY
#endif

/* Whether the file format that `name` selects holds samples of a type, and bands that are no
 * colours. Of JPEG, libvips 8.18 says that it holds all. */
static bool format_holds(const char *name, VipsBandFormat samples, bool any_bands)
{
    if (save_is(name, "jpegsave"))
        return samples == VIPS_FORMAT_UCHAR && !any_bands;
    const char *saver = format_saver(name);
    VipsForeignSaveClass *type = saver ? g_type_class_ref(g_type_from_name(saver)) : NULL;
    bool holds = type && type->format_table[samples] == samples &&
                 (!any_bands || type->saveable == VIPS_FOREIGN_SAVEABLE_ANY);
    if (type)
        g_type_class_unref(type);
    return holds;
}

bool image_file_holds(VipsImage *image, bool any_bands, const char *name, const char *format,
                      VipsImage *input)
{
    return format_holds(selecting_name(name, format, input), image->BandFmt, any_bands);
}

/* Whether libvips writes other samples into grey PFM files, as version 8.16 does: 0, or what was in
 * memory before. The sample has the same bytes in both orders. */
static void *find_fault_of_pfm(void *unused)
{
    static const float sample = 0x1.01007ep0F;
    void *bytes = NULL;
    size_t size = 0;
    float written = sample;
    (void)unused;
    VipsImage *image =
        vips_image_new_from_memory(&sample, sizeof sample, 1, 1, 1, VIPS_FORMAT_FLOAT);
    if (image && vips_image_write_to_buffer(image, ".ppm[format=pfm]", &bytes, &size, NULL) == 0 &&
        size > sizeof written)
        memcpy(&written, (char *)bytes + size - sizeof written, sizeof written);
    VIPS_UNREF(image);
    g_free(bytes);
    vips_error_clear();
    return memcmp(&written, &sample, sizeof sample) != 0 ? (void *)&sample : NULL;
}

/* libvips writes floats as PFM whatever the suffix is. */
static bool is_lost_as_pfm(const VipsImage *image, const char *name)
{
    static GOnce once = G_ONCE_INIT;
    bool is_pfm = vips_band_format_isfloat(image->BandFmt) || save_has_suffix(name, ".pfm") ||
                  strstr(name, "=pfm");
    return image->Bands < 3 && is_pfm && save_is(name, "ppmsave") &&
           g_once(&once, find_fault_of_pfm, NULL);
}

/* Converts 0..1 to 16 bits; libvips reduces them to 8 for formats that have no more. */
static int scale_to_16_bits(VipsImage *image, VipsImage **out)
{
    VipsImage *steps[3] = {NULL};
    VipsInterpretation kind =
        image->Bands < 3 ? VIPS_INTERPRETATION_GREY16 : VIPS_INTERPRETATION_RGB16;
    int failed = vips_linear1(image, &steps[0], 65535, 0, NULL) ||
                 vips_rint(steps[0], &steps[1], NULL) ||
                 vips_cast(steps[1], &steps[2], VIPS_FORMAT_USHORT, NULL) ||
                 vips_copy(steps[2], out, "interpretation", kind, NULL);
    for (int i = 0; i < 3; i++)
        VIPS_UNREF(steps[i]);
    return failed;
}

static int light_to_16_bits(VipsImage *image, VipsImage **out)
{
    VipsImage *scaled = image_scale_alpha(g_object_ref(image), LIGHT_ALPHA);
    int failed = !scaled || vips_colourspace(scaled, out, VIPS_INTERPRETATION_RGB16, NULL);
    VIPS_UNREF(scaled);
    return failed;
}

/* libvips writes all grey values but black as white. */
static int to_black_and_white(VipsImage *image, VipsImage **out)
{
    VipsImage *steps[2] = {NULL};
    bool has_alpha = vips_image_hasalpha(image);
    int failed = (has_alpha ? vips_flatten : vips_copy)(image, &steps[0], NULL) ||
                 vips_colourspace(steps[0], &steps[1], VIPS_INTERPRETATION_B_W, NULL) ||
                 vips_moreeq_const1(steps[1], out, 128, NULL);
    for (int i = 0; i < 2; i++)
        VIPS_UNREF(steps[i]);
    return failed;
}

static bool is_wide(const VipsImage *image)
{
    return image->BandFmt == VIPS_FORMAT_INT || image->BandFmt == VIPS_FORMAT_UINT;
}

/* Signed integers and integers of 32 bits that libvips would clip. */
static bool is_clipped(const VipsImage *image, const char *name)
{
    bool is_signed = image->BandFmt == VIPS_FORMAT_CHAR || image->BandFmt == VIPS_FORMAT_SHORT;
    return (is_wide(image) || is_signed) && !save_is(name, "radsave") &&
           (!format_holds(name, image->BandFmt, false) ||
            (is_wide(image) && save_is(name, "jp2ksave")));
}

/* FITS has integers with signs, but libvips writes none: floats hold them all. */
static int integers_to_floats(VipsImage *image, const char *name, VipsImage **out)
{
    if (format_holds(name, VIPS_FORMAT_DOUBLE, false) && !save_is(name, "jp2ksave"))
        return vips_cast(image, out, is_wide(image) ? VIPS_FORMAT_DOUBLE : VIPS_FORMAT_FLOAT, NULL);
    vips_error("save", "samples of %d bits%s cannot be written in this format; write a TIFF file",
               8 * (int)VIPS_IMAGE_SIZEOF_ELEMENT(image),
               image->BandFmt == VIPS_FORMAT_UINT ? "" : " with a sign");
    return -1;
}

/* Converts floats to integers if the file format has no floats, integers to floats if it clips
 * them, the colours of a TIFF file in Lab with 8 bits back to it, and grey to black and white for a
 * bitmap. `name` implies the format. */
static VipsImage *to_savable(VipsImage *image, const char *name, VipsImage *input)
{
    VipsImage *converted = NULL;
    bool was_coded = input->Coding == VIPS_CODING_LABQ && image->Type == VIPS_INTERPRETATION_LAB;
    int failed = 0;
    if (image->Type == VIPS_INTERPRETATION_CMYK && save_is(name, "jp2ksave"))
        vips_error("save", "CMYK cannot be written in this format; write a TIFF or JPEG file");
    else if (save_has_suffix(name, ".pbm"))
        failed = to_black_and_white(image, &converted);
    else if (is_lost_as_pfm(image, name))
        vips_error("save", "this version of libvips writes wrong samples into grey PFM files");
    else if (was_coded && image->Bands == 3)
        failed = vips_Lab2LabQ(image, &converted, NULL);
    else if (image->Type == VIPS_INTERPRETATION_scRGB && image->Bands >= 3 &&
             save_is(name, "radsave"))
        failed = vips_float2rad(image, &converted, NULL); /* libvips 8.18 writes 254.5 */
    else if (is_clipped(image, name))
        failed = integers_to_floats(image, name, &converted);
    else if (!vips_band_format_isfloat(image->BandFmt) ||
             format_holds(name, VIPS_FORMAT_FLOAT, false))
        return g_object_ref(image);
    else
        failed = image->Type == VIPS_INTERPRETATION_scRGB ? light_to_16_bits(image, &converted)
                                                          : scale_to_16_bits(image, &converted);
    return failed ? NULL : converted;
}

static bool save_file(VipsImage *image, const char *name, VipsImage *input)
{
    char *path = image_path_of_output(name), *target = path_target(path);
    if (!target)
        print_error(path, strerror(errno));
    char *options = options_for(name, image, input);
    bool ok = target && write_and_rename(image, target, path, options);
    g_free(target);
    g_free(path);
    g_free(options);
    return ok;
}

/* PNG: one to 79 characters of Latin-1, without blanks at the ends or beside each other. */
static bool is_keyword(const char *text)
{
    size_t length = strlen(text);
    bool valid = length >= 1 && length <= 79 && text[0] != ' ' && text[length - 1] != ' ' &&
                 !strstr(text, "  ");
    for (const unsigned char *at = (const unsigned char *)text; *at && valid; at++)
        valid = (*at >= 32 && *at <= 126) || *at >= 161;
    return valid;
}

/* A record of a FITS header: printable ASCII that begins with a keyword. */
static bool is_record(const char *text)
{
    bool valid = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_- ") >= MIN(strlen(text), 8);
    for (const char *at = text; *at && valid; at++)
        valid = *at >= 32 && *at <= 126;
    return valid;
}

/* Comments of PNG and records of FITS that some files have, but that libpng and cfitsio do not
 * write. */
static void remove_bad_comments(VipsImage *image)
{
    static const char png[] = "png-comment-", fits[] = "fits-";
    char **fields = vips_image_get_fields(image);
    for (char **field = fields; *field; field++) {
        const char *number = g_str_has_prefix(*field, png) ? *field + strlen(png) : NULL;
        const char *keyword = number ? strchr(number, '-') : NULL, *record = NULL;
        if (g_str_has_prefix(*field, fits) && vips_image_get_string(image, *field, &record) != 0)
            record = NULL;
        if ((number && !(keyword && is_keyword(keyword + 1))) || (record && !is_record(record)))
            vips_image_remove(image, *field);
    }
    g_strfreev(fields);
}

bool image_file_save(VipsImage *image, const char *name, const char *format, VipsImage *input)
{
    const char *like = selecting_name(name, format, input);
    VipsImage *clean = without_thumbnails(image);
    if (clean)
        remove_bad_comments(clean);
    VipsImage *pixels = clean ? to_savable(clean, like, input) : NULL;
    bool ok = pixels && (path_is_stream(name) ? write_to_stream(pixels, like, input)
                                              : save_file(pixels, name, input));
    if (!pixels)
        print_vips_error(path_is_stream(name) ? "standard output" : name, "cannot be written");
    VIPS_UNREF(pixels);
    VIPS_UNREF(clean);
    return ok;
}
