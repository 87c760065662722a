/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts linear sRGB to CIE Lab, and CIE Lab to encoded sRGB, in loops that compilers vectorise.
 * Each level includes this file after it has defined
 *
 *     LEVEL(name)    the name of a kernel at this level
 *     LOOK_UP        if the level has its own look_up_some()
 *     ENCODE         if the level has its own encode_some()
 *     PACK           if the level has its own pack_some()
 *     FUSED          if the level has fused multiply-add
 */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/roots.h"
#include "kernels/kernels.h"

/* Linear sRGB to XYZ under D65, each row divided by its sum: white is (1, 1, 1). */
static const double to_xyz[3][3] = {
    {0.43394994055572506, 0.37620976990331101, 0.18984028954096394},
    {0.21267287873271212, 0.71515212848478715, 0.072174992782500724},
    {0.017756582753965269, 0.10946796102238184, 0.87277545622365293},
};

static const double from_xyz[3][3] = {
    {3.0799551079932685, -1.5371390038164603, -0.54281610417680803},
    {-0.92125862558511262, 1.8760111164435842, 0.045247509141528502},
    {0.052887401031216946, -0.20402587467028357, 1.1511384736390666},
};

/* Constants of CIE: up to t = epsilon, a line replaces the cube root. */
#define EPSILON (216.0 / 24389)
#define KAPPA (24389.0 / 27)
#define ROOT_OF_EPSILON (6.0 / 29)

/* a * b + c, rounded once at levels with fused multiply-add, and twice in C, whatever the compiler
 * may use: C gives the same result on every machine. Not for kernels marked "Fixed". */
#if defined(FUSED)
#define fused(a, b, c) __builtin_fmaf(a, b, c)
#else
#define fused(a, b, c) ((a) * (b) + (c))
#endif

/* Larger Lab values are converted in double precision. */
#define MAX_FLOAT_LAB 1e4f

static inline double dot(const double row[3], double x, double y, double z)
{
    return row[0] * x + row[1] * y + row[2] * z;
}

/* Both cases are computed, since a branch would prevent vectorisation. Where the root is not used,
 * it is the root of 1. */
static inline double compress(double t)
{
    double line = (KAPPA * t + 16) / 116, root = cofi_cube_root(t > EPSILON ? t : 1);
    return t > EPSILON ? root : line;
}

void LEVEL(cofi_lab_from_linear)(const double *red, const double *green, const double *blue, int n,
                                 float *restrict lightness, float *restrict a, float *restrict b)
{
    for (int i = 0; i < n; i++) {
        double x = compress(dot(to_xyz[0], red[i], green[i], blue[i]));
        double y = compress(dot(to_xyz[1], red[i], green[i], blue[i]));
        double z = compress(dot(to_xyz[2], red[i], green[i], blue[i]));
        lightness[i] = cofi_to_float(116 * y - 16);
        a[i] = cofi_to_float(500 * (x - y));
        b[i] = cofi_to_float(200 * (y - z));
    }
}

/* A number of about 2^30 as an integer. Such numbers are integers; with SIMD128 of WebAssembly,
 * most processors need one instruction to convert them, and five for those out of range. */
static inline int32_t integer_of(float number)
{
#if defined(__wasm_simd128__)
    int32_t bits;
    number -= 1024e6f; /* now it is in 2^25..2^26, and its mantissa counts fours */
    memcpy(&bits, &number, sizeof bits);
    return (int32_t)((uint32_t)bits << 2) + (1024000000 - 23 * (1 << 25));
#else
    return (int32_t)number;
#endif
}

/* x^(1/3) for x > EPSILON, as a fixed sequence of single-precision operations: the exponent is
 * divided by -3, then Newton's method finds x^(-1/3), which needs no division. */
static inline float cube_root_float(float x)
{
    int32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = integer_of(1419967116.0f - (float)bits * (1.0f / 3));
    float y, third = x * (1.0f / 3);
    memcpy(&y, &bits, sizeof y);
    for (int round = 0; round < 3; round++)
        y = y * ((float)(4.0 / 3) - third * (y * y * y));
    return x * (y * y);
}

