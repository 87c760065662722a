/* SPDX-License-Identifier: BSD-2-Clause */
/* Chroma subsampling and bit depth of HEIC and AVIF. */
#include "io/heif_header.h"

#define BOX(a, b, c, d) ((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (d))

/* Boxes that are read at one level, at most. */
#define MAX_BOXES 4096

/* ISO/IEC 14496-15: the chroma format and the bit depth are bytes 16 and 17. */
static void read_hevc(HeaderReader *reader, Encoding *encoding)
{
    static const Chroma formats[4] = {CHROMA_UNKNOWN, CHROMA_420, CHROMA_OTHER, CHROMA_444};
    header_seek(reader, header_position(reader) + 16);
    encoding->chroma = formats[header_number(reader, 1) & 3];
    encoding->bit_depth = 8 + (int)(header_number(reader, 1) & 7);
}

/* The AV1 codec configuration: byte 2 has flags. */
static void read_av1(HeaderReader *reader, Encoding *encoding)
{
    header_number(reader, 2);
    int flags = (int)header_number(reader, 1);
    bool high = flags & 0x40, twelve = flags & 0x20, grey = flags & 0x10;
    bool half_width = flags & 0x08, half_height = flags & 0x04;
    encoding->bit_depth = !high ? 8 : twelve ? 12 : 10;
    if (!grey)
        encoding->chroma = half_height ? CHROMA_420 : half_width ? CHROMA_OTHER : CHROMA_444;
}

/* Reads the boxes up to `end`; boxes in boxes are at most `depth` levels deep. */
static void read_boxes(HeaderReader *reader, uint64_t end, int depth, Encoding *encoding)
{
    for (int n = 0; n < MAX_BOXES && encoding->chroma == CHROMA_UNKNOWN; n++) {
        uint64_t start = header_position(reader), size = header_number(reader, 4);
        uint32_t type = (uint32_t)header_number(reader, 4);
        if (size == 1)
            size = header_number(reader, 8);
        if (reader->failed || size < 8 || size > end - start)
            return;
        if (type == BOX('m', 'e', 't', 'a'))
            header_number(reader, 4); /* version and flags */
        if (type == BOX('h', 'v', 'c', 'C'))
            read_hevc(reader, encoding);
        else if (type == BOX('a', 'v', '1', 'C'))
            read_av1(reader, encoding);
        else if (depth > 0 && (type == BOX('m', 'e', 't', 'a') || type == BOX('i', 'p', 'r', 'p') ||
                               type == BOX('i', 'p', 'c', 'o')))
            read_boxes(reader, start + size, depth - 1, encoding);
        header_seek(reader, start + size);
    }
}

void heif_header_read(HeaderReader *reader, Encoding *encoding)
{
    read_boxes(reader, INT64_MAX, 3, encoding);
}
