/* SPDX-License-Identifier: BSD-2-Clause */
/* 8-bit grey with AVX-512. A permute looks up 32 labels in 64 entries of 16 bits. Where labels span
 * up to 128 and 256 values, two and four permutes are blended. */
#if defined(__x86_64__)
#include <immintrin.h>
#include <stdint.h>

#include "kernels/inline.h"

#define LEVEL(name) name##_avx512

typedef uint16_t Label;
#define PIXELS 2

#include "kernels/filter/grey_window.h"

typedef struct Sums {
    __m512 weights, products;
} Sums;

INLINE void join_rows(const uint8_t *a, const uint8_t *b, Label *to)
{
    __m128i upper = _mm_loadu_si128((const __m128i *)a),
            lower = _mm_loadu_si128((const __m128i *)b);
    _mm256_storeu_si256((__m256i *)to, _mm256_cvtepu8_epi16(_mm_unpacklo_epi8(upper, lower)));
    _mm256_storeu_si256((__m256i *)(to + 16),
                        _mm256_cvtepu8_epi16(_mm_unpackhi_epi8(upper, lower)));
}

INLINE int place_of(int column)
{
    return column;
}

/* Looks up indices below 64, 128 or 256, with 1, 2 or 4 tables of two vectors each. */
INLINE __m512i look_up(const __m512i *entries, int tables, __m512i indices)
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

/* Adds 16 columns of a pair of rows. */
INLINE void add_columns(__m512i found, __m512i labels, __m512 gauss, Sums *sums)
{
    __m512 weights = _mm512_cvtepi32_ps(_mm512_madd_epi16(found, _mm512_set1_epi16(1)));
    __m512 products = _mm512_cvtepi32_ps(_mm512_madd_epi16(found, labels));
    sums->weights = _mm512_fmadd_ps(weights, gauss, sums->weights);
    sums->products = _mm512_fmadd_ps(products, gauss, sums->products);
}

INLINE void weigh_columns(const Sums *columns, const float *gauss, Sums *sums)
{
    __m512 by = _mm512_loadu_ps(gauss);
    sums->weights = _mm512_fmadd_ps(columns->weights, by, sums->weights);
    sums->products = _mm512_fmadd_ps(columns->products, by, sums->products);
}

/* The columns of the second pixel are one lane further. Rotated by one lane, they are added in the
 * same order as those of the first pixel. */
INLINE __m512 rotated(__m512 v)
{
    __m512i lanes = _mm512_castps_si512(v);
    return _mm512_castsi512_ps(_mm512_alignr_epi32(lanes, lanes, 1));
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

/* Both pixels share the loads of labels and weights of rows. */
INLINE void sum_vectors(const Tables *tables, int n, const Window *w, Labels labels, int pairs,
                        int vectors, Sums sums[2])
{
    const Sums none = {_mm512_setzero_ps(), _mm512_setzero_ps()};
    Sums one = none, two = none;
    for (int vector = 0; vector < vectors; vector++) {
        Sums first = none, second = none;
        for (int pair = 0; pair < pairs; pair++) {
            __m512i at = _mm512_loadu_si512(labels.at + pair * w->stride + vector * VECTOR_LABELS);
            __m512 gauss = _mm512_set1_ps(w->rows[pair]);
            __asm__("" : "+v"(at), "+v"(gauss)); /* forces one load */
            __m512i indices = _mm512_sub_epi16(at, tables->first);
            add_columns(look_up(tables->of[0], n, indices), at, gauss, &first);
            add_columns(look_up(tables->of[1], n, indices), at, gauss, &second);
        }
        weigh_columns(&first, w->columns[0] + vector * VECTOR_COLUMNS, &one);
        weigh_columns(&second, w->columns[1] + vector * VECTOR_COLUMNS, &two);
    }
    sums[0] = one;
    sums[1] = (Sums){rotated(two.weights), rotated(two.products)};
}

/* One function for each number of tables of 64 entries: the compiler keeps them in registers. */
#define SUM_WITH(N) \
    SEPARATE void sum_with_##N(const CofiGreyEntries *const rows[2], const Window *w, \
                               Labels labels, Sums sums[2]) \
    { \
        Tables tables = load_tables(rows, N, labels.least); \
        if (IS_USUAL(w)) \
            sum_vectors(&tables, N, w, labels, 8, 1, sums); \
        else \
            sum_vectors(&tables, N, w, labels, w->pairs, w->vectors, sums); \
    }
SUM_WITH(1)
SUM_WITH(2)
SUM_WITH(4)
#undef SUM_WITH

INLINE void sum_window(const CofiGreyEntries *const rows[2], const Window *window, Labels labels,
                       Sums sums[2])
{
    int range = labels.most - labels.least;
    (range < 64 ? sum_with_1 : range < 128 ? sum_with_2 : sum_with_4)(rows, window, labels, sums);
}

/* Adds the lanes of four vectors: those of vector i become quarter i. */
INLINE __m512 add_quarters(__m512 a, __m512 b, __m512 c, __m512 d)
{
    __m512 ab = _mm512_add_ps(_mm512_shuffle_f32x4(a, b, 0x44), _mm512_shuffle_f32x4(a, b, 0xee));
    __m512 cd = _mm512_add_ps(_mm512_shuffle_f32x4(c, d, 0x44), _mm512_shuffle_f32x4(c, d, 0xee));
    return _mm512_add_ps(_mm512_shuffle_f32x4(ab, cd, 0x88), _mm512_shuffle_f32x4(ab, cd, 0xdd));
}

/* Adds the four lanes of each quarter: lane j of quarter i is the sum of quarter i of vector j. */
INLINE __m512 add_fours(__m512 a, __m512 b, __m512 c, __m512 d)
{
    __m512 ab = _mm512_add_ps(_mm512_unpacklo_ps(a, b), _mm512_unpackhi_ps(a, b));
    __m512 cd = _mm512_add_ps(_mm512_unpacklo_ps(c, d), _mm512_unpackhi_ps(c, d));
    return _mm512_add_ps(_mm512_shuffle_ps(ab, cd, 0x44), _mm512_shuffle_ps(ab, cd, 0xee));
}

/* Lane i becomes the sum of the lanes of v[i x step]. */
INLINE __m512 add_sixteen(const __m512 *v, int step)
{
    __m512 folded[4];
    for (int i = 0; i < 4; i++)
        folded[i] =
            add_quarters(v[i * step], v[(4 + i) * step], v[(8 + i) * step], v[(12 + i) * step]);
    return add_fours(folded[0], folded[1], folded[2], folded[3]);
}

static void add_lanes(const Sums sums[16], float weights[16], float products[16])
{
    _mm512_storeu_ps(weights, add_sixteen(&sums->weights, 2));
    _mm512_storeu_ps(products, add_sixteen(&sums->products, 2));
}

#include "kernels/filter/grey_rows.h"
#endif
