/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts linear sRGB to CIE Lab, and CIE Lab to encoded sRGB, with SIMD128 of WebAssembly. */
#if defined(__wasm_simd128__)
#include <stdint.h>
#include <wasm_simd128.h>

#include "kernels/inline.h"
#include "kernels/kernels.h"

#define LEVEL(name) name##_wasm
#define ENCODE
#define PACK

/* The bytes of four words of light, in the lowest bits. */
INLINE v128_t encode_four(const uint32_t *light, const uint32_t *table)
{
    enum { SHIFT = 32 - COFI_ENCODING_BITS };
    v128_t words = wasm_v128_load(light);
    v128_t entries = wasm_v128_load32_zero(table + (light[0] >> SHIFT));
    entries = wasm_v128_load32_lane(table + (light[1] >> SHIFT), entries, 1);
    entries = wasm_v128_load32_lane(table + (light[2] >> SHIFT), entries, 2);
    entries = wasm_v128_load32_lane(table + (light[3] >> SHIFT), entries, 3);
    v128_t bytes = wasm_i32x4_sub(entries, wasm_u32x4_ge(words, entries));
    return wasm_v128_and(bytes, wasm_i32x4_const_splat(255));
}

/* Pixels without gaps, four at a time. */
static inline int encode_some(uint32_t *const light[3], const uint32_t *table, ptrdiff_t step,
                              int n, uint8_t *bytes)
{
    int i = 0;
    for (; i + 4 <= n && step == 3; i += 4, bytes += 12) {
        v128_t red = encode_four(light[0] + i, table), green = encode_four(light[1] + i, table),
               blue = encode_four(light[2] + i, table);
        v128_t pixels =
            wasm_v128_or(wasm_v128_or(red, wasm_i32x4_shl(green, 8)), wasm_i32x4_shl(blue, 16));
        pixels =
            wasm_i8x16_shuffle(pixels, pixels, 0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 3, 3, 3, 3);
        wasm_v128_store64_lane(bytes, pixels, 0);
        wasm_v128_store32_lane(bytes + 8, pixels, 2);
    }
    return i;
}

/* As rounded() in pack_loops.h. */
INLINE v128_t rounded_four(const float *values, v128_t steps)
{
    v128_t sum = wasm_f32x4_add(wasm_f32x4_mul(wasm_v128_load(values), steps),
                                wasm_f32x4_const_splat(12582912.0f));
    return wasm_i32x4_sub(sum, wasm_i32x4_const_splat(0x4b400000));
}

static inline int pack_some(const float *values, float steps, int n, int16_t *high, uint8_t *low)
{
    const v128_t all = wasm_f32x4_splat(steps), byte = wasm_i32x4_const_splat(255);
    int i = 0;
    for (; i + 16 <= n; i += 16) {
        v128_t numbers[4], lows[4];
        UNROLL
        for (int j = 0; j < 4; j++) {
            numbers[j] = rounded_four(values + i + 4 * j, all);
            lows[j] = wasm_v128_and(numbers[j], byte);
            numbers[j] = wasm_i32x4_shr(numbers[j], 8);
        }
        wasm_v128_store(high + i, wasm_i16x8_narrow_i32x4(numbers[0], numbers[1]));
        wasm_v128_store(high + i + 8, wasm_i16x8_narrow_i32x4(numbers[2], numbers[3]));
        wasm_v128_store(low + i,
                        wasm_u8x16_narrow_i16x8(wasm_i16x8_narrow_i32x4(lows[0], lows[1]),
                                                wasm_i16x8_narrow_i32x4(lows[2], lows[3])));
    }
    return i;
}

#include "kernels/lab/lab_loops.h"
#endif
