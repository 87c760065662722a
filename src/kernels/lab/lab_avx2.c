/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts linear sRGB to CIE Lab, and CIE Lab to encoded sRGB, with AVX2. */
#if defined(__x86_64__)
#define LEVEL(name) name##_avx2
#define FUSED
#include "kernels/lab/lab_loops.h"
#endif
