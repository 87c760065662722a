/* SPDX-License-Identifier: BSD-2-Clause */
/* Splats, blurs and slices a row of the fast filter, with NEON. */
#if defined(__aarch64__)
#include "kernels/vectors_neon.h"

#define LEVEL(name) name##_neon
#include "kernels/lowrank/lowrank_loops.h"
#endif
