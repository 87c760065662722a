/* SPDX-License-Identifier: BSD-2-Clause */
/* Failures that libvips does not report itself. If an image cannot be decoded while others are
 * computed from it, libvips says only that the others cannot be computed: such images note why. */
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

/* GObject only warns about a value out of range in a file header or save option, and ignores the
 * value. Here such a warning is an error. Warnings in libvips' own threads need no care, because
 * the operation fails there anyway. */

/* To be called once, by the main thread, before the others. */
void vips_warning_init(void);

void vips_warning_clear(void);

/* Whether this thread had a warning since vips_warning_clear(). Prints it as an error about `name`,
 * unless that is NULL. */
bool vips_warning_print(const char *name);

#endif
