/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums of lanes for vectors of 8 floats, which AVX2 and halved AVX-512 vectors share. */
#ifndef COF_FOLD_EIGHT_H
#define COF_FOLD_EIGHT_H

#include <immintrin.h>

/* Sums lanes that are `spread` apart. If `fresh`, stores the sums; otherwise adds them to `to`. */
static inline void add_eight_folded(__m256 v, int spread, int fresh, float *to)
{
    if (spread >= 8) {
        _mm256_storeu_ps(to, fresh ? v : _mm256_add_ps(_mm256_loadu_ps(to), v));
        return;
    }
    __m128 four = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    if (spread == 4) {
        _mm_storeu_ps(to, fresh ? four : _mm_add_ps(_mm_loadu_ps(to), four));
        return;
    }
    __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    __m128 old = _mm_castsi128_ps(_mm_loadl_epi64((const __m128i *)to));
    _mm_storel_epi64((__m128i *)to, _mm_castps_si128(fresh ? two : _mm_add_ps(old, two)));
}

#endif
