/* SPDX-License-Identifier: BSD-2-Clause */
/* The exponential function. That of libm differs in the last bit between processors and systems,
 * and so would models that are learned from the same image. */
#include "base/exponential.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* ln 2 as a sum of two numbers; the first has so few bits that multiples of it are exact. */
#define LN2_HIGH 0x1.62e42feep-1
#define LN2_LOW 0x1.a39ef35793c76p-33

/* 1 / n! for n = 13 to 2. */
static const double coefficients[] = {
    1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320,
    1.0 / 5040,       1.0 / 720,       1.0 / 120,      1.0 / 24,      1.0 / 6,      1.0 / 2};

/* 2 to the power of n, -1022..1023. */
static double power_of_2(int n)
{
    uint64_t bits = (uint64_t)(n + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

/* e^x = 2^n e^r, where r is at most ln 2 / 2; the terms of its series above r^13 are too small to
 * matter. */
double cofi_exp(double x)
{
    if (!(x > -708))
        return isnan(x) ? x : 0;
    if (x > 709)
        return INFINITY;
    double n = floor(x * 1.4426950408889634 + 0.5);
    double high = x - n * LN2_HIGH, low = n * LN2_LOW, r = high - low;
    double sum = 0;
    for (size_t i = 0; i < sizeof coefficients / sizeof coefficients[0]; i++)
        sum = sum * r + coefficients[i];
    /* What r has lost by rounding is added with the smaller terms. */
    double lost = (high - r) - low;
    return (1 + (r + (r * r * sum + lost))) * power_of_2((int)n);
}
