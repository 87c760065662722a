/* SPDX-License-Identifier: BSD-2-Clause */
/* Linear sRGB to CIE Lab and back to encoded sRGB, with AVX-512. */
#if defined(__x86_64__)
#define LEVEL(name) name##_avx512
#include "lab_loops.h"
#endif
