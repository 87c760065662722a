/* SPDX-License-Identifier: BSD-2-Clause */
/* Nearest centres, sums of distances and hashes, with NEON. */
#if defined(__aarch64__)
#include "kernels/vectors_neon.h"

#define LEVEL(name) name##_neon

/* A load that repeats one float takes two operations; a multiplication by a lane takes one. */
typedef float32x4_t Four;
#define load_four(p) vld1q_f32(p)
#define fma_sub_of(v, four, i, c) vfmsq_laneq_f32(c, v, four, i)
#define load_repeated(p) vld1q_f32(p)
#define fold_least(v) vminvq_f32(v)
#define fold_most(v) vmaxvq_f32(v)

#include "kernels/nearest/hash_loops.h"
#include "kernels/nearest/nearest_loops.h"
#include "kernels/nearest/shrink_loops.h"
#endif
