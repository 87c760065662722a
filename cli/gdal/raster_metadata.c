/* SPDX-License-Identifier: BSD-2-Clause */
/* What a raster has besides its pixels. Averages of classes are no classes, so that names and
 * attributes of classes are kept only for bands that are copied. Colours are kept, since the
 * numbers of a colour table are filtered only as quantities. */
#include "gdal/raster.h"

#include <cpl_conv.h>
#include <cpl_string.h>
#include <math.h>
#include <ogr_srs_api.h>
#include <string.h>

static GDALRasterAttributeTableH attributes_of(GDALRasterBandH band)
{
    GDALRasterAttributeTableH table = GDALGetDefaultRAT(band);
    return table && GDALRATGetColumnCount(table) > 0 && GDALRATGetRowCount(table) > 0 ? table
                                                                                      : NULL;
}

static int columns_of(GDALRasterAttributeTableH table, GDALRATFieldUsage usage)
{
    int n = 0;
    for (int i = 0; i < GDALRATGetColumnCount(table); i++)
        n += GDALRATGetUsageOfCol(table, i) == usage;
    return n;
}

/* Attributes that a table has besides a histogram, which is a statistic. */
static bool has_attributes(GDALRasterBandH band)
{
    GDALRasterAttributeTableH table = attributes_of(band);
    return table && columns_of(table, GFU_PixelCount) < GDALRATGetColumnCount(table);
}

/* Whether a table still holds for a filtered band: if it is about values, not about classes. */
static bool is_about_values(GDALRasterAttributeTableH table)
{
    return GDALRATGetTableType(table) == GRTT_ATHEMATIC && columns_of(table, GFU_PixelCount) == 0 &&
           columns_of(table, GFU_Name) == 0;
}

/* Copies the tables that still hold. What a driver cannot store is found out later. */
static void copy_tables(GDALRasterBandH in, GDALRasterBandH out, bool is_filtered)
{
    GDALColorTableH colours = GDALGetRasterColorTable(in);
    GDALRasterAttributeTableH table = has_attributes(in) ? attributes_of(in) : NULL;
    char **names = GDALGetRasterCategoryNames(in);
    if (colours)
        GDALSetRasterColorTable(out, colours);
    if (names && !is_filtered)
        GDALSetRasterCategoryNames(out, names);
    if (table && (!is_filtered || is_about_values(table)))
        GDALSetDefaultRAT(out, table);
}

/* Appends an entry to a list in words, if it is lost. */
static void append_loss(GString *list, bool is_lost, const char *words)
{
    if (is_lost)
        g_string_append_printf(list, "%s%s", list->len > 0 ? ", " : "", words);
}

/* Appends in words what the output does not have. */
static void append_table_losses(const Raster *raster, GDALDatasetH out, GString *list)
{
    bool colours = false, names = false, attributes = false;
    for (int i = 0; i < raster->n_bands; i++) {
        GDALRasterBandH from = raster->bands[i].handle, to = GDALGetRasterBand(out, i + 1);
        colours |= GDALGetRasterColorTable(from) && !GDALGetRasterColorTable(to);
        names |=
            CSLCount(GDALGetRasterCategoryNames(from)) > CSLCount(GDALGetRasterCategoryNames(to));
        attributes |= has_attributes(from) && !has_attributes(to);
    }
    append_loss(list, colours, "the colour table");
    append_loss(list, names, "names of classes");
    append_loss(list, attributes, "the attribute table");
}

/* GDAL stores projected coordinate systems with heights beside a TIFF file, not in it. */
static bool is_flattened(OGRSpatialReferenceH reference, const char *driver)
{
    return reference && strcmp(driver, "GTiff") == 0 && OSRIsProjected(reference) &&
           !OSRIsCompound(reference) && OSRGetAxesCount(reference) == 3;
}

/* The coordinate system as a driver can store it, for OSRRelease(); NULL: none. */
static OGRSpatialReferenceH stored_reference(GDALDatasetH in, const char *driver)
{
    OGRSpatialReferenceH reference = GDALGetSpatialRef(in);
    OGRSpatialReferenceH copy = reference ? OSRClone(reference) : NULL;
    if (is_flattened(copy, driver))
        OSRDemoteTo2D(copy, NULL);
    return copy;
}

static bool copy_position(GDALDatasetH in, GDALDatasetH out)
{
    double transform[6];
    bool ok = true;
    if (GDALGetGCPCount(in) > 0)
        ok = GDALSetGCPs2(out, GDALGetGCPCount(in), GDALGetGCPs(in), GDALGetGCPSpatialRef(in)) ==
             CE_None;
    if (ok && GDALGetGeoTransform(in, transform) == CE_None)
        ok = GDALSetGeoTransform(out, transform) == CE_None;
    OGRSpatialReferenceH reference = stored_reference(in, raster_driver(out));
    ok = ok && (!reference || GDALSetSpatialRef(out, reference) == CE_None);
    if (reference)
        OSRRelease(reference);
    return ok;
}

