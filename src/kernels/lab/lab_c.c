/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts linear sRGB to CIE Lab, and CIE Lab to encoded sRGB, in C. */
#define LEVEL(name) name##_c
#include "kernels/lab/lab_loops.h"
