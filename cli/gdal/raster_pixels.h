/* SPDX-License-Identifier: BSD-2-Clause */
/* Images of the bands of a raster, which are read on demand. */
#ifndef COF_RASTER_PIXELS_H
#define COF_RASTER_PIXELS_H

#include "gdal/raster.h"

VipsImage *raster_image(Raster *raster, bool learned);

/* Reads a part of the filtered or the learned bands, pixel by pixel, in the type of the raster. The
 * caller holds the lock of the raster. Returns -1 with GDAL's error set on failure. */
int raster_read(Raster *raster, const BandList *list, const VipsRect *rect, void *to, size_t line);

/* A new image as large as the raster, whose parts a function makes. It holds the raster. NULL with
 * libvips' error set on failure. */
VipsImage *raster_image_new(Raster *raster, int bands, VipsBandFormat format,
                            VipsInterpretation interpretation, VipsGenerateFn generate,
                            const void *data);

#endif
