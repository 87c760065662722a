/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes a raster: filtered bands, and all else as in the input, such as the creation options,
 * unless the user says otherwise, and overviews, which are smaller copies for display. */
#include "gdal/raster.h"

#include <cpl_conv.h>
#include <cpl_string.h>
#include <cpl_vsi.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

/* Files that GDAL writes, as a file system of its own. GDAL does not report all errors: its drivers
 * close an incomplete file without an error, and libtiff reports to libvips. */

#define PREFIX "/vsicof/"

/* What the thread that writes an output wants to know. `on_create` is called with the path of each
 * file before it is created; NULL: none. Its files point to it, since GDAL may write
 * from other threads. */
typedef struct Watch {
    void (*on_create)(const char *path);
    gint error; /* the number of the first failure */
} Watch;

typedef struct WrittenFile {
    int descriptor;
    bool is_at_end;
    Watch *watch;
} WrittenFile;

static _Thread_local Watch *current;

static void note_failure(const WrittenFile *file)
{
    if (file->watch)
        g_atomic_int_compare_and_exchange(&file->watch->error, 0, errno != 0 ? errno : EIO);
}

static void *vsi_open(void *user, const char *path, const char *access)
{
    (void)user;
    bool creates = access[0] == 'w', updates = strchr(access, '+') != NULL;
    int flags = creates                       ? O_RDWR | O_CREAT | O_TRUNC
                : updates || access[0] == 'a' ? O_RDWR
                                              : O_RDONLY;
    if (creates && current && current->on_create)
        current->on_create(path);
    int descriptor = open(path, flags | O_CLOEXEC, 0666);
    if (descriptor < 0)
        return NULL;
    WrittenFile *file = g_new0(WrittenFile, 1);
    *file = (WrittenFile){.descriptor = descriptor, .watch = current};
    return file;
}

static vsi_l_offset vsi_tell(void *data)
{
    return (vsi_l_offset)lseek(((WrittenFile *)data)->descriptor, 0, SEEK_CUR);
}

static int vsi_seek(void *data, vsi_l_offset offset, int whence)
{
    WrittenFile *file = data;
    file->is_at_end = false;
    return lseek(file->descriptor, (off_t)offset, whence) < 0 ? -1 : 0;
}

static size_t vsi_read(void *data, void *to, size_t size, size_t n)
{
    WrittenFile *file = data;
    size_t all = size * n, done = 0;
    ssize_t got = 1;
    while (done < all && got > 0) {
        got = read(file->descriptor, (char *)to + done, all - done);
        if (got > 0)
            done += (size_t)got;
    }
    file->is_at_end = done < all;
    return size > 0 ? done / size : 0;
}

static size_t vsi_write(void *data, const void *from, size_t size, size_t n)
{
    WrittenFile *file = data;
    size_t all = size * n, done = 0;
    while (done < all) {
        ssize_t put = write(file->descriptor, (const char *)from + done, all - done);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0) {
            note_failure(file);
            break;
        }
        done += (size_t)put;
    }
    return size > 0 ? done / size : 0;
}

static int vsi_eof(void *data)
{
    return ((WrittenFile *)data)->is_at_end;
}

static int vsi_truncate(void *data, vsi_l_offset size)
{
    WrittenFile *file = data;
    if (ftruncate(file->descriptor, (off_t)size) == 0)
        return 0;
    note_failure(file);
    return -1;
}

/* GDAL 3.13 closes a COG twice, at last NULL. */
static int vsi_close(void *data)
{
    WrittenFile *file = data;
    int failed = file ? close(file->descriptor) : 0;
    if (failed)
        note_failure(file);
    g_free(file);
    return failed;
}

static int vsi_stat(void *user, const char *path, VSIStatBufL *info, int flags)
{
    (void)user;
    return VSIStatExL(path, info, flags);
}

static int vsi_unlink(void *user, const char *path)
{
    (void)user;
    return unlink(path);
}

