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
    COFI_CPU_FP16 = 1 << 4    /* AVX-512 FP16 */
} CofiCpu;

/* The levels of this machine, up to the one that COF_CPU in the environment names (c, neon, avx2,
 * avx512, vbmi, fp16; anything else: all). */
unsigned cofi_cpu_flags(void);

#endif
