/* SPDX-License-Identifier: BSD-2-Clause */
/* Splats, blurs and slices a row of the fast filter, with SIMD128 of WebAssembly. */
#if defined(__wasm_simd128__)
#include "kernels/inline.h"
#include "kernels/vectors_wasm.h"

#define LEVEL(name) name##_wasm
#define TRANSPOSE

/* Four vectors become columns. Processors have each of these shuffles as one instruction. */
INLINE void transpose(const Vector rows[4], Vector columns[4])
{
    v128_t a = (v128_t)rows[0], b = (v128_t)rows[1], c = (v128_t)rows[2], d = (v128_t)rows[3];
    v128_t low[2] = {wasm_i32x4_shuffle(a, c, 0, 4, 1, 5), wasm_i32x4_shuffle(b, d, 0, 4, 1, 5)};
    v128_t high[2] = {wasm_i32x4_shuffle(a, c, 2, 6, 3, 7), wasm_i32x4_shuffle(b, d, 2, 6, 3, 7)};
    columns[0] = (Vector)wasm_i32x4_shuffle(low[0], low[1], 0, 4, 1, 5);
    columns[1] = (Vector)wasm_i32x4_shuffle(low[0], low[1], 2, 6, 3, 7);
    columns[2] = (Vector)wasm_i32x4_shuffle(high[0], high[1], 0, 4, 1, 5);
    columns[3] = (Vector)wasm_i32x4_shuffle(high[0], high[1], 2, 6, 3, 7);
}

#include "kernels/lowrank/lowrank_loops.h"
#endif
