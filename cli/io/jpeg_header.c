/* SPDX-License-Identifier: BSD-2-Clause */
/* Quality and chroma subsampling of JPEG, from its quantisation tables and sampling factors. */
#include "io/jpeg_header.h"

enum { SOI = 0xd8, EOI = 0xd9, SOS = 0xda, DQT = 0xdb };

/* The tables of ITU-T T.81, annex K.1, which libjpeg scales by the quality. */
static const int luminance[64] = {16,  11,  10,  16,  24, 40, 51,  61,  12,  12,  14,  19,  26,
                                  58,  60,  55,  14,  13, 16, 24,  40,  57,  69,  56,  14,  17,
                                  22,  29,  51,  87,  80, 62, 18,  22,  37,  56,  68,  109, 103,
                                  77,  24,  35,  55,  64, 81, 104, 113, 92,  49,  64,  78,  87,
                                  103, 121, 120, 101, 72, 92, 95,  98,  112, 100, 103, 99};
static const int chrominance[64] = {17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99,
                                    24, 26, 56, 99, 99, 99, 99, 99, 47, 66, 99, 99, 99, 99, 99, 99,
                                    99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
                                    99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99};

/* The sum of a table as libjpeg scales it. */
static uint64_t scaled_sum(const int table[64], int quality)
{
    int scale = quality < 50 ? 5000 / quality : 200 - 2 * quality;
    uint64_t sum = 0;
    for (int i = 0; i < 64; i++) {
        int value = (table[i] * scale + 50) / 100;
        sum += (uint64_t)(value < 1 ? 1 : value > 255 ? 255 : value);
    }
    return sum;
}

/* The lowest quality whose tables are as fine as those of the file, by their sums. The sums differ
 * for all qualities, so that the quality of a file of libjpeg is found exactly. A sum is 0 if the
 * file lacks the table. */
static int estimate_quality(const uint64_t sums[2])
{
    if (sums[0] == 0)
        return 0;
    int quality = 1;
    while (quality < 100 &&
           scaled_sum(luminance, quality) + (sums[1] > 0 ? scaled_sum(chrominance, quality) : 0) >
               sums[0] + sums[1])
        quality++;
    return quality;
}

/* Reads the tables of a segment that ends at `end`; of luminance and chrominance are 0 and 1. */
static void read_tables(HeaderReader *reader, uint64_t end, uint64_t sums[2])
{
    while (!reader->failed && header_position(reader) < end) {
        int selector = (int)header_number(reader, 1);
        uint64_t sum = 0;
        for (int i = 0; i < 64; i++)
            sum += header_number(reader, selector >> 4 ? 2 : 1);
        if (!reader->failed && (selector & 15) < 2)
            sums[selector & 15] = sum;
    }
}

static Chroma read_sampling(HeaderReader *reader)
{
    int factors[3];
    header_number(reader, 5); /* precision, height and width */
    if (header_number(reader, 1) != 3)
        return CHROMA_UNKNOWN;
    for (int i = 0; i < 3; i++) {
        header_number(reader, 1);
        factors[i] = (int)header_number(reader, 1);
        header_number(reader, 1);
    }
    if (reader->failed || factors[1] != factors[2])
        return CHROMA_UNKNOWN;
    return factors[0] == factors[1]                   ? CHROMA_444
           : factors[0] == 0x22 && factors[1] == 0x11 ? CHROMA_420
                                                      : CHROMA_OTHER;
}

/* SOF0 to SOF15, which describe a frame; DHT, JPG and DAC lie between them. */
static bool is_frame(int marker)
{
    return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
}

void jpeg_header_read(HeaderReader *reader, Encoding *encoding)
{
    uint64_t sums[2] = {0, 0};
    if (header_number(reader, 2) != (0xff00 | SOI))
        return;
    while (!reader->failed && header_number(reader, 1) == 0xff) {
        int marker = (int)header_number(reader, 1);
        while (marker == 0xff) /* padding */
            marker = (int)header_number(reader, 1);
        if (marker == SOS || marker == EOI)
            break;
        uint64_t start = header_position(reader), length = header_number(reader, 2);
        if (length < 2)
            break;
        if (marker == DQT)
            read_tables(reader, start + length, sums);
        else if (is_frame(marker))
            encoding->chroma = read_sampling(reader);
        header_seek(reader, start + length);
    }
    encoding->quality = estimate_quality(sums);
}
