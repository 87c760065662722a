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

#define lanes_not_above(v, limit) \
    (uint32_t) _mm256_movemask_ps(_mm256_cmp_ps(v, set1(limit), _CMP_NGT_UQ))

/* Compilers extract one integer after the other. */
#define store_bytes(v, p) store_eight_bytes((__m256i)(v), p)
static inline void store_eight_bytes(__m256i v, uint8_t *bytes)
{
    __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    _mm_storel_epi64((__m128i *)bytes, _mm_packus_epi16(words, words));
}

#include "kernels/nearest/fold_lanes.h"
#define fold_least(v) fold_eight_least(v)

static inline void fold_each_least(const __m256 *v, int n, float *folded)
{
    _mm_storeu_ps(folded, fold_four_least(v[0], v[1], v[2], v[n - 1]));
}

static inline void fold_each_most(const __m256 *v, int n, float *folded)
{
    _mm_storeu_ps(folded, fold_four_most(v[0], v[1], v[2], v[n - 1]));
}

#include "kernels/nearest/gain_loops.h"
#include "kernels/nearest/hash_loops.h"
#include "kernels/nearest/nearest_loops.h"
#include "kernels/nearest/shrink_loops.h"
#endif
