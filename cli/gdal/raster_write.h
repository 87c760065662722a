/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes a raster: filtered bands, and all else as in the input. */
#ifndef COF_RASTER_WRITE_H
#define COF_RASTER_WRITE_H

#include "gdal/raster.h"

int raster_write(Raster *raster, VipsImage *image, const RasterOutput *output);

#endif
