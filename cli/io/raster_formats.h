/* SPDX-License-Identifier: BSD-2-Clause */
/* The formats that are written with GDAL, by the short names of its drivers, and the suffixes of
 * those that are read. */
#ifndef COF_RASTER_FORMATS_H
#define COF_RASTER_FORMATS_H

#include <stdbool.h>

/* The format that the suffix of a path selects; NULL: none. */
const char *raster_format_of_path(const char *path);

/* The format of a name, in GDAL's spelling; NULL: none. */
const char *raster_format_named(const char *name);

/* Whether files of a format may have the suffix of a path. */
bool raster_format_has_suffix(const char *name, const char *path);

/* The suffix of the files of a format. */
const char *raster_format_suffix(const char *format);

/* Whether the suffix of a path is common for rasters that GDAL reads. Some of these suffixes have
 * other meanings, too. */
bool raster_format_is_read(const char *path);

#endif
