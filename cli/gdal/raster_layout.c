/* SPDX-License-Identifier: BSD-2-Clause */
/* How a raster is stored in a file: its driver, its options, which are those of the input unless
 * the user says otherwise, and its overviews, which are smaller copies for display. */
#include "gdal/raster.h"

#include <cpl_string.h>
#include <string.h>

static bool can(const char *driver, const char *what)
{
    GDALDriverH handle = GDALGetDriverByName(driver);
    return handle && GDALGetMetadataItem(handle, what, NULL);
}

bool raster_driver_writes(const char *driver)
{
    return can(driver, GDAL_DCAP_CREATE) || can(driver, GDAL_DCAP_CREATECOPY);
}

bool raster_driver_copies(const char *driver)
{
    return !can(driver, GDAL_DCAP_CREATE);
}

/* GDAL does not tell the level of a file; this is the quality of other WebP outputs. */
#define DEFAULT_WEBP_LEVEL 92

/* The creation options that are collected. */
typedef struct Layout {
    const Raster *raster;
    char **options; /* those of the user first */
} Layout;

/* The user's value of an option stays. */
static void add(Layout *layout, const char *name, const char *value)
{
    if (value && !CSLFetchNameValue(layout->options, name))
        layout->options = CSLSetNameValue(layout->options, name, value);
}

static void add_number(Layout *layout, const char *name, int value)
{
    char text[16];
    g_snprintf(text, sizeof text, "%d", value);
    add(layout, name, text);
}

static const char *structure(const Layout *layout, const char *name)
{
    return GDALGetMetadataItem(layout->raster->dataset, name, "IMAGE_STRUCTURE");
}

static bool is_tile_size(int size)
{
    return size > 0 && size % 16 == 0;
}

/* Tiles, or strips of as many rows. Blocks of other formats than TIFF need not be either. */
static void add_blocks(Layout *layout)
{
    int width, height;
    const Raster *raster = layout->raster;
    GDALGetBlockSize(raster->bands[0].handle, &width, &height);
    bool is_tiff = strcmp(raster_driver(raster->dataset), "GTiff") == 0;
    bool is_tiled = CSLFetchNameValue(layout->options, "TILED") != NULL;
    if (is_tiled)
        return;
    if (width != raster->width && is_tile_size(width) && is_tile_size(height)) {
        add(layout, "TILED", "YES");
        add_number(layout, "BLOCKXSIZE", width);
        add_number(layout, "BLOCKYSIZE", height);
    } else if (is_tiff && width == raster->width) {
        add_number(layout, "BLOCKYSIZE", height);
    }
}

/* "YCbCr JPEG" is JPEG in another colour space. Lossy compressions keep their quality where GDAL
 * tells it. */
static void add_compression(Layout *layout)
{
    const char *name = structure(layout, "COMPRESSION");
    if (CSLFetchNameValue(layout->options, "COMPRESS") || !name)
        return;
    bool is_ycbcr = strcmp(name, "YCbCr JPEG") == 0;
    if (strcmp(name, "JPEG") == 0 && layout->raster->type != GDT_Byte)
        name = "DEFLATE"; /* few TIFF libraries write JPEG of 12 bits */
    if (is_ycbcr)
        add(layout, "PHOTOMETRIC", "YCBCR");
    add(layout, "COMPRESS", is_ycbcr ? "JPEG" : name);
    add(layout, "PREDICTOR", structure(layout, "PREDICTOR"));
    add(layout, "JPEG_QUALITY", structure(layout, "JPEG_QUALITY"));
    const char *loss = structure(layout, "COMPRESSION_REVERSIBILITY");
    if (loss && g_str_has_prefix(loss, "LOSSLESS"))
        add(layout, "WEBP_LOSSLESS", "YES");
    else if (strcmp(name, "WEBP") == 0)
        add_number(layout, "WEBP_LEVEL", DEFAULT_WEBP_LEVEL);
    add(layout, "MAX_Z_ERROR", structure(layout, "MAX_Z_ERROR"));
}

