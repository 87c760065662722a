/* SPDX-License-Identifier: BSD-2-Clause */
/* The entry of the module cof-gdal.so. */
#include "gdal/raster.h"

static int choose(Raster *raster, const RasterChoice *choice)
{
    if (raster_choose(raster, choice) != 0)
        return -1;
    raster_cache_for_input(raster);
    return 0;
}

const GdalInterface *cof_gdal_interface(void)
{
    static const GdalInterface interface = {.version = GDAL_INTERFACE_VERSION,
                                            .recognises = raster_is_recognised,
                                            .open = raster_open,
                                            .unref = raster_unref,
                                            .choose = choose,
                                            .facts = raster_facts,
                                            .files = raster_files,
                                            .image = raster_image,
                                            .writes = raster_driver_writes,
                                            .copies = raster_driver_copies,
                                            .write = raster_write,
                                            .losses = raster_losses};
    gdal_failure_init();
    written_file_init();
    GDALAllRegister();
    return &interface;
}
