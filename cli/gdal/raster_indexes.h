/* SPDX-License-Identifier: BSD-2-Clause */
/* Raster formats whose files name other files or addresses that GDAL then reads. */
#ifndef COF_RASTER_INDEXES_H
#define COF_RASTER_INDEXES_H

#include <gdal.h>

/* Opens a raster to be read. A file that names others is refused unless its own name says that it
 * is one: an image that somebody has sent must not make GDAL read other files, or the network. NULL
 * on failure, for which GDAL's error handler has the reason. */
GDALDatasetH raster_index_open(const char *name);

#endif