/* Domains about the file, and not about what it shows. */
static bool is_about_file(const char *domain)
{
    static const char *const domains[] = {"IMAGE_STRUCTURE",
                                          "SUBDATASETS",
                                          "DERIVED_SUBDATASETS",
                                          "TIFF",
                                          "OVERVIEWS",
                                          "COLOR_PROFILE",
                                          "xml:VRT",
                                          NULL};
    return g_strv_contains(domains, domain);
}

/* The items that were not computed from the pixels. */
static char **without_statistics(char **items)
{
    char **kept = NULL;
    for (char **item = items; item && *item; item++)
        if (!g_str_has_prefix(*item, "STATISTICS_") && !g_str_has_prefix(*item, "OVERVIEWS_ALGO"))
            kept = CSLAddString(kept, *item);
    return kept;
}

static bool copy_domain(GDALMajorObjectH in, GDALMajorObjectH out, const char *domain)
{
    char **kept = without_statistics(GDALGetMetadata(in, domain));
    bool ok = !kept || GDALSetMetadata(out, kept, domain) == CE_None;
    CSLDestroy(kept);
    return ok;
}

/* Not all drivers list the domain without a name. */
static bool copy_domains(GDALMajorObjectH in, GDALMajorObjectH out)
{
    char **domains = GDALGetMetadataDomainList(in);
    bool ok = copy_domain(in, out, "");
    for (char **domain = domains; domain && *domain && ok; domain++)
        if ((*domain)[0] != '\0' && !is_about_file(*domain))
            ok = copy_domain(in, out, *domain);
    CSLDestroy(domains);
    return ok;
}

static bool copy_scale(GDALRasterBandH in, GDALRasterBandH out)
{
    int has_scale = 0, has_offset = 0;
    double scale = GDALGetRasterScale(in, &has_scale),
           offset = GDALGetRasterOffset(in, &has_offset);
    return (!has_scale || GDALSetRasterScale(out, scale) == CE_None) &&
           (!has_offset || GDALSetRasterOffset(out, offset) == CE_None);
}

/* What a driver cannot store is found out later, by raster_losses(). */
static bool copy_band(const RasterBand *from, bool with_nodata, GDALRasterBandH out)
{
    GDALRasterBandH in = from->handle;
    bool ok =
        !from->has_nodata || !with_nodata || GDALSetRasterNoDataValue(out, from->nodata) == CE_None;
    ok = ok && copy_domains(in, out) && copy_scale(in, out);
    if (GDALGetDescription(in)[0] != '\0')
        GDALSetDescription(out, GDALGetDescription(in));
    if (GDALGetRasterUnitType(in)[0] != '\0')
        GDALSetRasterUnitType(out, GDALGetRasterUnitType(in));
    if (GDALGetRasterColorInterpretation(out) != from->colour)
        GDALSetRasterColorInterpretation(out, from->colour);
    return ok;
}

/* A TIFF file has one value of no data for all bands. */
static int check_nodata(const Raster *raster, GDALDatasetH out)
{
    const RasterBand *bands = raster->bands;
    if (strcmp(raster_driver(out), "GTiff") != 0)
        return 0;
    for (int i = 1; i < raster->n_bands; i++) {
        bool same = bands[i].has_nodata == bands[0].has_nodata &&
                    (!bands[0].has_nodata || bands[i].nodata == bands[0].nodata ||
                     (isnan(bands[i].nodata) && isnan(bands[0].nodata)));
        if (same || i + 1 == raster->alpha)
            continue;
        vips_error("cof",
                   "a TIFF file has one no-data value, but bands 1 and %d of the input differ in "
                   "theirs; write another format, such as .img, or use --nodata",
                   i + 1);
        return -1;
    }
    return 0;
}

int raster_copy_metadata(const Raster *raster, GDALDatasetH out, bool same_bands)
{
    gdal_failure_clear();
    if (same_bands && check_nodata(raster, out) != 0)
        return -1;
    bool ok = copy_position(raster->dataset, out) && copy_domains(raster->dataset, out);
    for (int i = 0; i < raster->n_bands && same_bands && ok; i++)
        ok = copy_band(&raster->bands[i], !raster->all_valid, GDALGetRasterBand(out, i + 1));
    for (int number = 1; number <= raster->n_bands && same_bands && ok; number++)
        copy_tables(raster->bands[number - 1].handle, GDALGetRasterBand(out, number),
                    band_list_contains(&raster->filtered, number));
    return ok ? 0 : gdal_failure("its metadata cannot be written");
}

