/* SPDX-License-Identifier: BSD-2-Clause */
/* Which formats of GDAL may read a file, as its name says. */
#include "gdal/raster_allowed.h"

#include <cpl_error.h>
#include <cpl_string.h>
#include <string.h>
#include <vips/vips.h>

#include "gdal/gdal_failure.h"
#include "gdal/raster_siblings.h"

#define OPEN_FLAGS (GDAL_OF_RASTER | GDAL_OF_READONLY | GDAL_OF_VERBOSE_ERROR)

/* Formats whose pixels are in the file itself: GDAL reads no other files but those whose names it
 * derives from that of the file (.hdr, .aux.xml, world files). Any name is good for them. This is a
 * list of what is allowed because GDAL has 140 formats, new versions add more, and of most nobody
 * has checked what they read: an ERS or HDF5 file, too, can have its pixels in any other file. */
static const char *const own_pixels[] = {
    "AAIGrid", "AIG",      "AVIF", "BIGGIF", "BMP",       "BT",      "CEOS", "CTable2",
    "DIPEx",   "DOQ1",     "DOQ2", "DTED",   "EHdr",      "ELAS",    "ENVI", "ESAT",
    "FIT",     "FITS",     "GIF",  "GRIB",   "GS7BG",     "GSAG",    "GSBG", "GTX",
    "GTiff",   "GenBin",   "HEIF", "ISCE",   "JP2ECW",    "JP2KAK",  "JPEG", "JP2OpenJPEG",
    "JPEGXL",  "L1B",      "LAN",  "LOSLAS", "LIBERTIFF", "NITF",    "PNG",  "PNM",
    "ROI_PAC", "SAR_CEOS", "SGI",  "TGA",    "USGSDEM",   "SRTMHGT", "WEBP", "XPM",
    "XYZ",     NULL};

/* Suffixes of formats that GDAL does not tell. */
static const struct {
    const char *suffix, *drivers;
} more_suffixes[] = {
    {".cdf", "netCDF"},
    {".cub", "ISIS2 PDS"},
    {".dim", "DIMAP"},
    {".gti", "GTI"},
    {".h4", "HDF4"},
    {".hdf", "HDF5 netCDF"},
    {".he4", "HDF4"},
    {".he5", "HDF5 netCDF"},
    {".img", "PDS VICAR"},
    {".json", "OGCAPI STACIT"},
    {".lbl", "ISIS2 PDS VICAR"},
    {".map", "MAP"},
    {".nc4", "netCDF"},
    {".qub", "ISIS2 PDS"},
    {".safe", "SAFE SENTINEL2"},
    {".til", "TIL"},
    {".vic", "VICAR"},
    {".vicar", "VICAR"},
    {".wms", "WMS"},
    {".xml", "DIMAP RCM RS2 SAFE SENTINEL2 TSX VRT WCS WMS WMTS"},
    {".zarr", "Zarr"},
    {".zip", "SENTINEL2"},
};

static bool has_word(const char *words, const char *word)
{
    char **list = CSLTokenizeString(words);
    bool found = CSLFindString(list, word) >= 0;
    CSLDestroy(list);
    return found;
}

/* Whether the driver tells a suffix that the file has. */
static bool tells_suffix(GDALDriverH driver, const char *name)
{
    char **list = CSLTokenizeString(GDALGetMetadataItem(driver, GDAL_DMD_EXTENSIONS, NULL));
    bool found = false;
    for (int i = 0; i < CSLCount(list) && !found; i++) {
        char *suffix = g_strconcat(".", list[i], NULL);
        found = vips_iscasepostfix(name, suffix);
        g_free(suffix);
    }
    CSLDestroy(list);
    return found;
}

static bool is_address(const char *name)
{
    return g_str_has_prefix(name, "http://") || g_str_has_prefix(name, "https://") ||
           g_str_has_prefix(name, "ftp://");
}

static bool is_allowed(GDALDriverH driver, const char *name)
{
    const char *format = GDALGetDriverShortName(driver);
    if (g_strv_contains(own_pixels, format) || tells_suffix(driver, name))
        return true;
    if (is_address(name) && strcmp(format, "HTTP") == 0) /* opens what it gets with the others */
        return true;
    for (size_t i = 0; i < G_N_ELEMENTS(more_suffixes); i++)
        if (vips_iscasepostfix(name, more_suffixes[i].suffix) &&
            has_word(more_suffixes[i].drivers, format))
            return true;
    return false;
}

