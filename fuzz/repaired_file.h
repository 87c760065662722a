/* SPDX-License-Identifier: BSD-2-Clause */
/* .cof files among the bytes of an input, with sizes and checksums that fit. */
#ifndef COF_FUZZ_REPAIRED_FILE_H
#define COF_FUZZ_REPAIRED_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "input.h"

/* A copy, so that sanitizers see reads beyond its end. */
typedef struct RepairedFile {
    uint8_t *bytes;
    size_t size;
} RepairedFile;

/* Takes the next file from the input: as many bytes as its header says, or all that are left. If it
 * has the magic bytes, the size in the header and the checksum are repaired. */
RepairedFile repaired_file_next(Input *input);
void repaired_file_free(RepairedFile *file);

#endif