static bool same_position(GDALDatasetH a, GDALDatasetH b)
{
    /* Formats differ in the order of the axes that they store. */
    static const char *const same_options[] = {"IGNORE_DATA_AXIS_TO_SRS_AXIS_MAPPING=YES",
                                               "CRITERION=EQUIVALENT_EXCEPT_AXIS_ORDER_GEOGCRS",
                                               NULL};
    double one[6], other[6];
    OGRSpatialReferenceH first = stored_reference(a, raster_driver(b)),
                         second = GDALGetSpatialRef(b);
    bool has_one = GDALGetGeoTransform(a, one) == CE_None;
    bool same = !has_one || GDALGetGeoTransform(b, other) == CE_None;
    for (int i = 0; i < 6 && same && has_one; i++)
        same = fabs(one[i] - other[i]) <= 1e-9 * fmax(fabs(one[i]), 1e-300);
    same = same && GDALGetGCPCount(a) == GDALGetGCPCount(b) &&
           (!first || (second && OSRIsSameEx(first, second, same_options))) &&
           CSLCount(GDALGetMetadata(a, "RPC")) == CSLCount(GDALGetMetadata(b, "RPC"));
    if (first)
        OSRRelease(first);
    return same;
}

static bool same_profile(GDALDatasetH a, GDALDatasetH b)
{
    const char *one = GDALGetMetadataItem(a, "SOURCE_ICC_PROFILE", "COLOR_PROFILE");
    const char *other = GDALGetMetadataItem(b, "SOURCE_ICC_PROFILE", "COLOR_PROFILE");
    return !one || g_strcmp0(one, other) == 0;
}

static bool same_nodata(const RasterBand *band, GDALRasterBandH out)
{
    int has = 0;
    double value = GDALGetRasterNoDataValue(out, &has);
    return !band->has_nodata ||
           (has && (value == band->nodata || (isnan(value) && isnan(band->nodata))));
}

static bool same_text(const char *text, const char *other)
{
    return text[0] == '\0' || strcmp(text, other) == 0;
}

/* Appends what the bands of the output do not have. TIFF files have few of GDAL's colour
 * interpretations. */
static void append_band_losses(const Raster *raster, GDALDatasetH out, GString *list)
{
    bool nodata = false, names = false, colours = false, scales = false, units = false;
    for (int i = 0; i < raster->n_bands; i++) {
        const RasterBand *band = &raster->bands[i];
        GDALRasterBandH from = band->handle, to = GDALGetRasterBand(out, i + 1);
        nodata |= !raster->all_valid && i + 1 != raster->alpha && !same_nodata(band, to);
        names |= !same_text(GDALGetDescription(from), GDALGetDescription(to));
        colours |=
            band->colour != GCI_Undefined && GDALGetRasterColorInterpretation(to) != band->colour;
        scales |= GDALGetRasterScale(from, NULL) != GDALGetRasterScale(to, NULL) ||
                  GDALGetRasterOffset(from, NULL) != GDALGetRasterOffset(to, NULL);
        units |= !same_text(GDALGetRasterUnitType(from), GDALGetRasterUnitType(to));
    }
    append_loss(list, nodata, "no-data values");
    append_loss(list, names, "names of bands");
    append_loss(list, colours, "colour interpretation");
    append_loss(list, scales, "scales and offsets");
    append_loss(list, units, "units");
}

/* Compares the domain without a name, in which users keep their metadata. */
static bool same_metadata(const Raster *raster, GDALDatasetH out)
{
    char **items = without_statistics(GDALGetMetadata(raster->dataset, ""));
    bool same = true;
    for (char **item = items; item && *item && same; item++) {
        char *name = NULL;
        const char *value = CPLParseNameValue(*item, &name);
        const char *found = name ? GDALGetMetadataItem(out, name, "") : NULL;
        same = !name || (found && strcmp(found, value) == 0);
        CPLFree(name);
    }
    CSLDestroy(items);
    return same;
}

char *raster_losses(Raster *raster, const char *path)
{
    gdal_failure_clear();
    GDALDatasetH out = GDALOpen(path, GA_ReadOnly);
    if (!out)
        return NULL;
    bool same_bands = GDALGetRasterCount(out) == raster->n_bands;
    GString *list = g_string_new(NULL);
    append_loss(list, !same_position(raster->dataset, out), "georeferencing");
    append_loss(list, is_flattened(GDALGetSpatialRef(raster->dataset), raster_driver(out)),
                "the heights of the coordinate system");
    if (same_bands)
        append_band_losses(raster, out, list);
    append_loss(list, !same_metadata(raster, out), "metadata");
    if (same_bands) {
        append_loss(list, !same_profile(raster->dataset, out), "the colour profile");
        append_loss(
            list, raster->mask && !(GDALGetMaskFlags(GDALGetRasterBand(out, 1)) & GMF_PER_DATASET),
            "the mask");
        append_table_losses(raster, out, list);
    }
    GDALClose(out);
    bool is_empty = list->len == 0;
    return g_string_free(list, is_empty);
}
