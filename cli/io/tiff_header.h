/* SPDX-License-Identifier: BSD-2-Clause */
/* The directories of a TIFF or BigTIFF file, read without its pixels. */
#ifndef COF_TIFF_HEADER_H
#define COF_TIFF_HEADER_H

#include "io/file_bytes.h"

enum {
    TIFF_SUBFILE_TYPE = 254,
    TIFF_OLD_SUBFILE_TYPE = 255,
    TIFF_WIDTH = 256,
    TIFF_HEIGHT = 257,
    TIFF_BITS_PER_SAMPLE = 258,
    TIFF_COMPRESSION = 259,
    TIFF_PHOTOMETRIC = 262,
    TIFF_FILL_ORDER = 266,
    TIFF_IMAGE_DESCRIPTION = 270,
    TIFF_STRIP_OFFSETS = 273,
    TIFF_SAMPLES_PER_PIXEL = 277,
    TIFF_ROWS_PER_STRIP = 278,
    TIFF_STRIP_BYTE_COUNTS = 279,
    TIFF_PLANAR_CONFIG = 284,
    TIFF_PREDICTOR = 317,
    TIFF_TILE_WIDTH = 322,
    TIFF_TILE_HEIGHT = 323,
    TIFF_TILE_OFFSETS = 324,
    TIFF_TILE_BYTE_COUNTS = 325,
    TIFF_SUB_IFDS = 330,
    TIFF_JPEG_TABLES = 347,
    TIFF_YCBCR_SUBSAMPLING = 530,
    TIFF_GEO_PIXEL_SCALE = 33550,
    TIFF_GEO_TIE_POINTS = 33922,
    TIFF_GEO_TRANSFORMATION = 34264,
    TIFF_EXIF_IFD = 34665,
    TIFF_GEO_KEYS = 34735,
    TIFF_GPS_IFD = 34853,
    TIFF_GDAL_METADATA = 42112,
    TIFF_GDAL_NODATA = 42113,
    TIFF_RPC = 50844
};

typedef enum TiffType {
    TIFF_TYPE_BYTE = 1,
    TIFF_TYPE_SHORT = 3,
    TIFF_TYPE_LONG = 4,
    TIFF_TYPE_LONG8 = 16
} TiffType;

typedef struct TiffEntry {
    uint16_t tag, type;
    uint64_t count;
    uint64_t at; /* position of the first value; all values lie inside the file */
} TiffEntry;

typedef struct TiffPage {
    uint64_t at; /* position of the directory */
    TiffEntry *entries;
    int n;
} TiffPage;

typedef struct TiffHeader {
    const FileBytes *file; /* of the caller */
    bool big_endian;
    TiffPage *pages;
    int n;
} TiffHeader;

/* Reads all directories. Returns false if the file is no TIFF, or its directories are damaged;
 * nothing is to be freed then. */
bool tiff_header_read(TiffHeader *header, const FileBytes *file);
void tiff_header_free(TiffHeader *header);

/* Bytes of a value; 0: the type is unknown. */
int tiff_type_size(int type);

/* NULL: the page does not have the tag. */
const TiffEntry *tiff_entry(const TiffPage *page, int tag);

/* Value i of a tag; `fallback` if there is none, or if it is no whole number. */
uint64_t tiff_number(const TiffHeader *header, const TiffPage *page, int tag, uint64_t i,
                     uint64_t fallback);

/* All values of a tag, for g_free(); NULL: none, or they are no whole numbers. */
uint64_t *tiff_numbers(const TiffHeader *header, const TiffEntry *entry);

/* The text of a tag, for g_free(); NULL: none. */
char *tiff_text(const TiffHeader *header, const TiffPage *page, int tag);

/* Numbers of 2, 4 or 8 bytes in the byte order of a file. */
uint64_t tiff_load(bool big_endian, const uint8_t *bytes, int size);
void tiff_store(bool big_endian, uint8_t *bytes, int size, uint64_t value);

#endif
