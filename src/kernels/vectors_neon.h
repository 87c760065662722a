/* SPDX-License-Identifier: BSD-2-Clause */
/* Vectors of floats with NEON, under the names that the shared loops use. */
#ifndef COF_VECTORS_NEON_H
#define COF_VECTORS_NEON_H

#include <arm_neon.h>
#include <stdint.h>
#include <string.h>

#define LANES 4
#define load(p) vld1q_f32(p)
#define store(p, v) vst1q_f32(p, v)
#define set1(v) vdupq_n_f32(v)
#define mul(a, b) vmulq_f32(a, b)
#define least(a, b) vminq_f32(a, b)
#define most(a, b) vmaxq_f32(a, b)
#define fma_add(a, b, c) vfmaq_f32(c, a, b) /* c + a b */
#define fma_sub(a, b, c) vfmsq_f32(c, a, b) /* c - a b */

typedef float32x4_t Vector;

/* Replaces the bits of a that the mask has by those of b, which has no others. */
static inline Vector replace_bits(Vector a, Vector b, Vector mask)
{
    return vbslq_f32(vreinterpretq_u32_f32(mask), b, a);
}

/* Repeats two values in all lanes. */
static inline Vector load_spread(const float *values, int spread)
{
    (void)spread; /* is 2 */
    float32x2_t two = vld1_f32(values);
    return vcombine_f32(two, two);
}

/* Sums lanes that are `spread` apart. If `fresh`, stores the sums; otherwise adds them to `to`. */
static inline void add_folded(Vector v, int spread, int fresh, float *to)
{
    if (spread >= 4) {
        store(to, fresh ? v : vaddq_f32(load(to), v));
        return;
    }
    float32x2_t two = vadd_f32(vget_low_f32(v), vget_high_f32(v));
    vst1_f32(to, fresh ? two : vadd_f32(vld1_f32(to), two));
}

#endif
