/* SPDX-License-Identifier: BSD-2-Clause */
/* Image files, read and written with libvips. */
#ifndef COF_IMAGE_FILE_H
#define COF_IMAGE_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <vips/vips.h>

#include "io/pages.h"

/* Metadata of an image that was read: which tags of GeoTIFF and GDAL the file has, an int of these
 * bits; and its value of no data, as vips_pixels.h says. */
#define META_GEO_TAGS "cof-geo-tags"
enum { GEO_TAGS_POSITION = 1, GEO_TAGS_NODATA = 2 };

/* The limit on the pixels of an input, against small files that ask for much memory or time. */

/* Limits of formats that are read in strips or tiles, and of those that are decoded as a whole. */
#define MAX_PIXELS_STREAMED 4000000000
#define MAX_PIXELS_WHOLE 400000000

/* Replaces both limits; 0 keeps them. To be called once, by the main thread, before the others. */
void image_file_init(int64_t max_pixels);

/* Whether an image, of which only the header was read, is within the limit; `is_streamed`: its
 * format is decoded line by line or tile by tile. Sets libvips' error if not. */
bool pixel_limit_check(VipsImage *image, bool is_streamed);

/* Whether the frames of a video are within the limit. Sets libvips' error if not. */
bool pixel_limit_check_frame(int width, int height);

/* Each of these prints an error that names the file, and returns NULL or false, on failure. */

/* Opens an image and applies its orientation tag; "-" is standard input. Small images are decoded
 * at once, large ones on demand. Unref'd by the caller. The file must have one page. */
VipsImage *image_file_open(const char *name);

/* Opens some pages of a file, or all of them, as one image in which they lie below each other: see
 * page_count(). */
VipsImage *image_file_open_pages(const char *name, const PageRange *pages);

/* Opens a file without a look at its pixels; NULL if libvips does not read it. */
VipsImage *image_file_open_header(const char *path);

/* Decodes an image if it is small, and watches it if it is large: watched_image.h. Takes the
 * reference. Returns NULL with libvips' error set on failure. */
VipsImage *image_file_decode(VipsImage *image, const char *name);

/* libvips' alpha of opaque pixels in linear light (scRGB). In this command, as in files, it is 1.
 */
#ifdef HAVE_MAX_ALPHA
#define LIGHT_ALPHA vips_interpretation_max_alpha(VIPS_INTERPRETATION_scRGB)
#else
#define LIGHT_ALPHA 255.0
#endif

/* Multiplies the alpha of an image in linear light by a factor. Takes the reference. Returns NULL
 * with libvips' error set on failure. */
VipsImage *image_scale_alpha(VipsImage *image, double factor);

/* Whether an image is decoded on demand and not when it is opened. */
bool image_file_is_large(const VipsImage *image);

/* Checks that a file exists and is readable. */
bool image_file_exists(const char *name);

/* The path of an input without options of libvips; that of a copy for standard input and pipes,
 * which are read at the first call. For g_free(); NULL with an error printed on failure. */
char *image_file_path(const char *name);

/* image_save.c: files that are written */

/* Sets the quality of lossy formats, 1 to 100, for all images; 0: that of the input. To be called
 * once, by the main thread, before the others. */
void image_save_init(int quality);

/* Each of these prints an error that names the file, and returns false, on failure. */

/* Checks that an image can be written to `name`. For "-", standard output, `format` is a suffix
 * that names the format, or NULL. */
bool image_file_can_save(const char *name, const char *format);

/* Whether several pages can be written to `name`. `format` and `input` as below. Prints nothing. */
bool image_file_can_save_pages(const char *name, const char *format, VipsImage *input);

/* Whether samples of this type can be written to `name` as they are; `any_bands`: also bands that
 * are no colours. Prints nothing. */
bool image_file_holds(VipsImage *image, bool any_bands, const char *name, const char *format,
                      VipsImage *input);

/* Writes a file atomically. `format` applies to "-"; if it is NULL, the format is that of `input`.
 * Quality and compression are those of `input` where that is possible. */
bool image_file_save(VipsImage *image, const char *name, const char *format, VipsImage *input);

/* thumbnails.c */

/* A copy of the image without the thumbnails of EXIF, Photoshop and XMP. Returns NULL with libvips'
 * error set on failure; unref'd by the caller. */
VipsImage *without_thumbnails(VipsImage *image);

#endif
