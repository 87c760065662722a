/* SPDX-License-Identifier: BSD-2-Clause */
/* The fast filter's rows, with AVX-512: one permute looks up 16 labels. */
#if defined(__x86_64__)
#include <immintrin.h>

#include "kernels.h"

#define LEVEL(name) name##_avx512
#define LANES 16
#define load(p) _mm512_loadu_ps(p)
#define store(p, v) _mm512_storeu_ps(p, v)
#define set1(v) _mm512_set1_ps(v)
#define mul(a, b) _mm512_mul_ps(a, b)
#define divide(a, b) _mm512_div_ps(a, b)
#define fma_add(a, b, c) _mm512_fmadd_ps(a, b, c)

typedef __m512 Vector;

typedef struct Table {
    __m512 low, high;
} Table;

static inline Table load_table(const float *entries)
{
    return (Table){load(entries), load(entries + LANES)};
}

static inline Vector look_up(const Table *table, const uint8_t *labels)
{
    __m512i indices = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)labels));
    return _mm512_permutex2var_ps(table->low, indices, table->high);
}

#include "fast_loops.h"
#endif
