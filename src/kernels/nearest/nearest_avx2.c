/* SPDX-License-Identifier: BSD-2-Clause */
/* Nearest centres, sums of distances and hashes, with AVX2. */
#if defined(__x86_64__)
#include "kernels/vectors_avx2.h"

#define LEVEL(name) name##_avx2
#include "kernels/nearest/hash_loops.h"
#include "kernels/nearest/nearest_loops.h"
#include "kernels/nearest/shrink_loops.h"
#endif
