/* SPDX-License-Identifier: BSD-2-Clause */
/* Image files, through libvips. */
#include "io/image_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/atomic_file.h"
#include "io/cof_file.h"
#include "io/paths.h"
#include "ui/error_line.h"

/* Up to so many pixels are read at once: then it is known beforehand that the file is good. */
#define MOST_PIXELS_IN_MEMORY ((gint64)1 << 25)

/* A value out of its range, in a file's header or a save option, is only warned of by GObject, and
 * then forgotten. Here it is an error; what libvips' own threads are warned of fails anyway. */
static _Thread_local char warning[256];

static void keep_warning(const char *domain, GLogLevelFlags level, const char *message, void *user)
{
    (void)domain, (void)level, (void)user;
    snprintf(warning, sizeof warning, "%s", message);
}

void picture_begin(void)
{
    g_log_set_handler("GLib-GObject", G_LOG_LEVEL_WARNING, keep_warning, NULL);
}

static void listen(void)
{
    warning[0] = '\0';
}

/* Was there a warning since listen()? Complains of it about `name`, unless that is NULL. */
static bool heard(const char *name)
{
    if (warning[0] != '\0' && name)
        complain(name, warning);
    return warning[0] != '\0';
}

/* All of it: whether it is empty must be known, and libvips would keep it anyway. */
static VipsImage *read_stream(void)
{
    size_t size;
    char *bytes = cof_file_read("-", &size);
    VipsImage *image = NULL;
    if (size > 0)
        image = vips_image_new_from_buffer(bytes, size, "", "fail_on", VIPS_FAIL_ON_ERROR, NULL);
    else
        vips_error("cof", "%s", "is empty");
    if (image)
        g_object_set_data_full(G_OBJECT(image), "bytes", bytes, g_free);
    else
        g_free(bytes);
    return image;
}

static VipsImage *read_input(const char *name)
{
    return path_is_stream(name)
               ? read_stream()
               : vips_image_new_from_file(name, "fail_on", VIPS_FAIL_ON_ERROR, NULL);
}

bool picture_exists(const char *name)
{
    struct stat info;
    char *file = path_is_stream(name) || access(name, F_OK) == 0 ? g_strdup(name)
                                                                 : vips_filename_get_filename(name);
    bool ok = path_is_stream(name) || (stat(file, &info) == 0 && access(file, R_OK) == 0);
    if (!ok) {
        complain(name, strerror(errno));
    } else if (!path_is_stream(name) && S_ISDIR(info.st_mode)) {
        complain(name, "is a folder");
        ok = false;
    }
    g_free(file);
    return ok;
}

/* Several pictures of one size in a file; levels of a pyramid are none. */
static bool has_pages(VipsImage *image, const char *name)
{
    bool named = !path_is_stream(name) && strchr(name, '[');
    if (vips_image_get_n_pages(image) < 2 || named)
        return false;
    char *second = g_strdup_printf("%s[page=1]", name);
    VipsImage *other = path_is_stream(name) ? NULL : vips_image_new_from_file(second, NULL);
    bool alike = !other || other->Xsize == image->Xsize;
    VIPS_UNREF(other);
    g_free(second);
    return alike;
}

/* As its orientation tag has it. Takes the reference. */
static VipsImage *upright(VipsImage *image)
{
    VipsImage *turned = NULL;
    if (vips_image_get_orientation(image) == 1)
        return image;
    int failed = vips_autorot(image, &turned, NULL);
    g_object_unref(image);
    return failed ? NULL : turned;
}

/* Takes the reference. */
static VipsImage *into_memory(VipsImage *image)
{
    if ((gint64)image->Xsize * image->Ysize > MOST_PIXELS_IN_MEMORY)
        return image;
    VipsImage *pixels = vips_image_copy_memory(image);
    g_object_unref(image);
    return pixels;
}

VipsImage *picture_open(const char *name)
{
    if (!picture_exists(name))
        return NULL;
    listen();
    VipsImage *image = read_input(name);
    if (image && has_pages(image, name)) {
        vips_error("cof", "it has %d pages: name one, such as [page=0] behind the name",
                   vips_image_get_n_pages(image));
        g_clear_object(&image);
    }
    if (image)
        image = upright(image);
    if (image)
        image = into_memory(image);
    if (!image)
        complain_vips(name, "cannot be decoded");
    if (heard(image ? name : NULL) && image) {
        g_object_unref(image);
        return NULL;
    }
    return image;
}

