/* SPDX-License-Identifier: BSD-2-Clause */
/* Fits and applies local linear models with AVX2. */
#if defined(__x86_64__)
#define LEVEL(name) name##_avx2
#define LANES 8
#include "kernels/refine/refine_loops.h"
#endif
