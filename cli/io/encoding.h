/* SPDX-License-Identifier: BSD-2-Clause */
/* How an image file is encoded, as far as its header says so. */
#ifndef COF_ENCODING_H
#define COF_ENCODING_H

#include <stdbool.h>
#include <stdio.h>

typedef enum Chroma { CHROMA_UNKNOWN, CHROMA_444, CHROMA_420, CHROMA_OTHER } Chroma;

/* TIFF's numbers for compression and predictor. */
typedef struct TiffLayout {
    int compression; /* 0: the file is no TIFF */
    int predictor;
    int tile_width, tile_height; /* 0: strips */
} TiffLayout;

typedef struct Encoding {
    int quality; /* of JPEG, 1 to 100; 0: unknown */
    Chroma chroma;
    bool lossless;   /* WebP without loss */
    int bit_depth;   /* of HEIC and AVIF; 0: unknown */
    bool lacks_data; /* a PNG file is too short for its pixels */
    TiffLayout tiff;
} Encoding;

/* Reads the header of a file. What cannot be read stays unknown; the file need not be valid. */
Encoding encoding_read(FILE *file);

#endif
