/* SPDX-License-Identifier: BSD-2-Clause */
/* Vectors of floats with AVX2, under the names that the shared loops use. */
#ifndef COF_VECTORS_AVX2_H
#define COF_VECTORS_AVX2_H

#include <immintrin.h>
#include <stdint.h>

#include "kernels/fold_eight.h"

#define LANES 8
#define load(p) _mm256_loadu_ps(p)
#define store(p, v) _mm256_storeu_ps(p, v)
#define set1(v) _mm256_set1_ps(v)
#define mul(a, b) _mm256_mul_ps(a, b)
#define least(a, b) _mm256_min_ps(a, b)
#define most(a, b) _mm256_max_ps(a, b)
#define fma_add(a, b, c) _mm256_fmadd_ps(a, b, c)  /* c + a b */
#define fma_sub(a, b, c) _mm256_fnmadd_ps(a, b, c) /* c - a b */

typedef __m256 Vector;

/* Replaces the bits of a that the mask has by those of b, which has no others. */
static inline Vector replace_bits(Vector a, Vector b, Vector mask)
{
    return _mm256_or_ps(b, _mm256_andnot_ps(mask, a));
}

/* Repeats `spread` values, 2 or 4, in all lanes. */
static inline Vector load_spread(const float *values, int spread)
{
    if (spread == 4)
        return _mm256_broadcast_ps((const __m128 *)values);
    __m128i two = _mm_loadl_epi64((const __m128i *)values);
    return _mm256_castsi256_ps(_mm256_broadcastq_epi64(two));
}

#define add_folded add_eight_folded

#endif
