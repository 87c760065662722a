/* SPDX-License-Identifier: BSD-2-Clause */
/* Labels: the nearest centre of each pixel. */

#ifndef STEP /* of the fast filter, whose program needs none of these */

#ifdef COF_FP64
/* Fixed. The squared distance of a pixel to a centre. */
HELPER double exact_square(float4 value, CONSTANT const float *centre)
{
    double x = (double)LANE(value, 0) - (double)centre[0];
    double y = (double)LANE(value, 1) - (double)centre[1];
    double z = (double)LANE(value, 2) - (double)centre[2];
    return x * x + y * y + z * z;
}

HELPER uchar exact_label(float4 value, CONSTANT const float *centres, int k)
{
    int label = 0;
    double best = exact_square(value, centres);
    for (int i = 1; i < k; i++) {
        double square = exact_square(value, centres + 3 * i);
        if (square < best) {
            best = square;
            label = i;
        }
    }
    return (uchar)label;
}

/* Fixed. The nearest centre, the lowest index on a tie. Squares are compared together with their
 * indices, which take the last bits: that, and the error of single precision, is less than 2^-14 of
 * a square. Where the two smallest are closer, double precision decides. */
HELPER uchar nearest_label(float4 value, CONSTANT const float *centres, int k)
{
    uint best = 0x7fffffffu, second = 0x7fffffffu;
    for (int i = 0; i < k; i++) {
        float x = LANE(value, 0) - centres[3 * i], y = LANE(value, 1) - centres[3 * i + 1],
              z = LANE(value, 2) - centres[3 * i + 2];
        float square = FUSED(x, x, FUSED(y, y, z * z));
        uint key = ((uint)as_int(square) & 0xffffff00u) | (uint)i;
        uint worse = key > best ? key : best;
        best = key < best ? key : best;
        second = worse < second ? worse : second;
    }
    float near = as_float((int)(best & 0xffffff00u)), next = as_float((int)(second & 0xffffff00u));
    return next > near * 1.0001f + 0x1.0p-100f ? (uchar)(best & 255u)
                                              : exact_label(value, centres, k);
}

/* Labels of Lab images from their bytes, and from working values. */
KERNEL(ITEMS)
void label_bytes(GLOBAL const uchar *bytes, GLOBAL const float *linear, int channels,
                        CONSTANT const float *centres, int k, int n, GLOBAL uchar *labels)
{
    int i = (int)get_global_id(0);
    if (i < n)
        labels[i] = nearest_label(lab_of_bytes(bytes + (size_t)i * channels, linear), centres, k);
}

KERNEL(ITEMS)
void label_values(GLOBAL const float4 *values, CONSTANT const float *centres, int k, int n,
                             GLOBAL uchar *labels)
{
    int i = (int)get_global_id(0);
    if (i < n)
        labels[i] = nearest_label(values[i], centres, k);
}

/* Labels of Lab images, and their working values, as load_values() finds them. */
KERNEL(ITEMS)
void load_and_label(GLOBAL const uchar *bytes, GLOBAL const float *linear, int channels,
                    CONSTANT const float *centres, int k, int n, GLOBAL float4 *values,
                    GLOBAL uchar *changed, GLOBAL uchar *labels)
{
    int i = (int)get_global_id(0);
    if (i >= n)
        return;
    float4 value = lab_of_bytes(bytes + (size_t)i * channels, linear);
    labels[i] = nearest_label(value, centres, k);
    values[i] = packed_lab(value);
    changed[i] = 0;
}
#endif

/* Labels of 8-bit grey. */
KERNEL(ITEMS)
void label_grey(GLOBAL const uchar *bytes, GLOBAL const uchar *table, int channels, int n,
                       GLOBAL uchar *labels)
{
    int i = (int)get_global_id(0);
    if (i < n)
        labels[i] = table[bytes[(size_t)i * channels]];
}

#endif
