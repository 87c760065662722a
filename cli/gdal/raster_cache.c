/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory of GDAL's cache of blocks, which all rasters share. */
#include "gdal/raster_cache.h"

#include "gdal/raster_layout.h"

/* GDAL's own default is a share of the memory of the machine. */
#define MIN_CACHE 64e6
#define MAX_CACHE_FOR_INPUT 420e6
#define MAX_CACHE_FOR_OUTPUT 256e6

static void set_cache(double bytes, double most)
{
    bytes = bytes < MIN_CACHE ? MIN_CACHE : bytes;
    GDALSetCacheMax64((GIntBig)(bytes > most ? most : bytes));
}

/* Blocks in memory are read once; masks are not among them. */
static bool reads_once(const Raster *raster)
{
    return raster->filtered_blocks && raster->learned_blocks && !raster->mask && raster->alpha == 0;
}

void raster_cache_for_input(const Raster *raster)
{
    double rows = reads_once(raster) ? 0 : 2.5;
    set_cache(rows * raster_block_row(raster->dataset), MAX_CACHE_FOR_INPUT);
}

void raster_cache_for_output(GDALDatasetH out)
{
    set_cache(1.2 * raster_block_row(out) + MIN_CACHE / 2, MAX_CACHE_FOR_OUTPUT);
}
