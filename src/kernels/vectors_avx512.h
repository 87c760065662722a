/* SPDX-License-Identifier: BSD-2-Clause */
/* Vectors of floats with AVX-512, by the names that the loops of this folder use. */
#ifndef COF_VECTORS_AVX512_H
#define COF_VECTORS_AVX512_H

#include <immintrin.h>
#include <stdint.h>

#define LANES 16
#define load(p) _mm512_loadu_ps(p)
#define store(p, v) _mm512_storeu_ps(p, v)
#define set1(v) _mm512_set1_ps(v)
#define mul(a, b) _mm512_mul_ps(a, b)
#define divide(a, b) _mm512_div_ps(a, b)
#define least(a, b) _mm512_min_ps(a, b)
#define most(a, b) _mm512_max_ps(a, b)
#define fma_add(a, b, c) _mm512_fmadd_ps(a, b, c)  /* c + a b */
#define fma_sub(a, b, c) _mm512_fnmadd_ps(a, b, c) /* c - a b */

typedef __m512 Vector;

/* The bits of b where the mask is set, else those of a. */
static inline Vector merge_bits(Vector a, Vector b, Vector mask)
{
    return _mm512_castsi512_ps(_mm512_ternarylogic_epi32(
        _mm512_castps_si512(mask), _mm512_castps_si512(b), _mm512_castps_si512(a), 0xca));
}

/* 32 floats to look up. */
typedef struct Table {
    __m512 low, high;
} Table;

static inline Table load_table(const float *entries)
{
    return (Table){load(entries), load(entries + LANES)};
}

/* One permute looks up 16 labels. */
static inline Vector look_up(const Table *table, const uint8_t *labels)
{
    __m512i indices = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)labels));
    return _mm512_permutex2var_ps(table->low, indices, table->high);
}

#endif
