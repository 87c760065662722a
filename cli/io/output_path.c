/* SPDX-License-Identifier: BSD-2-Clause */
/* The names of image files without the options of libvips, and of outputs in a folder. */
#include "io/output_path.h"

#include <stdbool.h>
#include <string.h>
#include <unistd.h>
#include <vips/vips.h>

#include "io/formats.h"
#include "io/paths.h"

static bool is_too_long(const char *name)
{
    return strlen(name) >= MAX_IMAGE_PATH;
}

char *image_path_of_input(const char *name)
{
    return is_too_long(name) || access(name, F_OK) == 0 ? g_strdup(name)
                                                        : vips_filename_get_filename(name);
}

char *image_path_of_output(const char *name)
{
    return is_too_long(name) ? g_strdup(name) : vips_filename_get_filename(name);
}

/* Replaces the suffix of a file name. */
static char *with_suffix(const char *base, const char *suffix)
{
    const char *dot = strrchr(base, '.');
    int length = dot && dot > base ? (int)(dot - base) : (int)strlen(base);
    return g_strdup_printf("%.*s%s", length, base, suffix);
}

/* What to append to the name of a file so that it can be written: what only GDAL reads becomes
 * TIFF, and other images PNG. */
static const char *suffix_to_add(const char *path, const char *base)
{
    const char *operation;
    if (format_saver(base) || raster_format_of_path(base))
        return "";
    return format_is_image_name(path) || path_is_special(path) ||
                   format_of_file(path, &operation) || access(path, F_OK) != 0
               ? ".png"
               : ".tif";
}

char *output_path_in_folder(const char *folder, const char *subfolder, const char *input,
                            const char *format)
{
    char *path = image_path_of_input(input), *base = g_path_get_basename(path), *name;
    const char *raster = format ? raster_format_named(format) : NULL;
    char *suffix = NULL;
    if (format)
        suffix = raster ? raster_format_suffix(raster) : g_strdup(format);
    if (format)
        name = with_suffix(base, suffix);
    else
        name = g_strconcat(base, suffix_to_add(path, base), NULL);
    char *output = g_build_filename(folder, subfolder, name, NULL);
    g_free(path);
    g_free(base);
    g_free(name);
    g_free(suffix);
    return output;
}
