/* SPDX-License-Identifier: BSD-2-Clause */
/* Chroma subsampling and bit depth of HEIC and AVIF. */
#ifndef COF_HEIF_HEADER_H
#define COF_HEIF_HEADER_H

#include "io/encoding.h"
#include "io/header_reader.h"

/* Reads the properties of the first image that has chroma; the file is at its start. */
void heif_header_read(HeaderReader *reader, Encoding *encoding);

#endif
