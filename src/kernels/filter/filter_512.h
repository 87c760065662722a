/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts that the filters with 512-bit vectors share. Two adjacent pixels share the loads of the
 * taps that both windows contain. */
#ifndef COF_FILTER_512_H
#define COF_FILTER_512_H

#include <assert.h>
#include <immintrin.h>
#include <stdbool.h>
#include <string.h>

#include "cof/cof.h"
#include "base/arithmetic.h"
#include "kernels/inline.h"
#include "kernels/kernels.h"

#define LANES 16
#define MAX_PLANES 4 /* summed in one pass: the alphas and three bands, or four bands */

/* The number of vectors in a partial sum. It is limited, so that rounding errors stay small in
 * large windows. */
#define MAX_STEPS 32

/* The number of pixels whose sums are divided at once. */
#define BLOCK 128

typedef struct Pair {
    __m512 sums[2][MAX_PLANES]; /* of pixel x and of pixel x + 1 */
} Pair;

/* Adds 16 weighted taps. If `plain`, the alphas are 1 and are not loaded. */
INLINE void add_weighted(int planes_n, bool plain, __m512 w1, __m512 w2, const float *planes,
                         ptrdiff_t stride, Pair *pair)
{
    if (plain) {
        pair->sums[0][0] = _mm512_add_ps(pair->sums[0][0], w1);
        pair->sums[1][0] = _mm512_add_ps(pair->sums[1][0], w2);
    }
    for (int plane = plain; plane < planes_n; plane++) {
        __m512 values = _mm512_loadu_ps(planes + plane * stride);
        __asm__("" : "+v"(values)); /* forces one load for both pixels */
        pair->sums[0][plane] = _mm512_fmadd_ps(w1, values, pair->sums[0][plane]);
        pair->sums[1][plane] = _mm512_fmadd_ps(w2, values, pair->sums[1][plane]);
    }
}

/* For each plane, the sums of pixel x and of pixel x + 1. */
typedef struct PairSums {
    float of[MAX_PLANES][2];
} PairSums;

/* Adds quarters 2 and 3 to quarters 0 and 1, for both vectors. */
INLINE __m512 fold_halves(__m512 a, __m512 b)
{
    return _mm512_add_ps(_mm512_shuffle_f32x4(a, b, 0x44), _mm512_shuffle_f32x4(a, b, 0xee));
}

/* Adds quarters 1 and 3 to quarters 0 and 2, for both vectors. */
INLINE __m512 fold_quarters(__m512 a, __m512 b)
{
    return _mm512_add_ps(_mm512_shuffle_f32x4(a, b, 0x88), _mm512_shuffle_f32x4(a, b, 0xdd));
}

/* Sums the quarters of each of four vectors into one quarter of the result. */
INLINE __m512 fold_four(__m512 a, __m512 b, __m512 c, __m512 d)
{
    return fold_quarters(fold_halves(a, b), fold_halves(c, d));
}

/* The taps of the second pixel are one lane further. Rotated by one lane, they are added in the
 * same order as those of the first pixel. */
INLINE __m512 rotated(__m512 v)
{
    __m512i lanes = _mm512_castps_si512(v);
    return _mm512_castsi512_ps(_mm512_alignr_epi32(lanes, lanes, 1));
}

/* Sums the lanes of up to two planes. */
INLINE void finish_few(const Pair *pair, int second_plane, PairSums *sums)
{
    __m512 all = fold_four(pair->sums[0][0], pair->sums[0][second_plane], rotated(pair->sums[1][0]),
                           rotated(pair->sums[1][second_plane]));
    all = _mm512_add_ps(all, _mm512_permute_ps(all, 0x4e));
    all = _mm512_add_ps(all, _mm512_permute_ps(all, 0xb1));
    const __m512i order = _mm512_setr_epi32(0, 8, 4, 12, 0, 8, 4, 12, 0, 8, 4, 12, 0, 8, 4, 12);
    _mm_storeu_ps(sums->of[0], _mm512_castps512_ps128(_mm512_permutexvar_ps(order, all)));
}

