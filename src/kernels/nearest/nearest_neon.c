/* SPDX-License-Identifier: BSD-2-Clause */
/* Nearest centres, sums of distances and hashes, with NEON. */
#if defined(__aarch64__)
#include "kernels/vectors_neon.h"

#define LEVEL(name) name##_neon
#include "kernels/nearest/hash_loops.h"
#include "kernels/nearest/nearest_loops.h"
#include "kernels/nearest/shrink_loops.h"
#endif
