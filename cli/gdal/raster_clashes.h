/* SPDX-License-Identifier: BSD-2-Clause */
/* Filtered samples that are equal to the no-data value by chance. */
#ifndef COF_RASTER_CLASHES_H
#define COF_RASTER_CLASHES_H

#include "gdal/raster.h"

/* Whether any of n pixels has a sample that is equal to the no-data value of its band. The samples
 * are those of the filtered bands, side by side. */
bool raster_has_nodata_samples(const Raster *raster, const void *samples, size_t n);

/* Moves samples that are equal to the no-data value, but were not before they were filtered, to the
 * next value towards the one before. Otherwise readers would take pixels with data for pixels
 * without. */
void raster_move_clashes(const Raster *raster, const void *before, void *samples, size_t n);

#endif
