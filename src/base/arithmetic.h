/* SPDX-License-Identifier: BSD-2-Clause */
/* Arithmetic with the same result on every machine. */
#ifndef COF_ARITHMETIC_H
#define COF_ARITHMETIC_H

#include <float.h>
#include <stddef.h>
#include <stdint.h>

/* Wider registers would make labels and counts differ between machines. */
_Static_assert(FLT_EVAL_METHOD == 0, "libcof needs IEEE arithmetic in float and double "
                                     "(on i386: -msse2 -mfpmath=sse; on s390x: "
                                     "-fexcess-precision=fast)");

/* The nearest finite float. */
static inline float cofi_to_float(double value)
{
    double limit = (double)FLT_MAX;
    return (float)(value > limit ? limit : value < -limit ? -limit : value);
}

/* Infinities become the largest floats. In this form, compilers use minima and maxima of vectors,
 * which leave NaN as it is. */
static inline float cofi_to_finite(float value)
{
    float most = FLT_MAX < value ? FLT_MAX : value;
    return most < -FLT_MAX ? -FLT_MAX : most;
}

/* Clamps to 0..largest; NaN becomes 0. */
static inline double cofi_clamp(double value, double largest)
{
    return value > 0 ? (value < largest ? value : largest) : 0;
}

/* The sum of n values, from the first to the last. */
static inline double cofi_sum(const double *values, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    return sum;
}

/* The step and mixing of SplitMix64: each bit of the result depends on every bit of z. */
static inline uint64_t cofi_mix(uint64_t z)
{
    z += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* A hash of the coordinates of a pixel in the full image. */
static inline uint64_t cofi_place_hash(int x, int y)
{
    return cofi_mix((uint64_t)(uint32_t)y << 32 | (uint32_t)x);
}

#endif
