/* SPDX-License-Identifier: BSD-2-Clause */
/* The exact filter with SIMD128 of WebAssembly. If all taps are summed, the weights of up to 32
 * labels are kept as four planes of bytes: swizzles look up 16 labels at once, and shuffles
 * reassemble the floats. */
#if defined(__wasm_simd128__)
#include <stdbool.h>
#include <stddef.h>

#include "kernels/inline.h"
#include "kernels/vectors_wasm.h"

#define LEVEL(name) name##_wasm
#define TOGETHER 1
#define KEEP_IN_REGISTER(v) (void)0

#define shuffled(a, b, ...) ((Vector)wasm_i32x4_shuffle((v128_t)(a), (v128_t)(b), __VA_ARGS__))

INLINE Vector rotated(Vector v)
{
    return shuffled(v, v, 1, 2, 3, 0);
}

INLINE Vector sum_pairs(Vector a, Vector b)
{
    return shuffled(a, b, 0, 2, 4, 6) + shuffled(a, b, 1, 3, 5, 7);
}

INLINE void sum_lanes(const Vector v[8], float sums[8])
{
    for (int i = 0; i < 8; i += 4)
        store(sums + i, sum_pairs(sum_pairs(v[i], v[i + 1]), sum_pairs(v[i + 2], v[i + 3])));
}

/* Byte b of entries 0..15 and of entries 16..31. */
typedef struct WeightLookup {
    v128_t low[4], high[4];
} WeightLookup;

INLINE WeightLookup load_weights(const uint8_t *bytes)
{
    WeightLookup w;
    UNROLL
    for (int byte = 0; byte < 4; byte++) {
        w.low[byte] = wasm_v128_load(bytes + 32 * byte);
        w.high[byte] = wasm_v128_load(bytes + 32 * byte + 16);
    }
    return w;
}

#define interleaved_bytes(a, b, at) \
    wasm_i8x16_shuffle(a, b, at, at + 16, at + 1, at + 17, at + 2, at + 18, at + 3, at + 19, \
                       at + 4, at + 20, at + 5, at + 21, at + 6, at + 22, at + 7, at + 23)
#define interleaved_pairs(a, b, at) \
    ((Vector)wasm_i16x8_shuffle(a, b, at, at + 8, at + 1, at + 9, at + 2, at + 10, at + 3, at + 11))

/* A swizzle gives 0 for indices from 16 on, also for negative ones. */
INLINE void look_up_rows(const WeightLookup *w, const uint8_t *const rows[1], Vector found[1][4])
{
    v128_t low = wasm_v128_load(rows[0]), high = wasm_i8x16_sub(low, wasm_i8x16_const_splat(16));
    v128_t bytes[4];
    UNROLL
    for (int i = 0; i < 4; i++)
        bytes[i] =
            wasm_v128_or(wasm_i8x16_swizzle(w->low[i], low), wasm_i8x16_swizzle(w->high[i], high));
    v128_t low1 = interleaved_bytes(bytes[0], bytes[1], 0);
    v128_t low2 = interleaved_bytes(bytes[2], bytes[3], 0);
    v128_t high1 = interleaved_bytes(bytes[0], bytes[1], 8);
    v128_t high2 = interleaved_bytes(bytes[2], bytes[3], 8);
    found[0][0] = interleaved_pairs(low1, low2, 0);
    found[0][1] = interleaved_pairs(low1, low2, 4);
    found[0][2] = interleaved_pairs(high1, high2, 0);
    found[0][3] = interleaved_pairs(high1, high2, 4);
}

INLINE Vector four_entries(const float *row, const uint8_t *labels)
{
    return (Vector){row[labels[0]], row[labels[1]], row[labels[2]], row[labels[3]]};
}

INLINE void load_entries(const float *one, const float *two, bool alike, const uint8_t *labels,
                         Vector pair[2])
{
    pair[0] = four_entries(one, labels);
    pair[1] = alike ? pair[0] : four_entries(two, labels);
}

#include "kernels/filter/filter_pairs.h"

INLINE void transpose(Vector v[4])
{
    Vector a = shuffled(v[0], v[1], 0, 4, 1, 5), b = shuffled(v[0], v[1], 2, 6, 3, 7);
    Vector c = shuffled(v[2], v[3], 0, 4, 1, 5), d = shuffled(v[2], v[3], 2, 6, 3, 7);
    v[0] = shuffled(a, c, 0, 1, 4, 5);
    v[1] = shuffled(a, c, 2, 3, 6, 7);
    v[2] = shuffled(b, d, 0, 1, 4, 5);
    v[3] = shuffled(b, d, 2, 3, 6, 7);
}

/* Lane i becomes the bits of lanes 4 i to 4 i + 3. */
INLINE v128_t bits_of_fours(v128_t bits)
{
    v128_t pairs = wasm_v128_or(bits, wasm_u16x8_shr(bits, 8));
    return wasm_v128_and(wasm_v128_or(pairs, wasm_u32x4_shr(pairs, 16)),
                         wasm_i32x4_const_splat(255));
}

/* Bit a of a set is in byte a / 8. The tables are 0 for the labels of other bytes, and a swizzle is
 * 0 for indices from 16 on, also for negative ones. */
INLINE void find_sets_of_fours(const uint8_t *const *rows, int n, int x, uint32_t sets[4])
{
    const v128_t even = wasm_i8x16_const(1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0);
    const v128_t odd = wasm_i8x16_const(0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, -128);
    v128_t bytes[4];
    UNROLL
    for (int i = 0; i < 4; i++)
        bytes[i] = wasm_i32x4_const_splat(0);
    for (const uint8_t *const *end = rows + n; rows < end; rows++) {
        v128_t low = wasm_v128_load(*rows + x),
               high = wasm_i8x16_sub(low, wasm_i8x16_const_splat(16));
        bytes[0] = wasm_v128_or(bytes[0], wasm_i8x16_swizzle(even, low));
        bytes[1] = wasm_v128_or(bytes[1], wasm_i8x16_swizzle(odd, low));
        bytes[2] = wasm_v128_or(bytes[2], wasm_i8x16_swizzle(even, high));
        bytes[3] = wasm_v128_or(bytes[3], wasm_i8x16_swizzle(odd, high));
    }
    v128_t low = wasm_v128_or(bits_of_fours(bytes[0]), wasm_i32x4_shl(bits_of_fours(bytes[1]), 8));
    v128_t high = wasm_v128_or(bits_of_fours(bytes[2]), wasm_i32x4_shl(bits_of_fours(bytes[3]), 8));
    wasm_v128_store(sets, wasm_v128_or(low, wasm_i32x4_shl(high, 16)));
}

#include "kernels/filter/filter_by_label.h"
#endif
