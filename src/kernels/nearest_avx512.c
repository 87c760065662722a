/* SPDX-License-Identifier: BSD-2-Clause */
/* The nearest centre of each pixel, and its kin, with AVX-512. */
#if defined(__x86_64__)
#define LEVEL(name) name##_avx512
#include "nearest_loops.h"
#include "hash_loops.h"
#include "shrink_loops.h"
#endif
