/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether a PNG file can contain all of its pixels. */
#ifndef COF_PNG_HEADER_H
#define COF_PNG_HEADER_H

#include "io/encoding.h"
#include "io/header_reader.h"

/* Compares the size of the compressed data with that of the image; the file is at its start. */
void png_header_read(HeaderReader *reader, Encoding *encoding);

#endif
