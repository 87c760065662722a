/* SPDX-License-Identifier: BSD-2-Clause */
/* Splats, blurs and slices a row of the fast filter, with AVX2. */
#if defined(__x86_64__)
#include "kernels/vectors_avx2.h"

#define LEVEL(name) name##_avx2
#include "kernels/lowrank/lowrank_loops.h"
#endif
