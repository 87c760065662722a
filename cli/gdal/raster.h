/* SPDX-License-Identifier: BSD-2-Clause */
/* Rasters that GDAL reads: opening and describing them. */
#ifndef COF_RASTER_H
#define COF_RASTER_H

#include <gdal.h>

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

/* Blocks in memory: raster_blocks.h. */
typedef struct RasterBlocks RasterBlocks;

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
    bool all_valid, is_unchanged;
    bool needs_all;                                 /* a pixel lacks data only if all bands do */
    RasterBlocks *filtered_blocks, *learned_blocks; /* NULL: none; may be the same */
};

Raster *raster_open(const char *name, int page);
Raster *raster_ref(Raster *raster);
void raster_unref(Raster *raster);

/* Counts a failure to read, and sets libvips' error to it. Returns -1. */
int raster_read_failure(Raster *raster);

RasterFacts raster_facts(const Raster *raster);
char **raster_files(Raster *raster);

/* Whether GDAL knows where the raster lies: by a transformation, points or coefficients. */
bool raster_is_located(GDALDatasetH dataset);

/* The short name of a dataset's driver. */
const char *raster_driver(GDALDatasetH dataset);

bool band_list_contains(const BandList *list, int number);
bool band_list_equal(const BandList *a, const BandList *b);

#endif