/* To be freed with CSLDestroy(). */
static char **allowed_drivers(const char *name)
{
    char **names = NULL;
    for (int i = 0; i < GDALGetDriverCount(); i++) {
        GDALDriverH driver = GDALGetDriver(i);
        if (is_allowed(driver, name))
            names = CSLAddString(names, GDALGetDriverShortName(driver));
    }
    return names;
}

/* Other names, such as WMS:https://..., are not those of a file that somebody has sent. */
static bool is_file(const char *name)
{
    return g_str_has_prefix(name, "/vsi") || is_address(name) ||
           g_file_test(name, G_FILE_TEST_EXISTS);
}

/* A suffix of the format, without its dot, or NULL. To be freed. */
static char *suffix_of(GDALDriverH driver)
{
    const char *told = GDALGetMetadataItem(driver, GDAL_DMD_EXTENSIONS, NULL);
    if (told && *told)
        return g_strndup(told, strcspn(told, " "));
    for (size_t i = 0; i < G_N_ELEMENTS(more_suffixes); i++)
        if (has_word(more_suffixes[i].drivers, GDALGetDriverShortName(driver)))
            return g_strdup(more_suffixes[i].suffix + 1);
    return NULL;
}

/* To be freed with CSLDestroy(). */
static char **other_drivers(const char *name)
{
    char **names = NULL;
    for (int i = 0; i < GDALGetDriverCount(); i++) {
        GDALDriverH driver = GDALGetDriver(i);
        char *suffix = suffix_of(driver);
        if (suffix && !is_allowed(driver, name))
            names = CSLAddString(names, GDALGetDriverShortName(driver));
        g_free(suffix);
    }
    return names;
}

/* The format of a file that its name does not allow; NULL: unknown. */
static GDALDriverH refused_driver(const char *name)
{
    char **drivers = other_drivers(name);
    GDALDriverH driver =
        GDALIdentifyDriverEx(name, GDAL_OF_RASTER, (const char *const *)drivers, NULL);
    CSLDestroy(drivers);
    return driver;
}

static void explain_refusal(const char *name)
{
    GDALDriverH driver = refused_driver(name);
    if (!driver)
        return;
    char *suffix = suffix_of(driver);
    gdal_failure_clear();
    CPLError(CE_Failure, CPLE_NotSupported,
             "has the format %s, whose files can name other files; to read it, give it a suffix of "
             "that format, such as .%s",
             GDALGetDriverShortName(driver), suffix);
    g_free(suffix);
}

bool raster_is_recognised(const char *path)
{
    char **drivers = allowed_drivers(path);
    bool found = GDALIdentifyDriverEx(path, GDAL_OF_RASTER, (const char *const *)drivers, NULL);
    CSLDestroy(drivers);
    return found || refused_driver(path);
}

/* Opens a file with some formats, unless what lies beside it is not what it should be. */
static GDALDatasetH open_file(const char *name, char **drivers)
{
    if (strchr(name, '<')) { /* GDAL would take the names of files beside it for XML */
        CPLError(CE_Failure, CPLE_NotSupported, "GDAL reads no files with < in their names");
        return NULL;
    }
    GDALDatasetH dataset = GDALOpenEx(name, OPEN_FLAGS, (const char *const *)drivers, NULL, NULL);
    if (!dataset) {
        explain_refusal(name);
    } else if (siblings_named_by(dataset) || !siblings_check(name)) {
        GDALClose(dataset);
        dataset = NULL;
    }
    return dataset;
}

GDALDatasetH raster_allowed_open_page(GDALDatasetH file, int page)
{
    static const char *const tiff[] = {"GTiff", NULL};
    char *key = g_strdup_printf("SUBDATASET_%d_NAME", page);
    const char *name = GDALGetMetadataItem(file, key, "SUBDATASETS");
    GDALDatasetH dataset = name ? GDALOpenEx(name, OPEN_FLAGS, tiff, NULL, NULL) : NULL;
    g_free(key);
    return dataset;
}

GDALDatasetH raster_allowed_open(const char *name)
{
    if (!is_file(name))
        return GDALOpenEx(name, OPEN_FLAGS, NULL, NULL, NULL);
    /* A file may be called WMS:... */
    char *path = strchr(name, ':') && name[0] != '/' && !is_address(name)
                     ? g_strconcat("./", name, NULL)
                     : g_strdup(name);
    char **drivers = allowed_drivers(path);
    GDALDatasetH dataset = open_file(path, drivers);
    CSLDestroy(drivers);
    g_free(path);
    return dataset;
}
