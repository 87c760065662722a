/* SPDX-License-Identifier: BSD-2-Clause */
/* Image files, read with libvips. */
#include "io/image_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/image_encoding.h"
#include "io/image_input.h"
#include "io/output_path.h"
#include "io/page_layout.h"
#include "io/page_metadata.h"
#include "io/paths.h"
#include "io/vips_warning.h"
#include "io/watched_image.h"
#include "ui/error_line.h"
#include "ui/message_stream.h"

/* Images of up to this size are decoded when they are opened, so that a damaged file is found
 * before any work is done. */
#define MAX_PIXELS_IN_MEMORY ((gint64)1 << 25)

void image_file_init(void)
{
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
    vips_image_remove(image, VIPS_META_PAGE_HEIGHT); /* which rotation changes */
    int failed = vips_autorot(image, &rotated, NULL);
    g_object_unref(image);
    return failed ? NULL : rotated;
}

bool image_file_is_large(const VipsImage *image)
{
    return (gint64)image->Xsize * image->Ysize > MAX_PIXELS_IN_MEMORY;
}

/* Takes the reference. */
static VipsImage *load_if_small(VipsImage *image, const char *name)
{
    if (image_file_is_large(image))
        return watched_image_new(image, name);
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
    Encoding encoding = image ? image_encoding(image) : (Encoding){0};
    if (image) {
        copy_blobs(image);
        image = apply_orientation(image);
    }
    if (image)
        image = load_if_small(image, name);
    if (image)
        image_encoding_store(image, encoding);
    return image;
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
    vips_warning_clear();
    bool loud = has_loud_decoder(name);
    if (loud)
        message_mute();
    VipsImage *image = open_and_decode(name, pages, &is_printed);
    if (loud)
        message_unmute();
    if (!image && !is_printed)
        print_vips_error(name, "cannot be decoded");
    if (vips_warning_print(image ? name : NULL) && image) {
        g_object_unref(image);
        return NULL;
    }
    return image;
}
