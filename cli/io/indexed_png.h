/* SPDX-License-Identifier: BSD-2-Clause */
/* PNG files with a palette. libvips writes them, too, but chooses the colours itself. */
#ifndef COF_INDEXED_PNG_H
#define COF_INDEXED_PNG_H

#include <stdbool.h>
#include <vips/vips.h>

/* Marks an image, and all that are made of it, to be written with a palette. */
void indexed_png_want(VipsImage *image);

/* Whether an image is to be written with a palette, to a name that selects PNG. */
bool indexed_png_is_wanted(VipsImage *image, const char *name);

/* Encodes an image with its colours as the palette: 8 bits each, alpha included, all transparent
 * pixels one. More than 256 colours, and images that are neither grey nor RGB, are written without
 * a palette. `suffix` may have options; with "palette", libvips chooses the colours, with "profile"
 * and "keep" it writes none. *bytes is freed with g_free(). Returns 0, or -1 with libvips' error
 * set. */
int indexed_png_encode(VipsImage *image, const char *suffix, void **bytes, size_t *size);

#endif
