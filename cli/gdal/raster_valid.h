/* SPDX-License-Identifier: BSD-2-Clause */
/* Which pixels of a raster hold data. */
#ifndef COF_RASTER_VALID_H
#define COF_RASTER_VALID_H

#include "gdal/raster.h"

/* One byte per pixel: 0 where a mask, transparency or a value of no data says that there is none,
 * otherwise 255. *valid is NULL if nothing can say so. NaN needs no mask. Returns 0, or -1 with
 * libvips' error set. */
int raster_valid_image(Raster *raster, VipsImage **valid);

#endif
