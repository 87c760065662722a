/* SPDX-License-Identifier: BSD-2-Clause */
/* Captions below images. */
#ifndef COF_CAPTION_H
#define COF_CAPTION_H

#include <vips/vips.h>

/* The image above a line of text, in its format; unref'd by the caller. Images that are too small
 * for a legible line have none, nor have any if libvips cannot draw text. Returns NULL with
 * libvips' error set on failure. */
VipsImage *captioned_image(VipsImage *image, const char *text);

#endif
