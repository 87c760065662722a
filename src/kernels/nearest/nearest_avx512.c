/* SPDX-License-Identifier: BSD-2-Clause */
/* Nearest centres, sums of distances and hashes, with AVX-512. */
#if defined(__x86_64__)
#include "kernels/vectors_avx512.h"

#define LEVEL(name) name##_avx512
#include "kernels/nearest/hash_loops.h"
#include "kernels/nearest/nearest_loops.h"
#include "kernels/nearest/shrink_loops.h"
#endif
