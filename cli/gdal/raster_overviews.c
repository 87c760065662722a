/* SPDX-License-Identifier: BSD-2-Clause */
/* Overviews: smaller copies of a raster, for display. */
#include "gdal/raster_overviews.h"

#include <string.h>

#include "gdal/gdal_failure.h"

/* The last overview has at most this many pixels on its longer side. */
#define LAST_SIDE 256
#define MAX_LEVELS 31

static int levels_of_input(const Raster *raster, int *levels)
{
    GDALRasterBandH band = raster->bands[0].handle;
    int n = 0;
    for (int i = 0; i < raster->n_overviews && n < MAX_LEVELS; i++) {
        int width = GDALGetRasterBandXSize(GDALGetOverview(band, i));
        int level = width > 0 ? (raster->width + width / 2) / width : 0;
        if (level > 1)
            levels[n++] = level;
    }
    return n;
}

static int powers_of_two(const Raster *raster, int *levels)
{
    int side = MAX(raster->width, raster->height), n = 0;
    for (int level = 2; n < MAX_LEVELS - 1 && side / (level / 2) > LAST_SIDE; level *= 2)
        levels[n++] = level;
    return n;
}

int raster_build_overviews(const Raster *raster, GDALDatasetH out)
{
    int levels[MAX_LEVELS], n = levels_of_input(raster, levels);
    if (n == 0)
        n = powers_of_two(raster, levels);
    if (n == 0)
        return 0;
    const char *bits = GDALGetMetadataItem(raster->bands[0].handle, "NBITS", "IMAGE_STRUCTURE");
    bool are_classes =
        raster->bands[0].colour == GCI_PaletteIndex || (bits && strcmp(bits, "1") == 0);
    gdal_failure_clear();
    return GDALBuildOverviews(out, are_classes ? "NEAREST" : "AVERAGE", n, levels, 0, NULL, NULL,
                              NULL) == CE_None
               ? 0
               : gdal_failure("its overviews cannot be built");
}
