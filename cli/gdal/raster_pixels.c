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

/* Reads a part of the filtered or the learned bands, pixel by pixel, in the type of the raster. The
 * caller holds the lock of the raster. Returns -1 with GDAL's error set on failure. */
static int read_part(Raster *raster, const BandList *list, const VipsRect *rect, void *to,
                     size_t line)
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
    int failed = read_part(raster, list, &region->valid, VIPS_REGION_ADDR_TOPLEFT(region),
                           (size_t)VIPS_REGION_LSKIP(region));
    g_mutex_unlock(&raster->lock);
    return failed ? raster_read_failure(raster) : check_samples(raster, list, region);
}

/* Samples that are compared at a time. */
#define MAX_SAMPLES (1 << 18)

/* A part of the raster, and what is known of its pixels. */
typedef struct Part {
    Raster *raster;
    VipsRect rect;
    void *samples;
    uint8_t *matches; /* bands that have their value of no data */
    uint8_t *missing; /* 1: no data */
} Part;

static int part_size(const Part *part)
{
    return part->rect.width * part->rect.height;
}

/* Marks the pixels that are 0 in a mask or an alpha band. */
static int mark_zeros(const Part *part, GDALRasterBandH band)
{
    const VipsRect *r = &part->rect;
    double *samples = part->samples;
    if (GDALRasterIO(band, GF_Read, r->left, r->top, r->width, r->height, samples, r->width,
                     r->height, GDT_Float64, 0, 0) != CE_None)
        return raster_read_failure(part->raster);
    for (int i = 0; i < part_size(part); i++)
        part->missing[i] |= samples[i] == 0;
    return 0;
}

static bool has_value(const Raster *raster, int number)
{
    const RasterBand *band = &raster->bands[number - 1];
    return band->has_nodata && !isnan(band->nodata) && number != raster->alpha;
}

#define COUNT_MATCHES(TYPE) \
    do { \
        const TYPE *restrict samples = (const TYPE *)part->samples + offset; \
        const TYPE same = (TYPE)value; \
        for (int i = 0; i < n; i++) \
            matches[i] = (uint8_t)(matches[i] + (samples[(ptrdiff_t)i * step] == same)); \
    } while (0)

/* Counts the pixels' samples that are equal to a value, which the type can hold. The samples of a
 * pixel are `step` apart. */
static void count_matches(const Part *part, int offset, int step, double value)
{
    int n = part_size(part);
    uint8_t *restrict matches = part->matches;
    switch (part->raster->type) {
    case GDT_Byte:
        COUNT_MATCHES(uint8_t);
        break;
    case GDT_UInt16:
        COUNT_MATCHES(uint16_t);
        break;
    case GDT_Int16:
        COUNT_MATCHES(int16_t);
        break;
    case GDT_UInt32:
        COUNT_MATCHES(uint32_t);
        break;
    case GDT_Int32:
        COUNT_MATCHES(int32_t);
        break;
    case GDT_Float32:
        COUNT_MATCHES(float);
        break;
    default:
        COUNT_MATCHES(double);
    }
}

/* Reads bands and counts for each pixel how many of them have their value of no data. Returns the
 * number of bands that have one; -1: they cannot be read. */
static int match_bands(const Part *part, const BandList *list)
{
    Raster *raster = part->raster;
    size_t line =
        (size_t)part->rect.width * (size_t)list->n * (size_t)GDALGetDataTypeSizeBytes(raster->type);
    int compared = 0;
    if (read_part(raster, list, &part->rect, part->samples, line) != 0)
        return raster_read_failure(raster);
    memset(part->matches, 0, (size_t)part_size(part));
    for (int band = 0; band < list->n; band++)
        if (has_value(raster, list->numbers[band])) {
            count_matches(part, band, list->n, raster->bands[list->numbers[band] - 1].nodata);
            compared++;
        }
    return compared;
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
    int all = list->n - band_list_contains(list, raster->alpha);
    if (!list_has_values(raster, list))
        return 0;
    int compared = match_bands(part, list);
    if (compared < 0)
        return -1;
    int enough = raster->needs_all ? all : 1;
    for (int i = 0; i < part_size(part); i++)
        part->missing[i] |= part->matches[i] >= enough;
    return 0;
}

static int find_missing(const Part *part)
{
    const Raster *raster = part->raster;
    memset(part->missing, 0, (size_t)part_size(part));
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

static void store(const Part *part, VipsRegion *region)
{
    const VipsRect *r = &part->rect;
    for (int y = 0; y < r->height; y++) {
        VipsPel *to = VIPS_REGION_ADDR(region, r->left, r->top + y);
        for (int x = 0; x < r->width; x++)
            to[x] = part->missing[y * r->width + x] ? 0 : 255;
    }
}

/* The next part of a rectangle from `x` on: up to the end of a column of blocks. */
static int part_width(const Raster *raster, const VipsRect *rect, int x)
{
    int width, height;
    GDALGetBlockSize(raster->bands[0].handle, &width, &height);
    int end = (x / width + 1) * width;
    return MIN(MIN(end, VIPS_RECT_RIGHT(rect)) - x, MAX_SAMPLES);
}

static size_t samples_per_pixel(const Raster *raster)
{
    return (size_t)MAX(raster->filtered.n, raster->learned.n);
}

/* Finds out about a part and stores it. */
static int make_part(Part *part, VipsRegion *region)
{
    size_t size = (size_t)part_size(part);
    part->samples =
        g_realloc(part->samples, size * samples_per_pixel(part->raster) * sizeof(double));
    part->matches = g_renew(uint8_t, part->matches, size);
    part->missing = g_renew(uint8_t, part->missing, size);
    g_mutex_lock(&part->raster->lock);
    gdal_failure_clear();
    int failed = find_missing(part);
    g_mutex_unlock(&part->raster->lock);
    store(part, region);
    return failed;
}

static int make_valid(VipsRegion *region, void *sequence, void *a, void *b, gboolean *stop)
{
    (void)sequence, (void)b, (void)stop;
    const VipsRect *r = &region->valid;
    Part part = {.raster = a};
    int failed = 0, width;
    for (int x = r->left; x < VIPS_RECT_RIGHT(r) && !failed; x += width) {
        width = part_width(part.raster, r, x);
        int rows = MAX(1, MAX_SAMPLES / (int)samples_per_pixel(part.raster) / width);
        for (int y = r->top; y < VIPS_RECT_BOTTOM(r) && !failed; y += rows) {
            part.rect = (VipsRect){x, y, width, MIN(rows, VIPS_RECT_BOTTOM(r) - y)};
            failed = make_part(&part, region);
        }
    }
    g_free(part.samples);
    g_free(part.matches);
    g_free(part.missing);
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
    VipsImage *image =
        new_image(raster, list->n, format, interpretation_of(kind, format), read_bands, list);
    VipsImage *valid = NULL;
    if (!image)
        return NULL;
    vips_image_set_int(image, META_KIND, kind);
    set_profile(raster, image);
    RasterBlocks *blocks = learned ? raster->learned_blocks : raster->filtered_blocks;
    if (blocks)
        vips_image_set_int(image, META_BLOCK_ROWS, raster_blocks_height(blocks));
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
