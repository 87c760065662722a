/* SPDX-License-Identifier: BSD-2-Clause */
/* How an image file is encoded, as far as its header says so. */
#include "io/encoding.h"

#include <string.h>

#include "io/heif_header.h"
#include "io/jpeg_header.h"
#include "io/png_header.h"
#include "io/tiff_layout.h"

/* Chunks of WebP that are read, at most. */
#define MAX_CHUNKS 64

/* Whether the first image of a WebP file is stored without loss. Reads after the file header. */
static bool is_webp_lossless(HeaderReader *reader)
{
    reader->little_endian = true;
    for (int i = 0; i < MAX_CHUNKS && !reader->failed; i++) {
        char name[4];
        for (int k = 0; k < 4; k++)
            name[k] = (char)header_number(reader, 1);
        uint64_t size = header_number(reader, 4), start = header_position(reader);
        if (memcmp(name, "VP8L", 4) == 0 || memcmp(name, "VP8 ", 4) == 0)
            return name[3] == 'L' && !reader->failed;
        /* The chunks of a frame follow its 16 bytes; those of others follow with padding. */
        header_seek(reader, start + (memcmp(name, "ANMF", 4) == 0 ? 16 : size + (size & 1)));
    }
    return false;
}

Encoding encoding_read(FILE *file)
{
    Encoding encoding = {0};
    HeaderReader reader = {.file = file};
    unsigned char start[12] = {0};
    size_t n = fread(start, 1, sizeof start, file);
    rewind(file);
    if (n < sizeof start)
        return encoding;
    if (start[0] == 0xff && start[1] == 0xd8) {
        jpeg_header_read(&reader, &encoding);
    } else if (memcmp(start, "II", 2) == 0 || memcmp(start, "MM", 2) == 0) {
        tiff_layout_read(&reader, &encoding);
    } else if (memcmp(start, "\x89PNG", 4) == 0) {
        png_header_read(&reader, &encoding);
    } else if (memcmp(start + 4, "ftyp", 4) == 0) {
        heif_header_read(&reader, &encoding);
    } else if (memcmp(start, "RIFF", 4) == 0 && memcmp(start + 8, "WEBP", 4) == 0) {
        header_seek(&reader, sizeof start);
        encoding.lossless = is_webp_lossless(&reader);
    }
    return encoding;
}
