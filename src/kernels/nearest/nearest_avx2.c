/* SPDX-License-Identifier: BSD-2-Clause */
/* Nearest centres, sums of distances and hashes, with AVX2. */
#if defined(__x86_64__)
#include "kernels/vectors_avx2.h"

#define LEVEL(name) name##_avx2

/* Loads that repeat one float take no longer than other loads. */
typedef const float *Four;
#define load_four(p) (p)
#define fma_sub_of(v, four, i, c) fma_sub(v, set1((four)[i]), c)
#define load_repeated(p) set1(*(p))

static inline float fold_least(__m256 v)
{
    __m128 four = _mm_min_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    __m128 two = _mm_min_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_min_ss(two, _mm_movehdup_ps(two)));
}

static inline float fold_most(__m256 v)
{
    __m128 four = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
}

#include "kernels/nearest/hash_loops.h"
#include "kernels/nearest/nearest_loops.h"
#include "kernels/nearest/shrink_loops.h"
#endif
