/* SPDX-License-Identifier: BSD-2-Clause */
/* Vectors of floats under the names that the shared loops use. gcc and clang support vectors of
 * this size on every processor, with or without vector registers. */
#ifndef COF_VECTORS_C_H
#define COF_VECTORS_C_H

#include <string.h>

#define LANES 4
#define mul(a, b) ((a) * (b))
#define fma_add(a, b, c) ((c) + (a) * (b)) /* rounded twice */

typedef float Vector __attribute__((vector_size(4 * LANES)));

static inline Vector load(const float *p)
{
    Vector v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline void store(float *p, Vector v)
{
    memcpy(p, &v, sizeof v);
}

static inline Vector set1(float value)
{
    return (Vector){value, value, value, value};
}

#endif
