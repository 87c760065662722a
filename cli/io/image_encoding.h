/* SPDX-License-Identifier: BSD-2-Clause */
/* The encoding of the file from which an image was read. */
#ifndef COF_IMAGE_ENCODING_H
#define COF_IMAGE_ENCODING_H

#include <vips/vips.h>

#include "io/encoding.h"

/* The encoding of an input file, which need not exist. */
Encoding image_encoding_of_file(const char *name);

/* The encoding of a file in memory. */
Encoding image_encoding_of_bytes(void *bytes, size_t size);

/* Stores an encoding with an image. It does not follow into images that are made of this one. */
void image_encoding_store(VipsImage *image, Encoding encoding);

/* The encoding that was stored; all unknown if none was. */
Encoding image_encoding(VipsImage *image);

#endif
