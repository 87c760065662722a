/* SPDX-License-Identifier: BSD-2-Clause */
/* Input images: their pages and their value of no data, as the options say. */
#ifndef COF_INPUT_IMAGE_H
#define COF_INPUT_IMAGE_H

#include <vips/vips.h>

#include "options/arguments.h"

/* Each of these prints an error and returns NULL on failure. Images are unref'd by the caller. */

/* Checks that a file exists; names of GDAL, such as /vsizip/..., need not be files. Prints an error
 * and returns false if not. */
bool input_exists(const char *name);

/* Opens the pages of --pages, which lie below each other. */
VipsImage *input_image_open(const Arguments *arguments, const char *name);

/* Opens the page of --pages. */
VipsImage *input_image_open_single(const Arguments *arguments, const char *name);

/* Opens all pages of an image to learn from. */
VipsImage *input_image_open_all(const Arguments *arguments, const char *name);

/* Opens an image that belongs to the input, such as a guide. It has one page, or those of
 * --pages. */
VipsImage *input_image_open_companion(const Arguments *arguments, const char *name);

/* Prints a note if the output lacks what the input has: a coordinate system or a value of no
 * data. */
void note_losses(VipsImage *in, const char *input, const char *output);

#endif
