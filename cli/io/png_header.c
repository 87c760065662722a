/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether a PNG file can contain all of its pixels. */
#include "io/png_header.h"

#define CHUNK(a, b, c, d) ((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (d))

/* Deflate makes of one byte at most this many. */
#define MAX_RATIO 1032

/* Chunks that are read, at most. */
#define MAX_CHUNKS (1 << 20)

/* Bits of a pixel, by the colour type and the bits of a sample. */
static uint64_t pixel_bits(int colour_type, int depth)
{
    static const int channels[8] = {1, 0, 3, 1, 2, 0, 4, 0};
    return (uint64_t)(channels[colour_type & 7] * depth);
}

/* The number of bytes in all chunks IDAT. */
static uint64_t data_size(HeaderReader *reader)
{
    uint64_t sum = 0;
    for (int i = 0; i < MAX_CHUNKS; i++) {
        uint64_t size = header_number(reader, 4);
        uint32_t name = (uint32_t)header_number(reader, 4);
        if (reader->failed || name == CHUNK('I', 'E', 'N', 'D'))
            break;
        sum += name == CHUNK('I', 'D', 'A', 'T') ? size : 0;
        header_seek(reader, header_position(reader) + size + 4); /* and its checksum */
    }
    return sum;
}

void png_header_read(HeaderReader *reader, Encoding *encoding)
{
    enum { SIZE = 16, END_OF_HEADER = 33 };
    header_seek(reader, SIZE);
    uint64_t width = header_number(reader, 4), height = header_number(reader, 4);
    int depth = (int)header_number(reader, 1), colour_type = (int)header_number(reader, 1);
    header_seek(reader, END_OF_HEADER);
    if (reader->failed || width > INT32_MAX || height > INT32_MAX)
        return;
    uint64_t row = width * pixel_bits(colour_type, depth) / 8;
    uint64_t size = data_size(reader);
    encoding->lacks_data = height > 0 && (size == 0 || row > (size + 1) * MAX_RATIO / height);
}
