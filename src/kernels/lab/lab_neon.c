/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts linear sRGB to CIE Lab, and CIE Lab to encoded sRGB, with NEON. */
#if defined(__aarch64__)
#define LEVEL(name) name##_neon
#define FUSED
#include "kernels/lab/lab_loops.h"
#endif
