/* SPDX-License-Identifier: BSD-2-Clause */
/* The exact filter of 8-bit grey with vectors of 512 bits. Each level includes this file after
 * kernels.h and after it has defined
 *
 *     LEVEL(name)      the name of a kernel at this level
 *     Tables           entries of the matrix for two pixels
 *     load_tables(rows, n, least)
 *                      64 n entries of each of two rows; labels are at least `least`
 *     look_up(tables, pixel, n, labels, found)
 *                      the entries of the labels of two vectors
 */
#include <stdbool.h>

typedef uint16_t Label;
#define PIXELS 2

#include "kernels/filter/grey_window.h"

typedef struct Sums {
    __m512 weights, products;
} Sums;

INLINE void join_rows(const uint8_t *a, const uint8_t *b, Label *to)
{
    __m512i upper = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)a)),
            lower = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)b));
    _mm512_storeu_si512(to, _mm512_or_si512(upper, _mm512_slli_epi32(lower, 16)));
}

INLINE int place_of(int column)
{
    return column;
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

/* Adds two pairs of rows for one pixel. */
INLINE void add_pairs(const Tables *tables, int pixel, int n, const __m512i labels[2],
                      const __m512 gauss[2], Sums *sums)
{
    __m512i found[2];
    look_up(tables, pixel, n, labels, found);
    add_columns(found[0], labels[0], gauss[0], sums);
    add_columns(found[1], labels[1], gauss[1], sums);
}

/* Both pixels share the loads of labels and weights of rows, and pixels of the same label also what
 * is looked up. A pair without a second one is its own, with weight 0. */
INLINE void sum_vectors(const Tables *tables, int n, bool same, const Window *w, Labels labels,
                        int pairs, int vectors, Sums sums[2])
{
    const Sums none = {_mm512_setzero_ps(), _mm512_setzero_ps()};
    Sums one = none, two = none;
    for (int vector = 0; vector < vectors; vector++) {
        Sums first = none, second = none;
        for (int pair = 0; pair < pairs; pair += 2) {
            const Label *at = labels.at + pair * w->stride + vector * VECTOR_LABELS;
            bool last = pair + 1 == pairs;
            __m512i both[2] = {_mm512_loadu_si512(at),
                               _mm512_loadu_si512(last ? at : at + w->stride)};
            __m512 gauss[2] = {_mm512_set1_ps(w->rows[pair]),
                               _mm512_set1_ps(last ? 0 : w->rows[pair + 1])};
            __asm__(""
                    : "+v"(both[0]), "+v"(both[1]), "+v"(gauss[0]),
                      "+v"(gauss[1])); /* forces one load */
            add_pairs(tables, 0, n, both, gauss, &first);
            if (!same)
                add_pairs(tables, 1, n, both, gauss, &second);
        }
        weigh_columns(&first, w->columns[0] + vector * VECTOR_COLUMNS, &one);
        weigh_columns(same ? &first : &second, w->columns[1] + vector * VECTOR_COLUMNS, &two);
    }
    sums[0] = one;
    sums[1] = (Sums){rotated(two.weights), rotated(two.products)};
}

/* One function for each number of tables of 64 entries, and for pixels of the same label: the
 * compiler keeps the tables in registers. */
#define SUM_WITH(NAME, N, SAME) \
    SEPARATE void NAME(const CofiGreyEntries *const rows[2], const Window *w, Labels labels, \
                       Sums sums[2]) \
    { \
        Tables tables = load_tables(rows, N, labels.least); \
        if (IS_USUAL(w)) \
            sum_vectors(&tables, N, SAME, w, labels, 8, 1, sums); \
        else \
            sum_vectors(&tables, N, SAME, w, labels, w->pairs, w->vectors, sums); \
    }
SUM_WITH(sum_with_1, 1, false)
SUM_WITH(sum_with_2, 2, false)
SUM_WITH(sum_with_4, 4, false)
SUM_WITH(sum_same_1, 1, true)
SUM_WITH(sum_same_2, 2, true)
SUM_WITH(sum_same_4, 4, true)
#undef SUM_WITH

INLINE void sum_window(const CofiGreyEntries *const rows[2], const Window *window, Labels labels,
                       Sums sums[2])
{
    static void (*const sum_with[2][4])(const CofiGreyEntries *const[2], const Window *, Labels,
                                        Sums[2]) = {
        {sum_with_1, sum_with_2, sum_with_4, sum_with_4},
        {sum_same_1, sum_same_2, sum_same_4, sum_same_4},
    };
    sum_with[rows[0] == rows[1]][(labels.most - labels.least) / 64](rows, window, labels, sums);
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
