/* SPDX-License-Identifier: BSD-2-Clause */
/* Images that are decoded while others are computed from them, and note if that fails: libvips
 * then says only that the others cannot be computed. */
#ifndef COF_WATCHED_IMAGE_H
#define COF_WATCHED_IMAGE_H

#include <stdbool.h>
#include <vips/vips.h>

/* The same image, watched. Takes the reference. Returns NULL with libvips' error set on failure. */
VipsImage *watched_image_new(VipsImage *image, const char *name);

/* Sets libvips' error to that of a watched image of which a part could not be decoded: this one, or
 * one of those that it was made from. Returns false if there is none. */
bool watched_image_restore_failure(VipsImage *image);

/* Prints an error that names a watched image of which a part could not be decoded: this one, or one
 * of those that it was made from. Returns false if there is none. */
bool watched_image_print_failure(VipsImage *image);

#endif
