/* SPDX-License-Identifier: BSD-2-Clause */
/* Vectors of floats with NEON, by the names that the loops of this folder use. */
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
#define divide(a, b) vdivq_f32(a, b)
#define least(a, b) vminq_f32(a, b)
#define most(a, b) vmaxq_f32(a, b)
#define fma_add(a, b, c) vfmaq_f32(c, a, b) /* c + a b */
#define fma_sub(a, b, c) vfmsq_f32(c, a, b) /* c - a b */

typedef float32x4_t Vector;

/* The bits of b where the mask is set, else those of a. */
static inline Vector merge_bits(Vector a, Vector b, Vector mask)
{
    return vbslq_f32(vreinterpretq_u32_f32(mask), b, a);
}

/* 32 floats to look up: entries 0 to 15 and 16 to 31, byte by byte. */
typedef struct Table {
    uint8x16x4_t low, high;
} Table;

static inline Table load_table(const float *entries)
{
    const uint8_t *bytes = (const uint8_t *)entries;
    Table table;
    for (int i = 0; i < 4; i++) {
        table.low.val[i] = vld1q_u8(bytes + 16 * i);
        table.high.val[i] = vld1q_u8(bytes + 64 + 16 * i);
    }
    return table;
}

/* Entry t of 16 has bytes 4 t to 4 t + 3; indices of the other half are out of range, which looks
 * up 0. */
static inline Vector look_up(const Table *table, const uint8_t *labels)
{
    uint32_t four;
    memcpy(&four, labels, sizeof four);
    static const uint8_t spread[16] = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3};
    static const uint8_t within[16] = {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3};
    uint8x16_t each = vqtbl1q_u8(vreinterpretq_u8_u32(vdupq_n_u32(four)), vld1q_u8(spread));
    uint8x16_t indices = vaddq_u8(vshlq_n_u8(each, 2), vld1q_u8(within));
    uint8x16_t low = vqtbl4q_u8(table->low, indices);
    uint8x16_t high = vqtbl4q_u8(table->high, vsubq_u8(indices, vdupq_n_u8(64)));
    return vreinterpretq_f32_u8(vorrq_u8(low, high));
}

#endif
