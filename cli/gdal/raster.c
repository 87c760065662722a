/* SPDX-License-Identifier: BSD-2-Clause */
/* Rasters that GDAL reads: opening and describing them. The entry of the module cof-gdal.so. */
#include "gdal/raster.h"

#include <cpl_conv.h>
#include <cpl_error.h>
#include <cpl_string.h>
#include <gdal_utils.h>
#include <stdlib.h>
#include <string.h>

#include "io/formats.h"

const char *raster_driver(GDALDatasetH dataset)
{
    GDALDriverH driver = GDALGetDatasetDriver(dataset);
    return driver ? GDALGetDriverShortName(driver) : "";
}

/* Whether GDAL knows where the raster lies: by a transformation, points or coefficients. */
static bool is_located_by(GDALDatasetH dataset)
{
    double transform[6];
    return GDALGetGeoTransform(dataset, transform) == CE_None || GDALGetGCPCount(dataset) > 0 ||
           GDALGetSpatialRef(dataset) || GDALGetMetadata(dataset, "RPC") ||
           GDALGetMetadata(dataset, "GEOLOCATION");
}

double raster_value(double value, GDALDataType type)
{
    return type == GDT_Float32 ? (double)(float)value : value;
}

/* GDAL 3.11 has a type of its own for floats of 16 bits, which were floats with NBITS=16 before. */
static GDALDataType type_of(GDALRasterBandH band)
{
    GDALDataType type = GDALGetRasterDataType(band);
    return strcmp(GDALGetDataTypeName(type), "Float16") == 0 ? GDT_Float32 : type;
}

static RasterBand describe_band(GDALDatasetH dataset, int number)
{
    GDALRasterBandH handle = GDALGetRasterBand(dataset, number);
    RasterBand band = {.handle = handle,
                       .type = type_of(handle),
                       .colour = GDALGetRasterColorInterpretation(handle)};
    int has_nodata = 0;
    double nodata = GDALGetRasterNoDataValue(handle, &has_nodata);
    band.has_nodata = has_nodata != 0;
    band.nodata = raster_value(nodata, band.type);
    return band;
}

/* The mask that all bands share: a mask band, or values of all bands together. */
static GDALRasterBandH shared_mask(GDALDatasetH dataset)
{
    GDALRasterBandH first = GDALGetRasterBand(dataset, 1);
    int flags = GDALGetMaskFlags(first);
    return flags & GMF_PER_DATASET && !(flags & GMF_ALPHA) ? GDALGetMaskBand(first) : NULL;
}

static void describe(Raster *raster)
{
    raster->bands = g_new0(RasterBand, (gsize)raster->n_bands);
    for (int i = 0; i < raster->n_bands; i++) {
        raster->bands[i] = describe_band(raster->dataset, i + 1);
        if (raster->bands[i].colour == GCI_AlphaBand)
            raster->alpha = i + 1;
    }
    raster->mask = shared_mask(raster->dataset);
    raster->n_overviews =
        siblings_have_aux(raster->name) ? 0 : GDALGetOverviewCount(raster->bands[0].handle);
}

/* A container, such as HDF5 or NetCDF, may hold several rasters. */
static void set_no_bands_error(GDALDatasetH dataset)
{
    char **names = GDALGetMetadata(dataset, "SUBDATASETS");
    const char *first = CSLFetchNameValue(names, "SUBDATASET_1_NAME");
    if (first)
        vips_error("cof", "has no bands itself, but %d rasters; name one of them, such as %s",
                   CSLCount(names) / 2, first);
    else
        vips_error("cof", "%s", "has no bands");
}

/* The text after `before`, `name` and `after`, or NULL if it does not begin with them. */
static const char *after_name(const char *text, const char *before, const char *name,
                              const char *after)
{
    char *start = g_strconcat(before, name, after, NULL);
    const char *rest = g_str_has_prefix(text, start) ? text + strlen(start) : NULL;
    g_free(start);
    return rest;
}

/* GDAL and libtiff repeat the name, which the command prints anyway, and libtiff names its
 * functions. */
static const char *plain_cause(const char *text, const char *name)
{
    const char *rest = after_name(text, "`", name, "' ");
    if (!rest)
        rest = after_name(text, "", name, ": ");
    const char *cause = rest ? rest : text;
    if (g_str_has_prefix(cause, "TIFF")) {
        const char *named = cause + strcspn(cause, ": ");
        named += strspn(named, ": ");
        rest = after_name(named, "", name, ": ");
        cause = rest ? rest : cause;
    }
    return cause;
}

