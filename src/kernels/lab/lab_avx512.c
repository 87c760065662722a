/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts linear sRGB to CIE Lab, and CIE Lab to encoded sRGB, with AVX-512. */
#if defined(__x86_64__)
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/kernels.h"

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

/* The bytes of 16 samples of linear light, each in a lane of its own. The other bits of a lane are
 * not cleared. */
static inline __m512i encode_light(const uint32_t *light, const uint32_t *table)
{
    __m512i words = _mm512_loadu_si512(light);
    __m512i intervals = _mm512_srli_epi32(words, 32 - COFI_ENCODING_BITS);
    __m512i entries = _mm512_i32gather_epi32(intervals, table, 4);
    __mmask16 next = _mm512_cmpge_epu32_mask(words, entries);
    return _mm512_mask_add_epi32(entries, next, entries, _mm512_set1_epi32(1));
}

/* Encodes 16 pixels of 3 bytes at a time. */
#define ENCODE
static inline int encode_some(uint32_t *const light[3], const uint32_t *table, ptrdiff_t step,
                              int n, uint8_t *bytes)
{
    if (step != 3)
        return 0;
    const __m512i low = _mm512_set1_epi32(0xff), middle = _mm512_set1_epi32(0xff00);
    const __m512i triples = _mm512_broadcast_i32x4(
        _mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1));
    const __m512i joined = _mm512_setr_epi32(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 3, 7, 11, 15);
    int i = 0;
    for (; i + 16 <= n; i += 16) {
        __m512i red = encode_light(light[0] + i, table);
        __m512i green = _mm512_slli_epi32(encode_light(light[1] + i, table), 8);
        __m512i blue = _mm512_slli_epi32(encode_light(light[2] + i, table), 16);
        /* Bits of `low` from red, of `middle` from green, and the others from blue. */
        __m512i both = _mm512_ternarylogic_epi32(low, red, blue, 0xca);
        __m512i pixels = _mm512_ternarylogic_epi32(middle, green, both, 0xca);
        __m512i packed = _mm512_permutexvar_epi32(joined, _mm512_shuffle_epi8(pixels, triples));
        _mm512_mask_storeu_epi32(bytes + 3 * i, 0x0fff, packed);
    }
    return i;
}

#define LEVEL(name) name##_avx512
#define FUSED
#include "kernels/lab/lab_loops.h"
#endif
