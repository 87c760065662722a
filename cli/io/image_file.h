/* SPDX-License-Identifier: BSD-2-Clause */
/* Image files, through libvips. */
#ifndef COF_IMAGE_FILE_H
#define COF_IMAGE_FILE_H

#include <stdbool.h>
#include <vips/vips.h>

/* Each prints one line that names the file and the cause, and returns NULL or false, if it fails.
 */

/* Before anything else here, on the first thread. */
void picture_begin(void);

/* A picture, upright. A small one is in memory then, a large one is read as it is needed. "-": from
 * standard input. Unref'd by the caller. */
VipsImage *picture_open(const char *name);

/* Is there such a file, to be read? */
bool picture_exists(const char *name);

/* Can files of that name be written? "-" is standard output, in a format that an ending names. */
bool picture_can_save(const char *name, const char *format);

/* The file appears whole or not at all. `format` NULL: what is written to "-" is in the format of
 * the input. */
bool picture_save(VipsImage *image, const char *name, const char *format, VipsImage *input);

#endif
