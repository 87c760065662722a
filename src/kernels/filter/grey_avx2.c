/* SPDX-License-Identifier: BSD-2-Clause */
/* 8-bit grey with AVX2. The low and the high bytes of entries are looked up by
 * shuffles, each in 16 entries, and joined. */
#if defined(__x86_64__)
#include <immintrin.h>
#include <stdint.h>

#include "kernels/inline.h"

#define LEVEL(name) name##_avx2

typedef uint8_t Label;
#define PIXELS 1

#include "kernels/filter/grey_window.h"

typedef struct Sums {
    __m256 weights, products;
} Sums;

INLINE void join_rows(const uint8_t *a, const uint8_t *b, Label *to)
{
    __m128i upper = _mm_loadu_si128((const __m128i *)a),
            lower = _mm_loadu_si128((const __m128i *)b);
    _mm_storeu_si128((__m128i *)to, _mm_unpacklo_epi8(upper, lower));
    _mm_storeu_si128((__m128i *)(to + 16), _mm_unpackhi_epi8(upper, lower));
}

/* Bytes are unpacked within halves of a vector: columns 0..3 and 8..11 become the first eight sums,
 * the others the last eight. */
INLINE int place_of(int column)
{
    return (column & 4 ? 8 : 0) + (column & 8 ? 4 : 0) + (column & 3);
}

/* The low and the high bytes of 32 weights. */
typedef struct Found {
    __m256i low, high;
} Found;

INLINE __m256i repeated(const uint8_t *bytes)
{
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)bytes));
}

/* Up to this many tables of 16 entries are loaded before the loop; four fit in registers. */
#define FEW_TABLES 8

/* Tables after the first hold the difference (exclusive or) to the table before. A shuffle gives 0
 * where the top bit of the index is set: a label that is 16 i to 16 i + 15 above the first entry
 * sums tables 0..i. */
typedef struct Tables {
    Found of[FEW_TABLES];
    __m256i first;
} Tables;

INLINE Tables load_tables(const CofiGreyEntries *row, int first, int n)
{
    Tables tables;
    tables.first = _mm256_set1_epi8((char)first);
    UNROLL
    for (int i = 0; i < n; i++) {
        Found *of = &tables.of[i];
        of->low = repeated(row->low + first + 16 * i);
        of->high = repeated(row->high + first + 16 * i);
        if (i > 0) {
            of->low = _mm256_xor_si256(of->low, repeated(row->low + first + 16 * i - 16));
            of->high = _mm256_xor_si256(of->high, repeated(row->high + first + 16 * i - 16));
        }
    }
    return tables;
}

INLINE Found look_up(const Tables *tables, int n, __m256i labels)
{
    __m256i index = _mm256_sub_epi8(labels, tables->first);
    Found found = {_mm256_shuffle_epi8(tables->of[0].low, index),
                   _mm256_shuffle_epi8(tables->of[0].high, index)};
    UNROLL
    for (int i = 1; i < n; i++) {
        index = _mm256_sub_epi8(index, _mm256_set1_epi8(16));
        found.low = _mm256_xor_si256(found.low, _mm256_shuffle_epi8(tables->of[i].low, index));
        found.high = _mm256_xor_si256(found.high, _mm256_shuffle_epi8(tables->of[i].high, index));
    }
    return found;
}

/* Adds 8 columns of two rows. */
INLINE void add_columns(__m256i entries, __m256i labels, __m256 gauss, Sums *sums)
{
    __m256i weights = _mm256_madd_epi16(entries, _mm256_set1_epi16(1));
    __m256i products = _mm256_madd_epi16(entries, labels);
    sums->weights = _mm256_fmadd_ps(_mm256_cvtepi32_ps(weights), gauss, sums->weights);
    sums->products = _mm256_fmadd_ps(_mm256_cvtepi32_ps(products), gauss, sums->products);
}

/* Adds 16 columns of a pair of rows. */
INLINE void add_pair(Found found, __m256i labels, __m256 gauss, Sums sums[2])
{
    const __m256i zero = _mm256_setzero_si256();
    add_columns(_mm256_unpacklo_epi8(found.low, found.high), _mm256_unpacklo_epi8(labels, zero),
                gauss, &sums[0]);
    add_columns(_mm256_unpackhi_epi8(found.low, found.high), _mm256_unpackhi_epi8(labels, zero),
                gauss, &sums[1]);
}

