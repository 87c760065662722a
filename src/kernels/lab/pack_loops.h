/* SPDX-License-Identifier: BSD-2-Clause */
/* Packs CIE Lab of the sRGB gamut in 24 bits, in loops that compilers vectorise. Included by
 * lab_loops.h. */

/* Steps per unit of L, a and b. In the sRGB gamut, a and b are within -108..99, so that numbers of
 * steps are below 2^22. */
static const float packing_steps[3] = {40960, 37120, 37120};

/* Adding this rounds such a number to an integer, which is the difference of the bits. */
#define ROUNDING 12582912.0f /* 1.5 x 2^23 */
#define ROUNDING_BITS 0x4b400000

static inline int32_t rounded(float number)
{
    int32_t bits;
    number += ROUNDING;
    memcpy(&bits, &number, sizeof bits);
    return bits - ROUNDING_BITS;
}

/* Packs the first of n values with vectors; returns the number of values done. */
#if !defined(PACK)
static inline int pack_some(const float *values, float steps, int n, int16_t *high, uint8_t *low)
{
    (void)values, (void)steps, (void)n, (void)high, (void)low;
    return 0;
}
#endif

void LEVEL(cofi_pack_lab)(const float *const *lab, int n, const CofiPackedLab *packed)
{
    for (int band = 0; band < 3; band++) {
        const float *from = lab[band], steps = packing_steps[band];
        int16_t *restrict high = packed->high[band];
        uint8_t *restrict low = packed->low[band];
        for (int i = pack_some(from, steps, n, high, low); i < n; i++) {
            int32_t number = rounded(from[i] * steps);
            high[i] = (int16_t)(number >> 8);
            low[i] = (uint8_t)number;
        }
    }
}

void LEVEL(cofi_unpack_lab)(const CofiPackedLab *packed, int n, float *const *lab)
{
    for (int band = 0; band < 3; band++) {
        const int16_t *high = packed->high[band];
        const uint8_t *low = packed->low[band];
        float *restrict to = lab[band], unit = 1 / packing_steps[band];
        for (int i = 0; i < n; i++)
            to[i] = (float)(high[i] * 256 + low[i]) * unit;
    }
}
