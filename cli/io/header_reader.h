/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers in the header of a file that is not trusted. */
#ifndef COF_HEADER_READER_H
#define COF_HEADER_READER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct HeaderReader {
    FILE *file;
    bool little_endian;
    bool failed; /* the file has ended; numbers are then 0 */
} HeaderReader;

/* A number of `size` bytes, 1 to 8. */
uint64_t header_number(HeaderReader *reader, int size);

/* Goes to a position from the start of the file. */
void header_seek(HeaderReader *reader, uint64_t position);

/* The position from the start of the file. */
uint64_t header_position(HeaderReader *reader);

#endif
