/* SPDX-License-Identifier: BSD-2-Clause */
/* Which formats of GDAL may read a file, as its name says. */
#ifndef COF_RASTER_ALLOWED_H
#define COF_RASTER_ALLOWED_H

#include <gdal.h>
#include <stdbool.h>

/* Opens a raster to be read. Files of many formats can name other files or addresses, which GDAL
 * then reads: an image that somebody has sent must not make it do so. A file is read with the
 * formats whose files hold their own pixels, and with those that its suffix belongs to. NULL on
 * failure, for which GDAL's error handler has the reason. */
GDALDatasetH raster_allowed_open(const char *name);

/* Opens a page of a TIFF file, from 1, which must not be the only one. */
GDALDatasetH raster_allowed_open_page(GDALDatasetH file, int page);

/* Whether GDAL reads files like this one, with a suffix of their format at least. */
bool raster_is_recognised(const char *path);

#endif
