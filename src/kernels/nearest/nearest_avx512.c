/* SPDX-License-Identifier: BSD-2-Clause */
/* Nearest centres, sums of distances and hashes, with AVX-512. */
#if defined(__x86_64__)
#include "kernels/vectors_avx512.h"

#define LEVEL(name) name##_avx512

/* Loads that repeat one float take no longer than other loads. */
typedef const float *Four;
#define load_four(p) (p)
#define fma_sub_of(v, four, i, c) fma_sub(v, set1((four)[i]), c)
#define load_repeated(p) set1(*(p))
#define fold_least(v) _mm512_reduce_min_ps(v)
#define lanes_not_above(v, limit) (uint32_t) _mm512_cmp_ps_mask(v, set1(limit), _CMP_NGT_UQ)
#define store_bytes(v, p) _mm_storeu_si128((__m128i *)(p), _mm512_cvtepi32_epi8((__m512i)(v)))

#include "kernels/nearest/fold_lanes.h"

static inline void fold_each_least(const __m512 *v, int n, float *folded)
{
    __m256 eight[4];
    for (int i = 0; i < n; i++)
        eight[i] = _mm256_min_ps(_mm512_castps512_ps256(v[i]), _mm512_extractf32x8_ps(v[i], 1));
    _mm_storeu_ps(folded, fold_four_least(eight[0], eight[1], eight[2], eight[n - 1]));
}

static inline void fold_each_most(const __m512 *v, int n, float *folded)
{
    __m256 eight[4];
    for (int i = 0; i < n; i++)
        eight[i] = _mm256_max_ps(_mm512_castps512_ps256(v[i]), _mm512_extractf32x8_ps(v[i], 1));
    _mm_storeu_ps(folded, fold_four_most(eight[0], eight[1], eight[2], eight[n - 1]));
}

#include "kernels/nearest/gain_loops.h"
#include "kernels/nearest/hash_loops.h"
#include "kernels/nearest/nearest_loops.h"
#include "kernels/nearest/shrink_loops.h"
#endif
