/* SPDX-License-Identifier: BSD-2-Clause */
/* Input rasters that GDAL reads, as images of libvips. */
#ifndef COF_RASTER_INPUT_H
#define COF_RASTER_INPUT_H

#include "gdal/gdal_interface.h"
#include "options/arguments.h"

/* What an input is for, which determines its bands. */
typedef enum RasterRole {
    RASTER_FILTERED, /* it is filtered: --bands and --filter-bands */
    RASTER_LEARNED,  /* it is learned from: --bands */
    RASTER_OTHER     /* a guide, a mask and the like: all bands */
} RasterRole;

/* Whether GDAL reads the input, as --reader says. Prints an error about `name` and sets *ok to
 * false if it has to, but is not there. */
bool raster_is_read(const Arguments *arguments, const char *name, bool *ok);

/* Whether a name is one of GDAL's, such as /vsizip/..., and not that of a file. */
bool raster_name_is_virtual(const char *name);

/* Whether a file in a folder has a format that GDAL reads, by its suffix and its content. */
bool raster_is_file(const char *path);

/* Whether a file beside an image has the six numbers of a position. Its suffix has the first and
 * the last letter of the image's and a w. */
bool raster_has_world_file(const char *path);

/* Checks that no output is another file that an input raster is read from, such as a part of a VRT.
 * Prints an error and returns false if one is. */
bool raster_inputs_check(const Arguments *arguments);

/* Opens an image of the bands. Its raster is raster_of_image(). Prints an error and returns NULL on
 * failure; unref'd by the caller. */
VipsImage *raster_input_open(const Arguments *arguments, const char *name, RasterRole role);

/* The raster of an image that raster_input_open() returned; NULL: another one. */
Raster *raster_of_image(VipsImage *image);

/* The bands to learn from, if they are not those of the image; otherwise NULL. Sets *failed with
 * libvips' error set on failure. Unref'd by the caller. `name` is for later errors. */
VipsImage *raster_input_guide(VipsImage *image, const char *name, bool *failed);

#endif
