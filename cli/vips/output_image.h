/* SPDX-License-Identifier: BSD-2-Clause */
/* Output images, written with GDAL or with libvips. */
#ifndef COF_OUTPUT_IMAGE_H
#define COF_OUTPUT_IMAGE_H

#include <vips/vips.h>

#include "options/arguments.h"

/* Checks that the output of an input can be written. Prints an error and returns false if not. */
bool output_image_check(const Arguments *arguments, const char *input, const char *output);

/* Writes an image that was made of `in`, with a note if its format cannot hold what the input has.
 * `is_filtered`: its bands are those of the input. Prints an error and returns false on failure. */
bool output_image_save(const Arguments *arguments, VipsImage *image, const char *output,
                       VipsImage *in, const char *input, bool is_filtered);

#endif
