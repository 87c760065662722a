/* SPDX-License-Identifier: BSD-2-Clause */
/* The operations of libvips, with the options of the command line. */
#ifndef COF_VIPS_CALL_H
#define COF_VIPS_CALL_H

#include <vips/vips.h>

#include "options/arguments.h"

/* The pictures that options name. */
typedef struct Pictures {
    VipsImage *mask, *labels, *guide, *matrix;
    VipsArrayImage *from;
} Pictures;

/* Opens them; complains if that fails, or if one is not as large as the input. */
bool pictures_open(Pictures *pictures, const Arguments *arguments, VipsImage *input);
void pictures_close(Pictures *pictures);

/* The first of those that are learned from. */
VipsImage *pictures_lesson(const Pictures *pictures, VipsImage *input);

/* The bytes of a model or of statistics, for operation_smooth(); unref'd by the caller. Complains
 * and returns NULL if they cannot be read. */
VipsBlob *operation_read_model(const char *name);

/* Each returns false with libvips' error set. */

/* cof: `model` NULL: learned. *out is unref'd by the caller. */
bool operation_smooth(const Arguments *arguments, const Pictures *pictures, VipsBlob *model,
                      VipsImage *in, VipsImage **out);

/* cof_learn: the bytes of a model or of statistics; unref'd by the caller. */
bool operation_learn(const Arguments *arguments, const Pictures *pictures, VipsArrayImage *images,
                     VipsBlob **learned);

/* cof_label, and its labels painted with the colours of the palette. */
bool operation_paint(const CofModel *model, VipsImage *image, VipsImage **painted);

#endif
