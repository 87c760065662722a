/* SPDX-License-Identifier: BSD-2-Clause */
/* Instruction sets of this processor. */
#ifndef COF_CPU_H
#define COF_CPU_H

/* A level implies the levels before it. */
typedef enum CofiCpu {
    COFI_CPU_C = 0,
    COFI_CPU_NEON = 1 << 0,
    COFI_CPU_AVX2 = 1 << 1,   /* with FMA */
    COFI_CPU_AVX512 = 1 << 2, /* F, BW, DQ, VL */
    COFI_CPU_VBMI = 1 << 3,   /* AVX-512 VBMI */
    COFI_CPU_WASM = 1 << 4    /* WebAssembly with SIMD128 */
} CofiCpu;

/* The levels of this machine, up to the one that the environment variable COF_CPU names: c, neon,
 * avx2, avx512, vbmi or wasm. Any other value allows all levels. */
unsigned cofi_cpu_flags(void);

#endif
