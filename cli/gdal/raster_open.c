/* SPDX-License-Identifier: BSD-2-Clause */
/* Opening files with GDAL: its errors as those of libvips, what may lie beside a file, and which
 * formats may read it, as its name says. */
#include "gdal/raster.h"

#include <cpl_conv.h>
#include <cpl_error.h>
#include <cpl_string.h>
#include <cpl_vsi.h>
#include <string.h>

#include "io/formats.h"

static _Thread_local char first_failure[512], first_warning[512];

static void store(char text[512], const char *from)
{
    if (text[0] != '\0')
        return;
    g_strlcpy(text, from, 512);
    g_strdelimit(text, "\r\n\t", ' ');
    g_strchomp(text);
}

static void CPL_STDCALL on_error(CPLErr severity, CPLErrorNum number, const char *text)
{
    (void)number;
    if (severity >= CE_Failure)
        store(first_failure, text);
    else if (severity == CE_Warning)
        store(first_warning, text);
}

void gdal_failure_init(void)
{
    CPLSetErrorHandler(on_error);
}

void gdal_failure_clear(void)
{
    first_failure[0] = first_warning[0] = '\0';
}

int gdal_has_failed(void)
{
    return first_failure[0] != '\0';
}

int gdal_failure_by_warning(const char *fallback)
{
    return gdal_failure(first_warning[0] != '\0' ? first_warning : fallback);
}

int gdal_failure(const char *fallback)
{
    vips_error("cof", "%s", gdal_has_failed() ? first_failure : fallback);
    gdal_failure_clear();
    return -1;
}

/* The files of the folder of a raster, among which GDAL finds them whatever their case is. NULL:
 * GDAL tries names, because the folder has too many files or is not to be read. */
static char **folder_files(const char *name)
{
    const char *disabled = CPLGetConfigOption("GDAL_DISABLE_READDIR_ON_OPEN", "NO");
    int most = atoi(CPLGetConfigOption("GDAL_READDIR_LIMIT_ON_OPEN", "1000"));
    char **files = NULL;
    if (!CPLTestBool(disabled)) /* YES and EMPTY_DIR */
        files = VSIReadDirEx(CPLGetDirname(name), most > 0 ? most + 1 : 0);
    if (most > 0 && CSLCount(files) > most) {
        CSLDestroy(files);
        files = NULL;
    }
    return files;
}

/* The files of a name and a suffix in either case, for g_ptr_array_unref(). */
static GPtrArray *find_files(const char *name, const char *suffix)
{
    GPtrArray *found = g_ptr_array_new_with_free_func(g_free);
    char *path = g_strconcat(name, suffix, NULL), *upper = g_ascii_strup(suffix, -1);
    char **files = folder_files(name), *paths[] = {path, g_strconcat(name, upper, NULL)};
    for (char **file = files; file && *file; file++)
        if (EQUAL(*file, CPLGetFilename(path)))
            g_ptr_array_add(found, g_strdup(CPLFormFilename(CPLGetPath(name), *file, NULL)));
    for (size_t i = 0; i < G_N_ELEMENTS(paths) && !files; i++) {
        VSILFILE *file = VSIFOpenL(paths[i], "rb");
        if (file) {
            VSIFCloseL(file);
            g_ptr_array_add(found, g_strdup(paths[i]));
        }
    }
    CSLDestroy(files);
    g_free(upper);
    g_free(paths[0]);
    g_free(paths[1]);
    return found;
}

/* Files can name each other for their overviews. */
#define MAX_DEPTH 4

static bool siblings_check(GDALDatasetH dataset, const char *name, int depth);

/* Whether a file beside a raster is a TIFF file, as well as those beside it and that it names: a
 * mask or an overview can have overviews, too. */
static bool check_file(const char *path, int depth)
{
    static const char *const tiff[] = {"GTiff", NULL};
    GDALDatasetH dataset =
        depth > MAX_DEPTH ? NULL
                          : GDALOpenEx(path, GDAL_OF_RASTER | GDAL_OF_READONLY, tiff, NULL, NULL);
    if (!dataset) {
        gdal_failure_clear();
        CPLError(CE_Failure, CPLE_NotSupported, "%s beside it is no TIFF file",
                 CPLGetFilename(path));
        return false;
    }
    bool ok = siblings_check(dataset, path, depth);
    GDALClose(dataset);
    return ok;
}

/* Metadata, which a TIFF file has inside, can send GDAL to another file or an address for the
 * overviews. */