/* The option ALPHA is about the first band after the colours; alpha elsewhere is set later. */
static void add_alpha(Layout *layout, int first_extra)
{
    const Raster *raster = layout->raster;
    add(layout, "ALPHA",
        raster->alpha != first_extra ? "NO"
        : raster->is_premultiplied   ? "PREMULTIPLIED"
                                     : "YES");
}

static void add_colours(Layout *layout)
{
    const Raster *raster = layout->raster;
    const RasterBand *bands = raster->bands;
    bool is_rgb = raster->n_bands >= 3 && bands[0].colour == GCI_RedBand &&
                  bands[1].colour == GCI_GreenBand && bands[2].colour == GCI_BlueBand;
    bool is_palette = bands[0].colour == GCI_PaletteIndex && raster->n_bands == 1;
    add(layout, "PHOTOMETRIC", is_palette ? "PALETTE" : is_rgb ? "RGB" : "MINISBLACK");
    add_alpha(layout, is_rgb ? 4 : 2);
}

bool raster_is_sparse(const Raster *raster)
{
    int status = GDALGetDataCoverageStatus(raster->bands[0].handle, 0, 0, raster->width,
                                           raster->height, GDAL_DATA_COVERAGE_STATUS_EMPTY, NULL);
    return !(status & GDAL_DATA_COVERAGE_STATUS_UNIMPLEMENTED) &&
           status & GDAL_DATA_COVERAGE_STATUS_EMPTY;
}

/* Blocks that the input does not store are not stored in the output either. */
static void add_tiff_options(Layout *layout, bool same_bands, int threads)
{
    add_blocks(layout);
    if (same_bands) {
        add_compression(layout);
        if (layout->raster->n_bands > 1)
            add(layout, "INTERLEAVE", structure(layout, "INTERLEAVE"));
        if (raster_bits(layout->raster) > 0)
            add_number(layout, "NBITS", raster_bits(layout->raster));
        add_colours(layout);
        add(layout, "SOURCE_ICC_PROFILE",
            GDALGetMetadataItem(layout->raster->dataset, "SOURCE_ICC_PROFILE", "COLOR_PROFILE"));
        if (raster_is_sparse(layout->raster))
            add(layout, "SPARSE_OK", "TRUE");
    }
    add(layout, "BIGTIFF", "IF_SAFER");
    if (CSLFetchNameValue(layout->options, "COMPRESS"))
        add_number(layout, "NUM_THREADS", threads);
}

static void add_cog_options(Layout *layout, bool same_bands, int threads)
{
    int width, height;
    const char *name = structure(layout, "COMPRESSION"),
               *predictor = structure(layout, "PREDICTOR");
    GDALGetBlockSize(layout->raster->bands[0].handle, &width, &height);
    if (width == height && is_tile_size(width) && width != layout->raster->width)
        add_number(layout, "BLOCKSIZE", width);
    if (same_bands && name && !CSLFetchNameValue(layout->options, "COMPRESS")) {
        add(layout, "COMPRESS", strcmp(name, "YCbCr JPEG") == 0 ? "JPEG" : name);
        add(layout, "QUALITY", structure(layout, "JPEG_QUALITY"));
        if (predictor && strcmp(predictor, "1") != 0)
            add(layout, "PREDICTOR", "YES");
    }
    add(layout, "BIGTIFF", "IF_SAFER");
    add_number(layout, "NUM_THREADS", threads);
}

char **raster_layout_options(const Raster *raster, const char *driver, bool same_bands,
                             const char *const *given, int threads)
{
    Layout layout = {.raster = raster, .options = CSLDuplicate((char **)given)};
    if (strcmp(driver, "GTiff") == 0)
        add_tiff_options(&layout, same_bands, threads);
    else if (strcmp(driver, "COG") == 0)
        add_cog_options(&layout, same_bands, threads);
    return layout.options;
}

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
