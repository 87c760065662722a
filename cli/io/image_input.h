/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens an image for reading: its pages, planar TIFF files, and tags that libvips does not read. */
#ifndef COF_IMAGE_INPUT_H
#define COF_IMAGE_INPUT_H

#include "io/page_layout.h"

/* Metadata that image_input_open() adds: which tags of GeoTIFF and GDAL the file has. */
#define META_GEO_TAGS "cof-geo-tags" /* an int: these bits */
enum { GEO_TAGS_POSITION = 1, GEO_TAGS_NODATA = 2 };

/* Opens a file, or standard input for "-". Several pages lie below each other; `pages` NULL: the
 * file must have one. The value of no data in the file is set as metadata: see vips_pixels.h.
 * Returns NULL with libvips' error set on failure, unless an error was printed: then *is_printed is
 * set. */
VipsImage *image_input_open(const char *name, const PageRange *pages, bool *is_printed);

#endif
