/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory of GDAL's cache of blocks, which all rasters share. */
#ifndef COF_RASTER_CACHE_H
#define COF_RASTER_CACHE_H

#include "gdal/raster.h"

/* For reading strip by strip, once bands are chosen: the blocks of a strip and of its neighbour,
 * unless the module keeps them itself. */
void raster_cache_for_input(const Raster *raster);

/* For writing: the blocks of the output that are not complete yet. What is read is decoded again
 * where it does not fit. */
void raster_cache_for_output(GDALDatasetH out);

#endif
