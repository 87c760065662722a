/* SPDX-License-Identifier: BSD-2-Clause */
/* Compression and tiles of the first image of a TIFF file. */
#include "io/tiff_layout.h"

#include "io/jpeg_header.h"

enum { CLASSIC = 42, BIG = 43 };
enum { TAG_COMPRESSION = 259, TAG_PREDICTOR = 317, TAG_TILE_WIDTH = 322, TAG_TILE_HEIGHT = 323 };
enum { TAG_JPEG_TABLES = 347 };

/* More tags than any image has. */
#define MAX_TAGS 4096

/* A field of a directory whose value is one number, or the position of its value. */
typedef struct Field {
    int tag;
    uint64_t value;
} Field;

static Field read_field(HeaderReader *reader, bool big)
{
    enum { SHORT = 3 };
    Field field = {.tag = (int)header_number(reader, 2)};
    int type = (int)header_number(reader, 2), size = big ? 8 : 4;
    header_number(reader, size); /* count */
    uint64_t start = header_position(reader);
    field.value = header_number(reader, type == SHORT ? 2 : size);
    header_seek(reader, start + (uint64_t)size);
    return field;
}

static void read_directory(HeaderReader *reader, bool big, TiffLayout *layout, uint64_t *tables)
{
    uint64_t n = header_number(reader, big ? 8 : 2);
    for (uint64_t i = 0; i < n && i < MAX_TAGS && !reader->failed; i++) {
        Field field = read_field(reader, big);
        int value = field.value <= 0x7fffffff ? (int)field.value : 0;
        if (field.tag == TAG_COMPRESSION)
            layout->compression = value;
        else if (field.tag == TAG_PREDICTOR)
            layout->predictor = value;
        else if (field.tag == TAG_TILE_WIDTH)
            layout->tile_width = value;
        else if (field.tag == TAG_TILE_HEIGHT)
            layout->tile_height = value;
        else if (field.tag == TAG_JPEG_TABLES)
            *tables = field.value;
    }
}

void tiff_layout_read(HeaderReader *reader, Encoding *encoding)
{
    TiffLayout layout = {.compression = COMPRESSION_NONE, .predictor = 1};
    uint64_t tables = 0;
    reader->little_endian = header_number(reader, 2) == 0x4949;
    bool big = header_number(reader, 2) == BIG;
    if (big)
        header_number(reader, 4); /* the size of positions, and a reserved number */
    header_seek(reader, header_number(reader, big ? 8 : 4));
    read_directory(reader, big, &layout, &tables);
    if (reader->failed)
        return;
    encoding->tiff = layout;
    if (layout.compression == COMPRESSION_JPEG && tables > 0) {
        reader->little_endian = false;
        header_seek(reader, tables);
        jpeg_header_read(reader, encoding);
    }
}
