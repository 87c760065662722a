/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers in the header of a file that is not trusted. */
#include "io/header_reader.h"

uint64_t header_number(HeaderReader *reader, int size)
{
    uint64_t value = 0;
    for (int i = 0; i < size; i++) {
        int byte = reader->failed ? EOF : getc(reader->file);
        if (byte == EOF) {
            reader->failed = true;
            return 0;
        }
        value =
            reader->little_endian ? value | (uint64_t)byte << 8 * i : value << 8 | (uint64_t)byte;
    }
    return value;
}

void header_seek(HeaderReader *reader, uint64_t position)
{
    if (position > INT64_MAX || fseeko(reader->file, (off_t)position, SEEK_SET) != 0)
        reader->failed = true;
}

uint64_t header_position(HeaderReader *reader)
{
    off_t position = ftello(reader->file);
    if (position < 0)
        reader->failed = true;
    return position < 0 ? 0 : (uint64_t)position;
}
