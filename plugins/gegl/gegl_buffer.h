/* SPDX-License-Identifier: BSD-2-Clause */
/* The pixels of GEGL as libcof reads them. */
#ifndef COF_GEGL_BUFFER_H
#define COF_GEGL_BUFFER_H

#include <stdbool.h>

#include <gegl.h>

#include "cof/cof.h"

typedef struct PixelFormat {
    const Babl *format;
    CofKind kind;
    CofSample sample;
} PixelFormat;

/* For an input of this format (NULL: unknown): its own samples if it has 8 or 16 bits, encoded as
 * for a screen, else floats that are encoded so. Grey stays grey, alpha alpha, the space the
 * space. */
PixelFormat pixel_format_for(const Babl *input);

/* May an image be held in memory, and not be a plane without end? */
bool buffer_fits(const GeglRectangle *rect);

/* The pixels of a place, packed, in memory that g_free() gives back; data is NULL if there is not
 * enough. */
CofImage buffer_read(const PixelFormat *format, GeglBuffer *from, const GeglRectangle *rect);

/* Writes those of `roi`, which lies inside the place of the image. */
void buffer_write(const PixelFormat *format, const CofImage *image, const GeglRectangle *rect,
                  const GeglRectangle *roi, GeglBuffer *to);

/* Two images that differ have different ones, but for one pair in 2^64. */
uint64_t image_hash(const CofImage *image);

#endif
