/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables about the values of a band: colours, names of classes, attributes. */
#ifndef COF_RASTER_TABLES_H
#define COF_RASTER_TABLES_H

#include "gdal/raster.h"

/* Copies those that are still true. What a driver cannot store is found out later. */
void raster_tables_copy(const Raster *raster, GDALDatasetH out);

/* Appends in words what the output does not have. */
void raster_tables_losses(const Raster *raster, GDALDatasetH out, GString *list);

/* Appends an entry to a list in words. */
void append_loss(GString *list, const char *words);

#endif
