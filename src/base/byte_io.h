/* SPDX-License-Identifier: BSD-2-Clause */
/* A bounded reader and writer of little-endian bytes, and their checksum. */
#ifndef COF_BYTE_IO_H
#define COF_BYTE_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes at `at`; if that is NULL, only counts bytes. */
typedef struct CofiWriter {
    unsigned char *at;
    size_t size; /* bytes written so far */
} CofiWriter;

void cofi_write_u32(CofiWriter *writer, uint32_t value);
void cofi_write_u64(CofiWriter *writer, uint64_t value);
void cofi_write_f32(CofiWriter *writer, float value);
void cofi_write_f64(CofiWriter *writer, double value);
void cofi_write_u64s(CofiWriter *writer, const uint64_t *values, size_t n);
void cofi_write_zeros(CofiWriter *writer, size_t bytes);
void cofi_write_f32s(CofiWriter *writer, const float *values, size_t n);

/* Reads from `at` while bytes are left; a read beyond them gives 0 and sets `failed`. */
typedef struct CofiReader {
    const unsigned char *at;
    size_t left;
    bool failed;
    uint32_t version; /* of the format, for the caller */
} CofiReader;

uint32_t cofi_read_u32(CofiReader *reader);
uint64_t cofi_read_u64(CofiReader *reader);
float cofi_read_f32(CofiReader *reader);
double cofi_read_f64(CofiReader *reader);
void cofi_read_u64s(CofiReader *reader, uint64_t *values, size_t n);
void cofi_read_f32s(CofiReader *reader, float *values, size_t n);

/* Sets `failed` unless count * size bytes are left; returns !failed. */
bool cofi_reader_has(CofiReader *reader, size_t count, size_t size);

/* CRC-32 as in zlib, PNG and Ethernet. */
uint32_t cofi_crc32(const void *bytes, size_t size);

#endif
