/* SPDX-License-Identifier: BSD-2-Clause */
/* Vectors of floats with AVX2, by the names that the loops of this folder use. */
#ifndef COF_VECTORS_AVX2_H
#define COF_VECTORS_AVX2_H

#include <immintrin.h>
#include <stdint.h>

#define LANES 8
#define load(p) _mm256_loadu_ps(p)
#define store(p, v) _mm256_storeu_ps(p, v)
#define set1(v) _mm256_set1_ps(v)
#define mul(a, b) _mm256_mul_ps(a, b)
#define divide(a, b) _mm256_div_ps(a, b)
#define least(a, b) _mm256_min_ps(a, b)
#define most(a, b) _mm256_max_ps(a, b)
#define fma_add(a, b, c) _mm256_fmadd_ps(a, b, c)  /* c + a b */
#define fma_sub(a, b, c) _mm256_fnmadd_ps(a, b, c) /* c - a b */

typedef __m256 Vector;

/* The bits of b where the mask is set, else those of a. */
static inline Vector merge_bits(Vector a, Vector b, Vector mask)
{
    return _mm256_or_ps(_mm256_and_ps(mask, b), _mm256_andnot_ps(mask, a));
}

/* 32 floats to look up. */
typedef struct Table {
    __m256 eighths[4];
} Table;

static inline Table load_table(const float *entries)
{
    return (Table){{load(entries), load(entries + 8), load(entries + 16), load(entries + 24)}};
}

/* Bits 0 to 2 of a label choose within an eighth; bits 3 and 4, moved to the sign, choose it. */
static inline Vector look_up(const Table *table, const uint8_t *labels)
{
    __m256i indices = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)labels));
    __m256 bit3 = _mm256_castsi256_ps(_mm256_slli_epi32(indices, 28));
    __m256 bit4 = _mm256_castsi256_ps(_mm256_slli_epi32(indices, 27));
    const __m256 *e = table->eighths;
    __m256 low = _mm256_blendv_ps(_mm256_permutevar8x32_ps(e[0], indices),
                                  _mm256_permutevar8x32_ps(e[1], indices), bit3);
    __m256 high = _mm256_blendv_ps(_mm256_permutevar8x32_ps(e[2], indices),
                                   _mm256_permutevar8x32_ps(e[3], indices), bit3);
    return _mm256_blendv_ps(low, high, bit4);
}

#endif