static inline float compress_float(float t)
{
    float line = t * (float)(KAPPA / 116) + (float)(16.0 / 116);
    float root = cube_root_float(t > (float)EPSILON ? t : 1);
    return t > (float)EPSILON ? root : line;
}

static inline float dot_float(const double row[3], float x, float y, float z)
{
    return (float)row[0] * x + (float)row[1] * y + (float)row[2] * z;
}

void LEVEL(cofi_lab_from_samples)(const float *red, const float *green, const float *blue, int n,
                                  float *restrict lightness, float *restrict a, float *restrict b)
{
    for (int i = 0; i < n; i++) {
        float x = compress_float(dot_float(to_xyz[0], red[i], green[i], blue[i]));
        float y = compress_float(dot_float(to_xyz[1], red[i], green[i], blue[i]));
        float z = compress_float(dot_float(to_xyz[2], red[i], green[i], blue[i]));
        lightness[i] = 116 * y - 16;
        a[i] = 500 * (x - y);
        b[i] = 200 * (y - z);
    }
}

/* Looks up the first of n pixels with vectors; returns the number of pixels done. */
#if !defined(LOOK_UP)
static inline int look_up_some(const uint8_t *bytes, ptrdiff_t step, const float *table, int n,
                               float *const light[3])
{
    (void)bytes, (void)step, (void)table, (void)n, (void)light;
    return 0;
}
#endif

/* The number of pixels that are looked up at once. */
#define LIGHT_BLOCK 128

void LEVEL(cofi_lab_from_bytes)(const uint8_t *bytes, ptrdiff_t step, const float *table, int n,
                                float *lightness, float *a, float *b)
{
    float red[LIGHT_BLOCK], green[LIGHT_BLOCK], blue[LIGHT_BLOCK];
    float *const light[3] = {red, green, blue};
    for (int first = 0; first < n; first += LIGHT_BLOCK) {
        int count = n - first < LIGHT_BLOCK ? n - first : LIGHT_BLOCK;
        const uint8_t *pixels = bytes + first * step;
        for (int i = look_up_some(pixels, step, table, count, light); i < count; i++) {
            red[i] = table[pixels[i * step]];
            green[i] = table[pixels[i * step + 1]];
            blue[i] = table[pixels[i * step + 2]];
        }
        LEVEL(cofi_lab_from_samples)
        (red, green, blue, count, lightness + first, a + first, b + first);
    }
}

/* v^2.4 = v^2 (v^(1/5))^2. */
void LEVEL(cofi_decode_row)(const float *values, int n, double max, double *restrict linear)
{
    for (int i = 0; i < n; i++) {
        double v = (double)values[i] / max, t = (v + 0.055) / 1.055;
        double root = cofi_fifth_root(v > 0.04045 ? t : 1);
        linear[i] = v > 0.04045 ? t * t * (root * root) : v / 12.92;
    }
}

static inline float expand_float(float f)
{
    float cube = f * f * f, line = fused(f, (float)(116 / KAPPA), (float)(-16 / KAPPA));
    return f > (float)ROOT_OF_EPSILON ? cube : line;
}

/* log2(1 + r) / r for 1 + r from sqrt(1/2) to sqrt(2). The error of the logarithm is at most 3e-7.
 */
static inline float log2_over(float r)
{
    float p = fused(r, 0.170633007f, -0.272697766f);
    p = fused(r, p, 0.297262938f);
    p = fused(r, p, -0.358961871f);
    p = fused(r, p, 0.480465011f);
    p = fused(r, p, -0.721375871f);
    return fused(r, p, 1.442699727f);
}

/* 2^x for x in -1/2..1/2, with a relative error of at most 1e-7. */
static inline float small_exp2(float x)
{
    float p = fused(x, 0.00132764672f, 0.00967554168f);
    p = fused(x, p, 0.0555071329f);
    p = fused(x, p, 0.240221197f);
    p = fused(x, p, 0.693146967f);
    return fused(x, p, 1.0f);
}

