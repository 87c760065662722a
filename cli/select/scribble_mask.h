/* SPDX-License-Identifier: BSD-2-Clause */
/* The mask of what the user selected, with a mask file or with scribbles that are spread. */
#ifndef COF_SCRIBBLE_MASK_H
#define COF_SCRIBBLE_MASK_H

#include "options/arguments.h"
#include "select/loaded_image.h"

/* One band of bytes in memory: 255 where `source` is selected, 0 elsewhere; unref'd by the caller.
 * Prints an error, about the file at fault or `name`, and returns NULL on failure. */
VipsImage *selection_mask(const Arguments *arguments, const LoadedImage *source, const char *name);

/* Swaps 0 and 255. */
void invert_mask(VipsImage *mask);

#endif
