/* SPDX-License-Identifier: BSD-2-Clause */
/* Colour: working values from bytes, and bytes from working values. */

#ifndef STEP /* of the fast filter, whose program needs none of these */

/* Fixed. x^(1/3) for x > 216 / 24389. */
HELPER float cube_root(float x)
{
    int bits = (int)(1419967116.0f - (float)as_int(x) * 0x1.555556p-2f);
    float y = as_float(bits), third = x * 0x1.555556p-2f;
    for (int round = 0; round < 3; round++)
        y = y * (0x1.555556p+0f - third * (y * y * y));
    return x * (y * y);
}

/* Fixed. */
HELPER float compress(float t)
{
    float line = t * 0x1.f25ed0p+2f + 0x1.1a7b96p-3f;
    float root = cube_root(t > 0x1.22354ep-7f ? t : 1.0f);
    return t > 0x1.22354ep-7f ? root : line;
}

/* Fixed. Lab of linear light. */
HELPER float4 lab_of_light(float red, float green, float blue)
{
    float x = compress(0x1.bc5d6p-2f * red + 0x1.813d22p-2f * green + 0x1.84cafcp-3f * blue);
    float y = compress(0x1.b38dd6p-3f * red + 0x1.6e286cp-1f * green + 0x1.27a0f8p-4f * blue);
    float z = compress(0x1.22ec82p-6f * red + 0x1.c0617ap-4f * green + 0x1.bedc6cp-1f * blue);
    return LANES(116.0f * y - 16.0f, 500.0f * (x - y), 200.0f * (y - z), 0.0f);
}

/* Fixed. Lab of a pixel; `linear` holds the linear light of each byte. */
HELPER float4 lab_of_bytes(GLOBAL const uchar *pixel, GLOBAL const float *linear)
{
    return lab_of_light(linear[pixel[0]], linear[pixel[1]], linear[pixel[2]]);
}

/* Fixed. The value that remains of a band of Lab after packing it to 24 bits. */
HELPER float repacked(float value, float steps, float unit)
{
    int number = (int)(value * steps + 12582912.0f) - 12582912;
    return (float)((number >> 8) * 256 + (number & 255)) * unit;
}

HELPER float4 packed_lab(float4 value)
{
    return LANES(repacked(LANE(value, 0), 40960.0f, 0x1.99999ap-16f),
                 repacked(LANE(value, 1), 37120.0f, 0x1.c3f8f0p-16f),
                 repacked(LANE(value, 2), 37120.0f, 0x1.c3f8f0p-16f), 0.0f);
}

/* The working value of a pixel. */
HELPER float4 byte_value(GLOBAL const uchar *pixel, GLOBAL const float *linear, int bands, int lab)
{
    if (lab)
        return packed_lab(lab_of_bytes(pixel, linear));
    return bands == 3 ? LANES((float)pixel[0], (float)pixel[1], (float)pixel[2], 0.0f)
                      : LANES((float)pixel[0], 0.0f, 0.0f, 0.0f);
}

/* The share of another value in the result. */
HELPER float4 mixed(float4 value, float4 other, float share)
{
    return FUSED(SAME_LANES(share), other - value, value);
}

/* Converts the 1 or 3 bands of an image, whose pixels have `channels` bytes, to working values, and
 * marks all pixels as not changed. */
KERNEL(ITEMS)
void load_values(GLOBAL const uchar *bytes, GLOBAL const float *linear, int channels, int bands,
                 int lab, int n, GLOBAL float4 *values, GLOBAL uchar *changed)
{
    int i = (int)get_global_id(0);
    if (i >= n)
        return;
    values[i] = byte_value(bytes + (size_t)i * channels, linear, bands, lab);
    changed[i] = 0;
}

HELPER float expand(float f)
{
    float cube = f * f * f, line = FUSED(f, 0x1.07004ep-3f, -0x1.22354ep-6f);
    return f > 0x1.a7b962p-3f ? cube : line;
}

/* Linear light of Lab. */
HELPER float4 light_of_lab(float4 lab)
{
    float f = (LANE(lab, 0) + 16.0f) * 0x1.1a7b96p-7f;
    float x = expand(f + LANE(lab, 1) * 0x1.0624dep-9f), y = expand(f),
          z = expand(f - LANE(lab, 2) * 0x1.47ae14p-8f);
    return LANES(FUSED(0x1.8a3bf8p+1f, x, FUSED(-0x1.8981f2p+0f, y, -0x1.15ebfep-1f * z)),
                 FUSED(-0x1.d7af36p-1f, x, FUSED(0x1.e04244p+0f, y, 0x1.72aae8p-5f * z)),
                 FUSED(0x1.b140ecp-5f, x, FUSED(-0x1.a1d852p-3f, y, 0x1.26b102p+0f * z)), 0.0f);
}

/* The byte nearest to linear light; see CofiBytesFromLab. */
HELPER uchar encoded(float light, GLOBAL const uint *table)
{
    float above = light > 0.0f ? light : 0.0f, clamped = above < 1.0f ? above : 1.0f;
    uint steps = (uint)(clamped * 16777216.0f);
    uint word = (steps < 0xfffffeu ? steps : 0xfffffeu) << 8 | 0xffu;
    uint entry = table[word >> 20];
    return (uchar)(entry + (word >= entry ? 1u : 0u));
}

HELPER uchar rounded(float value)
{
    float above = value > 0.0f ? value : 0.0f, clamped = above < 255.0f ? above : 255.0f;
    return (uchar)(int)(clamped + 0.5f);
}

/* Stores the 1 or 3 bands of a pixel. */
HELPER void store_bytes(float4 value, GLOBAL const uint *encoding, int bands, int lab,
                        GLOBAL uchar *pixel)
{
    float4 light = light_of_lab(value);
    pixel[0] = lab ? encoded(LANE(light, 0), encoding) : rounded(LANE(value, 0));
    if (bands == 1)
        return;
    pixel[1] = lab ? encoded(LANE(light, 1), encoding) : rounded(LANE(value, 1));
    pixel[2] = lab ? encoded(LANE(light, 2), encoding) : rounded(LANE(value, 2));
}

/* Converts the working values of changed pixels to bytes, with a share `detail` of what the bytes
 * were. */
KERNEL(ITEMS)
void store_values(GLOBAL const float4 *values, GLOBAL const uchar *changed,
                  GLOBAL const float *linear, GLOBAL const uint *encoding, float detail,
                  int channels, int bands, int lab, int n, GLOBAL uchar *bytes)
{
    int i = (int)get_global_id(0);
    if (i >= n || !changed[i])
        return;
    GLOBAL uchar *pixel = bytes + (size_t)i * channels;
    float4 value = values[i];
    if (detail != 0.0f)
        value = mixed(value, byte_value(pixel, linear, bands, lab), detail);
    store_bytes(value, encoding, bands, lab, pixel);
}

#endif