static bool check_named(GDALDatasetH dataset, const char *name, int depth)
{
    static const char beside[] = ":::BASE:::"; /* GDAL itself only writes such names */
    const char *file = GDALGetMetadataItem(dataset, "OVERVIEW_FILE", "OVERVIEWS");
    if (!file)
        return true;
    const char *rest = g_str_has_prefix(file, beside) ? file + strlen(beside) : "/";
    if (!strpbrk(rest, "/\\:")) {
        char *path = g_strdup(CPLFormFilename(CPLGetPath(name), rest, NULL));
        bool ok = check_file(path, depth + 1);
        g_free(path);
        if (ok)
            return true;
    }
    gdal_failure_clear();
    CPLError(CE_Failure, CPLE_NotSupported,
             "names another file for its overviews, in its metadata OVERVIEW_FILE; remove them "
             "with gdal_edit.py -unsetmd");
    return false;
}

/* GDAL opens masks (NAME.msk) and overviews (NAME.ovr) with all of its formats, and some of them
 * read any file or address that a file names. Returns false with GDAL's error set if such a file is
 * not the TIFF file that it should be. To be called before GDAL is asked for masks or overviews. */
static bool siblings_check(GDALDatasetH dataset, const char *name, int depth)
{
    static const char *const suffixes[] = {".msk", ".ovr"};
    bool ok = check_named(dataset, name, depth);
    for (size_t i = 0; i < G_N_ELEMENTS(suffixes) && ok; i++) {
        GPtrArray *found = find_files(name, suffixes[i]);
        for (guint j = 0; j < found->len && ok; j++)
            ok = check_file(found->pdata[j], depth + 1);
        g_ptr_array_unref(found);
    }
    return ok;
}

bool siblings_have_aux(const char *name)
{
    char *stem = g_strdup(CPLResetExtension(name, ""));
    GPtrArray *by_name = find_files(name, ".aux"), *by_stem = find_files(stem, ".aux");
    bool found = by_name->len > 0 || by_stem->len > 0;
    g_ptr_array_unref(by_name);
    g_ptr_array_unref(by_stem);
    g_free(stem);
    return found;
}

#define OPEN_FLAGS (GDAL_OF_RASTER | GDAL_OF_READONLY | GDAL_OF_VERBOSE_ERROR)

/* The drivers of the table of formats. This is a list of what is allowed because GDAL has 140
 * formats, new versions add more, and of most nobody has checked what they read: an ERS or HDF5
 * file, too, can have its pixels in any other file. Any name is good for FORMAT_GDAL: the pixels
 * are in the file itself, and GDAL reads no other files but those whose names it derives from that
 * of the file (.hdr, .aux.xml, world files). */
static const struct {
    FormatReader reader;
    const char *drivers, *suffixes;
} table[] = {
#define FORMAT(reader, name, readers, suffixes, how) {FORMAT_##reader, readers, suffixes},
#include "io/formats.def"
};

static bool has_word(const char *words, const char *word)
{
    char **list = CSLTokenizeString(words);
    bool found = CSLFindString(list, word) >= 0;
    CSLDestroy(list);
    return found;
}

