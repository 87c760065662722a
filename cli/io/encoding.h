/* SPDX-License-Identifier: BSD-2-Clause */
/* How an image file is encoded, and what it has that libvips does not read, as far as its header
 * says so. libvips and libtiff read files; what is parsed here is what they do not tell:
 *
 * JPEG  the quantisation tables and the sampling, so that the output has the quality of the input;
 *       further images after the first one (MPO), which libvips ignores
 * PNG   whether all data can be there: libvips 8.14 takes missing rows as black; animations, EXIF
 *       behind the pixels and the meaning of samples, which libvips drops
 * GIF   whether the file ends in a frame: libvips leaves that out; its screen
 * PPM   whether all samples of bitmaps and plain files are there: libvips takes others as black;
 *       the largest value, and further images
 * EXR   channels, parts and bits that libvips drops
 * FITS  further parts, which libvips drops
 * HEIF  the sampling of the chroma and the bits, so that the output has those of the input
 * WebP  whether it is lossless, so that the output is
 * JXL   whether it is animated: libvips before 8.16 reads only a part
 * BMP and JPEG 2000: what GDAL reads wrong */
#ifndef COF_ENCODING_H
#define COF_ENCODING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <vips/vips.h>

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
    bool lossless;     /* WebP without loss */
    int bit_depth;     /* of HEIC and AVIF; 0: unknown */
    int orientation;   /* of EXIF that libvips does not read; 0: none */
    int width, height; /* of a GIF; 0: unknown */
    TiffLayout tiff;
    int white;              /* of PPM and PGM: the largest value; 0: unknown */
    const char *fault;      /* why libvips would read it wrong, in words; NULL: nothing known */
    const char *gdal_fault; /* why GDAL would read it wrong; NULL: nothing known */
    const char *not_read;   /* what libvips drops of the file, in words; NULL: nothing known */
} Encoding;

/* Reads the header of a file, which need not exist or be valid. What cannot be read stays unknown.
 */
Encoding encoding_of_file(const char *path);

/* Reads the header of a file in memory, such as the JPEG tables of a TIFF file. */
Encoding encoding_of_bytes(void *bytes, size_t size);

/* Stores an encoding with an image. It does not follow into images that are made of this one. */
void encoding_store(VipsImage *image, Encoding encoding);

/* The encoding that was stored; all unknown if none was. */
Encoding encoding_of_image(VipsImage *image);

#endif
