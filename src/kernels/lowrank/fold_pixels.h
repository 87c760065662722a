/* SPDX-License-Identifier: BSD-2-Clause */
/* Pixels of four values in long vectors. Included by slice_loops.h. */
/* As many pixels as fill a vector. */
#define PIXELS (LANES / 4)

/* Folds the sums of pixels. */
#if LANES == 8
INLINE Vector fold_pixels(const Vector sums[2])
{
    return _mm256_permute2f128_ps(sums[0], sums[1], 0x20) +
           _mm256_permute2f128_ps(sums[0], sums[1], 0x31);
}
#else
INLINE Vector fold_pixels(const Vector sums[4])
{
    Vector a =
        _mm512_shuffle_f32x4(sums[0], sums[1], 0x44) + _mm512_shuffle_f32x4(sums[0], sums[1], 0xee);
    Vector b =
        _mm512_shuffle_f32x4(sums[2], sums[3], 0x44) + _mm512_shuffle_f32x4(sums[2], sums[3], 0xee);
    return _mm512_shuffle_f32x4(a, b, 0x88) + _mm512_shuffle_f32x4(a, b, 0xdd);
}
#endif

/* Folds the sums of a label at the four cells, and stores them in vectors, as they are loaded. */
INLINE void store_corners(const Vector sums[4], float *corners)
{
    UNROLL
    for (int part = 0; part < 16 / LANES; part++)
        store(corners + part * LANES, fold_pixels(sums + part * PIXELS));
}

/* Weighs the values of a label at the four cells. They are left to be folded, so that sums are
 * added in the order of interpolate(). */
INLINE Vector weigh_values(const float *corners, const float *weights)
{
#if LANES == 8
    static const int of_upper[8] = {0, 0, 0, 0, 1, 1, 1, 1}, of_lower[8] = {2, 2, 2, 2, 3, 3, 3, 3};
    __m256 four = _mm256_castps128_ps256(_mm_loadu_ps(weights));
    Vector upper = _mm256_permutevar8x32_ps(four, _mm256_loadu_si256((const __m256i *)of_upper));
    Vector lower = _mm256_permutevar8x32_ps(four, _mm256_loadu_si256((const __m256i *)of_lower));
    return upper * load(corners) + lower * load(corners + 8);
#else
    static const int of_cells[16] = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3};
    __m512 four = _mm512_castps128_ps512(_mm_loadu_ps(weights));
    return _mm512_permutexvar_ps(_mm512_loadu_si512(of_cells), four) * load(corners);
#endif
}
