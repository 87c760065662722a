/* SPDX-License-Identifier: BSD-2-Clause */
/* Image files, read and written with libvips. */
#include "io/image_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/atomic_file.h"
#include "io/image_input.h"
#include "io/page_metadata.h"
#include "io/cof_file.h"
#include "io/output_path.h"
#include "io/paths.h"
#include "ui/error_line.h"
#include "ui/message_stream.h"

/* Images of up to this size are decoded when they are opened, so that a damaged file is found
 * before any work is done. */
#define MAX_PIXELS_IN_MEMORY ((gint64)1 << 25)

/* GObject only warns about a value out of range in a file header or save option, and ignores the
 * value. Here such a warning is an error. Warnings in libvips' own threads need no care, because
 * the operation fails there anyway. */
static _Thread_local char warning[256];

static void store_warning(const char *domain, GLogLevelFlags level, const char *message, void *user)
{
    (void)domain, (void)level, (void)user;
    snprintf(warning, sizeof warning, "%s", message);
}

void image_file_init(void)
{
    g_log_set_handler("GLib-GObject", G_LOG_LEVEL_WARNING, store_warning, NULL);
}

static void clear_warning(void)
{
    warning[0] = '\0';
}

/* Whether there was a warning since clear_warning(). Prints it, unless `name` is NULL. */
static bool print_warning(const char *name)
{
    if (warning[0] != '\0' && name)
        print_error(name, warning);
    return warning[0] != '\0';
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
    g_free(file);
    return ok;
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

/* Rotates the image as its orientation tag says. Pages lie below each other, so they cannot be
 * rotated together, and keep the tag. Takes the reference. */
static VipsImage *apply_orientation(VipsImage *image)
{
    VipsImage *rotated = NULL;
    if (vips_image_get_orientation(image) == 1 || page_count(image) > 1)
        return image;
    remove_layout_description(image);
    int failed = vips_autorot(image, &rotated, NULL);
    g_object_unref(image);
    return failed ? NULL : rotated;
}

bool image_file_is_large(const VipsImage *image)
{
    return (gint64)image->Xsize * image->Ysize > MAX_PIXELS_IN_MEMORY;
}

/* Takes the reference. */
static VipsImage *load_if_small(VipsImage *image)
{
    if (image_file_is_large(image))
        return image;
    VipsImage *pixels = vips_image_copy_memory(image);
    g_object_unref(image);
    return pixels;
}

VipsImage *image_file_open(const char *name)
{
    return image_file_open_pages(name, NULL);
}

/* Opens the image, and decodes it if it is small. */
static VipsImage *open_and_decode(const char *name, const PageRange *pages, bool *is_printed)
{
    VipsImage *image = image_input_open(name, pages, is_printed);
    if (image) {
        copy_blobs(image);
        image = apply_orientation(image);
    }
    return image ? load_if_small(image) : NULL;
}

/* Some builds of libjxl print lines of their own about damaged files. */
static bool has_loud_decoder(const char *name)
{
    const char *loader = path_is_stream(name) ? NULL : vips_foreign_find_load(name);
    if (!loader)
        vips_error_clear(); /* opening the file will say it */
    return loader && strstr(loader, "Jxl");
}

VipsImage *image_file_open_pages(const char *name, const PageRange *pages)
{
    bool is_printed;
    if (!image_file_exists(name))
        return NULL;
    if (path_is_video(name)) {
        print_error(name, "is a video; use cof video INPUT OUTPUT");
        return NULL;
    }
    clear_warning();
    bool loud = has_loud_decoder(name);
    if (loud)
        message_mute();
    VipsImage *image = open_and_decode(name, pages, &is_printed);
    if (loud)
        message_unmute();
    if (!image && !is_printed)
        print_vips_error(name, "cannot be decoded");
    if (print_warning(image ? name : NULL) && image) {
        g_object_unref(image);
        return NULL;
    }
    return image;
}

bool image_file_can_save(const char *name, const char *format)
{
    if (path_is_stream(name)) {
        bool known = !format || vips_foreign_find_save_target(format);
        if (!known)
            print_error(format, "no image format has this suffix");
        return known;
    }
    if (strlen(name) >= MAX_IMAGE_PATH) {
        print_error(name, strerror(ENAMETOOLONG));
        return false;
    }
    if (!vips_foreign_find_save(name)) {
        print_error(name, path_is_video(name) ? "is the name of a video; use cof video INPUT OUTPUT"
                                              : "no image format has this suffix");
        return false;
    }
    char *path = image_path_of_output(name);
    bool special = path_is_special(path), ok = !special && path_can_create(path, path);
    if (special)
        print_error(path, "is not a file; to write to a pipe, use -");
    g_free(path);
    return ok;
}

static bool write_file(VipsImage *image, const char *target, const char *name)
{
    clear_warning();
    bool ok = vips_image_write_to_file(image, target, NULL) == 0;
    if (!ok)
        print_vips_error(name, "cannot be written");
    return !print_warning(ok ? name : NULL) && ok;
}

/* `name` is the path in error messages. */
static bool write_and_rename(VipsImage *image, const char *path, const char *name,
                             const char *options)
{
    char *temporary = atomic_file_begin(path, name);
    if (!temporary)
        return false;
    char *target = g_strconcat(temporary, options, NULL);
    bool ok = write_file(image, target, name);
    g_free(target);
    return atomic_file_end(temporary, ok ? path : NULL, name);
}

/* The file name suffix for the format of the input. */
static const char *suffix_of_input(VipsImage *input)
{
    static const char *const suffixes[][2] = {
        {"jpeg", ".jpg"},  {"png", ".png"}, {"webp", ".webp"}, {"tiff", ".tif"}, {"gif", ".gif"},
        {"heif", ".avif"}, {"jxl", ".jxl"}, {"jp2k", ".jp2"},  {"ppm", ".ppm"},  {"rad", ".hdr"}};
    const char *loader = "";
    if (vips_image_get_typeof(input, VIPS_META_LOADER) == 0 ||
        vips_image_get_string(input, VIPS_META_LOADER, &loader) != 0)
        return ".png";
    for (size_t i = 0; i < G_N_ELEMENTS(suffixes); i++)
        if (strncmp(loader, suffixes[i][0], strlen(suffixes[i][0])) == 0)
            return vips_foreign_find_save_target(suffixes[i][1]) ? suffixes[i][1] : ".png";
    return ".png";
}

/* The directory of a TIFF file is written last, but its position first. libvips writes a damaged
 * file to a pipe. */
static bool needs_seek(const char *suffix)
{
    return g_ascii_strncasecmp(suffix, ".tif", 4) == 0 && lseek(STDOUT_FILENO, 0, SEEK_CUR) < 0;
}

static bool write_via_memory(VipsImage *image, const char *suffix)
{
    void *bytes = NULL;
    size_t size = 0;
    bool ok = vips_image_write_to_buffer(image, suffix, &bytes, &size, NULL) == 0;
    if (ok && (fwrite(bytes, 1, size, stdout) != size || fflush(stdout) != 0)) {
        vips_error_system(errno, "cof", "%s", "write error");
        ok = false;
    }
    g_free(bytes);
    return ok;
}

static bool write_to_target(VipsImage *image, const char *suffix)
{
    VipsTarget *target = vips_target_new_to_descriptor(STDOUT_FILENO);
    bool ok = target && vips_image_write_to_target(image, suffix, target, NULL) == 0;
    VIPS_UNREF(target);
    return ok;
}

static bool write_to_stream(VipsImage *image, const char *format, VipsImage *input)
{
    const char *suffix = format ? format : suffix_of_input(input);
    clear_warning();
    bool ok = needs_seek(suffix) ? write_via_memory(image, suffix) : write_to_target(image, suffix);
    if (!ok)
        print_vips_error("standard output", "cannot be written");
    return !print_warning(ok ? suffix : NULL) && ok;
}

/* Whether the file format that `name` implies supports samples of a type. */
static bool format_supports(const char *name, VipsBandFormat format)
{
    const char *saver = vips_foreign_find_save(name);
    VipsForeignSaveClass *type = saver ? g_type_class_ref(g_type_from_name(saver)) : NULL;
    bool supported = type && type->format_table[format] == format;
    if (type)
        g_type_class_unref(type);
    return supported;
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

/* Converts floats to integers if the file format has no floats. */
static VipsImage *to_savable(VipsImage *image, const char *name)
{
    VipsImage *integers = NULL;
    bool is_float = image->BandFmt == VIPS_FORMAT_FLOAT || image->BandFmt == VIPS_FORMAT_DOUBLE;
    if (!is_float || format_supports(name, VIPS_FORMAT_FLOAT))
        return g_object_ref(image);
    int failed = image->Type == VIPS_INTERPRETATION_scRGB
                     ? vips_colourspace(image, &integers, VIPS_INTERPRETATION_RGB16, NULL)
                     : scale_to_16_bits(image, &integers);
    return failed ? NULL : integers;
}

static bool save_file(VipsImage *image, const char *name)
{
    char *path = image_path_of_output(name), *options = vips_filename_get_options(name);
    char *target = path_target(path);
    if (!target)
        print_error(path, strerror(errno));
    VipsImage *pixels = target ? to_savable(image, name) : NULL;
    if (target && !pixels)
        print_vips_error(path, "cannot be written");
    bool ok = pixels && write_and_rename(pixels, target, path, options);
    VIPS_UNREF(pixels);
    g_free(target);
    g_free(path);
    g_free(options);
    return ok;
}

bool image_file_save(VipsImage *image, const char *name, const char *format, VipsImage *input)
{
    return path_is_stream(name) ? write_to_stream(image, format, input) : save_file(image, name);
}
