/* SPDX-License-Identifier: BSD-2-Clause */
/* Image files, written with libvips. */
#ifndef COF_IMAGE_SAVE_H
#define COF_IMAGE_SAVE_H

#include <stdbool.h>
#include <vips/vips.h>

/* Sets the quality of lossy formats, 1 to 100, for all images; 0: that of the input. To be called
 * once, by the main thread, before the others. */
void image_save_init(int quality);

/* Each of these prints an error that names the file, and returns false, on failure. */

/* Checks that an image can be written to `name`. For "-", standard output, `format` is a suffix
 * that names the format, or NULL. */
bool image_file_can_save(const char *name, const char *format);

/* Whether several pages can be written to `name`. `format` and `input` as below. Prints nothing. */
bool image_file_can_save_pages(const char *name, const char *format, VipsImage *input);

/* Whether bands that are no colours can be written to `name` as they are. Prints nothing. */
bool image_file_holds_bands(VipsImage *image, const char *name, const char *format,
                            VipsImage *input);

/* Whether samples of this type can be written to `name` as they are. Prints nothing. */
bool image_file_holds_samples(VipsImage *image, const char *name, const char *format,
                              VipsImage *input);

/* Writes a file atomically. `format` applies to "-"; if it is NULL, the format is that of `input`.
 * Quality and compression are those of `input` where that is possible. */
bool image_file_save(VipsImage *image, const char *name, const char *format, VipsImage *input);

#endif
