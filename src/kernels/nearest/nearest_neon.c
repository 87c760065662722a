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
#define store_bytes(v, p) store_four_bytes(v, p)
#define fold_least(v) vminvq_f32(v)
#define fold_most(v) vmaxvq_f32(v)

typedef uint8_t Bytes __attribute__((vector_size(LANES)));
typedef int32_t FourIntegers __attribute__((vector_size(4 * LANES)));

static inline void store_four_bytes(FourIntegers v, uint8_t *p)
{
    Bytes bytes = __builtin_convertvector(v, Bytes);
    memcpy(p, &bytes, sizeof bytes);
}

static inline uint32_t lanes_not_above(Vector v, float limit)
{
    static const uint32_t bits[LANES] = {1, 2, 4, 8};
    return vaddvq_u32(vbicq_u32(vld1q_u32(bits), vcgtq_f32(v, set1(limit))));
}

static inline void fold_each_least(const Vector *v, int n, float *folded)
{
    for (int i = 0; i < n; i++)
        folded[i] = fold_least(v[i]);
}

static inline void fold_each_most(const Vector *v, int n, float *folded)
{
    for (int i = 0; i < n; i++)
        folded[i] = fold_most(v[i]);
}

#include "kernels/nearest/gain_loops.h"
#include "kernels/nearest/hash_loops.h"
#include "kernels/nearest/nearest_loops.h"
#include "kernels/nearest/shrink_loops.h"
#endif