/* The first line is the cause. libtiff has one function for errors, which is that of libvips or
 * that of GDAL, depending on which of the two has set it last. */
static void set_open_error(const char *name)
{
    gdal_failure("cannot be read");
    char *text = vips_error_buffer_copy();
    text[strcspn(text, "\n")] = '\0';
    const char *line = g_str_has_prefix(text, "cof: ") ? text + strlen("cof: ") : text;
    vips_error_clear();
    vips_error("cof", "%s", plain_cause(line, name));
    g_free(text);
}

static int count_pages(GDALDatasetH dataset)
{
    bool is_tiff = strcmp(raster_driver(dataset), "GTiff") == 0;
    int n = is_tiff ? CSLCount(GDALGetMetadata(dataset, "SUBDATASETS")) / 2 : 0;
    return MAX(n, 1);
}

/* Whether all colours of a table are grey. */
static bool is_grey(GDALColorTableH table)
{
    bool grey = true;
    for (int i = 0; i < GDALGetColorEntryCount(table) && grey; i++) {
        const GDALColorEntry *colour = GDALGetColorEntry(table, i);
        grey = colour->c1 == colour->c2 && colour->c2 == colour->c3;
    }
    return grey;
}

/* The numbers of colours in a BMP image, which has nothing geographic, are no classes. Returns the
 * dataset, or one that reads it and has colours, in which case *source is the dataset. */
static GDALDatasetH expand_colours(GDALDatasetH dataset, GDALDatasetH *source)
{
    GDALColorTableH table = strcmp(raster_driver(dataset), "BMP") == 0
                                ? GDALGetRasterColorTable(GDALGetRasterBand(dataset, 1))
                                : NULL;
    if (!table)
        return dataset;
    char *words[] = {"-of", "VRT", "-expand", is_grey(table) ? "gray" : "rgb", NULL};
    GDALTranslateOptions *options = GDALTranslateOptionsNew(words, NULL);
    GDALDatasetH expanded = GDALTranslate("", dataset, options, NULL);
    GDALTranslateOptionsFree(options);
    if (expanded)
        *source = dataset;
    else
        GDALClose(dataset);
    return expanded;
}

/* The dataset of a page, whose bands are colours if they are. */
static GDALDatasetH open_page(const char *name, int page, int *n_pages, GDALDatasetH *source)
{
    GDALDatasetH dataset = raster_allowed_open(name);
    *n_pages = dataset ? count_pages(dataset) : 0;
    if (dataset && page > *n_pages) {
        CPLError(CE_Failure, CPLE_AppDefined, "there is no page %d", page);
        GDALClose(dataset);
        return NULL;
    }
    if (dataset && page > 1) {
        GDALDatasetH file = dataset;
        dataset = raster_allowed_open_page(file, page);
        GDALClose(file);
    }
    return dataset ? expand_colours(dataset, source) : NULL;
}

static Raster *open_raster(const char *name, int page)
{
    gdal_failure_clear();
    vips_error_clear(); /* libvips may get errors of libtiff from here on */
    int n_pages;
    GDALDatasetH source = NULL, dataset = open_page(name, page, &n_pages, &source);
    if (!dataset) {
        set_open_error(name);
        return NULL;
    }
    int n = GDALGetRasterCount(dataset);
    if (n == 0) {
        set_no_bands_error(dataset);
        GDALClose(dataset);
        return NULL;
    }
    Raster *raster = g_new0(Raster, 1);
    *raster = (Raster){.references = 1,
                       .dataset = dataset,
                       .source = source,
                       .name = g_strdup(name),
                       .n_pages = n_pages,
                       .width = GDALGetRasterXSize(dataset),
                       .height = GDALGetRasterYSize(dataset),
                       .n_bands = n};
    g_mutex_init(&raster->lock);
    describe(raster);
    return raster;
}

Raster *raster_ref(Raster *raster)
{
    g_atomic_int_inc(&raster->references);
    return raster;
}

void raster_unref(Raster *raster)
{
    if (!raster || !g_atomic_int_dec_and_test(&raster->references))
        return;
    GDALClose(raster->dataset);
    if (raster->source)
        GDALClose(raster->source);
    g_mutex_clear(&raster->lock);
    g_free(raster->name);
    g_free(raster->bands);
    g_free(raster->filtered.numbers);
    g_free(raster->learned.numbers);
    g_free(raster);
}

int raster_read_failure(Raster *raster)
{
    g_atomic_int_inc(&raster->failures);
    return gdal_failure("cannot be read");
}

