/* SPDX-License-Identifier: BSD-2-Clause */
/* Splats, blurs and slices a row of the fast filter, with SIMD128 of WebAssembly. */
#if defined(__wasm_simd128__)
#include "kernels/vectors_wasm.h"

#define LEVEL(name) name##_wasm
#include "kernels/lowrank/lowrank_loops.h"
#endif
