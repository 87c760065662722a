/* SPDX-License-Identifier: BSD-2-Clause */
/* Which formats of GDAL may read a file, as its name says. */
#include "gdal/raster_allowed.h"

#include <cpl_error.h>
#include <cpl_string.h>
#include <string.h>
#include <vips/vips.h>

#include "gdal/gdal_failure.h"

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

/* Says why, if the format is one that the name does not allow. */
static void explain_refusal(const char *name)
{
    GDALDriverH driver = GDALIdentifyDriverEx(name, GDAL_OF_RASTER, NULL, NULL);
    if (!driver || is_allowed(driver, name))
        return;
    const char *format = GDALGetDriverShortName(driver);
    char *suffix = suffix_of(driver);
    gdal_failure_clear();
    if (suffix)
        CPLError(CE_Failure, CPLE_NotSupported,
                 "has the format %s, whose files can name other files; to read it, give it a "
                 "suffix of that format, such as .%s",
                 format, suffix);
    else
        CPLError(CE_Failure, CPLE_NotSupported,
                 "has the format %s, whose files can name other files; convert it with "
                 "gdal_translate",
                 format);
    g_free(suffix);
}

/* Whether metadata, which a GeoTIFF file has inside, sends GDAL to another file or an address for
 * the overviews. GDAL itself only writes names of files beside the raster. */
static bool names_overviews(GDALDatasetH dataset)
{
    static const char beside[] = ":::BASE:::";
    const char *file = GDALGetMetadataItem(dataset, "OVERVIEW_FILE", "OVERVIEWS");
    return file && !(g_str_has_prefix(file, beside) && !strpbrk(file + strlen(beside), "/\\:"));
}

GDALDatasetH raster_allowed_open(const char *name)
{
    if (!is_file(name))
        return GDALOpenEx(name, OPEN_FLAGS, NULL, NULL, NULL);
    char **drivers = allowed_drivers(name);
    GDALDatasetH dataset = GDALOpenEx(name, OPEN_FLAGS, (const char *const *)drivers, NULL, NULL);
    CSLDestroy(drivers);
    if (!dataset)
        explain_refusal(name);
    if (!dataset || !names_overviews(dataset))
        return dataset;
    GDALClose(dataset);
    gdal_failure_clear();
    CPLError(
        CE_Failure, CPLE_NotSupported,
        "names another file for its overviews, in its metadata OVERVIEW_FILE; remove them with "
        "gdal_edit.py -unsetmd");
    return NULL;
}
