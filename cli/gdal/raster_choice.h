/* SPDX-License-Identifier: BSD-2-Clause */
/* Which bands of a raster are used, and what their samples are. */
#ifndef COF_RASTER_CHOICE_H
#define COF_RASTER_CHOICE_H

#include "gdal/raster.h"

int raster_choose(Raster *raster, const RasterChoice *choice);

/* The format of an image with the samples of the bands; VIPS_FORMAT_NOTSET: not supported. */
VipsBandFormat raster_format(GDALDataType type);

#endif
