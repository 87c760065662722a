/* SPDX-License-Identifier: BSD-2-Clause */
/* The result of the filter in a few colours, for tracing: --posterise. */
#ifndef COF_POSTERISED_H
#define COF_POSTERISED_H

#include "options/arguments.h"
#include "vips_operations.h"

/* Paints an image of one page; `name` is that of the input. PNG is then written with a palette.
 * Unref'd by the caller. Prints an error and returns NULL on failure. */
VipsImage *posterised_image(const Arguments *arguments, VipsImage *image, const char *name);

#endif
