/* SPDX-License-Identifier: BSD-2-Clause */
/* What of a picture a person has chosen, by a mask, or by scribbles that are spread. */
#ifndef COF_SCRIBBLE_MASK_H
#define COF_SCRIBBLE_MASK_H

#include <vips/vips.h>

#include "options/arguments.h"
#include "vips_pixels.h"

/* A picture in memory, as libcof reads it. */
typedef struct Canvas {
    VipsImage *picture; /* as it was opened */
    Pixels pixels;
    VipsImage *memory;
    CofImage view;
} Canvas;

/* Each returns false, or NULL, after having complained about the file that is at fault. */

bool canvas_open(Canvas *canvas, const char *name);
void canvas_close(Canvas *canvas);

/* An image in memory like that of the canvas, and its view; unref'd by the caller. */
VipsImage *canvas_like(const Canvas *canvas, CofImage *view);

/* Back to the format that the picture has; unref'd by the caller. */
VipsImage *canvas_restore(const Canvas *canvas, VipsImage *memory, const char *name);

/* One band of bytes in memory: 255 where it is chosen, else 0; unref'd by the caller. */
VipsImage *chosen_mask(const Arguments *arguments, const Canvas *canvas, const char *name);

/* A copy with memory of its own (that of libvips may share it), unref'd by the caller; NULL without
 * a complaint. */
VipsImage *image_copy_of(VipsImage *image);

/* What was chosen is not, and the other way round. */
void mask_invert(VipsImage *mask);

/* A view of one band in memory. */
CofImage grey_view_of(VipsImage *image);

/* Says what went wrong in libcof. */
bool complain_cof(const char *name, CofStatus status, const CofReport *report);

#endif
