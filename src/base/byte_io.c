/* SPDX-License-Identifier: BSD-2-Clause */
/* A bounded reader and writer of little-endian bytes, and their checksum. */
#include "base/byte_io.h"

#include <assert.h>
#include <string.h>

static void write_bytes(CofiWriter *writer, uint64_t value, size_t n)
{
    if (writer->at)
        for (size_t i = 0; i < n; i++)
            *writer->at++ = (unsigned char)(value >> 8 * i);
    writer->size += n;
}

void cofi_write_u32(CofiWriter *writer, uint32_t value)
{
    write_bytes(writer, value, 4);
}

void cofi_write_u64(CofiWriter *writer, uint64_t value)
{
    write_bytes(writer, value, 8);
}

void cofi_write_f32(CofiWriter *writer, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    cofi_write_u32(writer, bits);
}

void cofi_write_f64(CofiWriter *writer, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    cofi_write_u64(writer, bits);
}

static uint64_t read_bytes(CofiReader *reader, size_t n)
{
    if (!cofi_reader_has(reader, n, 1))
        return 0;
    uint64_t value = 0;
    for (size_t i = 0; i < n; i++)
        value |= (uint64_t)*reader->at++ << 8 * i;
    reader->left -= n;
    return value;
}

uint32_t cofi_read_u32(CofiReader *reader)
{
    return (uint32_t)read_bytes(reader, 4);
}

uint64_t cofi_read_u64(CofiReader *reader)
{
    return read_bytes(reader, 8);
}

float cofi_read_f32(CofiReader *reader)
{
    uint32_t bits = cofi_read_u32(reader);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

double cofi_read_f64(CofiReader *reader)
{
    uint64_t bits = cofi_read_u64(reader);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

bool cofi_reader_has(CofiReader *reader, size_t count, size_t size)
{
    assert(size > 0);
    if (count > reader->left / size)
        reader->failed = true;
    return !reader->failed;
}

uint32_t cofi_crc32(const void *bytes, size_t size)
{
    assert(bytes || size == 0);
    uint32_t table[256];
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t crc = i;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
        table[i] = crc;
    }
    const unsigned char *p = bytes;
    uint32_t crc = ~0u;
    for (size_t i = 0; i < size; i++)
        crc = crc >> 8 ^ table[(crc ^ p[i]) & 0xff];
    return ~crc;
}
