/* SPDX-License-Identifier: BSD-2-Clause */
/* Quality and chroma subsampling of JPEG, from its quantisation tables and sampling factors. */
#ifndef COF_JPEG_HEADER_H
#define COF_JPEG_HEADER_H

#include "io/encoding.h"
#include "io/header_reader.h"

/* Reads from the marker SOI, the next bytes, to the first scan or the end. */
void jpeg_header_read(HeaderReader *reader, Encoding *encoding);

#endif
