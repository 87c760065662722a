/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies GEGL buffers to images that libcof reads, and back. */
#ifndef COF_GEGL_BUFFER_H
#define COF_GEGL_BUFFER_H

#include <stdbool.h>

#include <gegl.h>

#include "cof/cof.h"

typedef struct BufferFormat {
    const Babl *format;
    CofKind kind;
    CofSample sample;
} BufferFormat;

/* Chooses the format for an input (NULL: unknown): non-linear 8-bit or 16-bit samples are kept,
 * everything else becomes non-linear floats. Grey, alpha and colour space are kept. */
BufferFormat buffer_format_for(const Babl *input);

/* Is the rectangle finite and small enough for memory? */
bool buffer_fits(const GeglRectangle *rect);

/* Reads a rectangle into packed memory; the caller frees data with g_free(). data is NULL if memory
 * runs out. */
CofImage buffer_read(const BufferFormat *format, GeglBuffer *from, const GeglRectangle *rect);

/* Writes the part `roi` of an image that was read from `rect`. */
void buffer_write(const BufferFormat *format, const CofImage *image, const GeglRectangle *rect,
                  const GeglRectangle *roi, GeglBuffer *to);

/* A 64-bit hash of all pixels. */
uint64_t image_hash(const CofImage *image);

#endif
