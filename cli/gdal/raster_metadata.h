/* SPDX-License-Identifier: BSD-2-Clause */
/* What a raster has besides its pixels. */
#ifndef COF_RASTER_METADATA_H
#define COF_RASTER_METADATA_H

#include "gdal/raster.h"

/* Copies the position and the metadata and, if the output has the bands of the raster, what is
 * said of each. Stored statistics are left out. */
int raster_copy_metadata(const Raster *raster, GDALDatasetH out, bool same_bands);

char *raster_losses(Raster *raster, const char *path);

#endif
