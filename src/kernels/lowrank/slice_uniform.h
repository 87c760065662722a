/* SPDX-License-Identifier: BSD-2-Clause */
/* Slices two by two pixels of one label, in registers. Included by slice_loops.h. */
INLINE bool is_uniform(const CofiSlice *s, const Block *block)
{
    const uint8_t *upper = s->labels[0] + block->x, *lower = s->labels[1] + block->x;
    return !((upper[0] ^ upper[1]) | (upper[0] ^ lower[0]) | (upper[0] ^ lower[1]));
}

/* Interpolates two by two pixels of four values, which have the same values at the four cells. */
#if LANES == 4
INLINE void store_uniform(const Vector corners[4], const CornerWeights *weights, float *upper,
                          float *lower)
{
    UNROLL
    for (int i = 0; i < 4; i++) {
        const float *of = weights->of[i / 2][i % 2];
        Vector left = mul(set1(of[0]), corners[0]) + mul(set1(of[2]), corners[2]);
        Vector right = mul(set1(of[1]), corners[1]) + mul(set1(of[3]), corners[3]);
        store((i < 2 ? upper : lower) + i % 2 * 4, left + right);
    }
}
#elif LANES == 8
INLINE Vector fold_two(Vector a, Vector b)
{
    return _mm256_permute2f128_ps(a, b, 0x20) + _mm256_permute2f128_ps(a, b, 0x31);
}

INLINE Vector two_weights(float a, float b)
{
    return _mm256_setr_m128(_mm_set1_ps(a), _mm_set1_ps(b));
}

INLINE void store_uniform(const Vector sums[4], const CornerWeights *weights, float *upper,
                          float *lower)
{
    Vector above = fold_two(sums[0], sums[1]), below = fold_two(sums[2], sums[3]), pixels[4];
    UNROLL
    for (int i = 0; i < 4; i++) {
        const float *of = weights->of[i / 2][i % 2];
        pixels[i] = two_weights(of[0], of[1]) * above + two_weights(of[2], of[3]) * below;
    }
    store(upper, fold_two(pixels[0], pixels[1]));
    store(lower, fold_two(pixels[2], pixels[3]));
}
#else
INLINE Vector fold_quarters(const Vector v[4])
{
    Vector a = _mm512_shuffle_f32x4(v[0], v[1], 0x44) + _mm512_shuffle_f32x4(v[0], v[1], 0xee);
    Vector b = _mm512_shuffle_f32x4(v[2], v[3], 0x44) + _mm512_shuffle_f32x4(v[2], v[3], 0xee);
    return _mm512_shuffle_f32x4(a, b, 0x88) + _mm512_shuffle_f32x4(a, b, 0xdd);
}

INLINE void store_uniform(const Vector sums[4], const CornerWeights *weights, float *upper,
                          float *lower)
{
    static const int spread_out[16] = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3};
    Vector corners = fold_quarters(sums), pixels[4];
    UNROLL
    for (int i = 0; i < 4; i++) {
        __m512 of = _mm512_castps128_ps512(_mm_loadu_ps(weights->of[i / 2][i % 2]));
        pixels[i] = _mm512_permutexvar_ps(_mm512_loadu_si512(spread_out), of) * corners;
    }
    Vector folded = fold_quarters(pixels);
    _mm256_storeu_ps(upper, _mm512_castps512_ps256(folded));
    _mm256_storeu_ps(lower, _mm512_extractf32x8_ps(folded, 1));
}
#endif

/* As slice_block(), for two by two pixels of one label: the most frequent case, without branches
 * and without scratch. */
INLINE void slice_uniform(const CofiSlice *s, const Block *block, const CornerWeights *weights)
{
    Vector sums[4];
    sum_label(s, s->labels[0][block->x], &block->cells, sums);
    store_uniform(sums, weights, pixel_at(s, block, 4, 0), pixel_at(s, block, 4, 1));
}
