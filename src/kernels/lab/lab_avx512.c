/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts linear sRGB to CIE Lab, and CIE Lab to encoded sRGB, with AVX-512. */
#if defined(__x86_64__)
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

/* Loads 16 pixels of 3 bytes, 4 in each quarter. The last quarter starts 4 bytes early, so that it
 * ends with the last pixel. */
static inline __m512i load_triples(const uint8_t *bytes)
{
    __m512i pixels = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *)bytes));
    pixels = _mm512_inserti32x4(pixels, _mm_loadu_si128((const __m128i *)(bytes + 12)), 1);
    pixels = _mm512_inserti32x4(pixels, _mm_loadu_si128((const __m128i *)(bytes + 24)), 2);
    return _mm512_inserti32x4(pixels, _mm_loadu_si128((const __m128i *)(bytes + 32)), 3);
}

/* The positions of the first channel; in the last quarter they are 4 bytes further. */
static inline __m512i triple_places(void)
{
    __m128i places = _mm_setr_epi8(0, -1, -1, -1, 3, -1, -1, -1, 6, -1, -1, -1, 9, -1, -1, -1);
    __m512i further = _mm512_maskz_set1_epi32(0xf000, 4);
    return _mm512_add_epi8(_mm512_broadcast_i32x4(places), further);
}

/* Looks up 16 pixels at a time with gather instructions. */
#define LOOK_UP
static inline int look_up_some(const uint8_t *bytes, ptrdiff_t step, const float *table, int n,
                               float *const light[3])
{
    if (step != 3)
        return 0;
    __m512i first = triple_places(), one = _mm512_maskz_set1_epi8(0x1111111111111111, 1);
    int i = 0;
    for (; i + 16 <= n; i += 16) {
        __m512i pixels = load_triples(bytes + 3 * i), places = first;
        for (int channel = 0; channel < 3; channel++) {
            __m512i samples = _mm512_shuffle_epi8(pixels, places);
            _mm512_storeu_ps(light[channel] + i, _mm512_i32gather_ps(samples, table, 4));
            places = _mm512_add_epi8(places, one);
        }
    }
    return i;
}

#define LEVEL(name) name##_avx512
#include "kernels/lab/lab_loops.h"
#endif
