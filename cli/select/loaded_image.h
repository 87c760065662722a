/* SPDX-License-Identifier: BSD-2-Clause */
/* Images in memory, in the layout that libcof reads. */
#ifndef COF_LOADED_IMAGE_H
#define COF_LOADED_IMAGE_H

#include <stdbool.h>
#include <vips/vips.h>

#include "options/arguments.h"
#include "vips_pixels.h"

typedef struct LoadedImage {
    VipsImage *original; /* as it was opened */
    Pixels pixels;
    PixelMemory loaded;
    VipsImage *memory; /* the pixels */
    CofImage view;     /* of them */
} LoadedImage;

/* Functions that take a `name` print an error about that file, and return false or NULL, on
 * failure. Returned images are unref'd by the caller. */

/* `kind` is what the bands mean. */
bool loaded_image_open(LoadedImage *image, BandsKind kind, const char *name);

/* The input: its page and its value of no data are those of the options. */
bool loaded_image_open_input(LoadedImage *image, const Arguments *arguments, const char *name);

/* Takes the reference of `original`, which is NULL if libvips' error is set. */
bool loaded_image_from(LoadedImage *image, VipsImage *original, BandsKind kind, const char *name);
void loaded_image_close(LoadedImage *image);

/* A new image in memory with the layout of `image`, and its view. Prints an error on failure. */
VipsImage *loaded_image_new_like(const LoadedImage *image, CofImage *view, const char *name);

/* Converts `memory` back to the format of the original. */
VipsImage *loaded_image_restore(const LoadedImage *image, VipsImage *memory, const char *name);

/* A copy with memory of its own, which vips_image_copy_memory() does not promise. Returns NULL with
 * libvips' error set on failure. */
VipsImage *copy_image(VipsImage *image);

/* A view of an image of one band in memory. */
CofImage single_band_view(VipsImage *image);

#endif
