/* SPDX-License-Identifier: BSD-2-Clause */
/* The formats that are written with GDAL, by the short names of its drivers, and the suffixes of
 * those that are read. A format that needs several files, or a folder, could not be replaced
 * atomically. */
#include "io/raster_formats.h"

#include <glib.h>

/* Formats of one file that hold a position, in the order in which a suffix selects them. */
static const struct {
    const char *name, *suffixes[3];
} formats[] = {
    {"GTiff", {".tif", ".tiff", NULL}},
    {"COG", {".tif", ".tiff", NULL}},
    {"HFA", {".img", NULL}},
    {"JP2OpenJPEG", {".jp2", ".j2k", NULL}},
    {"KEA", {".kea", NULL}},
};

static bool has_suffix(const char *path, const char *const *suffixes)
{
    bool found = false;
    char *lower = g_ascii_strdown(path, -1);
    for (const char *const *suffix = suffixes; *suffix && !found; suffix++)
        found = g_str_has_suffix(lower, *suffix);
    g_free(lower);
    return found;
}

const char *raster_format_of_path(const char *path)
{
    for (size_t i = 0; i < G_N_ELEMENTS(formats); i++)
        if (has_suffix(path, formats[i].suffixes))
            return formats[i].name;
    return NULL;
}

bool raster_format_has_suffix(const char *name, const char *path)
{
    bool found = false;
    for (size_t i = 0; i < G_N_ELEMENTS(formats); i++)
        found = found || (g_ascii_strcasecmp(name, formats[i].name) == 0 &&
                          has_suffix(path, formats[i].suffixes));
    return found;
}

const char *raster_format_named(const char *name)
{
    for (size_t i = 0; i < G_N_ELEMENTS(formats); i++)
        if (g_ascii_strcasecmp(name, formats[i].name) == 0)
            return formats[i].name;
    return NULL;
}

const char *raster_format_suffix(const char *format)
{
    for (size_t i = 0; i < G_N_ELEMENTS(formats); i++)
        if (g_ascii_strcasecmp(format, formats[i].name) == 0)
            return formats[i].suffixes[0];
    return "";
}

bool raster_format_is_read(const char *path)
{
    static const char *const suffixes[] = {".asc", ".bil", ".bip", ".bsq", ".dem", ".dt0",
                                           ".dt1", ".dt2", ".ecw", ".grd", ".h5",  ".hdf",
                                           ".hgt", ".img", ".j2k", ".jp2", ".kea", ".mrf",
                                           ".nc",  ".ntf", ".rst", ".sid", ".vrt", NULL};
    return has_suffix(path, suffixes);
}
