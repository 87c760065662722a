/* SPDX-License-Identifier: BSD-2-Clause */
/* The nearest centre of each pixel and its kin, with NEON. */
#if defined(__aarch64__)
#include "vectors_neon.h"

#define LEVEL(name) name##_neon
#include "hash_loops.h"
#include "nearest_loops.h"
#include "shrink_loops.h"
#endif
