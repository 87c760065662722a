/* SPDX-License-Identifier: BSD-2-Clause */
/* Alphas: the weights of pixels, and where there is no data. */

/* Alphas are numbers of 1 or 2 bytes, or floats of 4: see PassShape. */
#define BYTE_ALPHA 0x1.010102p-8f
#define WORD_ALPHA 0x1.0001p-16f

/* Where the alphas of n pixels begin: after a byte for each pixel, which says whether it has data. */
HELPER size_t first_alpha(size_t n)
{
    return (n + 3) / 4 * 4;
}

HELPER float alpha_at(GLOBAL const uchar *alphas, const PassShape *s, size_t at)
{
    alphas += first_alpha((size_t)s->width * s->height);
    return s->alpha_bytes == 1   ? (float)alphas[at] * BYTE_ALPHA
           : s->alpha_bytes == 2 ? (float)((GLOBAL const ushort *)alphas)[at] * WORD_ALPHA
                                 : ((GLOBAL const float *)alphas)[at];
}

/* The last lane of a pixel in local memory has its label and its alpha, as bits: numbers, or the
 * first 23 bits of floats of 0..1 without their sign. */
#define ALPHA_SHIFT 9
#define FLOAT_SHIFT 7
#define LABEL_MASK 511

HELPER uint alpha_bits(GLOBAL const uchar *alphas, const PassShape *s, size_t at)
{
    alphas += first_alpha((size_t)s->width * s->height);
    uint bits = s->alpha_bytes == 1   ? alphas[at]
                : s->alpha_bytes == 2 ? ((GLOBAL const ushort *)alphas)[at]
                                      : ((uint)as_int(((GLOBAL const float *)alphas)[at]) +
                                         (1u << (FLOAT_SHIFT - 1))) >> FLOAT_SHIFT;
    return bits << ALPHA_SHIFT;
}

HELPER float alpha_of_bits(uint bits, int alpha_bytes)
{
    bits >>= ALPHA_SHIFT;
    return alpha_bytes == 4 ? as_float((int)(bits << FLOAT_SHIFT))
                            : (float)bits * (alpha_bytes == 1 ? BYTE_ALPHA : WORD_ALPHA);
}

#ifndef STEP /* of the fast filter, whose program does not need the rest */

/* Finds the alphas of the samples, which are 0 where there is no data. If `has_valid`, the first n
 * bytes are 0 where there is none; pixels with a float that is not finite have none either. */
KERNEL(ITEMS)
void find_alphas(GLOBAL const uchar *samples, int sample_bytes, int channels, int has_alpha,
                 int has_valid, int alpha_bytes, int n, GLOBAL uchar *alphas)
{
    int i = (int)get_global_id(0);
    if (i >= n)
        return;
    size_t first = (size_t)i * channels, last = first + channels - 1;
    GLOBAL const float *floats = (GLOBAL const float *)samples;
    GLOBAL uchar *to = alphas + first_alpha((size_t)n);
    int valid = !has_valid || alphas[i];
    for (int channel = 0; sample_bytes == 4 && channel < channels; channel++)
        valid = valid && is_finite(floats[first + channel]);
    alphas[i] = (uchar)(valid != 0);
    if (alpha_bytes == 4) {
        float above = valid && floats[last] > 0.0f ? floats[last] : 0.0f;
        ((GLOBAL float *)to)[i] = above < 1.0f ? above : 1.0f;
    } else if (alpha_bytes == 2) {
        ((GLOBAL ushort *)to)[i] = (ushort)(valid ? ((GLOBAL const ushort *)samples)[last] : 0);
    } else {
        to[i] = (uchar)(!valid ? 0 : has_alpha ? samples[last] : 255);
    }
}

#endif
