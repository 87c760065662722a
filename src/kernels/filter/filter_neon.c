/* SPDX-License-Identifier: BSD-2-Clause */
/* The exact filter with NEON. The weights of up to 32 labels are kept in registers as four planes
 * of bytes. Table lookups take 16 labels at once, and zipping reassembles the floats. */
#if defined(__aarch64__)
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "kernels/inline.h"
#include "kernels/vectors_neon.h"

#define LEVEL(name) name##_neon
#define TOGETHER 1
#define KEEP_IN_REGISTER(v) __asm__("" : "+w"(v))

INLINE Vector rotated(Vector v)
{
    return vextq_f32(v, v, 1);
}

INLINE void sum_lanes(const Vector v[8], float sums[8])
{
    for (int i = 0; i < 8; i += 4)
        store(sums + i, vpaddq_f32(vpaddq_f32(v[i], v[i + 1]), vpaddq_f32(v[i + 2], v[i + 3])));
}

/* of[b] holds byte b of all 32 entries. */
typedef struct WeightLookup {
    uint8x16x2_t of[4];
} WeightLookup;

INLINE WeightLookup load_weights(const uint8_t *bytes)
{
    return (WeightLookup){{vld1q_u8_x2(bytes), vld1q_u8_x2(bytes + 32), vld1q_u8_x2(bytes + 64),
                           vld1q_u8_x2(bytes + 96)}};
}

INLINE void look_up_rows(const WeightLookup *w, const uint8_t *const rows[1], Vector found[1][4])
{
    uint8x16_t labels = vld1q_u8(rows[0]), bytes[4];
    for (int byte = 0; byte < 4; byte++)
        bytes[byte] = vqtbl2q_u8(w->of[byte], labels);
    uint16x8_t low1 = vreinterpretq_u16_u8(vzip1q_u8(bytes[0], bytes[1]));
    uint16x8_t low2 = vreinterpretq_u16_u8(vzip1q_u8(bytes[2], bytes[3]));
    uint16x8_t high1 = vreinterpretq_u16_u8(vzip2q_u8(bytes[0], bytes[1]));
    uint16x8_t high2 = vreinterpretq_u16_u8(vzip2q_u8(bytes[2], bytes[3]));
    found[0][0] = vreinterpretq_f32_u16(vzip1q_u16(low1, low2));
    found[0][1] = vreinterpretq_f32_u16(vzip2q_u16(low1, low2));
    found[0][2] = vreinterpretq_f32_u16(vzip1q_u16(high1, high2));
    found[0][3] = vreinterpretq_f32_u16(vzip2q_u16(high1, high2));
}

INLINE void load_entries(const float *one, const float *two, bool alike, const uint8_t *labels,
                         Vector pair[2])
{
    ptrdiff_t a = labels[0], b = labels[1], c = labels[2], d = labels[3];
    pair[0] = vdupq_n_f32(one[a]);
    pair[0] = vld1q_lane_f32(one + b, pair[0], 1);
    pair[0] = vld1q_lane_f32(one + c, pair[0], 2);
    pair[0] = vld1q_lane_f32(one + d, pair[0], 3);
    pair[1] = pair[0];
    if (alike)
        return;
    pair[1] = vdupq_n_f32(two[a]);
    pair[1] = vld1q_lane_f32(two + b, pair[1], 1);
    pair[1] = vld1q_lane_f32(two + c, pair[1], 2);
    pair[1] = vld1q_lane_f32(two + d, pair[1], 3);
}

#include "kernels/filter/filter_pairs.h"

#define ColumnLookup WeightLookup
#define load_column_lookup(taps, label) load_weights((taps)->bytes + (label)*4 * FEW)
#define COLUMN_ROWS TOGETHER
#define COLUMN_CHAINS 1
#define look_up_columns look_up_rows

#include "kernels/filter/filter_columns.h"
#endif
