/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks the kernels of colour against C. */
#include "kernels_check.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ROW 1000

/* A quarter of what makes a difference when 16-bit samples are rounded. */
#define RGB_TOLERANCE 0x1p-19

static const double odd_values[] = {0,       -0.0,   1,        216.0 / 24389, 0.0031308, 5e-324,
                                    -1e-310, 1e-40,  1e15,     -1e15,         FLT_MAX,   -FLT_MAX,
                                    1e-8,    0.0088, 0.008857, 1e4,           -0.5,      255};

typedef enum Mix { PLAIN, ODD, BOTH } Mix;

static double value_of(Random *random, Mix mix)
{
    uint32_t n = sizeof odd_values / sizeof odd_values[0];
    if (mix == ODD || (mix == BOTH && random_below(random, 4) == 0))
        return odd_values[random_below(random, n)];
    return (double)random_between(random, 0, 1);
}

static void check_lab_row(const Level *level, Random *random, int n, Mix mix)
{
    size_t bytes = (size_t)n * sizeof(float);
    double *rgb[3];
    float *lab[3], *want[3];
    for (int i = 0; i < 3; i++) {
        rgb[i] = guarded((size_t)n * sizeof(double), n % 2 ? WALL_AFTER : WALL_BEFORE);
        for (int x = 0; x < n; x++)
            rgb[i][x] = value_of(random, mix);
        lab[i] = fenced(bytes);
        want[i] = fenced(bytes);
    }
    checking("%s lab_from_linear: n %d, mix %d", level->name, n, mix);
    level->kernels.lab_from_linear(rgb[0], rgb[1], rgb[2], n, lab[0], lab[1], lab[2]);
    cofi_lab_from_linear_c(rgb[0], rgb[1], rgb[2], n, want[0], want[1], want[2]);
    for (int i = 0; i < 3; i++) {
        expect(memcmp(lab[i], want[i], bytes) == 0, "is not what C gives");
        expect(untouched(lab[i], bytes), "writes outside");
    }
    release();
}

/* Light of 0..1. */
static void check_samples_row(const Level *level, Random *random, int n)
{
    size_t bytes = (size_t)n * sizeof(float);
    float *rgb[3], *lab[3], *want[3];
    for (int i = 0; i < 3; i++) {
        rgb[i] = guarded(bytes, n % 2 ? WALL_AFTER : WALL_BEFORE);
        for (int x = 0; x < n; x++) {
            float dark = random_below(random, 2) ? 0.02f : 1;
            rgb[i][x] = random_below(random, 8) ? random_between(random, 0, dark) : x % 2 ? 0 : 1;
        }
        lab[i] = fenced(bytes);
        want[i] = fenced(bytes);
    }
    checking("%s lab_from_samples: n %d", level->name, n);
    level->kernels.lab_from_samples(rgb[0], rgb[1], rgb[2], n, lab[0], lab[1], lab[2]);
    cofi_lab_from_samples_c(rgb[0], rgb[1], rgb[2], n, want[0], want[1], want[2]);
    for (int i = 0; i < 3; i++) {
        expect(memcmp(lab[i], want[i], bytes) == 0, "is not what C gives");
        expect(untouched(lab[i], bytes), "writes outside");
    }
    release();
}

/* Pixels of bytes: no byte beyond the last one is read. */
static void check_lab_bytes_row(const Level *level, Random *random, int n)
{
    size_t bytes = (size_t)n * sizeof(float);
    int step = 3 + (int)random_below(random, 3);
    size_t size = n > 0 ? (size_t)((n - 1) * step + 3) : 0;
    uint8_t *pixels = guarded(size, n % 2 ? WALL_AFTER : WALL_BEFORE);
    float table[256], *lab[3], *want[3];
    for (size_t i = 0; i < size; i++)
        pixels[i] = (uint8_t)random_below(random, 256);
    for (int i = 0; i < 256; i++)
        table[i] = random_between(random, 0, 1);
    for (int i = 0; i < 3; i++) {
        lab[i] = fenced(bytes);
        want[i] = fenced(bytes);
    }
    checking("%s lab_from_bytes: n %d, step %d", level->name, n, step);
    level->kernels.lab_from_bytes(pixels, step, table, n, lab[0], lab[1], lab[2]);
    cofi_lab_from_bytes_c(pixels, step, table, n, want[0], want[1], want[2]);
    for (int i = 0; i < 3; i++) {
        expect(memcmp(lab[i], want[i], bytes) == 0, "is not what C gives");
        expect(untouched(lab[i], bytes), "writes outside");
    }
    release();
}

