/* SPDX-License-Identifier: BSD-2-Clause */
/* Files beside a raster that GDAL opens along with it. */
#include "gdal/raster_siblings.h"

#include <cpl_conv.h>
#include <cpl_error.h>
#include <cpl_string.h>
#include <cpl_vsi.h>
#include <string.h>
#include <vips/vips.h>

#include "gdal/gdal_failure.h"

/* The files of the folder of a raster, among which GDAL finds them whatever their case is. NULL:
 * GDAL tries names, because the folder has too many files or is not to be read. */
static char **folder_files(const char *name)
{
    const char *disabled = CPLGetConfigOption("GDAL_DISABLE_READDIR_ON_OPEN", "NO");
    int most = atoi(CPLGetConfigOption("GDAL_READDIR_LIMIT_ON_OPEN", "1000"));
    char **files = NULL;
    if (EQUAL(disabled, "NO"))
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

bool siblings_named_by(GDALDatasetH dataset)
{
    static const char beside[] = ":::BASE:::"; /* GDAL itself only writes such names */
    const char *file = GDALGetMetadataItem(dataset, "OVERVIEW_FILE", "OVERVIEWS");
    if (!file || (g_str_has_prefix(file, beside) && !strpbrk(file + strlen(beside), "/\\:")))
        return false;
    gdal_failure_clear();
    CPLError(CE_Failure, CPLE_NotSupported,
             "names another file for its overviews, in its metadata OVERVIEW_FILE; remove them "
             "with gdal_edit.py -unsetmd");
    return true;
}

/* A mask or an overview can have overviews, too. */
static bool check_file(const char *path)
{
    static const char *const tiff[] = {"GTiff", NULL};
    GDALDatasetH dataset = GDALOpenEx(path, GDAL_OF_RASTER | GDAL_OF_READONLY, tiff, NULL, NULL);
    if (!dataset) {
        gdal_failure_clear();
        CPLError(CE_Failure, CPLE_NotSupported, "%s beside it is no TIFF file",
                 CPLGetFilename(path));
        return false;
    }
    bool ok = !siblings_named_by(dataset);
    GDALClose(dataset);
    return ok && siblings_check(path);
}

bool siblings_check(const char *name)
{
    static const char *const suffixes[] = {".msk", ".ovr"};
    bool ok = true;
    for (size_t i = 0; i < G_N_ELEMENTS(suffixes) && ok; i++) {
        GPtrArray *found = find_files(name, suffixes[i]);
        for (guint j = 0; j < found->len && ok; j++)
            ok = check_file(found->pdata[j]);
        g_ptr_array_unref(found);
    }
    return ok;
}

bool siblings_have_aux(const char *name)
{
    char *stem = g_strndup(name, strlen(name) - strlen(CPLGetExtension(name)));
    if (g_str_has_suffix(stem, "."))
        stem[strlen(stem) - 1] = '\0';
    GPtrArray *by_name = find_files(name, ".aux"), *by_stem = find_files(stem, ".aux");
    bool found = by_name->len > 0 || by_stem->len > 0;
    g_ptr_array_unref(by_name);
    g_ptr_array_unref(by_stem);
    g_free(stem);
    return found;
}
