/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables about the values of a band: colours, names of classes, attributes. Averages of classes are
 * no classes, so that names and attributes of classes are kept only for bands that are copied.
 * Colours are kept, since the numbers of a colour table are filtered only as quantities. */
#include "gdal/raster_tables.h"

#include <cpl_string.h>

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

/* Whether a table is true of a filtered band: if it is about values, not about classes. */
static bool is_about_values(GDALRasterAttributeTableH table)
{
    return GDALRATGetTableType(table) == GRTT_ATHEMATIC && columns_of(table, GFU_PixelCount) == 0 &&
           columns_of(table, GFU_Name) == 0;
}

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

void raster_tables_copy(const Raster *raster, GDALDatasetH out)
{
    for (int number = 1; number <= raster->n_bands; number++)
        copy_tables(raster->bands[number - 1].handle, GDALGetRasterBand(out, number),
                    band_list_contains(&raster->filtered, number));
}

void append_loss(GString *list, const char *words)
{
    g_string_append_printf(list, "%s%s", list->len > 0 ? ", " : "", words);
}

void raster_tables_losses(const Raster *raster, GDALDatasetH out, GString *list)
{
    bool colours = false, names = false, attributes = false;
    for (int i = 0; i < raster->n_bands; i++) {
        GDALRasterBandH from = raster->bands[i].handle, to = GDALGetRasterBand(out, i + 1);
        colours |= GDALGetRasterColorTable(from) && !GDALGetRasterColorTable(to);
        names |=
            CSLCount(GDALGetRasterCategoryNames(from)) > CSLCount(GDALGetRasterCategoryNames(to));
        attributes |= has_attributes(from) && !has_attributes(to);
    }
    if (colours)
        append_loss(list, "the colour table");
    if (names)
        append_loss(list, "names of classes");
    if (attributes)
        append_loss(list, "the attribute table");
}