/* Whether a file has one of these suffixes, with or without their dots. */
static bool has_suffix(const char *name, const char *suffixes)
{
    char **list = CSLTokenizeString(suffixes);
    bool found = false;
    for (int i = 0; i < CSLCount(list) && !found; i++) {
        char *suffix = g_strconcat(".", list[i] + (list[i][0] == '.'), NULL);
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

/* Whether the table has a row for a driver and, unless `name` is NULL, for the suffix of the name.
 */
static bool has_row(FormatReader reader, const char *driver, const char *name)
{
    for (size_t i = 0; i < G_N_ELEMENTS(table); i++)
        if (table[i].reader == reader && has_word(table[i].drivers, driver) &&
            (!name || has_suffix(name, table[i].suffixes)))
            return true;
    return false;
}

static bool is_allowed(GDALDriverH driver, const char *name)
{
    const char *format = GDALGetDriverShortName(driver);
    if (has_row(FORMAT_NEVER, format, NULL))
        return false;
    if (is_address(name) && strcmp(format, "HTTP") == 0) /* opens what it gets with the others */
        return true;
    return has_suffix(name, GDALGetMetadataItem(driver, GDAL_DMD_EXTENSIONS, NULL)) ||
           has_row(FORMAT_GDAL, format, NULL) || has_row(FORMAT_NAMED, format, name);
}

/* A suffix of the format, without its dot, or NULL. To be freed. */
static char *suffix_of(GDALDriverH driver)
{
    const char *told = GDALGetMetadataItem(driver, GDAL_DMD_EXTENSIONS, NULL);
    if (told && *told)
        return g_strndup(told, strcspn(told, " "));
    for (size_t i = 0; i < G_N_ELEMENTS(table); i++)
        if (table[i].reader == FORMAT_NAMED &&
            has_word(table[i].drivers, GDALGetDriverShortName(driver)))
            return g_strndup(table[i].suffixes + 1, strcspn(table[i].suffixes, " ") - 1);
    return NULL;
}

/* The drivers that may read a file, or with `allowed` false those that may not because the file
 * lacks a suffix of theirs. To be freed with CSLDestroy(). */
static char **list_drivers(const char *name, bool allowed)
{
    char **names = NULL;
    for (int i = 0; i < GDALGetDriverCount(); i++) {
        GDALDriverH driver = GDALGetDriver(i);
        const char *format = GDALGetDriverShortName(driver);
        char *suffix = suffix_of(driver);
        if (is_allowed(driver, name) ? allowed
                                     : !allowed && suffix && !has_row(FORMAT_NEVER, format, NULL))
            names = CSLAddString(names, format);
        g_free(suffix);
    }
    return names;
}

/* Other names, such as WMS:https://..., are not those of a file that somebody has sent. */
static bool is_file(const char *name)
{
    return g_str_has_prefix(name, "/vsi") || is_address(name) ||
           g_file_test(name, G_FILE_TEST_EXISTS);
}

/* The format of a file that its name does not allow; NULL: unknown. */
static GDALDriverH refused_driver(const char *name)
{
    char **drivers = list_drivers(name, false);
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
    char **drivers = list_drivers(path, true);
    bool found = GDALIdentifyDriverEx(path, GDAL_OF_RASTER, (const char *const *)drivers, NULL);
    CSLDestroy(drivers);
    return found || refused_driver(path);
}

/* Bytes of the samples of a raster that are stored without gaps. */
static double bare_bytes(GDALDatasetH dataset)
{
    const char *header = GDALGetMetadataItem(dataset, "header_offset", "ENVI");
    double pixels = (double)GDALGetRasterXSize(dataset) * GDALGetRasterYSize(dataset), bits = 0;
    for (int i = 1; i <= GDALGetRasterCount(dataset); i++)
        bits += raster_band_bits(GDALGetRasterBand(dataset, i));
    return bits / 8 * pixels + (header ? g_ascii_strtod(header, NULL) : 0);
}

/* Whether a file of bare samples, the largest one of its dataset, is too short for its pixels,
 * which GDAL takes for 0. */
static bool is_short(GDALDatasetH dataset)
{
    static const char bare[] = "DIPEx EHdr ELAS ENVI ERS GenBin ISCE LAN ROI_PAC netCDF";
    const char *driver = GDALGetDriverShortName(GDALGetDatasetDriver(dataset));
    char start[3] = "", **files = has_word(bare, driver) ? GDALGetFileList(dataset) : NULL;
    vsi_l_offset size = 0;
    for (char **path = files; path && *path; path++) {
        VSILFILE *file = VSIFOpenL(*path, "rb");
        if (file && VSIFSeekL(file, 0, SEEK_END) == 0 && VSIFTellL(file) > size) {
            size = VSIFTellL(file);
            VSIRewindL(file);
            VSIFReadL(start, 1, sizeof start, file);
        }
        if (file)
            VSIFCloseL(file);
    }
    bool is_bare = files && memcmp(start, "\x1f\x8b", 2) != 0 &&
                   (strcmp(driver, "netCDF") != 0 || memcmp(start, "CDF", 3) == 0);
    bool found = is_bare && (double)size < bare_bytes(dataset);
    CSLDestroy(files);
    if (found)
        CPLError(CE_Failure, CPLE_FileIO, "is too short for the number of its pixels");
    return found;
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
    } else if (!siblings_check(dataset, name, 0) || is_short(dataset)) {
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
    char **drivers = list_drivers(path, true);
    GDALDatasetH dataset = open_file(path, drivers);
    CSLDestroy(drivers);
    g_free(path);
    return dataset;
}

bool raster_has_own_pixels(GDALDatasetH dataset)
{
    GDALDriverH driver = GDALGetDatasetDriver(dataset);
    return driver && is_allowed(driver, "");
}

GDALDatasetH raster_open_source(const char *name)
{
    GDALDatasetH dataset = GDALOpenEx(name, GDAL_OF_RASTER | GDAL_OF_READONLY, NULL, NULL, NULL);
    if (dataset && is_file(name) && !siblings_check(dataset, name, 0)) {
        GDALClose(dataset);
        dataset = NULL;
    }
    return dataset;
}
