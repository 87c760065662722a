/* SPDX-License-Identifier: BSD-2-Clause */
/* The drivers of GDAL that write files. */
#ifndef COF_RASTER_DRIVERS_H
#define COF_RASTER_DRIVERS_H

#include <stdbool.h>

/* Whether GDAL has the driver, and can write files with it. */
bool raster_driver_writes(const char *driver);

/* Whether the driver copies a whole raster, and cannot write parts of one. */
bool raster_driver_copies(const char *driver);

#endif
