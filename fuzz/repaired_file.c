/* SPDX-License-Identifier: BSD-2-Clause */
/* .cof files among the bytes of an input, with sizes and checksums that fit. */
#include "repaired_file.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

enum { SIZE_AT = 16, HEADER_SIZE = 24, CHECKSUM_SIZE = 4 };

static uint64_t get_number(const uint8_t *at, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++)
        value |= (uint64_t)at[i] << 8 * i;
    return value;
}

static void put_number(uint8_t *at, int bytes, uint64_t value)
{
    for (int i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

static void fill_table(uint32_t table[256])
{
    for (uint32_t i = 0; i < 256; i++) {
        table[i] = i;
        for (int bit = 0; bit < 8; bit++)
            table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320u : 0);
    }
}

static uint32_t crc32(const uint8_t *bytes, size_t size)
{
    static uint32_t table[256];
    if (table[1] == 0)
        fill_table(table);
    uint32_t sum = ~0u;
    for (size_t i = 0; i < size; i++)
        sum = table[(sum ^ bytes[i]) & 255] ^ sum >> 8;
    return ~sum;
}

static size_t file_size(const Input *input)
{
    size_t frame = HEADER_SIZE + CHECKSUM_SIZE;
    if (input->left < frame)
        return input->left;
    uint64_t payload = get_number(input->at + SIZE_AT, 8);
    return payload < input->left - frame ? (size_t)payload + frame : input->left;
}

RepairedFile repaired_file_next(Input *input)
{
    RepairedFile file = {.size = file_size(input)};
    file.bytes = malloc(file.size > 0 ? file.size : 1);
    CHECK(file.bytes != NULL);
    if (file.size > 0)
        memcpy(file.bytes, input->at, file.size);
    input->at += file.size;
    input->left -= file.size;
    if (file.size < HEADER_SIZE + CHECKSUM_SIZE || memcmp(file.bytes, "COF\x1a", 4) != 0)
        return file;
    size_t covered = file.size - CHECKSUM_SIZE;
    put_number(file.bytes + SIZE_AT, 8, covered - HEADER_SIZE);
    put_number(file.bytes + covered, CHECKSUM_SIZE, crc32(file.bytes, covered));
    return file;
}

void repaired_file_free(RepairedFile *file)
{
    free(file->bytes);
    *file = (RepairedFile){0};
}
