/* SPDX-License-Identifier: BSD-2-Clause */
/* Slices two by two pixels of one label, in registers, with vectors of four values. Included by
 * slice_loops.h. */
INLINE bool is_uniform(const CofiSlice *s, const Block *block)
{
    const uint8_t *upper = s->labels[0] + block->x, *lower = s->labels[1] + block->x;
    return !((upper[0] ^ upper[1]) | (upper[0] ^ lower[0]) | (upper[0] ^ lower[1]));
}

/* Interpolates two by two pixels of four values, which have the same values at the four cells. */
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

/* As slice_block(), for two by two pixels of one label: the most frequent case, without branches
 * and without scratch. */
INLINE void slice_uniform(const CofiSlice *s, const Block *block, const CornerWeights *weights)
{
    Vector sums[4];
    sum_label(s, s->labels[0][block->x], &block->cells, sums);
    store_uniform(sums, weights, pixel_at(s, block, 4, 0), pixel_at(s, block, 4, 1));
}
