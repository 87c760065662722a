/* SPDX-License-Identifier: BSD-2-Clause */
/* Which pixels of a raster hold data. */
#include "gdal/raster_valid.h"

#include <math.h>
#include <string.h>

#include "gdal/gdal_failure.h"
#include "gdal/raster_pixels.h"

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
    if (raster_read(raster, list, &part->rect, part->samples, line) != 0)
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

int raster_valid_image(Raster *raster, VipsImage **valid)
{
    *valid = NULL;
    if (raster->all_valid ||
        (!raster->mask && raster->alpha == 0 && !list_has_values(raster, &raster->learned) &&
         !list_has_values(raster, &raster->filtered)))
        return 0;
    *valid =
        raster_image_new(raster, 1, VIPS_FORMAT_UCHAR, VIPS_INTERPRETATION_B_W, make_valid, NULL);
    return *valid ? 0 : -1;
}
