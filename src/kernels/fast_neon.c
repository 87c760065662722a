/* SPDX-License-Identifier: BSD-2-Clause */
/* The fast filter's rows, with NEON. */
#if defined(__aarch64__)
#include "vectors_neon.h"

#define LEVEL(name) name##_neon
#include "fast_loops.h"
#endif
