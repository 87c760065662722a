/* SPDX-License-Identifier: BSD-2-Clause */
/* 8-bit grey with AVX-512. A permute looks up 32 labels in 64 entries of 16 bits. Where labels span
 * up to 128 and 256 values, two and four permutes are blended. */
#if defined(__x86_64__)
#include <immintrin.h>
#include <stdint.h>

#include "kernels/inline.h"
#include "kernels/kernels.h"

#define LEVEL(name) name##_avx512

/* Looks up indices below 64, 128 or 256, with 1, 2 or 4 tables of two vectors each. */
INLINE __m512i look_up_words(const __m512i *entries, int tables, __m512i indices)
{
    __m512i found = _mm512_permutex2var_epi16(entries[0], indices, entries[1]);
    if (tables == 1)
        return found;
    __mmask32 odd = _mm512_test_epi16_mask(indices, _mm512_set1_epi16(64));
    __m512i other = _mm512_permutex2var_epi16(entries[2], indices, entries[3]);
    found = _mm512_mask_mov_epi16(found, odd, other);
    if (tables == 2)
        return found;
    __mmask32 upper = _mm512_test_epi16_mask(indices, _mm512_set1_epi16(128));
    __m512i high = _mm512_permutex2var_epi16(entries[4], indices, entries[5]);
    other = _mm512_permutex2var_epi16(entries[6], indices, entries[7]);
    return _mm512_mask_mov_epi16(found, upper, _mm512_mask_mov_epi16(high, odd, other));
}

/* Entries of the matrix for both pixels, from `first` on. */
typedef struct Tables {
    __m512i of[2][8];
    __m512i first;
} Tables;

INLINE Tables load_tables(const CofiGreyEntries *const rows[2], int n, int least)
{
    Tables tables;
    int first = least < 256 - 64 * n ? least : 256 - 64 * n;
    tables.first = _mm512_set1_epi16((short)first);
    UNROLL
    for (int i = 0; i < 2 * n; i++) {
        tables.of[0][i] = _mm512_loadu_si512(rows[0]->words + first + 32 * i);
        tables.of[1][i] = _mm512_loadu_si512(rows[1]->words + first + 32 * i);
    }
    return tables;
}

INLINE void look_up(const Tables *tables, int pixel, int n, const __m512i labels[2],
                    __m512i found[2])
{
    for (int i = 0; i < 2; i++)
        found[i] = look_up_words(tables->of[pixel], n, _mm512_sub_epi16(labels[i], tables->first));
}

#include "kernels/filter/grey_512.h"
#endif
