/* SPDX-License-Identifier: BSD-2-Clause */
/* Output rasters that GDAL writes. */
#ifndef COF_RASTER_OUTPUT_H
#define COF_RASTER_OUTPUT_H

#include <vips/vips.h>

#include "gdal/gdal_interface.h"
#include "options/arguments.h"

/* Whether GDAL writes the output of an input that it has read. Otherwise, libvips does. */
bool raster_is_written(const Arguments *arguments, const char *output);

/* Checks that GDAL can write it. Prints an error and returns false if not. */
bool raster_can_save(const Arguments *arguments, const char *output);

/* What is noted where another file is written must not be lost from the only one: prints an error
 * and returns false if --in-place would lose what the words say; NULL: nothing. */
bool in_place_keeps(const Arguments *arguments, const char *losses, const char *input);

/* Writes a file atomically. `input` is the name of the raster in `in`; `is_filtered`: the image has
 * its filtered bands. Prints an error and returns false on failure. */
bool raster_save(const Arguments *arguments, VipsImage *image, const char *output, VipsImage *in,
                 const char *input, bool is_filtered);

#endif