void written_file_init(void)
{
    VSIFilesystemPluginCallbacksStruct *calls = VSIAllocFilesystemPluginCallbacksStruct();
    calls->stat = vsi_stat;
    calls->unlink = vsi_unlink;
    calls->open = vsi_open;
    calls->tell = vsi_tell;
    calls->seek = vsi_seek;
    calls->read = vsi_read;
    calls->eof = vsi_eof;
    calls->write = vsi_write;
    calls->truncate = vsi_truncate;
    calls->close = vsi_close;
    VSIInstallPluginHandler(PREFIX, calls);
    VSIFreeFilesystemPluginCallbacksStruct(calls);
}

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
static void add_colours(Layout *layout)
{
    const Raster *raster = layout->raster;
    const RasterBand *bands = raster->bands;
    bool is_rgb = raster->n_bands >= 3 && bands[0].colour == GCI_RedBand &&
                  bands[1].colour == GCI_GreenBand && bands[2].colour == GCI_BlueBand;
    bool is_palette = bands[0].colour == GCI_PaletteIndex && raster->n_bands == 1;
    add(layout, "PHOTOMETRIC", is_palette ? "PALETTE" : is_rgb ? "RGB" : "MINISBLACK");
    add(layout, "ALPHA",
        raster->alpha != (is_rgb ? 4 : 2) ? "NO"
        : raster->is_premultiplied        ? "PREMULTIPLIED"
                                          : "YES");
}

/* Whether the file does not store all blocks of the first band. */
static bool is_sparse(const Raster *raster)
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
        if (is_sparse(layout->raster))
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

/* The creation options of a driver, with those of the user, for CSLDestroy(). `same_bands`: the
 * output has the bands of the raster. */
