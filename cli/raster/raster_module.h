/* SPDX-License-Identifier: BSD-2-Clause */
/* The module that reads and writes rasters with GDAL. */
#ifndef COF_RASTER_MODULE_H
#define COF_RASTER_MODULE_H

#include "gdal/gdal_interface.h"

/* Loads the module at the first call. NULL: it is not installed, or GDAL is not. */
const GdalInterface *raster_module(void);

#endif
