/* SPDX-License-Identifier: BSD-2-Clause */
/* Counting the labels around places with AVX-512, for up to 32 labels. A label is one bit of a
 * 32-bit lane, a lane is one dx. Bits are added with carry-save adders: 16 rows of labels go into
 * one vector of each of the planes 1, 2, 4, 8 and a carry, which is added to the planes above. */
#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

#include "kernels.h"

#define LANES 16
#define PLANES 16         /* numbers below 2^16 */
#define MOST_PLACES 65520 /* a multiple of 16 that they can count */

/* *low + a + b = *low + 2 * carry, bit by bit. */
static inline __m512i add_bits(__m512i *low, __m512i a, __m512i b)
{
    __m512i carry = _mm512_ternarylogic_epi32(*low, a, b, 0xe8);
    *low = _mm512_ternarylogic_epi32(*low, a, b, 0x96);
    return carry;
}

/* Labels of 32 and above shift the bit out. */
static inline __m512i bits_at(const uint8_t *labels)
{
    __m512i shifts = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)labels));
    return _mm512_sllv_epi32(_mm512_set1_epi32(1), shifts);
}

/* Sums of two, four, eight and sixteen rows; what is carried has twice the weight. */
static inline __m512i add_2(__m512i planes[PLANES], const uint8_t *labels, const uint32_t *places)
{
    return add_bits(&planes[0], bits_at(labels + places[0]), bits_at(labels + places[1]));
}

static inline __m512i add_4(__m512i planes[PLANES], const uint8_t *labels, const uint32_t *places)
{
    __m512i a = add_2(planes, labels, places), b = add_2(planes, labels, places + 2);
    return add_bits(&planes[1], a, b);
}

static inline __m512i add_8(__m512i planes[PLANES], const uint8_t *labels, const uint32_t *places)
{
    __m512i a = add_4(planes, labels, places), b = add_4(planes, labels, places + 4);
    return add_bits(&planes[2], a, b);
}

static inline __m512i add_16(__m512i planes[PLANES], const uint8_t *labels, const uint32_t *places)
{
    __m512i a = add_8(planes, labels, places), b = add_8(planes, labels, places + 8);
    return add_bits(&planes[3], a, b);
}

static inline void carry_up(__m512i planes[PLANES], int plane, int last, __m512i carry)
{
    for (; plane < last; plane++) {
        __m512i sum = _mm512_xor_si512(planes[plane], carry);
        carry = _mm512_and_si512(planes[plane], carry);
        planes[plane] = sum;
    }
}

/* The numbers that the planes spell, added to counts. */
static void read_planes(const __m512i *planes, int used, int width, int k, uint32_t *counts)
{
    uint32_t words[PLANES][LANES];
    memcpy(words, planes, sizeof words);
    __m512i low_bits =
        _mm512_sllv_epi32(_mm512_set1_epi32(1),
                          _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
    __m512i high_bits = _mm512_slli_epi32(low_bits, 16);
    for (int dx = 0; dx < width; dx++) {
        __m512i low = _mm512_setzero_si512(), high = low;
        for (int plane = 0; plane < used; plane++) {
            __m512i word = _mm512_set1_epi32((int)words[plane][dx]);
            __m512i unit = _mm512_set1_epi32(1 << plane);
            low = _mm512_mask_add_epi32(low, _mm512_test_epi32_mask(word, low_bits), low, unit);
            high = _mm512_mask_add_epi32(high, _mm512_test_epi32_mask(word, high_bits), high, unit);
        }
        __mmask16 low_labels = (__mmask16)(k >= 16 ? 0xffff : (1u << k) - 1);
        __mmask16 high_labels = (__mmask16)(k >= 16 ? (1u << (k - 16)) - 1 : 0);
        uint32_t *row = counts + dx * k;
        _mm512_mask_storeu_epi32(row, low_labels,
                                 _mm512_add_epi32(low, _mm512_maskz_loadu_epi32(low_labels, row)));
        _mm512_mask_storeu_epi32(
            row + 16, high_labels,
            _mm512_add_epi32(high, _mm512_maskz_loadu_epi32(high_labels, row + 16)));
    }
}

/* At most 16 columns and MOST_PLACES places. */
static void count_columns(const uint8_t *labels, const uint32_t *places, int n, int width, int k,
                          uint32_t *counts)
{
    __m512i planes[PLANES];
    for (int plane = 0; plane < PLANES; plane++)
        planes[plane] = _mm512_setzero_si512();
    int used = 4;
    while (used < PLANES && n >> used > 0)
        used++;
    int i = 0;
    for (; i + 16 <= n; i += 16)
        carry_up(planes, 4, used, add_16(planes, labels, places + i));
    for (; i < n; i++)
        carry_up(planes, 0, used, bits_at(labels + places[i]));
    read_planes(planes, used, width, k, counts);
}

void cofi_count_row_avx512(const uint8_t *labels, const uint8_t *votes, const uint32_t *places,
                           int n, int width, int k, uint32_t *counts)
{
    if (k > 32 || votes) {
        cofi_count_row_c(labels, votes, places, n, width, k, counts);
        return;
    }
    for (int first = 0; first < n; first += MOST_PLACES)
        for (int dx = 0; dx < width; dx += LANES)
            count_columns(labels + dx, places + first,
                          n - first < MOST_PLACES ? n - first : MOST_PLACES,
                          width - dx < LANES ? width - dx : LANES, k, counts + dx * k);
}
#endif
