/* SPDX-License-Identifier: BSD-2-Clause */
/* Fits and applies local linear models with AVX-512. */
#if defined(__x86_64__)
#define LEVEL(name) name##_avx512
#define LANES 16
#include "kernels/refine/refine_loops.h"
#endif
