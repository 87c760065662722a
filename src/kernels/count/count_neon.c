/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts the labels around reference pixels, with NEON. */
#if defined(__aarch64__)
#include <arm_neon.h>
#include <string.h>

#define LEVEL(name) name##_neon
#define LANES 4

typedef uint32_t Lane;
typedef uint32x4_t Bits;

/* The shift is a signed byte. From 128 on it shifts to the right, which gives 0 as well. */
static inline Bits bits_at(const uint8_t *labels, int first)
{
    (void)first; /* is 0 */
    uint32_t four;
    memcpy(&four, labels, sizeof four);
    uint16x8_t words = vmovl_u8(vcreate_u8(four));
    uint32x4_t shifts = vmovl_u16(vget_low_u16(words));
    return vshlq_u32(vdupq_n_u32(1), vreinterpretq_s32_u32(shifts));
}

#include "kernels/count/count_loops.h"
#endif
