/* SPDX-License-Identifier: BSD-2-Clause */
/* Working values between passes: residual correction, and the mean of several palettes. */

#ifndef STEP /* of the fast filter, whose program needs none of these */

KERNEL(ITEMS)
void keep_values(GLOBAL const float4 *values, int n, GLOBAL float4 *kept)
{
    int i = (int)get_global_id(0);
    if (i < n)
        kept[i] = values[i];
}

/* Working values become those of the samples, less what they were. */
KERNEL(ITEMS)
void subtract_from_bytes(GLOBAL const uchar *bytes, GLOBAL const float *linear, int channels,
                         int bands, int lab, int n, GLOBAL float4 *values)
{
    int i = (int)get_global_id(0);
    if (i < n)
        values[i] = all_finite(byte_value(bytes + (size_t)i * channels, linear, bands, lab) -
                               values[i]);
}

#ifdef COF_FP64
KERNEL(ITEMS)
void subtract_from_wide(GLOBAL const uchar *samples, int is_float, GLOBAL const float *linear,
                        int channels, int bands, int lab, int n, GLOBAL float4 *values)
{
    int i = (int)get_global_id(0);
    if (i < n)
        values[i] = all_finite(
            wide_value(samples, is_float, (size_t)i * channels, bands, lab, linear) - values[i]);
}
#endif

KERNEL(ITEMS)
void add_kept(GLOBAL const float4 *kept, int n, GLOBAL float4 *values)
{
    int i = (int)get_global_id(0);
    if (i < n)
        values[i] = all_finite(values[i] + kept[i]);
}

/* Adds the values of one of `members` palettes to the sums of all, if the pixel has changed; after
 * the last one, values are the mean. Sums are scaled, so that those of the largest floats are
 * finite. */
KERNEL(ITEMS)
void add_to_mean(int member, int members, int n, GLOBAL float4 *sums, GLOBAL uchar *counts,
                 GLOBAL float4 *values, GLOBAL uchar *changed)
{
    int i = (int)get_global_id(0);
    if (i >= n)
        return;
    int count = (member > 0 ? counts[i] : 0) + changed[i];
    float4 sum = member > 0 ? sums[i] : SAME_LANES(0.0f);
    if (changed[i])
        sum = FUSED(SAME_LANES(0.125f), values[i], sum);
    if (member < members - 1) {
        sums[i] = sum;
        counts[i] = (uchar)count;
        return;
    }
    changed[i] = (uchar)(count > 0);
    if (count > 0)
        values[i] = all_finite(sum * SAME_LANES(8.0f / (float)count));
}

#endif
