/* SPDX-License-Identifier: BSD-2-Clause */
/* Images of the bands of a raster, which are read on demand. A dataset belongs to one thread at a
 * time; reading takes little of the time of filtering. */
#include "gdal/raster_pixels.h"

#include <cof/cof.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>

#include "gdal/gdal_failure.h"
#include "gdal/raster_blocks.h"
#include "gdal/raster_choice.h"
#include "gdal/raster_valid.h"
#include "vips_pixels.h"

/* Floats represent all whole numbers up to this one. */
#define MAX_WHOLE 16777216.0

static void unref_raster(void *raster)
{
    raster_unref(raster);
}

VipsImage *raster_image_new(Raster *raster, int bands, VipsBandFormat format,
                            VipsInterpretation interpretation, VipsGenerateFn generate,
                            const void *data)
{
    VipsImage *image = vips_image_new();
    vips_image_init_fields(image, raster->width, raster->height, bands, format, VIPS_CODING_NONE,
                           interpretation, 1, 1);
    g_object_set_data_full(G_OBJECT(image), "cof-raster-held", raster_ref(raster), unref_raster);
    if (vips_image_pipelinev(image, VIPS_DEMAND_STYLE_FATSTRIP, NULL) == 0 &&
        vips_image_generate(image, NULL, generate, NULL, raster, (void *)data) == 0)
        return image;
    g_object_unref(image);
    return NULL;
}

/* Whether a value is within the range in which it can be filtered as a 32-bit float. */
static bool fits(double value, const RasterBand *band)
{
    if (band->has_nodata && value == band->nodata)
        return true;
    if (band->type == GDT_Float64)
        return !isfinite(value) || fabs(value) <= FLT_MAX;
    return fabs(value) <= MAX_WHOLE;
}

static double sample_value(const void *row, int i, GDALDataType type)
{
    switch (type) {
    case GDT_Int32:
        return ((const int32_t *)row)[i];
    case GDT_UInt32:
        return ((const uint32_t *)row)[i];
    default:
        return ((const double *)row)[i];
    }
}

static int check_row(Raster *raster, const BandList *list, const void *row, int width)
{
    for (int i = 0; i < width * list->n; i++) {
        const RasterBand *band = &raster->bands[list->numbers[i % list->n] - 1];
        double value = sample_value(row, i, raster->type);
        if (fits(value, band))
            continue;
        vips_error("cof",
                   "band %d has the value %.17g, which 32-bit floats cannot hold; %s samples are "
                   "filtered if they are within +-%.9g",
                   list->numbers[i % list->n], value, GDALGetDataTypeName(raster->type),
                   raster->type == GDT_Float64 ? (double)FLT_MAX : MAX_WHOLE);
        g_atomic_int_inc(&raster->failures);
        return -1;
    }
    return 0;
}

static int check_samples(Raster *raster, const BandList *list, VipsRegion *region)
{
    const VipsRect *r = &region->valid;
    if (raster->is_unchanged ||
        (raster->type != GDT_Int32 && raster->type != GDT_UInt32 && raster->type != GDT_Float64))
        return 0;
    for (int y = r->top; y < VIPS_RECT_BOTTOM(r); y++)
        if (check_row(raster, list, VIPS_REGION_ADDR(region, r->left, y), r->width) != 0)
            return -1;
    return 0;
}

int raster_read(Raster *raster, const BandList *list, const VipsRect *rect, void *to, size_t line)
{
    RasterBlocks *blocks =
        list == &raster->learned ? raster->learned_blocks : raster->filtered_blocks;
    GSpacing sample = GDALGetDataTypeSizeBytes(raster->type);
    if (blocks)
        return raster_blocks_read(blocks, rect, to, line);
    return GDALDatasetRasterIOEx(raster->dataset, GF_Read, rect->left, rect->top, rect->width,
                                 rect->height, to, rect->width, rect->height, raster->type, list->n,
                                 list->numbers, sample * list->n, (GSpacing)line, sample,
                                 NULL) == CE_None
               ? 0
               : -1;
}

static int read_bands(VipsRegion *region, void *sequence, void *a, void *b, gboolean *stop)
{
    (void)sequence, (void)stop;
    Raster *raster = a;
    const BandList *list = b;
    g_mutex_lock(&raster->lock);
    gdal_failure_clear();
    int failed = raster_read(raster, list, &region->valid, VIPS_REGION_ADDR_TOPLEFT(region),
                             (size_t)VIPS_REGION_LSKIP(region));
    g_mutex_unlock(&raster->lock);
    return failed ? raster_read_failure(raster) : check_samples(raster, list, region);
}

static VipsInterpretation interpretation_of(int kind, VipsBandFormat format)
{
    bool is_byte = format == VIPS_FORMAT_UCHAR;
    if (!is_byte && format != VIPS_FORMAT_USHORT)
        return VIPS_INTERPRETATION_MULTIBAND;
    switch (kind - BANDS_AS_GREY) {
    case COF_KIND_GREY:
    case COF_KIND_GREY_ALPHA:
        return is_byte ? VIPS_INTERPRETATION_B_W : VIPS_INTERPRETATION_GREY16;
    case COF_KIND_RGB:
    case COF_KIND_RGBA:
        return is_byte ? VIPS_INTERPRETATION_sRGB : VIPS_INTERPRETATION_RGB16;
    default:
        return VIPS_INTERPRETATION_MULTIBAND;
    }
}

/* For outputs that libvips writes. */
static void set_profile(const Raster *raster, VipsImage *image)
{
    const char *text = GDALGetMetadataItem(raster->dataset, "SOURCE_ICC_PROFILE", "COLOR_PROFILE");
    gsize size = 0;
    guchar *bytes = text ? g_base64_decode(text, &size) : NULL;
    if (size > 0)
        vips_image_set_blob_copy(image, VIPS_META_ICC_NAME, bytes, size);
    g_free(bytes);
}

VipsImage *raster_image(Raster *raster, bool learned)
{
    const BandList *list = learned ? &raster->learned : &raster->filtered;
    int kind = learned ? raster->learned_kind : raster->filtered_kind;
    VipsBandFormat format = raster_format(raster->type);
    VipsImage *image = raster_image_new(raster, list->n, format, interpretation_of(kind, format),
                                        read_bands, list);
    VipsImage *valid = NULL;
    if (!image)
        return NULL;
    vips_image_set_int(image, META_KIND, kind);
    set_profile(raster, image);
    RasterBlocks *blocks = learned ? raster->learned_blocks : raster->filtered_blocks;
    if (blocks)
        vips_image_set_int(image, META_BLOCK_ROWS, raster_blocks_height(blocks));
    if (raster_valid_image(raster, &valid) != 0) {
        g_object_unref(image);
        return NULL;
    }
    if (valid) {
        vips_image_set_image(image, META_VALID, valid);
        g_object_unref(valid);
    }
    return image;
}
