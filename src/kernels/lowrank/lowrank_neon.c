/* SPDX-License-Identifier: BSD-2-Clause */
/* The fast filter's rows, with NEON. */
#if defined(__aarch64__)
#include "kernels/vectors_neon.h"

#define LEVEL(name) name##_neon
#include "kernels/lowrank/lowrank_loops.h"
#endif
