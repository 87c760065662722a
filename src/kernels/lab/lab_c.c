/* SPDX-License-Identifier: BSD-2-Clause */
/* Linear sRGB to CIE Lab and back to encoded sRGB, in C. */
#define LEVEL(name) name##_c
#include "kernels/lab/lab_loops.h"
