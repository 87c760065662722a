/* SPDX-License-Identifier: BSD-2-Clause */
/* Which bands of a raster are used, and what their samples are. Samples that libcof would have to
 * change without need are refused. */
#include "gdal/raster.h"

#include <cof/cof.h>
#include <string.h>

#include "vips_pixels.h"

/* The types that can be filtered. */
static const struct {
    GDALDataType type;
    VipsBandFormat format;
} types[] = {{GDT_Byte, VIPS_FORMAT_UCHAR},    {GDT_UInt16, VIPS_FORMAT_USHORT},
             {GDT_Int16, VIPS_FORMAT_SHORT},   {GDT_UInt32, VIPS_FORMAT_UINT},
             {GDT_Int32, VIPS_FORMAT_INT},     {GDT_Float32, VIPS_FORMAT_FLOAT},
             {GDT_Float64, VIPS_FORMAT_DOUBLE}};

VipsBandFormat raster_format(GDALDataType type)
{
    for (size_t i = 0; i < G_N_ELEMENTS(types); i++)
        if (types[i].type == type)
            return types[i].format;
    return VIPS_FORMAT_NOTSET;
}

GDALDataType raster_type(VipsBandFormat format)
{
    for (size_t i = 0; i < G_N_ELEMENTS(types); i++)
        if (types[i].format == format)
            return types[i].type;
    return GDT_Unknown;
}

static BandList list_of(const int *numbers, int n)
{
    return (BandList){g_memdup2(numbers, (gsize)n * sizeof *numbers), n};
}

/* All bands, or all but alpha. */
static BandList all_bands(const Raster *raster, bool with_alpha)
{
    BandList list = {g_new(int, (gsize)raster->n_bands), 0};
    for (int number = 1; number <= raster->n_bands; number++)
        if (with_alpha || number != raster->alpha)
            list.numbers[list.n++] = number;
    return list;
}

static bool has_colours(const Raster *raster, const GDALColorInterp *colours, int n)
{
    bool same = raster->n_bands == n;
    for (int i = 0; i < n && same; i++)
        same = raster->bands[i].colour == colours[i];
    return same;
}

/* What all bands are together, as their colours say. The range of other samples than 8 and 16 bits
 * without sign is not known, so they are no colours. */
static BandsKind natural_kind(const Raster *raster)
{
    static const GDALColorInterp rgba[] = {GCI_RedBand, GCI_GreenBand, GCI_BlueBand, GCI_AlphaBand};
    static const GDALColorInterp grey_alpha[] = {GCI_GrayIndex, GCI_AlphaBand};
    GDALDataType type = raster->bands[0].type;
    bool has_range = type == GDT_Byte || type == GDT_UInt16;
    if (raster->n_bands == 1)
        return BANDS_AS_GREY + COF_KIND_GREY;
    if (has_range && has_colours(raster, rgba, 3))
        return BANDS_AS_GREY + COF_KIND_RGB;
    if (has_range && has_colours(raster, rgba, 4))
        return BANDS_AS_GREY + COF_KIND_RGBA;
    if (has_range && has_colours(raster, grey_alpha, 2))
        return BANDS_AS_GREY + COF_KIND_GREY_ALPHA;
    return BANDS_AS_BANDS;
}

static BandsKind kind_of_list(const BandList *list)
{
    return list->n == 1 ? (BandsKind)(BANDS_AS_GREY + COF_KIND_GREY) : BANDS_AS_BANDS;
}

static bool kind_has_alpha(int kind)
{
    return kind == BANDS_AS_GREY + COF_KIND_RGBA || kind == BANDS_AS_GREY + COF_KIND_GREY_ALPHA;
}

static bool kind_is_colour(int kind)
{
    return kind == BANDS_AS_GREY + COF_KIND_RGB || kind == BANDS_AS_GREY + COF_KIND_RGBA;
}

static int check_numbers(const Raster *raster, const int *numbers, int n)
{
    for (int i = 0; i < n; i++)
        if (numbers[i] > raster->n_bands) {
            vips_error("cof", "has %d band%s; there is no band %d", raster->n_bands,
                       raster->n_bands == 1 ? "" : "s", numbers[i]);
            return -1;
        }
    return 0;
}

/* The lists of bands and their kinds. */
static void choose_bands(Raster *raster, const RasterChoice *choice)
{
    int kind = choice->kind != BANDS_AUTO ? choice->kind : (int)natural_kind(raster);
    bool is_plain = choice->n_filtered == 0 && choice->n_learned == 0;
    raster->filtered = choice->n_filtered > 0 ? list_of(choice->filtered, choice->n_filtered)
                                              : all_bands(raster, is_plain && kind_has_alpha(kind));
    raster->learned = choice->n_learned > 0 ? list_of(choice->learned, choice->n_learned)
                                            : list_of(raster->filtered.numbers, raster->filtered.n);
    bool is_kind_of_all = is_plain && choice->kind == BANDS_AUTO;
    raster->learned_kind = is_kind_of_all               ? kind
                           : choice->kind != BANDS_AUTO ? choice->kind
                                                        : (int)kind_of_list(&raster->learned);
    raster->filtered_kind = band_list_equal(&raster->filtered, &raster->learned)
                                ? raster->learned_kind
                                : (int)kind_of_list(&raster->filtered);
}

