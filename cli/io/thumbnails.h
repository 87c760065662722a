/* SPDX-License-Identifier: BSD-2-Clause */
/* Thumbnails in the metadata of an image, which would show the image before filtering. */
#ifndef COF_THUMBNAILS_H
#define COF_THUMBNAILS_H

#include <vips/vips.h>

/* A copy of the image without the thumbnails of EXIF, Photoshop and XMP. Returns NULL with libvips'
 * error set on failure; unref'd by the caller. */
VipsImage *without_thumbnails(VipsImage *image);

#endif
