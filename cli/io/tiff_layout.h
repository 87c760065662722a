/* SPDX-License-Identifier: BSD-2-Clause */
/* Compression and tiles of the first image of a TIFF file. */
#ifndef COF_TIFF_LAYOUT_H
#define COF_TIFF_LAYOUT_H

#include "io/encoding.h"
#include "io/header_reader.h"

/* Numbers of compressions in TIFF files. */
enum {
    COMPRESSION_NONE = 1,
    COMPRESSION_LZW = 5,
    COMPRESSION_JPEG = 7,
    COMPRESSION_DEFLATE = 8,
    COMPRESSION_OLD_DEFLATE = 32946,
    COMPRESSION_PACKBITS = 32773,
    COMPRESSION_JP2K = 34712,
    COMPRESSION_ZSTD = 50000,
    COMPRESSION_WEBP = 50001
};

/* Reads the whole header; the file is at its start. */
void tiff_layout_read(HeaderReader *reader, Encoding *encoding);

#endif
