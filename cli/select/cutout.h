/* SPDX-License-Identifier: BSD-2-Clause */
/* Cut-outs: the object of an image on a transparent background. */
#ifndef COF_CUTOUT_H
#define COF_CUTOUT_H

#include <stdbool.h>

#include "select/loaded_image.h"

/* Both print an error and return false or NULL on failure. */

/* Checks that the format of the output has an alpha channel. `format` applies to "-" and may be
 * NULL. */
bool cutout_can_save(const char *name, const char *format);

/* The image with the matte (floats, 0..1) as its alpha channel, times the one that it has; unref'd
 * by the caller. */
VipsImage *cutout_image(const LoadedImage *source, VipsImage *matte, const char *name);

#endif
