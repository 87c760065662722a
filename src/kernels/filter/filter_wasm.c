/* SPDX-License-Identifier: BSD-2-Clause */
/* The exact filter with SIMD128 of WebAssembly. The weights of up to 32 labels are kept as four
 * planes of bytes. Swizzles look up 16 labels at once, and shuffles reassemble the floats. */
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
#define interleaved_words(a, b, at) \
    wasm_i16x8_shuffle(a, b, at, at + 8, at + 1, at + 9, at + 2, at + 10, at + 3, at + 11)
#define interleaved_pairs(a, b, at) ((Vector)interleaved_words(a, b, at))

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

#define FEW_REGISTERS

INLINE void transpose(Vector v[4])
{
    Vector a = shuffled(v[0], v[1], 0, 4, 1, 5), b = shuffled(v[0], v[1], 2, 6, 3, 7);
    Vector c = shuffled(v[2], v[3], 0, 4, 1, 5), d = shuffled(v[2], v[3], 2, 6, 3, 7);
    v[0] = shuffled(a, c, 0, 1, 4, 5);
    v[1] = shuffled(a, c, 2, 3, 6, 7);
    v[2] = shuffled(b, d, 0, 1, 4, 5);
    v[3] = shuffled(b, d, 2, 3, 6, 7);
}

INLINE void find_four_rows(uint32_t weights, v128_t labels, const float **rows)
{
    wasm_v128_store(rows,
                    wasm_i32x4_add(wasm_i32x4_shl(labels, 5), wasm_i32x4_splat((int32_t)weights)));
}

INLINE void find_rows(const float *weights, const uint8_t *labels, const float *rows[16])
{
    uint32_t start = (uint32_t)(uintptr_t)weights;
    v128_t all = wasm_v128_load(labels);
    v128_t low = wasm_u16x8_extend_low_u8x16(all), high = wasm_u16x8_extend_high_u8x16(all);
    find_four_rows(start, wasm_u32x4_extend_low_u16x8(low), rows);
    find_four_rows(start, wasm_u32x4_extend_high_u16x8(low), rows + 4);
    find_four_rows(start, wasm_u32x4_extend_low_u16x8(high), rows + 8);
    find_four_rows(start, wasm_u32x4_extend_high_u16x8(high), rows + 12);
}

/* Bit a is set if label a is among the 16. Byte i of the set has labels 8 i to 8 i + 7. */
#define SET_OF_BLOCK
INLINE uint32_t set_of_block(const uint8_t *labels)
{
    const v128_t powers =
        wasm_i8x16_const(1, 2, 4, 8, 16, 32, 64, -128, 1, 2, 4, 8, 16, 32, 64, -128);
    v128_t all = wasm_v128_load(labels), eighth = wasm_u8x16_shr(all, 3), of[4];
    v128_t bits = wasm_i8x16_swizzle(powers, wasm_v128_and(all, wasm_i8x16_const_splat(7)));
    UNROLL
    for (int i = 0; i < 4; i++)
        of[i] = wasm_v128_and(bits, wasm_i8x16_eq(eighth, wasm_i8x16_splat((int8_t)i)));
    v128_t low =
        wasm_v128_or(interleaved_bytes(of[0], of[1], 0), interleaved_bytes(of[0], of[1], 8));
    v128_t high =
        wasm_v128_or(interleaved_bytes(of[2], of[3], 0), interleaved_bytes(of[2], of[3], 8));
    v128_t sets = wasm_v128_or(interleaved_words(low, high, 0), interleaved_words(low, high, 4));
    sets = wasm_v128_or(sets, wasm_i32x4_shuffle(sets, sets, 2, 3, 0, 1));
    return (uint32_t)(wasm_i32x4_extract_lane(sets, 0) | wasm_i32x4_extract_lane(sets, 1));
}

#define ColumnLookup WeightLookup
#define load_column_lookup(taps, label) load_weights((taps)->bytes + (label)*4 * FEW)
#define look_up_columns look_up_rows

#include "kernels/filter/filter_columns.h"
#endif
