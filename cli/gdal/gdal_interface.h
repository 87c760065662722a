/* SPDX-License-Identifier: BSD-2-Clause */
/* What the module cof-gdal.so offers the command. The module is loaded when a raster needs it,
 * because GDAL takes longer to load than most images take to filter. */
#ifndef COF_GDAL_INTERFACE_H
#define COF_GDAL_INTERFACE_H

#include <stdbool.h>
#include <vips/vips.h>

/* The function of the module that returns its GdalInterface, and its version. */
#define GDAL_INTERFACE_SYMBOL "cof_gdal_interface"
#define GDAL_INTERFACE_VERSION 2

/* An open raster. It is reference-counted: the images that are made of it hold it, too. */
typedef struct Raster Raster;

/* Which bands of a raster are used, and how. Bands are counted from 1. */
typedef struct RasterChoice {
    const int *filtered;   /* bands to filter; the others are copied */
    int n_filtered;        /* 0: all but alpha */
    const int *learned;    /* bands to learn from */
    int n_learned;         /* 0: those that are filtered */
    int kind;              /* BandsKind of the bands to learn from */
    bool is_unchanged;     /* samples are only copied, so that they need not fit into floats */
    bool all_valid;        /* no pixel lacks data, whatever the file says */
    bool is_premultiplied; /* colours are multiplied by alpha, which GDAL does not tell */
    bool has_nodata;       /* this value marks pixels without data, whatever the file says */
    double nodata;
} RasterChoice;

/* What the command needs to know of an open raster. */
typedef struct RasterFacts {
    bool is_geographic; /* it has what libvips would lose, or more than 4 bands */
    bool is_located;    /* it has a position */
    bool has_nodata;    /* a value or a mask can say that a pixel has no data */
    bool has_overviews;
    bool has_failed; /* reading has failed */
    bool is_rounded; /* 64-bit floats are filtered as 32-bit floats */
    bool is_premultiplied;
    int bits;       /* of samples, if fewer than those of their type; else 0 */
    int pages;      /* of a TIFF file, without overviews and masks */
    bool has_guide; /* the bands to learn from are not those that are filtered */
} RasterFacts;

/* How a raster is written. */
typedef struct RasterOutput {
    const char *path;           /* a file that may be overwritten */
    const char *work_path;      /* the same, for a format that is made of a whole file */
    const char *driver;         /* GDAL's short name of the format */
    const char *const *options; /* NAME=VALUE, ends with NULL */
    bool is_filtered;           /* the image has the filtered bands, and not, say, a mask */
    bool overviews;             /* build them */
    int threads;
    void (*on_create)(const char *path); /* called before any other file is created */
} RasterOutput;

typedef struct GdalInterface {
    int version;

    /* Functions that fail return NULL, -1 or false with libvips' error set. */

    /* Whether GDAL reads files like this one. */
    bool (*recognises)(const char *path);

    /* Opens a file or another source that GDAL knows by name. `page`: of a TIFF file, from 1. */
    Raster *(*open)(const char *name, int page);
    void (*unref)(Raster *raster);

    /* Chooses bands. To be called once, before the functions below. */
    int (*choose)(Raster *raster, const RasterChoice *choice);
    RasterFacts (*facts)(const Raster *raster);

    /* The files that the raster is read from, such as those that a VRT names, and files beside
     * them: names for g_strfreev(), which may be those of GDAL. */
    char **(*files)(Raster *raster);

    /* An image of the bands to filter, or of those to learn from, which is read on demand. It is
     * unref'd by the caller. */
    VipsImage *(*image)(Raster *raster, bool learned);

    /* Whether GDAL has a driver, by its short name, and can write files with it. */
    bool (*writes)(const char *driver);
    /* Whether the driver needs RasterOutput.work_path. */
    bool (*copies)(const char *driver);

    /* Writes filtered bands, and with them all that the raster has besides its pixels. Another
     * image, such as a mask, gets what is not about a band. */
    int (*write)(Raster *raster, VipsImage *image, const RasterOutput *output);

    /* What the file does not have of the raster: a list in words for g_free(), or NULL. */
    char *(*losses)(Raster *raster, const char *path);
} GdalInterface;

#endif
