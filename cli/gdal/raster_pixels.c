/* SPDX-License-Identifier: BSD-2-Clause */
/* Images of the bands of a raster, which are read on demand, and of the pixels that hold data. A
 * dataset belongs to one thread at a time; reading takes little of the time of filtering. */
#include "gdal/raster.h"

#include <cof/cof.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "vips_pixels.h"

/* Floats represent all whole numbers up to this one. */
#define MAX_WHOLE 16777216.0

static void unref_raster(void *raster)
{
    raster_unref(raster);
}

/* A new image as large as the raster, whose parts a function makes. It holds the raster. NULL with
 * libvips' error set on failure. */
static VipsImage *new_image(Raster *raster, int bands, VipsBandFormat format,
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

static int check_values(Raster *raster, const BandList *list, const double *values, int n)
{
    for (int i = 0; i < n; i++) {
        int number = list->numbers[i % list->n];
        if (fits(values[i], &raster->bands[number - 1]))
            continue;
        vips_error("cof",
                   "band %d has the value %.17g, which 32-bit floats cannot hold; %s samples are "
                   "filtered if they are within +-%.9g",
                   number, values[i], GDALGetDataTypeName(raster->type),
                   raster->type == GDT_Float64 ? (double)FLT_MAX : MAX_WHOLE);
        g_atomic_int_inc(&raster->failures);
        return -1;
    }
    return 0;
}

static int check_samples(Raster *raster, const BandList *list, VipsRegion *region)
{
    const VipsRect *r = &region->valid;
    int n = r->width * list->n, failed = 0;
    if (raster->is_unchanged ||
        (raster->type != GDT_Int32 && raster->type != GDT_UInt32 && raster->type != GDT_Float64))
        return 0;
    double *values = g_new(double, (gsize)n);
    for (int y = r->top; y < VIPS_RECT_BOTTOM(r) && !failed; y++) {
        GDALCopyWords(VIPS_REGION_ADDR(region, r->left, y), raster->type,
                      GDALGetDataTypeSizeBytes(raster->type), values, GDT_Float64, sizeof *values,
                      n);
        failed = check_values(raster, list, values, n);
    }
    g_free(values);
    return failed;
}

static int read_bands(VipsRegion *region, void *sequence, void *a, void *b, gboolean *stop)
{
    (void)sequence, (void)stop;
    Raster *raster = a;
    const BandList *list = b;
    g_mutex_lock(&raster->lock);
    gdal_failure_clear();
    CPLErr status =
        raster_transfer(raster->dataset, GF_Read, &region->valid, VIPS_REGION_ADDR_TOPLEFT(region),
                        raster->type, list, (GSpacing)VIPS_REGION_LSKIP(region));
    g_mutex_unlock(&raster->lock);
    return status == CE_None ? check_samples(raster, list, region) : raster_read_failure(raster);
}

/* Samples that are compared at a time. */
#define MAX_SAMPLES (1 << 15)

/* A part of a region of the mask that says which pixels hold data. */
typedef struct Part {
    Raster *raster;
    VipsRegion *region;
    VipsRect rect;
    double *samples;  /* of one band */
    uint8_t *matches; /* bands that have their value of no data */
} Part;

static int part_size(const Part *part)
{
    return part->rect.width * part->rect.height;
}

/* Marks pixel i as one without data. */
static void mark(const Part *part, int i)
{
    const VipsRect *r = &part->rect;
    *VIPS_REGION_ADDR(part->region, r->left + i % r->width, r->top + i / r->width) = 0;
}

static int read_samples(const Part *part, GDALRasterBandH band)
{
    const VipsRect *r = &part->rect;
    return GDALRasterIO(band, GF_Read, r->left, r->top, r->width, r->height, part->samples,
                        r->width, r->height, GDT_Float64, 0, 0) == CE_None
               ? 0
               : raster_read_failure(part->raster);
}

/* Marks the pixels that are 0 in a mask or an alpha band. */
static int mark_zeros(const Part *part, GDALRasterBandH band)
{
    if (read_samples(part, band) != 0)
        return -1;
    for (int i = 0; i < part_size(part); i++)
        if (part->samples[i] == 0)
            mark(part, i);
    return 0;
}

static bool has_value(const Raster *raster, int number)
{
    const RasterBand *band = &raster->bands[number - 1];
    return band->has_nodata && !isnan(band->nodata) && number != raster->alpha;
}

static bool list_has_values(const Raster *raster, const BandList *list)
{
    bool found = false;
    for (int i = 0; i < list->n && !found; i++)
        found = has_value(raster, list->numbers[i]);
    return found;
}

/* Marks the pixels that have the value of no data in any band, or in all but alpha. */
static int mark_values(const Part *part, const BandList *list)
{
    const Raster *raster = part->raster;
    const double *samples = part->samples;
    uint8_t *restrict matches = part->matches;
    int enough = raster->needs_all ? list->n - band_list_contains(list, raster->alpha) : 1;
    int n = part_size(part);
    if (!list_has_values(raster, list))
        return 0;
    memset(matches, 0, (size_t)n);
    for (int i = 0; i < list->n; i++) {
        const RasterBand *band = &raster->bands[list->numbers[i] - 1];
        double nodata = band->nodata;
        if (!has_value(raster, list->numbers[i]))
            continue;
        if (read_samples(part, band->handle) != 0)
            return -1;
        for (int j = 0; j < n; j++)
            matches[j] = (uint8_t)(matches[j] + (samples[j] == nodata));
    }
    for (int i = 0; i < n; i++)
        if (matches[i] >= enough)
            mark(part, i);
    return 0;
}

static int find_missing(const Part *part)
{
    const Raster *raster = part->raster;
    vips_region_paint(part->region, &part->rect, 255);
    if (raster->mask && mark_zeros(part, raster->mask) != 0)
        return -1;
    if (raster->alpha > 0 && mark_zeros(part, raster->bands[raster->alpha - 1].handle) != 0)
        return -1;
    if (mark_values(part, &raster->learned) != 0)
        return -1;
    return raster->needs_all || band_list_equal(&raster->learned, &raster->filtered)
               ? 0
               : mark_values(part, &raster->filtered);
}

/* The next part of a rectangle from `x` on: up to the end of a column of blocks. */
static int part_width(const Raster *raster, const VipsRect *rect, int x)
{
    int width, height;
    GDALGetBlockSize(raster->bands[0].handle, &width, &height);
    int end = (x / width + 1) * width;
    return MIN(MIN(end, VIPS_RECT_RIGHT(rect)) - x, MAX_SAMPLES);
}

static int make_part(Part *part)
{
    size_t size = (size_t)part_size(part);
    part->samples = g_renew(double, part->samples, size);
    part->matches = g_renew(uint8_t, part->matches, size);
    g_mutex_lock(&part->raster->lock);
    gdal_failure_clear();
    int failed = find_missing(part);
    g_mutex_unlock(&part->raster->lock);
    return failed;
}

static int make_valid(VipsRegion *region, void *sequence, void *a, void *b, gboolean *stop)
{
    (void)sequence, (void)b, (void)stop;
    const VipsRect *r = &region->valid;
    Part part = {.raster = a, .region = region};
    int failed = 0, width;
    for (int x = r->left; x < VIPS_RECT_RIGHT(r) && !failed; x += width) {
        width = part_width(part.raster, r, x);
        int rows = MAX(1, MAX_SAMPLES / width);
        for (int y = r->top; y < VIPS_RECT_BOTTOM(r) && !failed; y += rows) {
            part.rect = (VipsRect){x, y, width, MIN(rows, VIPS_RECT_BOTTOM(r) - y)};
            failed = make_part(&part);
        }
    }
    g_free(part.samples);
    g_free(part.matches);
    return failed;
}

/* One byte per pixel: 0 where a mask, transparency or a value of no data says that there is none,
 * otherwise 255. *valid is NULL if nothing can say so. NaN needs no mask. Returns 0, or -1 with
 * libvips' error set. */
static int make_valid_image(Raster *raster, VipsImage **valid)
{
    *valid = NULL;
    if (raster->all_valid ||
        (!raster->mask && raster->alpha == 0 && !list_has_values(raster, &raster->learned) &&
         !list_has_values(raster, &raster->filtered)))
        return 0;
    *valid = new_image(raster, 1, VIPS_FORMAT_UCHAR, VIPS_INTERPRETATION_B_W, make_valid, NULL);
    return *valid ? 0 : -1;
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

/* Sets the ICC profile for outputs that libvips writes. */
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
    VipsImage *image =
        new_image(raster, list->n, format, interpretation_of(kind, format), read_bands, list);
    VipsImage *valid = NULL;
    if (!image)
        return NULL;
    vips_image_set_int(image, META_KIND, kind);
    set_profile(raster, image);
    if (raster->block_rows > 0)
        vips_image_set_int(image, META_BLOCK_ROWS, raster->block_rows);
    if (make_valid_image(raster, &valid) != 0) {
        g_object_unref(image);
        return NULL;
    }
    if (valid) {
        vips_image_set_image(image, META_VALID, valid);
        g_object_unref(valid);
    }
    return image;
}
