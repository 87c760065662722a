/* SPDX-License-Identifier: BSD-2-Clause */
/* How much of each pixel is chosen: mattes, of a mask and a picture. */
#ifndef COF_MATTING_H
#define COF_MATTING_H

#include "select/scribble_mask.h"

/* Each returns NULL or false after having complained. Images are of one band of floats, 0..1, in
 * memory; unref'd by the caller. */

/* The mask with a soft border that follows the picture. */
VipsImage *matting_soften(const Arguments *arguments, const Canvas *canvas, VipsImage *mask,
                          const char *name);

/* What is thought before anything is learned: the mask, with doubts, and more of them near its
 * border. */
VipsImage *matting_prior(VipsImage *mask, const char *name);

/* As 8 bits. */
bool matting_save(VipsImage *matte, const char *name);

/* Is there an input, and can all that was asked for be written? */
bool matting_can_save(const Arguments *arguments);

#endif
