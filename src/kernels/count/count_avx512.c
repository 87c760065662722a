/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts the labels around reference pixels, with AVX-512. */
#if defined(__x86_64__)
#include <immintrin.h>
#include <stdint.h>

#define LEVEL(name) name##_avx512
#define LANES 16

typedef uint32_t Lane;
typedef uint32_t Bits __attribute__((vector_size(64)));

static inline Bits bits_at(const uint8_t *labels, int first)
{
    (void)first; /* is 0 */
    __m512i shifts = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)labels));
    return (Bits)_mm512_sllv_epi32(_mm512_set1_epi32(1), shifts);
}

/* Sum and carry take one instruction each. */
#define ADD_BITS
static inline Bits add_bits(Bits *low, Bits a, Bits b)
{
    __m512i x = (__m512i)*low, y = (__m512i)a, z = (__m512i)b;
    *low = (Bits)_mm512_ternarylogic_epi32(x, y, z, 0x96);
    return (Bits)_mm512_ternarylogic_epi32(x, y, z, 0xe8);
}

#define COUNT_MANY
#include "kernels/count/count_near.h"

#include "kernels/count/count_loops.h"
#endif
