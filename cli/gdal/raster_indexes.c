/* SPDX-License-Identifier: BSD-2-Clause */
/* Raster formats whose files name other files or addresses that GDAL then reads. */
#include "gdal/raster_indexes.h"

#include <cpl_error.h>
#include <cpl_string.h>
#include <vips/vips.h>

#include "gdal/gdal_failure.h"

#define OPEN_FLAGS (GDAL_OF_RASTER | GDAL_OF_READONLY | GDAL_OF_VERBOSE_ERROR)

static const char *const index_drivers[] = {
    "DAAS",   "DIMAP",  "ECRGTOC",   "EEDAI",  "GTI",   "ISIS2", "ISIS3",    "KMLSUPEROVERLAY",
    "MAP",    "MRF",    "NGW",       "OGCAPI", "PDS",   "PDS4",  "PLMOSAIC", "RPFTOC",
    "STACIT", "STACTA", "SENTINEL2", "TileDB", "VICAR", "VRT",   "WCS",      "WMS",
    "WMTS",   NULL};

/* Suffixes that such files have, and images have not. */
static const char *const index_suffixes[] = {".cub", ".gti", ".img", ".json", ".kml",
                                             ".kmz", ".lbl", ".map", ".mrf",  ".qub",
                                             ".toc", ".vrt", ".wms", ".xml",  NULL};

static bool has_index_suffix(const char *name)
{
    for (const char *const *suffix = index_suffixes; *suffix; suffix++)
        if (vips_iscasepostfix(name, *suffix))
            return true;
    return false;
}

/* Other names, such as WMS:https://..., are not those of a file that somebody has sent. */
static bool is_file(const char *name)
{
    return g_str_has_prefix(name, "/vsi") || g_file_test(name, G_FILE_TEST_EXISTS);
}

static bool is_index_driver(const char *driver)
{
    return g_strv_contains(index_drivers, driver);
}

/* To be freed with CSLDestroy(). */
static char **other_drivers(void)
{
    char **names = NULL;
    for (int i = 0; i < GDALGetDriverCount(); i++) {
        const char *driver = GDALGetDriverShortName(GDALGetDriver(i));
        if (!is_index_driver(driver))
            names = CSLAddString(names, driver);
    }
    return names;
}

/* Says why, if the format is one of these. */
static void explain_refusal(const char *name)
{
    GDALDriverH driver = GDALIdentifyDriverEx(name, GDAL_OF_RASTER, NULL, NULL);
    const char *format = driver ? GDALGetDriverShortName(driver) : "";
    if (!is_index_driver(format))
        return;
    gdal_failure_clear();
    CPLError(CE_Failure, CPLE_NotSupported,
             "is no image but a %s file, which can name other files; to read it, give it a suffix "
             "such as .vrt or .xml",
             format);
}

GDALDatasetH raster_index_open(const char *name)
{
    if (!is_file(name) || has_index_suffix(name))
        return GDALOpenEx(name, OPEN_FLAGS, NULL, NULL, NULL);
    char **drivers = other_drivers();
    GDALDatasetH dataset = GDALOpenEx(name, OPEN_FLAGS, (const char *const *)drivers, NULL, NULL);
    CSLDestroy(drivers);
    if (!dataset)
        explain_refusal(name);
    return dataset;
}