CPLErr raster_transfer(GDALDatasetH dataset, GDALRWFlag direction, const VipsRect *area, void *data,
                       GDALDataType type, const BandList *list, GSpacing line)
{
    GSpacing sample = GDALGetDataTypeSizeBytes(type);
    return GDALDatasetRasterIOEx(dataset, direction, area->left, area->top, area->width,
                                 area->height, data, area->width, area->height, type, list->n,
                                 list->numbers, sample * list->n, line, sample, NULL);
}

/* GDAL's own default is a share of the memory of the machine. */
#define MIN_CACHE 64e6
#define MAX_CACHE_FOR_INPUT 420e6
#define MAX_CACHE_FOR_OUTPUT 256e6

static void set_cache(double bytes, double most)
{
    GDALSetCacheMax64((GIntBig)CLAMP(bytes, MIN_CACHE, most));
}

/* Bytes of a row of blocks, in all bands. */
static double block_row(GDALDatasetH dataset)
{
    int width, height;
    double bytes = 0;
    for (int i = 1; i <= GDALGetRasterCount(dataset); i++) {
        GDALRasterBandH band = GDALGetRasterBand(dataset, i);
        GDALGetBlockSize(band, &width, &height);
        int across = (GDALGetRasterXSize(dataset) + width - 1) / width;
        bytes +=
            (double)across * width * height * GDALGetDataTypeSizeBytes(GDALGetRasterDataType(band));
    }
    return bytes;
}

/* A part with a margin touches three rows of blocks. */
void raster_cache_for_input(Raster *raster)
{
    int width;
    double bytes = 3.5 * block_row(raster->dataset);
    set_cache(bytes, MAX_CACHE_FOR_INPUT);
    if (bytes <= MAX_CACHE_FOR_INPUT && !g_str_has_prefix(raster->name, "/vsi"))
        GDALGetBlockSize(raster->bands[0].handle, &width, &raster->block_rows);
}

void raster_cache_for_output(GDALDatasetH out)
{
    set_cache(1.2 * block_row(out) + MIN_CACHE / 2, MAX_CACHE_FOR_OUTPUT);
}

static bool has_names(const Raster *raster)
{
    bool found = GDALGetMetadata(raster->dataset, "RPC") != NULL;
    for (int i = 0; i < raster->n_bands && !found; i++) {
        GDALRasterBandH band = raster->bands[i].handle;
        int has_scale = 0, has_offset = 0;
        GDALGetRasterScale(band, &has_scale);
        GDALGetRasterOffset(band, &has_offset);
        found = GDALGetDescription(band)[0] != '\0' || GDALGetRasterUnitType(band)[0] != '\0' ||
                has_scale || has_offset;
    }
    return found;
}

static bool marks_missing_data(const Raster *raster)
{
    bool found = raster->mask != NULL;
    for (int i = 0; i < raster->n_bands && !found; i++)
        found = raster->bands[i].has_nodata;
    return found;
}

int raster_band_bits(GDALRasterBandH band)
{
    const char *bits = GDALGetMetadataItem(band, "NBITS", "IMAGE_STRUCTURE");
    return bits ? atoi(bits) : GDALGetDataTypeSizeBits(GDALGetRasterDataType(band));
}

int raster_bits(const Raster *raster)
{
    int most = 0;
    if (raster->type == GDT_UInt16 && strcmp(raster_driver(raster->dataset), "JPEG") == 0)
        return 12;
    for (int i = 0; i < raster->n_bands; i++)
        most = MAX(most, raster_band_bits(raster->bands[i].handle));
    return most < 8 * GDALGetDataTypeSizeBytes(raster->type) ? most : 0;
}

static RasterFacts describe_facts(const Raster *raster)
{
    bool is_located = is_located_by(raster->dataset), has_nodata = marks_missing_data(raster);
    return (RasterFacts){.is_geographic = raster->n_bands > MAX_IMAGE_BANDS || is_located ||
                                          has_nodata || has_names(raster),
                         .is_located = is_located,
                         .has_nodata = has_nodata,
                         .has_failed = g_atomic_int_get(&raster->failures) > 0,
                         .pages = raster->n_pages,
                         .is_premultiplied = raster->is_premultiplied,
                         .bits = raster_bits(raster),
                         .has_overviews = raster->n_overviews > 0,
                         .is_rounded = raster->type == GDT_Float64 && !raster->is_unchanged,
                         .has_guide = !band_list_equal(&raster->filtered, &raster->learned)};
}

