/* SPDX-License-Identifier: BSD-2-Clause */
/* Image files to pixels in memory and back, through libvips. */
#ifndef COF_PICTURE_H
#define COF_PICTURE_H

#include <stdbool.h>
#include <vips/vips.h>

#include "cof/cof.h"

/* Each prints one line that names the file and the cause, and returns NULL or false, if it fails.
 */

/* Pixels of a file, in memory, in a format that libcof takes. Unref'd by the caller. */
VipsImage *picture_load(const char *name);

/* A byte image, 0 or 255: where the picture is not black. */
VipsImage *picture_load_mask(const char *name);

/* A byte image with one band, as it is. */
VipsImage *picture_load_labels(const char *name);

/* A new image in memory with the size, format and metadata of another. */
VipsImage *picture_new_like(VipsImage *image);

/* A view of a picture in memory. */
CofImage picture_view(VipsImage *image);

/* Can files of that name be written? */
bool picture_can_save(const char *name);

/* The file appears whole or not at all. */
bool picture_save(VipsImage *image, const char *name);

/* Removes what picture_save() has begun; for signal handlers. */
void picture_abandon(void);

/* Prints "cof: name: cause". */
void complain(const char *name, const char *cause);

#endif
