/* SPDX-License-Identifier: BSD-2-Clause */
/* Blocks of a raster in memory, with the samples of each pixel side by side. */
#ifndef COF_RASTER_BLOCKS_H
#define COF_RASTER_BLOCKS_H

#include "gdal/raster.h"

/* The blocks of some bands, which have one type. NULL: the raster is better read as it is, because
 * its bands have different blocks, its blocks are huge, or because it is not a local file, from
 * which GDAL reads many blocks by one request. */
RasterBlocks *raster_blocks_new(Raster *raster, const BandList *list);
void raster_blocks_free(RasterBlocks *blocks);

/* The height of a block. */
int raster_blocks_height(const RasterBlocks *blocks);

/* Copies a part of the raster, whose lock the caller holds. Returns -1 with GDAL's error
 * set on failure. */
int raster_blocks_read(RasterBlocks *blocks, const VipsRect *rect, void *to, size_t line);

#endif