/* Datasets in datasets are at most this many levels deep. */
#define MAX_DEPTH 16

static bool is_file(const char *name)
{
    return g_file_test(name, G_FILE_TEST_IS_REGULAR);
}

static void add_dataset(GHashTable *files, GDALDatasetH dataset, int depth);

/* Adds a name and, if that is a dataset, what it is read from in turn. */
static void add_source(GHashTable *files, const char *name, int depth)
{
    char *path = realpath(name, NULL);
    bool is_new = g_hash_table_add(files, g_strdup(path ? path : name));
    free(path);
    GDALDatasetH dataset = is_new && depth < MAX_DEPTH ? raster_open_source(name) : NULL;
    if (dataset) {
        add_dataset(files, dataset, depth + 1);
        GDALClose(dataset);
    }
}

/* Adds a file or those that a name of GDAL contains, such as /vsisubfile/0_99,a.tif,
 * GTIFF_DIR:1:a.tif or /vsizip/a.zip/a.tif. */
static void add_name(GHashTable *files, const char *name, const char *folder, int depth)
{
    bool is_whole = is_file(CPLProjectRelativeFilename(folder, name));
    char **parts = g_regex_split_simple(is_whole ? "^$" : "/vsi\\w+/|://|[,:?={}\"&]", name, 0, 0);
    for (char **part = parts; *part; part++) {
        char *path = g_strdup(CPLProjectRelativeFilename(folder, *part)), *slash;
        while (!is_file(path) && (slash = strrchr(path, '/')))
            *slash = '\0';
        if (is_file(path))
            add_source(files, path, depth);
        g_free(path);
    }
    g_strfreev(parts);
    if (g_str_has_prefix(name, "/vsi"))
        add_source(files, name, depth);
}

/* Adds what the elements of a VRT name: GDAL lists only those sources that are files. A source can
 * be a VRT itself. */
static void add_vrt_sources(GHashTable *files, const char *xml, const char *folder, int depth)
{
    char **elements = g_strsplit(xml, "<", -1);
    for (char **element = elements; *element; element++) {
        char *tag = *element, *text = strchr(tag, '>');
        if (!text)
            continue;
        *text++ = '\0';
        char *name = CPLUnescapeString(text, NULL, CPLES_XML);
        if (strchr(name, '<'))
            add_vrt_sources(files, name, folder, depth);
        else
            add_name(files, name, strstr(tag, "relativeToVRT=\"1\"") ? folder : "", depth);
        CPLFree(name);
    }
    g_strfreev(elements);
}

/* Adds the files of a dataset. If it has all of its pixels itself, they are no datasets. */
static void add_dataset(GHashTable *files, GDALDatasetH dataset, int depth)
{
    char *folder = g_strdup(CPLGetPath(GDALGetDescription(dataset)));
    char **list = GDALGetFileList(dataset), **xml = GDALGetMetadata(dataset, "xml:VRT");
    for (char **file = list; file && *file; file++)
        add_name(files, *file, "", raster_has_own_pixels(dataset) ? MAX_DEPTH : depth);
    if (xml && *xml)
        add_vrt_sources(files, *xml, folder, depth);
    CSLDestroy(list);
    g_free(folder);
}

static char **list_files(Raster *raster)
{
    GHashTable *files = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_mutex_lock(&raster->lock);
    add_name(files, raster->name, "", MAX_DEPTH);
    add_dataset(files, raster->source ? raster->source : raster->dataset, 0);
    g_mutex_unlock(&raster->lock);
    gdal_failure_clear();
    char **keys = (char **)g_hash_table_get_keys_as_array(files, NULL), **names = g_strdupv(keys);
    g_free(keys);
    g_hash_table_destroy(files);
    return names;
}

bool band_list_contains(const BandList *list, int number)
{
    bool found = false;
    for (int i = 0; i < list->n && !found; i++)
        found = list->numbers[i] == number;
    return found;
}

bool band_list_equal(const BandList *a, const BandList *b)
{
    return a->n == b->n &&
           (a->n == 0 || memcmp(a->numbers, b->numbers, (size_t)a->n * sizeof *a->numbers) == 0);
}

const GdalInterface *cof_gdal_interface(void)
{
    static const GdalInterface interface = {.version = GDAL_INTERFACE_VERSION,
                                            .recognises = raster_is_recognised,
                                            .open = open_raster,
                                            .unref = raster_unref,
                                            .choose = raster_choose,
                                            .facts = describe_facts,
                                            .files = list_files,
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
