/* SPDX-License-Identifier: BSD-2-Clause */
/* Cube and fifth roots as one fixed sequence of IEEE operations, equal on every machine. */
#ifndef COF_ROOTS_H
#define COF_ROOTS_H

#include <stdint.h>
#include <string.h>

/* A double with these upper 32 bits: the start of Newton's rounds below. Dividing the exponent is
 * within 4 % of the root; each round squares that error, so that four reach full precision. */
static inline double cofi_from_high_bits(uint32_t high)
{
    uint64_t bits = (uint64_t)high << 32;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint32_t cofi_high_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (uint32_t)(bits >> 32);
}

/* x^(1/3) for normal x > 0, by way of x^(-1/3), which needs no division. */
static inline double cofi_cube_root(double x)
{
    double y = cofi_from_high_bits(0x553ef084u - cofi_high_bits(x) / 3);
    double third = x * (1.0 / 3);
    for (int round = 0; round < 4; round++)
        y = y * (4.0 / 3 - third * (y * y * y));
    return x * (y * y);
}

/* x^(1/5) for normal x > 0. */
static inline double cofi_fifth_root(double x)
{
    double y = cofi_from_high_bits(0x4cb8a95du - cofi_high_bits(x) / 5);
    double fifth = x * 0.2;
    for (int round = 0; round < 4; round++) {
        double square = y * y;
        y = y * (1.2 - fifth * (square * square * y));
    }
    double square = y * y;
    return x * (square * square);
}

#endif
