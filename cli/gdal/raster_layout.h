/* SPDX-License-Identifier: BSD-2-Clause */
/* How the pixels of a raster are stored in a file: as in the input, unless the user says
 * otherwise. */
#ifndef COF_RASTER_LAYOUT_H
#define COF_RASTER_LAYOUT_H

#include "gdal/raster.h"

/* The creation options of a driver, with those of the user, for CSLDestroy(). `same_bands`: the
 * output has the bands of the raster. */
char **raster_layout_options(const Raster *raster, const char *driver, bool same_bands,
                             const char *const *given, int threads);

/* Bytes of a row of blocks, in all bands. */
double raster_block_row(GDALDatasetH dataset);

/* Whether the file does not store all blocks of the first band. */
bool raster_is_sparse(const Raster *raster);

#endif
