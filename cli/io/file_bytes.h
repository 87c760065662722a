/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes at any position of a file, or of a buffer. */
#ifndef COF_FILE_BYTES_H
#define COF_FILE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct FileBytes {
    int file;       /* a descriptor; -1: the bytes are in memory */
    uint8_t *bytes; /* freed with g_free() */
    uint64_t size;
} FileBytes;

/* Opens a regular file. Returns false if it is not one, or cannot be read. */
bool file_bytes_open(FileBytes *file, const char *path);
void file_bytes_close(FileBytes *file);

/* A buffer, which file_bytes_close() frees. */
FileBytes file_bytes_take(char *bytes, size_t size);

/* Copies n bytes. Returns false if the file has fewer. */
bool file_bytes_read(const FileBytes *file, uint64_t offset, void *to, size_t n);

#endif
