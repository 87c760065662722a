/* SPDX-License-Identifier: BSD-2-Clause */
/* Fits and applies local linear models in C: also with the vectors of NEON and WebAssembly. */
#define LEVEL(name) name##_c
#define LANES 4
#include "kernels/refine/refine_loops.h"
