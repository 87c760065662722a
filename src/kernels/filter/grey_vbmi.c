/* SPDX-License-Identifier: BSD-2-Clause */
/* 8-bit grey with AVX-512 VBMI. Low and high bytes of 64 labels are looked up by one permute each,
 * in 64 or 128 entries. Where labels span more values, two permutes are blended. */
#if defined(__x86_64__)
#include <immintrin.h>
#include <stdint.h>

#include "kernels/inline.h"
#include "kernels/kernels.h"

#define LEVEL(name) name##_vbmi

/* Looks up indices below 64, 128 or 256 in n tables of one vector each. */
INLINE __m512i look_up_bytes(const __m512i *entries, int n, __m512i indices)
{
    if (n == 1)
        return _mm512_permutexvar_epi8(indices, entries[0]);
    __m512i found = _mm512_permutex2var_epi8(entries[0], indices, entries[1]);
    if (n == 2)
        return found;
    __m512i other = _mm512_permutex2var_epi8(entries[2], indices, entries[3]);
    return _mm512_mask_mov_epi8(found, _mm512_movepi8_mask(indices), other);
}

/* Bytes of entries of the matrix for both pixels, from `first` on. */
typedef struct Tables {
    __m512i low[2][4], high[2][4];
    __m512i first;
} Tables;

INLINE Tables load_tables(const CofiGreyEntries *const rows[2], int n, int least)
{
    Tables tables;
    int first = least < 256 - 64 * n ? least : 256 - 64 * n;
    tables.first = _mm512_set1_epi8((char)first);
    UNROLL
    for (int i = 0; i < n; i++) {
        for (int pixel = 0; pixel < 2; pixel++) {
            tables.low[pixel][i] = _mm512_loadu_si512(rows[pixel]->low + first + 64 * i);
            tables.high[pixel][i] = _mm512_loadu_si512(rows[pixel]->high + first + 64 * i);
        }
    }
    return tables;
}

/* Packing and unpacking move labels in the same way. */
INLINE void look_up(const Tables *tables, int pixel, int n, const __m512i labels[2],
                    __m512i found[2])
{
    __m512i bytes = _mm512_packus_epi16(labels[0], labels[1]);
    __m512i indices = _mm512_sub_epi8(bytes, tables->first);
    __m512i low = look_up_bytes(tables->low[pixel], n, indices);
    __m512i high = look_up_bytes(tables->high[pixel], n, indices);
    found[0] = _mm512_unpacklo_epi8(low, high);
    found[1] = _mm512_unpackhi_epi8(low, high);
}

#include "kernels/filter/grey_512.h"
#endif