bool picture_can_save(const char *name, const char *format)
{
    if (path_is_stream(name)) {
        bool known = !format || vips_foreign_find_save_target(format);
        if (!known)
            complain(format, "no image format is known by that ending");
        return known;
    }
    if (!vips_foreign_find_save(name)) {
        complain(name, "no image format is known by that ending");
        return false;
    }
    char *path = vips_filename_get_filename(name);
    bool special = path_is_special(path), ok = !special && path_can_appear(path, path);
    if (special)
        complain(path, "is no file: write to - for a pipe");
    g_free(path);
    return ok;
}

static bool write_file(VipsImage *image, const char *target, const char *name)
{
    listen();
    bool ok = vips_image_write_to_file(image, target, NULL) == 0;
    if (!ok)
        complain_vips(name, "cannot be written");
    return !heard(ok ? name : NULL) && ok;
}

/* `name` is what the user calls it. */
static bool write_and_rename(VipsImage *image, const char *path, const char *name,
                             const char *options)
{
    char *temporary = unfinished_begin(path, name);
    if (!temporary)
        return false;
    char *target = g_strconcat(temporary, options, NULL);
    bool ok = write_file(image, target, name);
    g_free(target);
    return unfinished_end(temporary, ok ? path : NULL, name);
}

/* The ending of files like the one that was read. */
static const char *ending_like(VipsImage *input)
{
    static const char *const endings[][2] = {
        {"jpeg", ".jpg"},  {"png", ".png"}, {"webp", ".webp"}, {"tiff", ".tif"}, {"gif", ".gif"},
        {"heif", ".avif"}, {"jxl", ".jxl"}, {"jp2k", ".jp2"},  {"ppm", ".ppm"},  {"rad", ".hdr"}};
    const char *loader = "";
    if (vips_image_get_typeof(input, VIPS_META_LOADER) == 0 ||
        vips_image_get_string(input, VIPS_META_LOADER, &loader) != 0)
        return ".png";
    for (size_t i = 0; i < G_N_ELEMENTS(endings); i++)
        if (strncmp(loader, endings[i][0], strlen(endings[i][0])) == 0)
            return vips_foreign_find_save_target(endings[i][1]) ? endings[i][1] : ".png";
    return ".png";
}

static bool write_to_stream(VipsImage *image, const char *format, VipsImage *input)
{
    const char *ending = format ? format : ending_like(input);
    VipsTarget *target = vips_target_new_to_descriptor(STDOUT_FILENO);
    listen();
    bool ok = target && vips_image_write_to_target(image, ending, target, NULL) == 0;
    VIPS_UNREF(target);
    if (!ok)
        complain_vips("standard output", "cannot be written");
    return !heard(ok ? ending : NULL) && ok;
}

/* Can the format of that name hold samples of a kind? */
static bool holds(const char *name, VipsBandFormat format)
{
    const char *saver = vips_foreign_find_save(name);
    VipsForeignSaveClass *type = saver ? g_type_class_ref(g_type_from_name(saver)) : NULL;
    bool held = type && type->format_table[format] == format;
    if (type)
        g_type_class_unref(type);
    return held;
}

/* 0..1 as 16 bits, which libvips turns into 8 where the format has no more. */
static int spread(VipsImage *image, VipsImage **out)
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

/* What a format without floats is given for them. */
static VipsImage *as_savable(VipsImage *image, const char *name)
{
    VipsImage *integers = NULL;
    bool is_float = image->BandFmt == VIPS_FORMAT_FLOAT || image->BandFmt == VIPS_FORMAT_DOUBLE;
    if (!is_float || holds(name, VIPS_FORMAT_FLOAT))
        return g_object_ref(image);
    int failed = image->Type == VIPS_INTERPRETATION_scRGB
                     ? vips_colourspace(image, &integers, VIPS_INTERPRETATION_RGB16, NULL)
                     : spread(image, &integers);
    return failed ? NULL : integers;
}

static bool save_file(VipsImage *image, const char *name)
{
    char *path = vips_filename_get_filename(name), *options = vips_filename_get_options(name);
    char *target = path_target(path);
    VipsImage *pixels = as_savable(image, name);
    if (!pixels)
        complain_vips(path, "cannot be written");
    bool ok = pixels && write_and_rename(pixels, target, path, options);
    VIPS_UNREF(pixels);
    g_free(target);
    g_free(path);
    g_free(options);
    return ok;
}

bool picture_save(VipsImage *image, const char *name, const char *format, VipsImage *input)
{
    return path_is_stream(name) ? write_to_stream(image, format, input) : save_file(image, name);
}
