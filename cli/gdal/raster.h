/* SPDX-License-Identifier: BSD-2-Clause */
/* The files of the module: rasters that GDAL reads, and what is made of them. */
#ifndef COF_RASTER_H
#define COF_RASTER_H

#include <gdal.h>
#include <stdbool.h>

#include "gdal/gdal_interface.h"

typedef struct RasterBand {
    GDALRasterBandH handle;
    GDALDataType type;
    GDALColorInterp colour;
    bool has_nodata;
    double nodata; /* in the type of the band */
} RasterBand;

/* Numbers of bands, counted from 1. */
typedef struct BandList {
    int *numbers, n;
} BandList;

struct Raster {
    gint references, failures;
    GMutex lock;                  /* of the dataset, which one thread may use at a time */
    GDALDatasetH dataset, source; /* source: that of `dataset`, if GDAL expands its colours */
    char *name;
    int n_pages;
    int width, height, n_bands;
    RasterBand *bands;
    GDALRasterBandH mask; /* of the dataset, without alpha; NULL: none */
    int alpha;            /* the number of the alpha band; 0: none */
    int n_overviews;

    /* What raster_choose() has found. */
    BandList filtered, learned;
    GDALDataType type;               /* of the bands in both lists */
    int filtered_kind, learned_kind; /* BandsKind */
    bool all_valid, is_unchanged, is_premultiplied;
    bool needs_all; /* a pixel lacks data only if all bands do */
    int block_rows; /* parts of any width cost the same, in blocks this high; 0: they do not */
};

/* The entry of the module. To be called once. */
__attribute__((visibility("default"))) const GdalInterface *cof_gdal_interface(void);

Raster *raster_ref(Raster *raster);
void raster_unref(Raster *raster);

/* Counts a failure to read, and sets libvips' error to it. Returns -1. */
int raster_read_failure(Raster *raster);

/* A value as a band of a type holds it, so that the decimal text of a float matches it. */
double raster_value(double value, GDALDataType type);

/* The number of bits of the samples of a band. */
int raster_band_bits(GDALRasterBandH band);

/* The largest number of bits, for all bands: GTiff knows one number. 0: that of the type. */
int raster_bits(const Raster *raster);

/* The short name of a dataset's driver. */
const char *raster_driver(GDALDatasetH dataset);

/* Reads or writes a part of some bands, with the samples of each pixel side by side and `line`
 * bytes from row to row. */
CPLErr raster_transfer(GDALDatasetH dataset, GDALRWFlag direction, const VipsRect *area, void *data,
                       GDALDataType type, const BandList *list, GSpacing line);

/* GDAL's cache, once bands are chosen: parts of a raster overlap, because a filter needs the pixels
 * around them, and each block is decoded once in a pass where the cache suffices. */
void raster_cache_for_input(Raster *raster);

/* For writing: the blocks of the output that are not complete yet. What is read is decoded again
 * where it does not fit. */
void raster_cache_for_output(GDALDatasetH out);

bool band_list_contains(const BandList *list, int number);
bool band_list_equal(const BandList *a, const BandList *b);

/* raster_open.c */

/* Makes GDAL silent. To be called once. */
void gdal_failure_init(void);

/* Forgets the failures of this thread. */
void gdal_failure_clear(void);

/* Whether GDAL has reported a failure in this thread since then. */
int gdal_has_failed(void);

/* Sets libvips' error: the first failure of this thread, or `fallback`. Returns -1. */
int gdal_failure(const char *fallback);

/* Sets libvips' error to the first failure of this thread, its first warning, or `fallback`.
 * Returns -1. */
int gdal_failure_by_warning(const char *fallback);

/* Opens a raster to be read. Files of many formats can name other files or addresses, which GDAL
 * then reads: an image that somebody has sent must not make it do so. A file is read with the
 * formats whose files hold their own pixels, and with those that its suffix belongs to. NULL on
 * failure, for which GDAL's error handler has the reason. */
GDALDatasetH raster_allowed_open(const char *name);

/* Whether the files of the dataset's format hold their own pixels. */
bool raster_has_own_pixels(GDALDatasetH dataset);

/* Opens what a dataset names, as GDAL itself does. NULL: it is no raster. */
GDALDatasetH raster_open_source(const char *name);

/* Opens a page of a TIFF file, from 1, which must not be the only one. */
GDALDatasetH raster_allowed_open_page(GDALDatasetH file, int page);

/* Whether GDAL reads files like this one, with a suffix of their format at least. */
bool raster_is_recognised(const char *path);

/* Whether an .aux file lies beside the raster: ERDAS Imagine's, which can name other files for the
 * overviews. */
bool siblings_have_aux(const char *name);

/* raster_choice.c */

int raster_choose(Raster *raster, const RasterChoice *choice);

/* The format of an image with the samples of the bands; VIPS_FORMAT_NOTSET: not supported. */
VipsBandFormat raster_format(GDALDataType type);

/* The type of bands with samples of a format; GDT_Unknown: not supported. */
GDALDataType raster_type(VipsBandFormat format);

/* raster_pixels.c */

VipsImage *raster_image(Raster *raster, bool learned);

/* raster_metadata.c */

/* Copies the position and the metadata and, if the output has the bands of the raster, what is
 * said of each. Stored statistics are left out. */
int raster_copy_metadata(const Raster *raster, GDALDatasetH out, bool same_bands);

char *raster_losses(Raster *raster, const char *path);

/* raster_write.c: filtered bands, and all else as in the input */

/* Whether GDAL has the driver, and can write files with it. */
bool raster_driver_writes(const char *driver);

/* Whether the driver copies a whole raster, and cannot write parts of one. */
bool raster_driver_copies(const char *driver);

int raster_write(Raster *raster, VipsImage *image, const RasterOutput *output);

/* Installs the file system through which GDAL writes. To be called once. */
void written_file_init(void);

#endif
