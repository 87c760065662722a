/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads planar TIFF files: libvips 8.14 scrambles them. */
#ifndef COF_PLANAR_TIFF_H
#define COF_PLANAR_TIFF_H

#include <vips/vips.h>

#include "io/tiff_header.h"

/* A source for libvips with the contents of an interleaved TIFF file. Pixels are read and
 * interleaved on demand. Takes the file and its header over, in all cases. Returns NULL with
 * libvips' error set if the file cannot be read. */
VipsSource *planar_tiff_source(FileBytes *file, TiffHeader *header);

#endif