static void check_decode_row(const Level *level, Random *random, int n, Mix mix)
{
    size_t bytes = (size_t)n * sizeof(double);
    double max = mix == PLAIN ? 1 : random_below(random, 2) ? 255 : 65535;
    float *values = guarded((size_t)n * sizeof(float), n % 2 ? WALL_AFTER : WALL_BEFORE);
    for (int x = 0; x < n; x++)
        values[x] = (float)(value_of(random, mix) * (x % 2 ? max : 1));
    double *linear = fenced(bytes), *want = fenced(bytes);
    checking("%s decode_row: n %d, mix %d", level->name, n, mix);
    level->kernels.decode_row(values, n, max, linear);
    cofi_decode_row_c(values, n, max, want);
    expect(memcmp(linear, want, bytes) == 0, "is not what C gives");
    expect(untouched(linear, bytes), "writes outside");
    release();
}

static void check_rgb_row(const Level *level, Random *random, int n, Mix mix)
{
    size_t bytes = (size_t)n * sizeof(float);
    float *lab[3], *rgb[3], *want[3];
    for (int i = 0; i < 3; i++) {
        lab[i] = guarded(bytes, n % 2 ? WALL_AFTER : WALL_BEFORE);
        for (int x = 0; x < n; x++)
            lab[i][x] = (float)(value_of(random, mix) * (mix == PLAIN ? 100 : 1));
        rgb[i] = fenced(bytes);
        want[i] = fenced(bytes);
    }
    checking("%s rgb_from_lab: n %d, mix %d", level->name, n, mix);
    level->kernels.rgb_from_lab(lab[0], lab[1], lab[2], n, rgb[0], rgb[1], rgb[2]);
    cofi_rgb_from_lab_c(lab[0], lab[1], lab[2], n, want[0], want[1], want[2]);
    for (int i = 0; i < 3; i++) {
        for (int x = 0; x < n; x++) {
            double size = fmax(1, fabs((double)want[i][x]));
            double error = fabs((double)rgb[i][x] - (double)want[i][x]) / size;
            expect(error <= RGB_TOLERANCE, "is not what C gives");
        }
        expect(untouched(rgb[i], bytes), "writes outside");
    }
    release();
}

/* The table of the library, from thresholds in double precision. */
static void fill_encoding(uint32_t *table)
{
    enum { ENTRIES = 1 << COFI_ENCODING_BITS };
    for (int i = 0, byte = 0; i < ENTRIES; i++) {
        double middle = (byte + 0.5) / 255;
        double light = middle > 0.04045 ? pow((middle + 0.055) / 1.055, 2.4) : middle / 12.92;
        bool within = byte < 255 && light < (i + 1.0) / ENTRIES;
        table[i] = (within ? (uint32_t)ceil(light * 0x1p24) : 0xffffff) << 8 | (uint32_t)byte;
        byte += within;
    }
}

/* The byte of an encoded value, and whether it is so near to the middle between two that either may
 * be chosen. */
static uint8_t byte_of(float value, bool *near)
{
    double steps = fmin(fmax(255 * (double)value, 0), 255), rounded = floor(steps + 0.5);
    *near = fabs(fabs(steps - rounded) - 0.5) < 1e-3 * (1 + fabs((double)value));
    return (uint8_t)rounded;
}

/* The bytes of what rgb_from_lab() computes, which is checked on its own; NaN counts as 0. */
static void check_bytes_row(const Level *level, Random *random, int n, Mix mix)
{
    static uint32_t table[1 << COFI_ENCODING_BITS];
    size_t bytes = (size_t)n * sizeof(float);
    int step = 3 + (int)random_below(random, 3);
    size_t size = n > 0 ? (size_t)((n - 1) * step + 3) : 0;
    float *lab[3], *rgb[3];
    for (int i = 0; i < 3; i++) {
        lab[i] = guarded(bytes, n % 2 ? WALL_AFTER : WALL_BEFORE);
        for (int x = 0; x < n; x++)
            lab[i][x] = (float)(value_of(random, mix) * (mix == PLAIN ? 100 : 1));
        rgb[i] = fenced(bytes);
    }
    if (mix == BOTH && n > 0)
        lab[0][n / 2] = NAN;
    uint8_t *packed = fenced(size);
    fill_encoding(table);
    checking("%s bytes_from_lab: n %d, step %d, mix %d", level->name, n, step, mix);
    level->kernels.bytes_from_lab(lab[0], lab[1], lab[2], n, table, step, packed);
    cofi_rgb_from_lab_c(lab[0], lab[1], lab[2], n, rgb[0], rgb[1], rgb[2]);
    for (int x = 0; x < n; x++)
        for (int i = 0; i < 3; i++) {
            bool near;
            uint8_t got = packed[x * step + i], want = byte_of(rgb[i][x], &near);
            expect(got == want || (near && abs(got - want) == 1), "is not the nearest byte");
        }
    expect(untouched(packed, size), "writes outside");
    release();
}

