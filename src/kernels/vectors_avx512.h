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

/* Takes the bits of b where the mask is set, and those of a elsewhere. */
static inline Vector merge_bits(Vector a, Vector b, Vector mask)
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

/* As add_folded(), for two adjacent pixels; with four values per pixel it takes fewer steps. */
#define FOLD_PAIRS
static inline void add_folded_pair(Vector one, Vector two, int spread, int fresh, float *to)
{
    if (spread != 4) {
        add_folded(one, spread, fresh, to);
        add_folded(two, spread, fresh, to + spread);
        return;
    }
    /* `halves` has two quarters of each pixel; `both` has their sums in quarters 0 and 2. */
    Vector halves =
        _mm512_add_ps(_mm512_shuffle_f32x4(one, two, 0x44), _mm512_shuffle_f32x4(one, two, 0xee));
    Vector both = _mm512_add_ps(halves, _mm512_shuffle_f32x4(halves, halves, 0xb1));
    __m256 sums = _mm512_castps512_ps256(_mm512_shuffle_f32x4(both, both, 0x08));
    _mm256_storeu_ps(to, fresh ? sums : _mm256_add_ps(_mm256_loadu_ps(to), sums));
}

#endif