/* v^(1/2.4) of a normal number, by its logarithm. */
static inline float encoding_power(float v)
{
    static const float round = 0x1.8p23f; /* adding it rounds to an integer */
    int32_t bits, exponent, integer;
    memcpy(&bits, &v, sizeof bits);
    exponent = (bits - 0x3f3504f3) >> 23; /* the bits of sqrt(1/2): mantissas start there */
    bits -= exponent * (1 << 23);
    float mantissa, power;
    memcpy(&mantissa, &bits, sizeof mantissa);
    float r = mantissa - 1, log = fused(r, log2_over(r), (float)exponent) * (float)(1 / 2.4);
    float rounded = log + round;
    power = small_exp2(log - (rounded - round));
    memcpy(&integer, &rounded, sizeof integer);
    memcpy(&bits, &power, sizeof bits);
    bits = (int32_t)((uint32_t)bits + ((uint32_t)integer << 23));
    memcpy(&power, &bits, sizeof power);
    return power;
}

static inline float encode_float(float v)
{
    float power = encoding_power(v > 0.0031308f ? v : 1);
    return v > 0.0031308f ? fused(1.055f, power, -0.055f) : 12.92f * v;
}

static inline float dot_fused(const double row[3], float x, float y, float z)
{
    return fused((float)row[0], x, fused((float)row[1], y, (float)row[2] * z));
}

static void rgb_from_small_lab(const float *lightness, const float *a, const float *b, int n,
                               float *restrict red, float *restrict green, float *restrict blue)
{
    for (int i = 0; i < n; i++) {
        float f = (lightness[i] + 16) * (1.0f / 116);
        float x = expand_float(f + a[i] * (1.0f / 500)), y = expand_float(f),
              z = expand_float(f - b[i] * (1.0f / 200));
        red[i] = encode_float(dot_fused(from_xyz[0], x, y, z));
        green[i] = encode_float(dot_fused(from_xyz[1], x, y, z));
        blue[i] = encode_float(dot_fused(from_xyz[2], x, y, z));
    }
}

static inline double expand(double f)
{
    return f > ROOT_OF_EPSILON ? f * f * f : (116 * f - 16) / KAPPA;
}

static inline double encode(double v)
{
    if (v <= 0.0031308)
        return 12.92 * v;
    double c = cofi_cube_root(v);
    return 1.055 * (c * sqrt(sqrt(c))) - 0.055;
}

static void rgb_from_large_lab(float lightness, float a, float b, float *red, float *green,
                               float *blue)
{
    double f = ((double)lightness + 16) / 116;
    double x = expand(f + (double)a / 500), y = expand(f), z = expand(f - (double)b / 200);
    *red = cofi_to_float(encode(dot(from_xyz[0], x, y, z)));
    *green = cofi_to_float(encode(dot(from_xyz[1], x, y, z)));
    *blue = cofi_to_float(encode(dot(from_xyz[2], x, y, z)));
}

static inline float size_of_lab(float lightness, float a, float b)
{
    return fabsf(lightness) + fabsf(a) + fabsf(b);
}

/* Which precision a pixel is converted in depends on the pixel alone, not on its neighbours. */
void LEVEL(cofi_rgb_from_lab)(const float *lightness, const float *a, const float *b, int n,
                              float *red, float *green, float *blue)
{
    rgb_from_small_lab(lightness, a, b, n, red, green, blue);
    int large = 0;
    for (int i = 0; i < n; i++)
        large |= !(size_of_lab(lightness[i], a[i], b[i]) < MAX_FLOAT_LAB);
    for (int i = 0; large && i < n; i++)
        if (!(size_of_lab(lightness[i], a[i], b[i]) < MAX_FLOAT_LAB))
            rgb_from_large_lab(lightness[i], a[i], b[i], red + i, green + i, blue + i);
}

/* Linear light in steps of 2^-24. The last step is left out: no threshold is beyond it. */
#define LIGHT_STEPS 0x1p24f
#define MAX_LIGHT 0xfffffe

/* If |L| + |a| + |b| is below this, as in the sRGB gamut, linear light is within -127..127, and its
 * steps are within the range of 32 bits. */
#define MAX_BYTE_LAB 256.0f

