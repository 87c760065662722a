/* SPDX-License-Identifier: BSD-2-Clause */
/* The smallest and the largest lane of vectors of eight floats. */
#ifndef COF_FOLD_LANES_H
#define COF_FOLD_LANES_H

#include <immintrin.h>

static inline float fold_eight_least(__m256 v)
{
    __m128 four = _mm_min_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    __m128 two = _mm_min_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_min_ss(two, _mm_movehdup_ps(two)));
}

/* The same of four vectors at a time: one lane of the result for each. */
#define FOLD_FOUR(combine256, a, b, c, d) \
    __m256 ab = \
        combine256(_mm256_permute2f128_ps(a, b, 0x20), _mm256_permute2f128_ps(a, b, 0x31)); \
    __m256 cd = \
        combine256(_mm256_permute2f128_ps(c, d, 0x20), _mm256_permute2f128_ps(c, d, 0x31)); \
    __m256 twos = combine256(_mm256_unpacklo_ps(ab, cd), _mm256_unpackhi_ps(ab, cd)); \
    __m256 ones = combine256(twos, _mm256_permute_ps(twos, 0x4e)); \
    return _mm_unpacklo_ps(_mm256_castps256_ps128(ones), _mm256_extractf128_ps(ones, 1))

static inline __m128 fold_four_least(__m256 a, __m256 b, __m256 c, __m256 d)
{
    FOLD_FOUR(_mm256_min_ps, a, b, c, d);
}

static inline __m128 fold_four_most(__m256 a, __m256 b, __m256 c, __m256 d)
{
    FOLD_FOUR(_mm256_max_ps, a, b, c, d);
}

#endif
