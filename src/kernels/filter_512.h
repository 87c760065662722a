/* SPDX-License-Identifier: BSD-2-Clause */
/* What the filters with vectors of 512 bits have in common: two pixels side by side share the loads
 * of what their windows have in common. */
#ifndef COF_FILTER_512_H
#define COF_FILTER_512_H

#include <immintrin.h>
#include <stdbool.h>

#include "arithmetic.h"
#include "cof/cof.h"
#include "kernels.h"

#define INLINE static inline __attribute__((always_inline))

#define LANES 16
#define MOST_PLANES 4 /* summed in one go: the votes and three bands, or four bands */

/* Vectors that are added before their sum joins the others: rounding errors stay small in large
 * windows. */
#define MOST_STEPS 32

/* Pixels whose sums are divided at once. */
#define BLOCK 128

typedef struct Pair {
    __m512 sums[2][MOST_PLANES]; /* of pixel x and of pixel x + 1 */
} Pair;

/* Adds 16 taps with those weights; where votes are 1, they are not loaded. */
INLINE void add_weighted(int planes_n, bool plain, __m512 w1, __m512 w2, const float *planes,
                         ptrdiff_t stride, Pair *pair)
{
    if (plain) {
        pair->sums[0][0] = _mm512_add_ps(pair->sums[0][0], w1);
        pair->sums[1][0] = _mm512_add_ps(pair->sums[1][0], w2);
    }
    for (int plane = plain; plane < planes_n; plane++) {
        __m512 values = _mm512_loadu_ps(planes + plane * stride);
        __asm__("" : "+v"(values)); /* one load for both, not two */
        pair->sums[0][plane] = _mm512_fmadd_ps(w1, values, pair->sums[0][plane]);
        pair->sums[1][plane] = _mm512_fmadd_ps(w2, values, pair->sums[1][plane]);
    }
}

/* The sums of eight vectors' lanes. */
INLINE __m256 sums_of_lanes(const __m512 v[8])
{
    __m256 half[8];
    for (int i = 0; i < 8; i++)
        half[i] = _mm256_add_ps(_mm512_castps512_ps256(v[i]), _mm512_extractf32x8_ps(v[i], 1));
    __m256 a = _mm256_hadd_ps(_mm256_hadd_ps(half[0], half[1]), _mm256_hadd_ps(half[2], half[3]));
    __m256 b = _mm256_hadd_ps(_mm256_hadd_ps(half[4], half[5]), _mm256_hadd_ps(half[6], half[7]));
    return _mm256_add_ps(_mm256_permute2f128_ps(a, b, 0x20), _mm256_permute2f128_ps(a, b, 0x31));
}

/* The same for four. */
INLINE __m128 sums_of_four(const __m512 v[4])
{
    __m256 half[4];
    for (int i = 0; i < 4; i++)
        half[i] = _mm256_add_ps(_mm512_castps512_ps256(v[i]), _mm512_extractf32x8_ps(v[i], 1));
    __m256 a = _mm256_hadd_ps(_mm256_hadd_ps(half[0], half[1]), _mm256_hadd_ps(half[2], half[3]));
    return _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
}

/* The second pixel's taps lie one lane further: turned back, they are added in the same order. */
INLINE __m512 turned(__m512 v)
{
    __m512i lanes = _mm512_castps_si512(v);
    return _mm512_castsi512_ps(_mm512_alignr_epi32(lanes, lanes, 1));
}

/* sums[0..3] of pixel x, [4..7] of pixel x + 1. */
INLINE void finish_pair(int planes, const Pair *pair, float sums[2 * MOST_PLANES])
{
    __m512 all[2 * MOST_PLANES];
    int n = planes <= 2 ? 2 : MOST_PLANES;
    for (int plane = 0; plane < n; plane++) {
        int used = plane < planes ? plane : 0;
        all[plane] = pair->sums[0][used];
        all[n + plane] = turned(pair->sums[1][used]);
    }
    if (planes > 2) {
        _mm256_storeu_ps(sums, sums_of_lanes(all));
        return;
    }
    __m128 four = sums_of_four(all);
    _mm_storel_pi((__m64 *)sums, four);
    _mm_storeh_pi((__m64 *)(sums + MOST_PLANES), four);
}

INLINE void add_pair(int planes, const Pair *part, Pair *total)
{
    for (int pixel = 0; pixel < 2; pixel++)
        for (int plane = 0; plane < planes; plane++)
            total->sums[pixel][plane] =
                _mm512_add_ps(total->sums[pixel][plane], part->sums[pixel][plane]);
}

/* Writes the means of the bands among the planes; the weights they are divided by come with the
 * first plane, and stay in `weights`. */
static void divide_sums(float sums[BLOCK / 2][2 * MOST_PLANES], int first_plane, int planes, int n,
                        float *weights, float *const *values)
{
    for (int i = 0; i < n && first_plane == 0; i++)
        weights[i] = sums[i / 2][i % 2 * MOST_PLANES];
    for (int plane = first_plane == 0; plane < planes; plane++) {
        float *means = values[first_plane + plane - 1];
        for (int i = 0; i < n; i++)
            means[i] = cofi_to_finite(sums[i / 2][i % 2 * MOST_PLANES + plane] / weights[i]);
    }
}

/* Sums of n pixels from x on, at most BLOCK, of some of the planes. */
typedef void SumPlanes(const CofiTaps *taps, int first_plane, int planes, int x, int n,
                       float sums[BLOCK / 2][2 * MOST_PLANES]);

/* Block by block, and a few planes at a time. */
static void filter_blocks(const CofiTaps *taps, int x, int n, SumPlanes *sum_planes,
                          float *const *values, uint8_t *mixed)
{
    float weights[BLOCK], sums[BLOCK / 2][2 * MOST_PLANES];
    for (int first = 0; first < n; first += BLOCK) {
        int count = n - first < BLOCK ? n - first : BLOCK;
        float *block[COF_MAX_BANDS];
        for (int band = 0; band < taps->n_bands; band++)
            block[band] = values[band] + first;
        for (int plane = 0; plane <= taps->n_bands; plane += MOST_PLANES) {
            int left = 1 + taps->n_bands - plane, planes = left < MOST_PLANES ? left : MOST_PLANES;
            sum_planes(taps, plane, planes, x + first, count, sums);
            divide_sums(sums, plane, planes, count, weights, block);
        }
        for (int i = 0; i < count; i++)
            mixed[first + i] = weights[i] > 0;
    }
}

#endif