static char **layout_options(const Raster *raster, const char *driver, bool same_bands,
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

/* Builds overviews with the factors of the input's or, if it has none, powers of two. Returns 0, or
 * -1 with libvips' error set. */
static int build_overviews(const Raster *raster, GDALDatasetH out)
{
    int levels[MAX_LEVELS], n = levels_of_input(raster, levels);
    if (n == 0)
        n = powers_of_two(raster, levels);
    if (n == 0)
        return 0;
    bool are_classes = raster->bands[0].colour == GCI_PaletteIndex ||
                       raster_band_bits(raster->bands[0].handle) == 1;
    gdal_failure_clear();
    return GDALBuildOverviews(out, are_classes ? "NEAREST" : "AVERAGE", n, levels, 0, NULL, NULL,
                              NULL) == CE_None
               ? 0
               : gdal_failure("its overviews cannot be built");
}

/* The next value of a type towards another one. */
static double next_value(double value, double towards, GDALDataType type)
{
    if (type == GDT_Float64)
        return nextafter(value, towards);
    if (type == GDT_Float32)
        return (double)nextafterf((float)value, (float)towards);
    return towards > value ? value + 1 : value - 1;
}

/* Samples of a band that are compared at a time. */
#define MAX_SAMPLES 256

/* Samples of filtered band i, from a pixel on, whose bands are side by side. */
static void read_values(const Raster *raster, const char *pixel, int i, size_t n, double *values)
{
    int size = GDALGetDataTypeSizeBytes(raster->type);
    GDALCopyWords64(pixel + (ptrdiff_t)i * size, raster->type, size * raster->filtered.n, values,
                    GDT_Float64, sizeof *values, (GPtrDiff_t)n);
}

/* Moves samples of filtered band i that are equal to its no-data value, but were not before they
 * were filtered, to the next value towards the one before: readers would take pixels with data for
 * pixels without. `before` NULL: none is moved. Returns whether samples are equal to the value. */
static bool move_values(const Raster *raster, int i, const char *before, char *samples, size_t n)
{
    int size = GDALGetDataTypeSizeBytes(raster->type), pixel = size * raster->filtered.n;
    double nodata = raster->bands[raster->filtered.numbers[i] - 1].nodata;
    double values[MAX_SAMPLES], old[MAX_SAMPLES];
    bool found = false;
    read_values(raster, samples, i, n, values);
    for (size_t j = 0; j < n; j++)
        found |= values[j] == nodata;
    if (!found || !before)
        return found;
    read_values(raster, before, i, n, old);
    for (size_t j = 0; j < n; j++) {
        if (values[j] != nodata || old[j] == nodata)
            continue;
        double moved = next_value(nodata, old[j], raster->type);
        char *to = samples + (ptrdiff_t)j * pixel + (ptrdiff_t)i * size;
        GDALCopyWords64(&moved, GDT_Float64, 0, to, raster->type, 0, 1);
    }
    return true;
}

/* Calls move_values() for all filtered bands that have a no-data value, on any number of pixels. */
static bool move_samples(const Raster *raster, const char *before, char *samples, size_t n)
{
    size_t pixel = (size_t)GDALGetDataTypeSizeBytes(raster->type) * (size_t)raster->filtered.n;
    bool found = false;
    for (int i = 0; i < raster->filtered.n; i++) {
        const RasterBand *band = &raster->bands[raster->filtered.numbers[i] - 1];
        for (size_t at = 0; at < n && band->has_nodata && !isnan(band->nodata); at += MAX_SAMPLES)
            found |= move_values(raster, i, before ? before + at * pixel : NULL,
                                 samples + at * pixel, MIN(n - at, MAX_SAMPLES));
    }
    return found;
}

typedef struct Writer {
    Raster *raster;
    GDALDatasetH out;
    BandList written, copied; /* bands of the output */
    GDALDataType type;
    bool is_filtered; /* the written bands are those of the input, filtered */
    char *rows;       /* of other bands, or from the input */
    char *moved;      /* filtered rows without clashes */
} Writer;

/* Reads bands of the input into writer->rows, without gaps between the rows. */
static int read_rows(Writer *writer, const VipsRect *area, const BandList *list)
{
    size_t line =
        (size_t)area->width * (size_t)list->n * (size_t)GDALGetDataTypeSizeBytes(writer->type);
    writer->rows = g_realloc(writer->rows, line * (size_t)area->height);
    g_mutex_lock(&writer->raster->lock);
    gdal_failure_clear();
    CPLErr status = raster_transfer(writer->raster->dataset, GF_Read, area, writer->rows,
                                    writer->type, list, (GSpacing)line);
    g_mutex_unlock(&writer->raster->lock);
    return status == CE_None ? 0 : raster_read_failure(writer->raster);
}

/* Copies the bands that are not filtered along with the others, so that blocks of all bands are
 * complete when they are stored. */
static int copy_rows(Writer *writer, const VipsRect *area)
{
    if (read_rows(writer, area, &writer->copied) != 0)
        return -1;
    size_t line = (size_t)area->width * (size_t)writer->copied.n *
                  (size_t)GDALGetDataTypeSizeBytes(writer->type);
    CPLErr status = raster_transfer(writer->out, GF_Write, area, writer->rows, writer->type,
                                    &writer->copied, (GSpacing)line);
    return status == CE_None ? 0 : gdal_failure("cannot be copied");
}

static bool area_has_nodata(const Writer *writer, VipsRegion *region, const VipsRect *area)
{
    bool found = false, is_marked = writer->is_filtered && !writer->raster->all_valid;
    for (int y = 0; y < area->height && is_marked && !found; y++)
        found = move_samples(writer->raster, NULL,
                             (char *)VIPS_REGION_ADDR(region, area->left, area->top + y),
                             (size_t)area->width);
    return found;
}

/* Copies filtered rows to writer->moved, and compares them with the input there. */
static int move_clashes(Writer *writer, VipsRegion *region, const VipsRect *area)
{
    size_t line = VIPS_REGION_SIZEOF_PEL(region) * (size_t)area->width;
    if (read_rows(writer, area, &writer->raster->filtered) != 0)
        return -1;
    writer->moved = g_realloc(writer->moved, line * (size_t)area->height);
    for (int y = 0; y < area->height; y++)
        memcpy(writer->moved + (size_t)y * line,
               VIPS_REGION_ADDR(region, area->left, area->top + y), line);
    move_samples(writer->raster, writer->rows, writer->moved,
                 (size_t)area->width * (size_t)area->height);
    return 0;
}

static int write_rows(VipsRegion *region, VipsRect *area, void *data)
{
    Writer *writer = data;
    void *samples = VIPS_REGION_ADDR(region, area->left, area->top);
    size_t line = VIPS_REGION_LSKIP(region);
    if (area_has_nodata(writer, region, area)) {
        if (move_clashes(writer, region, area) != 0)
            return -1;
        samples = writer->moved;
        line = VIPS_REGION_SIZEOF_PEL(region) * (size_t)area->width;
    }
    gdal_failure_clear();
    if (raster_transfer(writer->out, GF_Write, area, samples, writer->type, &writer->written,
                        (GSpacing)line) != CE_None)
        return gdal_failure("cannot be written");
    return writer->copied.n > 0 ? copy_rows(writer, area) : 0;
}

static int copy_mask(const Raster *raster, GDALDatasetH out)
{
    GDALRasterBandH to = NULL;
    if (GDALCreateDatasetMaskBand(out, GMF_PER_DATASET) == CE_None)
        to = GDALGetMaskBand(GDALGetRasterBand(out, 1));
    CPLErr status =
        to ? GDALRasterBandCopyWholeRaster(raster->mask, to, NULL, NULL, NULL) : CE_Failure;
    return status == CE_None ? 0 : gdal_failure("its mask cannot be written");
}

/* Values of no data that all bands have together are a mask without a mask band. */
static bool has_mask_band(const Raster *raster)
{
    return raster->mask && !(GDALGetMaskFlags(raster->bands[0].handle) & GMF_NODATA);
}

static int check_types(const Raster *raster)
{
    for (int i = 0; i < raster->n_bands; i++)
        if (raster->bands[i].type != raster->type) {
            vips_error("cof", "band %d of the input has the type %s, and not %s", i + 1,
                       GDALGetDataTypeName(raster->bands[i].type),
                       GDALGetDataTypeName(raster->type));
            return -1;
        }
    return 0;
}

static GDALDatasetH create(const Writer *writer, const char *path, const char *driver,
                           const RasterOutput *output, const char *const *given)
{
    const Raster *raster = writer->raster;
    int n = writer->written.n + writer->copied.n;
    char **options = layout_options(raster, driver, output->is_filtered, given, output->threads);
    gdal_failure_clear();
    GDALDatasetH out = GDALCreate(GDALGetDriverByName(driver), path, raster->width, raster->height,
                                  n, writer->type, options);
    CSLDestroy(options);
    if (!out)
        gdal_failure("cannot be created");
    return out;
}

/* Closing stores what is in GDAL's cache, which can fail. */
static int close_output(GDALDatasetH out, int failed)
{
    gdal_failure_clear();
    GDALFlushCache(out);
    GDALClose(out);
    return failed || (gdal_has_failed() ? gdal_failure("cannot be written") : 0) ? -1 : 0;
}

/* The numbers of the bands that are written and of those that are copied. */
static void list_bands(Writer *writer, const VipsImage *image, bool is_filtered)
{
    const Raster *raster = writer->raster;
    int n = is_filtered ? raster->n_bands : image->Bands;
    writer->written.numbers = g_new(int, (gsize)n);
    writer->copied.numbers = g_new(int, (gsize)n);
    if (is_filtered) {
        writer->written.n = raster->filtered.n;
        memcpy(writer->written.numbers, raster->filtered.numbers,
               (size_t)raster->filtered.n * sizeof(int));
    }
    for (int number = 1; number <= n; number++)
        if (!is_filtered)
            writer->written.numbers[writer->written.n++] = number;
        else if (!band_list_contains(&raster->filtered, number))
            writer->copied.numbers[writer->copied.n++] = number;
}

static void free_writer(Writer *writer)
{
    g_free(writer->written.numbers);
    g_free(writer->copied.numbers);
    g_free(writer->rows);
    g_free(writer->moved);
}

/* Writes all of a file with a driver that can be written to. */
static int write_file(Raster *raster, VipsImage *image, const RasterOutput *output,
                      const char *path, const char *driver, const char *const *given)
{
    Writer writer = {
        .raster = raster, .type = raster_type(image->BandFmt), .is_filtered = output->is_filtered};
    list_bands(&writer, image, output->is_filtered);
    writer.out = create(&writer, path, driver, output, given);
    int failed = !writer.out || raster_copy_metadata(raster, writer.out, output->is_filtered) != 0;
    if (!failed && output->is_filtered && has_mask_band(raster))
        failed = copy_mask(raster, writer.out);
    if (!failed) {
        raster_cache_for_output(writer.out);
        failed = vips_sink_disc(image, write_rows, &writer);
    }
    if (!failed && output->overviews && strcmp(output->driver, driver) == 0)
        failed = build_overviews(raster, writer.out);
    if (writer.out)
        failed = close_output(writer.out, failed);
    free_writer(&writer);
    return failed ? -1 : 0;
}

/* JPEG 2000 is lossy unless it is told not to be. */
static char **copy_options(const Raster *raster, const RasterOutput *output)
{
    char **options = layout_options(raster, output->driver, output->is_filtered, output->options,
                                    output->threads);
    if (strcmp(output->driver, "JP2OpenJPEG") == 0 && !CSLFetchNameValue(options, "QUALITY") &&
        !CSLFetchNameValue(options, "REVERSIBLE")) {
        options = CSLSetNameValue(options, "QUALITY", "100");
        options = CSLSetNameValue(options, "REVERSIBLE", "YES");
    }
    return options;
}

static int copy_file(const Raster *raster, const RasterOutput *output)
{
    gdal_failure_clear();
    GDALDatasetH work = GDALOpen(output->work_path, GA_ReadOnly);
    if (!work)
        return gdal_failure("cannot be read back");
    char **options = copy_options(raster, output);
    GDALDatasetH out = GDALCreateCopy(GDALGetDriverByName(output->driver), output->path, work,
                                      FALSE, options, NULL, NULL);
    CSLDestroy(options);
    int failed = out ? 0 : gdal_failure("cannot be written");
    if (out)
        failed = close_output(out, failed);
    GDALClose(work);
    return failed;
}

/* GDAL would ignore an option that it does not know, with a warning. */
static int check_options(const RasterOutput *output)
{
    gdal_failure_clear();
    return GDALValidateCreationOptions(GDALGetDriverByName(output->driver),
                                       (CSLConstList)output->options)
               ? 0
               : gdal_failure_by_warning("GDAL does not accept these creation options");
}

/* Without an .aux.xml file beside the output, and with masks inside. */
static int write_with_settings(Raster *raster, VipsImage *image, const RasterOutput *output)
{
    static const char *const work_options[] = {"TILED=YES",     "BLOCKXSIZE=512", "BLOCKYSIZE=512",
                                               "COMPRESS=NONE", "SPARSE_OK=TRUE", NULL};
    if (!raster_driver_copies(output->driver))
        return write_file(raster, image, output, output->path, output->driver, output->options);
    return write_file(raster, image, output, output->work_path, "GTiff", work_options) != 0
               ? -1
               : copy_file(raster, output);
}

int raster_write(Raster *raster, VipsImage *image, const RasterOutput *output)
{
    if ((output->is_filtered && check_types(raster) != 0) || check_options(output) != 0)
        return -1;
    RasterOutput own = *output;
    Watch watch = {.on_create = output->on_create};
    char *path = g_strconcat(PREFIX, output->path, NULL);
    char *work_path = output->work_path ? g_strconcat(PREFIX, output->work_path, NULL) : NULL;
    own.path = path;
    own.work_path = work_path;
    current = &watch;
    CPLSetThreadLocalConfigOption("GDAL_PAM_ENABLED", "NO");
    CPLSetThreadLocalConfigOption("GDAL_TIFF_INTERNAL_MASK", "YES");
    int failed = write_with_settings(raster, image, &own);
    current = NULL;
    CPLSetThreadLocalConfigOption("GDAL_PAM_ENABLED", NULL);
    CPLSetThreadLocalConfigOption("GDAL_TIFF_INTERNAL_MASK", NULL);
    g_free(path);
    g_free(work_path);
    if (watch.error != 0)
        vips_error_system(watch.error, "cof", "%s", "cannot be written");
    return failed || watch.error != 0 ? -1 : 0;
}