static int refuse(const char *text)
{
    vips_error("cof", "%s", text);
    return -1;
}

static int check_type(const Raster *raster, int number)
{
    const RasterBand *band = &raster->bands[number - 1];
    if (GDALDataTypeIsComplex(band->type))
        return refuse("its samples are complex numbers");
    if (raster_format(band->type) == VIPS_FORMAT_NOTSET) {
        vips_error("cof", "samples of the type %s cannot be filtered",
                   GDALGetDataTypeName(band->type));
        return -1;
    }
    const char *sign = GDALGetMetadataItem(band->handle, "PIXELTYPE", "IMAGE_STRUCTURE");
    if (sign && strcmp(sign, "SIGNEDBYTE") == 0)
        return refuse("samples of the type SIGNEDBYTE cannot be filtered; convert them to Int16");
    if (band->type == raster->type)
        return 0;
    vips_error("cof",
               "its bands have the types %s and %s; extract those of one type with gdal_translate",
               GDALGetDataTypeName(raster->type), GDALGetDataTypeName(band->type));
    return -1;
}

/* A value of no data that no sample can have. */
static bool is_contradictory(const RasterBand *band)
{
    int is_clamped = 0, is_rounded = 0;
    if (!GDALDataTypeIsInteger(band->type))
        return false;
    GDALAdjustValueToDataType(band->type, band->nodata, &is_clamped, &is_rounded);
    return is_clamped || is_rounded;
}

static int check_nodata(const Raster *raster, int number)
{
    const RasterBand *band = &raster->bands[number - 1];
    if (raster->all_valid || !band->has_nodata || !is_contradictory(band))
        return 0;
    vips_error("cof",
               "the no-data value %g of band %d cannot occur in %s samples; "
               "use --nodata VALUE or --nodata none",
               band->nodata, number, GDALGetDataTypeName(band->type));
    return -1;
}

static int check_list(const Raster *raster, const BandList *list)
{
    for (int i = 0; i < list->n; i++)
        if (check_type(raster, list->numbers[i]) != 0 ||
            check_nodata(raster, list->numbers[i]) != 0)
            return -1;
    return 0;
}

/* The numbers of a palette are names, which cannot be averaged. GDAL gives samples of one bit a
 * palette of two colours. */
static int check_palette(const Raster *raster, const RasterChoice *choice)
{
    for (int i = 0; i < raster->filtered.n && choice->kind == BANDS_AUTO; i++) {
        const RasterBand *band = &raster->bands[raster->filtered.numbers[i] - 1];
        if (band->colour == GCI_PaletteIndex && GDALGetRasterColorTable(band->handle) &&
            raster_band_bits(band->handle) > 1)
            return refuse("its samples are numbers of colours in a table; convert it with "
                          "gdal_translate -expand rgb, or filter the numbers with --kind grey");
    }
    return 0;
}

static void set_nodata(Raster *raster, const RasterChoice *choice)
{
    raster->all_valid = choice->all_valid;
    for (int i = 0; i < raster->n_bands && choice->has_nodata; i++) {
        raster->bands[i].has_nodata = true;
        raster->bands[i].nodata = raster_value(choice->nodata, raster->bands[i].type);
    }
}

int raster_choose(Raster *raster, const RasterChoice *choice)
{
    if (check_numbers(raster, choice->filtered, choice->n_filtered) != 0 ||
        check_numbers(raster, choice->learned, choice->n_learned) != 0)
        return -1;
    choose_bands(raster, choice);
    set_nodata(raster, choice);
    raster->is_unchanged = choice->is_unchanged;
    raster->is_premultiplied = choice->is_premultiplied;
    if (raster->filtered.n == 0)
        return refuse("has no bands but alpha");
    if (raster->filtered.n > COF_MAX_BANDS || raster->learned.n > COF_MAX_BANDS)
        return refuse("it has more than " G_STRINGIFY(
            COF_MAX_BANDS) " bands; choose some with --filter-bands");
    raster->type = raster->bands[raster->filtered.numbers[0] - 1].type;
    raster->needs_all = kind_is_colour(raster->learned_kind) &&
                        (raster->type == GDT_Byte || raster->type == GDT_UInt16);
    if (check_list(raster, &raster->filtered) != 0 || check_list(raster, &raster->learned) != 0 ||
        check_palette(raster, choice) != 0)
        return -1;
    raster_cache_for_input(raster);
    return 0;
}
