/* SPDX-License-Identifier: BSD-2-Clause */
/* A bounded reader and writer of little-endian bytes, and their checksum. */
#include "base/byte_io.h"

#include <assert.h>
#include <string.h>

/* The value whose lowest byte lies first in memory, and the other way round. */
static uint64_t little_endian(uint64_t value)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return value;
#else
    return __builtin_bswap64(value);
#endif
}

static void write_bytes(CofiWriter *writer, uint64_t value, size_t n)
{
    if (writer->at) {
        value = little_endian(value);
        memcpy(writer->at, &value, n);
        writer->at += n;
    }
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
    memcpy(&value, reader->at, n);
    reader->at += n;
    reader->left -= n;
    return little_endian(value);
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

/* The remainder of a byte that is followed by 0 to 3 other bytes. */
static void make_crc_tables(uint32_t tables[4][256])
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t crc = i;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
        tables[0][i] = crc;
    }
    for (int t = 1; t < 4; t++)
        for (int i = 0; i < 256; i++)
            tables[t][i] = tables[t - 1][i] >> 8 ^ tables[0][tables[t - 1][i] & 0xff];
}

/* Four bytes at a time: the remainder of their sum is the sum of their remainders. */
uint32_t cofi_crc32(const void *bytes, size_t size)
{
    assert(bytes || size == 0);
    uint32_t tables[4][256];
    make_crc_tables(tables);
    const unsigned char *p = bytes;
    uint32_t crc = ~0u;
    for (; size >= 4; size -= 4, p += 4) {
        crc ^= (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
        crc = tables[3][crc & 0xff] ^ tables[2][crc >> 8 & 0xff] ^ tables[1][crc >> 16 & 0xff] ^
              tables[0][crc >> 24];
    }
    for (; size > 0; size--, p++)
        crc = crc >> 8 ^ tables[0][(crc ^ *p) & 0xff];
    return ~crc;
}
