/* SPDX-License-Identifier: BSD-2-Clause */
/* Small fixed pieces of arithmetic, equal on every machine. */
#ifndef COF_ARITHMETIC_H
#define COF_ARITHMETIC_H

#include <float.h>
#include <stddef.h>
#include <stdint.h>

/* Doubles must not be kept in wider registers: labels and counts would differ from machine to
 * machine. */
_Static_assert(FLT_EVAL_METHOD == 0, "libcof needs IEEE arithmetic in float and double");

/* The nearest float, finite if the value is. */
static inline float cofi_to_float(double value)
{
    double limit = (double)FLT_MAX;
    return (float)(value > limit ? limit : value < -limit ? -limit : value);
}

/* Infinities become the largest floats. */
static inline float cofi_to_finite(float value)
{
    return value > FLT_MAX ? FLT_MAX : value < -FLT_MAX ? -FLT_MAX : value;
}

/* 0..largest; 0 for NaN. */
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

/* The step and mixing of SplitMix64: every bit of z has a say in every bit of the result. */
static inline uint64_t cofi_mix(uint64_t z)
{
    z += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* A hash of a place in the full image. */
static inline uint64_t cofi_place_hash(int x, int y)
{
    return cofi_mix((uint64_t)(uint32_t)y << 32 | (uint32_t)x);
}

#endif
