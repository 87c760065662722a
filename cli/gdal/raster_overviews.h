/* SPDX-License-Identifier: BSD-2-Clause */
/* Overviews: smaller copies of a raster, for display. */
#ifndef COF_RASTER_OVERVIEWS_H
#define COF_RASTER_OVERVIEWS_H

#include "gdal/raster.h"

/* Builds overviews with the factors of the input's or, if it has none, powers of two. Returns 0, or
 * -1 with libvips' error set. */
int raster_build_overviews(const Raster *raster, GDALDatasetH out);

#endif