/* Lab in 24 bits: what C makes of it, and near to what it was. */
static void check_packed_row(const Level *level, Random *random, int n)
{
    size_t bytes = (size_t)n * sizeof(float), high_bytes = (size_t)n * sizeof(int16_t);
    float *lab[3], *back[3], *want_back[3];
    CofiPackedLab packed, want;
    for (int i = 0; i < 3; i++) {
        lab[i] = guarded(bytes, n % 2 ? WALL_AFTER : WALL_BEFORE);
        for (int x = 0; x < n; x++)
            lab[i][x] = random_between(random, i == 0 ? 0 : -108, 100);
        packed.high[i] = fenced(high_bytes);
        packed.low[i] = fenced((size_t)n);
        want.high[i] = fenced(high_bytes);
        want.low[i] = fenced((size_t)n);
        back[i] = fenced(bytes);
        want_back[i] = fenced(bytes);
    }
    checking("%s pack_lab: n %d", level->name, n);
    level->kernels.pack_lab((const float *const *)lab, n, &packed);
    cofi_pack_lab_c((const float *const *)lab, n, &want);
    level->kernels.unpack_lab(&packed, n, back);
    cofi_unpack_lab_c(&want, n, want_back);
    for (int i = 0; i < 3; i++) {
        expect(memcmp(packed.high[i], want.high[i], high_bytes) == 0 &&
                   memcmp(packed.low[i], want.low[i], (size_t)n) == 0,
               "is not what C gives");
        expect(memcmp(back[i], want_back[i], bytes) == 0, "unpacked, is not what C gives");
        expect(untouched(packed.high[i], high_bytes) && untouched(packed.low[i], (size_t)n) &&
                   untouched(back[i], bytes),
               "writes outside");
        for (int x = 0; x < n; x++)
            expect(fabsf(back[i][x] - lab[i][x]) <= 0.51f / 37120 + 1e-5f, "has changed too much");
    }
    release();
}

/* Bytes of all reds and greens, and of some blues, to Lab, to 24 bits, and all the way back. */
static void check_round_trip(const Level *level)
{
    enum { N = 52 }; /* blues */
    static uint32_t encoding[1 << COFI_ENCODING_BITS];
    float table[256], lab[3][N];
    int16_t high[3][N];
    uint8_t low[3][N];
    float *const to_lab[3] = {lab[0], lab[1], lab[2]};
    CofiPackedLab packed = {{high[0], high[1], high[2]}, {low[0], low[1], low[2]}};
    uint8_t bytes[3 * N], back[3 * N];
    for (int i = 0; i < 256; i++) {
        double light;
        cofi_decode_row_c(&(float){(float)i}, 1, 255, &light);
        table[i] = (float)light;
    }
    fill_encoding(encoding);
    checking("%s: bytes to Lab and back", level->name);
    for (int i = 0; i < 256 * 256; i++) {
        for (int x = 0; x < N; x++) {
            bytes[3 * x] = (uint8_t)(i / 256);
            bytes[3 * x + 1] = (uint8_t)i;
            bytes[3 * x + 2] = (uint8_t)(5 * x + i % 5 % (x < 51 ? 5 : 1));
        }
        const CofiKernels *k = &level->kernels;
        k->lab_from_bytes(bytes, 3, table, N, lab[0], lab[1], lab[2]);
        k->pack_lab((const float *const *)to_lab, N, &packed);
        k->unpack_lab(&packed, N, to_lab);
        k->bytes_from_lab(lab[0], lab[1], lab[2], N, encoding, 3, back);
        expect(memcmp(bytes, back, sizeof bytes) == 0, "a colour has changed");
    }
}

void check_colour(const Level *level)
{
    Random random = {1};
    for (Mix mix = PLAIN; mix <= BOTH; mix++) {
        for (int n = 0; n <= 70; n++) {
            check_decode_row(level, &random, n, mix);
            check_lab_row(level, &random, n, mix);
            check_samples_row(level, &random, n);
            check_lab_bytes_row(level, &random, n);
            check_packed_row(level, &random, n);
            check_rgb_row(level, &random, n, mix);
            check_bytes_row(level, &random, n, mix);
        }
        check_bytes_row(level, &random, MAX_ROW, mix);
        check_decode_row(level, &random, MAX_ROW, mix);
        check_samples_row(level, &random, MAX_ROW);
        check_lab_row(level, &random, MAX_ROW, mix);
        check_rgb_row(level, &random, MAX_ROW, mix);
    }
    check_round_trip(level);
}
