/* SPDX-License-Identifier: BSD-2-Clause */
/* The drivers of GDAL that write files. */
#include "gdal/raster_drivers.h"

#include <gdal.h>

static bool can(const char *driver, const char *what)
{
    GDALDriverH handle = GDALGetDriverByName(driver);
    return handle && GDALGetMetadataItem(handle, what, NULL);
}

bool raster_driver_writes(const char *driver)
{
    return can(driver, GDAL_DCAP_CREATE) || can(driver, GDAL_DCAP_CREATECOPY);
}

bool raster_driver_copies(const char *driver)
{
    return !can(driver, GDAL_DCAP_CREATE);
}