INLINE void weigh_columns(const Sums columns[2], const float *gauss, Sums *to)
{
    for (int i = 0; i < 2; i++) {
        __m256 by = _mm256_loadu_ps(gauss + 8 * i);
        to->weights = _mm256_fmadd_ps(columns[i].weights, by, to->weights);
        to->products = _mm256_fmadd_ps(columns[i].products, by, to->products);
    }
}

/* Sums all vectors, with n tables. */
INLINE void sum_vectors(const CofiGreyEntries *row, int n, const Window *w, Labels l, int pairs,
                        int vectors, Sums *to)
{
    const Sums none = {_mm256_setzero_ps(), _mm256_setzero_ps()};
    int first = l.least < 256 - 16 * n ? l.least : 256 - 16 * n;
    Tables tables = load_tables(row, first, n);
    Sums sums = none;
    for (int vector = 0; vector < vectors; vector++) {
        Sums columns[2] = {none, none};
        for (int pair = 0; pair < pairs; pair++) {
            const Label *at = l.at + pair * w->stride + vector * VECTOR_LABELS;
            __m256i labels = _mm256_loadu_si256((const __m256i *)at);
            Found found = look_up(&tables, n, labels);
            add_pair(found, labels, _mm256_set1_ps(w->rows[pair]), columns);
        }
        weigh_columns(columns, w->columns[0] + vector * VECTOR_COLUMNS, &sums);
    }
    *to = sums;
}

/* One function for each number of tables: the compiler keeps them in registers. */
#define SUM_WITH(N) \
    SEPARATE void sum_with_##N(const CofiGreyEntries *row, const Window *w, Labels labels, \
                               Sums *sums) \
    { \
        if (IS_USUAL(w)) \
            sum_vectors(row, N, w, labels, 8, 1, sums); \
        else \
            sum_vectors(row, N, w, labels, w->pairs, w->vectors, sums); \
    }
SUM_WITH(1)
SUM_WITH(2)
SUM_WITH(3)
SUM_WITH(4)
SUM_WITH(6)
SUM_WITH(8)
#undef SUM_WITH

/* If labels span more values than the tables have, floats take less time: no weights are found. */
INLINE void sum_window(const CofiGreyEntries *const rows[1], const Window *window, Labels labels,
                       Sums *sums)
{
    typedef void SumWith(const CofiGreyEntries *, const Window *, Labels, Sums *);
    static SumWith *const with[] = {NULL,       sum_with_1, sum_with_2, sum_with_3, sum_with_4,
                                    sum_with_6, sum_with_6, sum_with_8, sum_with_8};
    int tables = (labels.most - labels.least) / 16 + 1;
    if (tables <= FEW_TABLES)
        with[tables](rows[0], window, labels, sums);
    else
        *sums = (Sums){_mm256_setzero_ps(), _mm256_setzero_ps()};
}

/* Lane i becomes the sum of the lanes of v[i x step]. */
INLINE __m256 add_eight(const __m256 *v, int step)
{
    __m256 a =
        _mm256_hadd_ps(_mm256_hadd_ps(v[0], v[step]), _mm256_hadd_ps(v[2 * step], v[3 * step]));
    __m256 b = _mm256_hadd_ps(_mm256_hadd_ps(v[4 * step], v[5 * step]),
                              _mm256_hadd_ps(v[6 * step], v[7 * step]));
    return _mm256_add_ps(_mm256_permute2f128_ps(a, b, 0x20), _mm256_permute2f128_ps(a, b, 0x31));
}

static void add_lanes(const Sums sums[16], float weights[16], float products[16])
{
    for (int i = 0; i < 16; i += 8) {
        _mm256_storeu_ps(weights + i, add_eight(&sums[i].weights, 2));
        _mm256_storeu_ps(products + i, add_eight(&sums[i].products, 2));
    }
}

#include "kernels/filter/grey_rows.h"
#endif
