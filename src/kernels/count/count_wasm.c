/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts the labels around reference pixels, with SIMD128 of WebAssembly. */
#if defined(__wasm_simd128__)
#include <stdint.h>
#include <wasm_simd128.h>

#define LEVEL(name) name##_wasm
#define LANES 4

typedef uint32_t Bits __attribute__((vector_size(16)));

/* There are no shifts by lanes. Byte b of a lane has the bit of label - 8 b, which a table gives for
 * 0..7. The table is 0 from 8 on, and swizzle is 0 from 16 on, as it is for negative numbers. */
static inline Bits bits_at(const uint8_t *labels)
{
    const v128_t table = wasm_u8x16_const(1, 2, 4, 8, 16, 32, 64, 128, 0, 0, 0, 0, 0, 0, 0, 0);
    const v128_t first = wasm_u32x4_const_splat(0x18100800);
    v128_t four = wasm_v128_load32_zero(labels);
    v128_t repeated =
        wasm_i8x16_shuffle(four, four, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
    return (Bits)wasm_i8x16_swizzle(table, wasm_i8x16_sub(repeated, first));
}

#include "kernels/count/count_loops.h"
#endif
