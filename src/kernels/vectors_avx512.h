/* SPDX-License-Identifier: BSD-2-Clause */
/* Vectors of floats with AVX-512, under the names that the shared loops use. */
#ifndef COF_VECTORS_AVX512_H
#define COF_VECTORS_AVX512_H

#include <immintrin.h>
#include <stdint.h>

#include "kernels/fold_eight.h"

#define LANES 16
#define load(p) _mm512_loadu_ps(p)
#define store(p, v) _mm512_storeu_ps(p, v)
#define set1(v) _mm512_set1_ps(v)
#define mul(a, b) _mm512_mul_ps(a, b)
#define least(a, b) _mm512_min_ps(a, b)
#define most(a, b) _mm512_max_ps(a, b)
#define fma_add(a, b, c) _mm512_fmadd_ps(a, b, c)  /* c + a b */
#define fma_sub(a, b, c) _mm512_fnmadd_ps(a, b, c) /* c - a b */

typedef __m512 Vector;

/* Replaces the bits of a that the mask has by those of b, which has no others. */
static inline Vector replace_bits(Vector a, Vector b, Vector mask)
{
    return _mm512_castsi512_ps(_mm512_ternarylogic_epi32(
        _mm512_castps_si512(a), _mm512_castps_si512(b), _mm512_castps_si512(mask), 0xd8));
}

/* Repeats `spread` values, 2, 4 or 8, in all lanes. */
static inline Vector load_spread(const float *values, int spread)
{
    if (spread == 8)
        return _mm512_broadcast_f32x8(_mm256_loadu_ps(values));
    if (spread == 4)
        return _mm512_broadcast_f32x4(_mm_loadu_ps(values));
    __m128i two = _mm_loadl_epi64((const __m128i *)values);
    return _mm512_castsi512_ps(_mm512_broadcastq_epi64(two));
}

/* Sums lanes that are `spread` apart. If `fresh`, stores the sums; otherwise adds them to `to`. */
static inline void add_folded(Vector v, int spread, int fresh, float *to)
{
    if (spread >= 16) {
        store(to, fresh ? v : _mm512_add_ps(load(to), v));
        return;
    }
    __m256 eight = _mm256_add_ps(_mm512_castps512_ps256(v), _mm512_extractf32x8_ps(v, 1));
    add_eight_folded(eight, spread, fresh, to);
}

#endif
