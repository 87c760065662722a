/* SPDX-License-Identifier: BSD-2-Clause */
/* A bounded reader and writer of little-endian bytes, and their checksum. */
#include "base/byte_io.h"

#include <assert.h>
#include <string.h>

#define IS_LITTLE_ENDIAN (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)

/* The value whose lowest byte lies first in memory, and the other way round. */
static uint64_t little_endian(uint64_t value)
{
    return IS_LITTLE_ENDIAN ? value : __builtin_bswap64(value);
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

/* Values whose bytes lie in memory as they do in a file. */
static void write_block(CofiWriter *writer, const void *values, size_t bytes)
{
    if (writer->at && bytes > 0) {
        memcpy(writer->at, values, bytes);
        writer->at += bytes;
    }
    writer->size += bytes;
}

void cofi_write_zeros(CofiWriter *writer, size_t bytes)
{
    if (writer->at) {
        memset(writer->at, 0, bytes);
        writer->at += bytes;
    }
    writer->size += bytes;
}

void cofi_write_u64s(CofiWriter *writer, const uint64_t *values, size_t n)
{
    if (IS_LITTLE_ENDIAN)
        write_block(writer, values, n * sizeof *values);
    for (size_t i = 0; i < n && !IS_LITTLE_ENDIAN; i++)
        cofi_write_u64(writer, values[i]);
}

void cofi_write_f32s(CofiWriter *writer, const float *values, size_t n)
{
    if (IS_LITTLE_ENDIAN)
        write_block(writer, values, n * sizeof *values);
    for (size_t i = 0; i < n && !IS_LITTLE_ENDIAN; i++)
        cofi_write_f32(writer, values[i]);
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

/* Values whose bytes lie in memory as they do in a file; 0 beyond its end. */
static void read_block(CofiReader *reader, void *values, size_t n, size_t size)
{
    if (!cofi_reader_has(reader, n, size)) {
        memset(values, 0, n * size);
    } else if (n > 0) {
        memcpy(values, reader->at, n * size);
        reader->at += n * size;
        reader->left -= n * size;
    }
}

void cofi_read_u64s(CofiReader *reader, uint64_t *values, size_t n)
{
    if (IS_LITTLE_ENDIAN)
        read_block(reader, values, n, sizeof *values);
    for (size_t i = 0; i < n && !IS_LITTLE_ENDIAN; i++)
        values[i] = cofi_read_u64(reader);
}

void cofi_read_f32s(CofiReader *reader, float *values, size_t n)
{
    if (IS_LITTLE_ENDIAN)
        read_block(reader, values, n, sizeof *values);
    for (size_t i = 0; i < n && !IS_LITTLE_ENDIAN; i++)
        values[i] = cofi_read_f32(reader);
}

bool cofi_reader_has(CofiReader *reader, size_t count, size_t size)
{
    assert(size > 0);
    if (count > reader->left / size)
        reader->failed = true;
    return !reader->failed;
}

#define CRC_POLYNOMIAL 0xedb88320u

/* The remainder of a byte that is followed by 0 to 3 other bytes. */
static void make_crc_tables(uint32_t tables[4][256])
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t crc = i;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? CRC_POLYNOMIAL : 0);
        tables[0][i] = crc;
    }
    for (int t = 1; t < 4; t++)
        for (int i = 0; i < 256; i++)
            tables[t][i] = tables[t - 1][i] >> 8 ^ tables[0][tables[t - 1][i] & 0xff];
}

/* A remainder as a polynomial: bit 31 is the coefficient of 1, bit 0 that of x^31. */
#define CRC_ONE 0x80000000u
#define CRC_OF_BYTE 0x00800000u /* x^8: what a byte that follows multiplies it by */

static uint32_t crc_product(uint32_t a, uint32_t b)
{
    uint32_t product = 0;
    for (uint32_t bit = CRC_ONE; bit != 0; bit >>= 1, b = b >> 1 ^ (b & 1 ? CRC_POLYNOMIAL : 0))
        product ^= a & bit ? b : 0;
    return product;
}

/* What n bytes that follow multiply a remainder by. */
static uint32_t crc_of_length(size_t n)
{
    uint32_t power = CRC_ONE;
    for (uint32_t square = CRC_OF_BYTE; n != 0; n >>= 1, square = crc_product(square, square))
        power = n & 1 ? crc_product(power, square) : power;
    return power;
}

/* Four bytes: the remainder of their sum is the sum of their remainders. */
static inline uint32_t add_four(const uint32_t tables[4][256], uint32_t crc, const unsigned char *p)
{
    crc ^= (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
    return tables[3][crc & 0xff] ^ tables[2][crc >> 8 & 0xff] ^ tables[1][crc >> 16 & 0xff] ^
           tables[0][crc >> 24];
}

/* The remainder of long input: of its quarters side by side, since each step waits for the one
 * before. Returns the number of bytes done. */
static size_t add_quarters(const uint32_t tables[4][256], uint32_t *crc, const unsigned char *p,
                           size_t size)
{
    size_t quarter = size / 16 * 4;
    uint32_t crcs[4] = {*crc};
    for (size_t i = 0; i < quarter; i += 4)
        for (size_t j = 0; j < 4; j++)
            crcs[j] = add_four(tables, crcs[j], p + j * quarter + i);
    uint32_t power = crc_of_length(quarter);
    for (int j = 1; j < 4; j++)
        crcs[0] = crc_product(crcs[0], power) ^ crcs[j];
    *crc = crcs[0];
    return 4 * quarter;
}

#define MIN_QUARTERS 4096

uint32_t cofi_crc32(const void *bytes, size_t size)
{
    assert(bytes || size == 0);
    uint32_t tables[4][256];
    make_crc_tables(tables);
    const unsigned char *p = bytes;
    uint32_t crc = ~0u;
    if (size >= MIN_QUARTERS) {
        size_t done = add_quarters((const uint32_t(*)[256])tables, &crc, p, size);
        p += done;
        size -= done;
    }
    for (; size >= 4; size -= 4, p += 4)
        crc = add_four((const uint32_t(*)[256])tables, crc, p);
    for (; size > 0; size--, p++)
        crc = crc >> 8 ^ tables[0][(crc ^ *p) & 0xff];
    return ~crc;
}
