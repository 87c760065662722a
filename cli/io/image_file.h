/* SPDX-License-Identifier: BSD-2-Clause */
/* Image files, read with libvips. */
#ifndef COF_IMAGE_FILE_H
#define COF_IMAGE_FILE_H

#include <stdbool.h>
#include <vips/vips.h>

#include "io/image_save.h"
#include "io/page_range.h"

/* Each of these prints an error that names the file, and returns NULL or false, on failure. */

/* To be called once, by the main thread, before the others. */
void image_file_init(void);

/* Opens an image and applies its orientation tag; "-" is standard input. Small images are decoded
 * at once, large ones on demand. Unref'd by the caller. The file must have one page. */
VipsImage *image_file_open(const char *name);

/* The same for some pages of a file, or all of them, which lie below each other: see
 * page_count(). */
VipsImage *image_file_open_pages(const char *name, const PageRange *pages);

/* Whether an image is decoded on demand and not when it is opened. */
bool image_file_is_large(const VipsImage *image);

/* Checks that a file exists and is readable. */
bool image_file_exists(const char *name);

#endif