INLINE void finish_pair(int planes, const Pair *pair, PairSums *sums)
{
    if (planes <= 2) {
        finish_few(pair, planes - 1, sums);
        return;
    }
    const __m512 *one = pair->sums[0];
    __m512 two[MAX_PLANES];
    for (int plane = 0; plane < planes; plane++)
        two[plane] = rotated(pair->sums[1][plane]);
    int last = planes - 1; /* used twice if there are three planes */
    __m512 first = fold_four(one[0], one[1], one[2], one[last]);
    __m512 second = fold_four(two[0], two[1], two[2], two[last]);
    /* In each quarter, lanes 0 and 1 become the sums of both pixels. */
    __m512 both =
        _mm512_add_ps(_mm512_unpacklo_ps(first, second), _mm512_unpackhi_ps(first, second));
    both = _mm512_add_ps(both, _mm512_permute_ps(both, 0x4e));
    const __m512i order = _mm512_setr_epi32(0, 1, 4, 5, 8, 9, 12, 13, 0, 1, 4, 5, 8, 9, 12, 13);
    _mm256_storeu_ps(sums->of[0], _mm512_castps512_ps256(_mm512_permutexvar_ps(order, both)));
}

INLINE void add_pair(int planes, const Pair *part, Pair *total)
{
    for (int pixel = 0; pixel < 2; pixel++)
        for (int plane = 0; plane < planes; plane++)
            total->sums[pixel][plane] =
                _mm512_add_ps(total->sums[pixel][plane], part->sums[pixel][plane]);
}

/* Writes the means of the bands among the planes. Plane 0 holds the weights, which are kept in
 * `weights` for the planes after it. */
static inline void divide_sums(const PairSums *sums, int first_plane, int planes, int n,
                               float *weights, float *const *values)
{
    for (int plane = 0; plane < planes; plane++) {
        float means[BLOCK], *to = first_plane + plane == 0 ? weights : means;
        for (int i = 0; i < n; i += 2)
            memcpy(to + i, sums[i / 2].of[plane], sizeof sums->of[plane]);
        for (int i = 0; i < n && to == means; i++)
            values[first_plane + plane - 1][i] = cofi_to_finite(means[i] / weights[i]);
    }
}

/* Loads 16 labels of each of four rows, one row after the other. */
INLINE __m512i load_labels(const uint8_t *const rows[4], ptrdiff_t x)
{
    __m512i labels = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *)(rows[0] + x)));
    labels = _mm512_inserti32x4(labels, _mm_loadu_si128((const __m128i *)(rows[1] + x)), 1);
    labels = _mm512_inserti32x4(labels, _mm_loadu_si128((const __m128i *)(rows[2] + x)), 2);
    return _mm512_inserti32x4(labels, _mm_loadu_si128((const __m128i *)(rows[3] + x)), 3);
}

/* Sums some of the planes for n pixels from x on, at most BLOCK. */
typedef void SumPlanes(const CofiTaps *taps, int first_plane, int planes, int x, int n,
                       PairSums *sums);

/* Filters block by block, with a few planes at a time. */
static inline void filter_blocks(const CofiTaps *taps, int x, int n, SumPlanes *sum_planes,
                                 float *const *values, uint8_t *has_weight)
{
    assert(taps->k >= 1 && taps->k <= COF_MAX_COLOURS && taps->n_bands <= COF_MAX_BANDS);
    assert(taps->radius >= 0 && 2 * taps->radius + 1 <= COF_MAX_FILTER_WINDOW && n >= 0);
    float weights[BLOCK];
    PairSums sums[BLOCK / 2];
    for (int first = 0; first < n; first += BLOCK) {
        int count = n - first < BLOCK ? n - first : BLOCK;
        float *block[COF_MAX_BANDS];
        for (int band = 0; band < taps->n_bands; band++)
            block[band] = values[band] + first;
        for (int plane = 0; plane <= taps->n_bands; plane += MAX_PLANES) {
            int left = 1 + taps->n_bands - plane, planes = left < MAX_PLANES ? left : MAX_PLANES;
            sum_planes(taps, plane, planes, x + first, count, sums);
            divide_sums(sums, plane, planes, count, weights, block);
        }
        for (int i = 0; i < count; i++)
            has_weight[first + i] = weights[i] > 0;
        if (taps->n_bands == 0)
            memcpy(values[0] + first, weights, (size_t)count * sizeof weights[0]);
    }
}

#endif
