/* SPDX-License-Identifier: BSD-2-Clause */
/* Pixels that hold no data, by the value that marks them. */
#ifndef COF_VIPS_NODATA_H
#define COF_VIPS_NODATA_H

#include <cof/cof.h>
#include <vips/vips.h>

/* Makes a mask of one byte per pixel: that of the metadata META_VALID; otherwise 0 where the image
 * has the value of META_NODATA: in all channels of an RGB image of integers, for which 0 and 255
 * are common values, and in any band of all others. Alpha is not compared. *valid is NULL if the
 * image has neither. Returns 0, or -1 with the libvips error set. */
int nodata_mask(VipsImage *image, CofKind kind, VipsImage **valid);

/* Replaces the pixels of `filtered` that are not valid by those of `in`. */
int nodata_restore(VipsImage *valid, VipsImage *in, VipsImage *filtered, VipsImage **out);

/* The number of invalid pixels, also by NaN and infinity, in a rectangle of the full image. */
gint64 nodata_count(const CofImage *image, const VipsRect *rect);

#endif
