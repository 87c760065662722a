/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts the labels around reference pixels, with AVX2. */
#if defined(__x86_64__)
#include <immintrin.h>
#include <stdint.h>

#define LEVEL(name) name##_avx2
#define LANES 8

typedef uint32_t Lane;
typedef uint32_t Bits __attribute__((vector_size(32)));

static inline Bits bits_at(const uint8_t *labels, int first)
{
    (void)first; /* is 0 */
    __m256i shifts = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)labels));
    return (Bits)_mm256_sllv_epi32(_mm256_set1_epi32(1), shifts);
}

#include "kernels/count/count_loops.h"
#endif
