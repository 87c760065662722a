/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts the labels around reference pixels, with SIMD128 of WebAssembly. */
#if defined(__wasm_simd128__)
#include <stdint.h>
#include <wasm_simd128.h>

#define LEVEL(name) name##_wasm
#define LANES 16

typedef uint8_t Lane;
typedef uint8_t Bits __attribute__((vector_size(16)));

/* There are no shifts by lanes. The table is 0 from 8 on, and a swizzle from 16 on, as it is for
 * negative numbers. */
static inline Bits bits_at(const uint8_t *labels, int first)
{
    const v128_t table = wasm_u8x16_const(1, 2, 4, 8, 16, 32, 64, 128, 0, 0, 0, 0, 0, 0, 0, 0);
    v128_t numbers = wasm_i8x16_sub(wasm_v128_load(labels), wasm_i8x16_splat((int8_t)first));
    return (Bits)wasm_i8x16_swizzle(table, numbers);
}

#define ADD_PLANE
static inline void add_plane(uint8_t bits, int plane, uint16_t numbers[8])
{
    const v128_t labels = wasm_u16x8_const(1, 2, 4, 8, 16, 32, 64, 128);
    v128_t there = wasm_i16x8_eq(wasm_v128_and(wasm_i16x8_splat(bits), labels), labels);
    v128_t added = wasm_v128_and(there, wasm_i16x8_splat((int16_t)(1u << plane)));
    wasm_v128_store(numbers, wasm_v128_or(wasm_v128_load(numbers), added));
}

#include "kernels/count/count_loops.h"
#endif