/* The steps as the upper 24 bits of a word whose other bits are set. */
static inline uint32_t light_word(int steps)
{
    int above = steps > 0 ? steps : 0, clamped = above < MAX_LIGHT ? above : MAX_LIGHT;
    return (uint32_t)clamped << 8 | 0xff;
}

static inline bool is_byte_lab(float lightness, float a, float b)
{
    return size_of_lab(lightness, a, b) < MAX_BYTE_LAB;
}

static void light_from_lab(const float *lightness, const float *a, const float *b, int n,
                           uint32_t *restrict red, uint32_t *restrict green,
                           uint32_t *restrict blue)
{
    for (int i = 0; i < n; i++) {
        float f = (lightness[i] + 16) * (1.0f / 116);
        float x = expand_float(f + a[i] * (1.0f / 500)), y = expand_float(f),
              z = expand_float(f - b[i] * (1.0f / 200));
        red[i] = light_word((int)(dot_fused(from_xyz[0], x, y, z) * LIGHT_STEPS));
        green[i] = light_word((int)(dot_fused(from_xyz[1], x, y, z) * LIGHT_STEPS));
        blue[i] = light_word((int)(dot_fused(from_xyz[2], x, y, z) * LIGHT_STEPS));
    }
}

/* NaN counts as 0. */
static uint32_t word_of_double(double light)
{
    return light_word((int)((light > 0 ? light < 1 ? light : 1 : 0) * (double)LIGHT_STEPS));
}

/* For pixels of which some are far outside the gamut. The precision that a pixel is converted in
 * depends on the pixel alone. */
static void light_from_any_lab(const float *lightness, const float *a, const float *b, int n,
                               uint32_t *red, uint32_t *green, uint32_t *blue)
{
    for (int i = 0; i < n; i++) {
        if (is_byte_lab(lightness[i], a[i], b[i])) {
            light_from_lab(lightness + i, a + i, b + i, 1, red + i, green + i, blue + i);
            continue;
        }
        double f = ((double)lightness[i] + 16) / 116;
        double x = expand(f + (double)a[i] / 500), y = expand(f),
               z = expand(f - (double)b[i] / 200);
        red[i] = word_of_double(dot(from_xyz[0], x, y, z));
        green[i] = word_of_double(dot(from_xyz[1], x, y, z));
        blue[i] = word_of_double(dot(from_xyz[2], x, y, z));
    }
}

static inline uint8_t encoded(uint32_t light, const uint32_t *table)
{
    uint32_t entry = table[light >> (32 - COFI_ENCODING_BITS)];
    return (uint8_t)(entry + (light >= entry));
}

/* Encodes the first of n pixels with vectors; returns the number of pixels done. */
#if !defined(ENCODE)
static inline int encode_some(uint32_t *const light[3], const uint32_t *table, ptrdiff_t step,
                              int n, uint8_t *bytes)
{
    (void)light, (void)table, (void)step, (void)n, (void)bytes;
    return 0;
}
#endif

void LEVEL(cofi_bytes_from_lab)(const float *lightness, const float *a, const float *b, int n,
                                const uint32_t *table, ptrdiff_t step, uint8_t *bytes)
{
    uint32_t red[LIGHT_BLOCK], green[LIGHT_BLOCK], blue[LIGHT_BLOCK];
    uint32_t *const light[3] = {red, green, blue};
    for (int first = 0; first < n; first += LIGHT_BLOCK) {
        int count = n - first < LIGHT_BLOCK ? n - first : LIGHT_BLOCK, outside = 0;
        const float *l = lightness + first, *la = a + first, *lb = b + first;
        for (int i = 0; i < count; i++)
            outside |= !is_byte_lab(l[i], la[i], lb[i]);
        if (outside)
            light_from_any_lab(l, la, lb, count, red, green, blue);
        else
            light_from_lab(l, la, lb, count, red, green, blue);
        uint8_t *to = bytes + first * step;
        for (int i = encode_some(light, table, step, count, to); i < count; i++) {
            to[i * step] = encoded(red[i], table);
            to[i * step + 1] = encoded(green[i], table);
            to[i * step + 2] = encoded(blue[i], table);
        }
    }
}

#include "kernels/lab/pack_loops.h"
