/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples of 16 bits and floats: working values, labels and storing. Their Lab is not packed, so
 * that working values are what labels are found of. */

#if !defined(STEP) && defined(COF_FP64) /* programs of the fast filter need none of these */

/* A sample as it is; 0 unless it is finite. */
HELPER float wide_sample(GLOBAL const uchar *samples, int is_float, size_t at)
{
    if (!is_float)
        return (float)((GLOBAL const ushort *)samples)[at];
    float value = ((GLOBAL const float *)samples)[at];
    return is_finite(value) ? value : 0.0f;
}

HELPER float nearest_float(double value)
{
    double limit = (double)MAX_FLOAT;
    return (float)(value > limit ? limit : value < -limit ? -limit : value);
}

/* Fixed. See cofi_cube_root() and cofi_fifth_root(). */
HELPER double double_cube_root(double x)
{
    double y = as_double((ulong)(0x553ef084u - (uint)(as_ulong(x) >> 32) / 3u) << 32);
    double third = x * (1.0 / 3);
    for (int round = 0; round < 4; round++)
        y = y * (4.0 / 3 - third * (y * y * y));
    return x * (y * y);
}

HELPER double double_fifth_root(double x)
{
    double y = as_double((ulong)(0x4cb8a95du - (uint)(as_ulong(x) >> 32) / 5u) << 32);
    double fifth = x * 0.2;
    for (int round = 0; round < 4; round++) {
        double square = y * y;
        y = y * (1.2 - fifth * (square * square * y));
    }
    double square = y * y;
    return x * (square * square);
}

/* Fixed. Linear light of a value of sRGB. */
HELPER double decoded(double v)
{
    double t = (v + 0.055) / 1.055, root = double_fifth_root(v > 0.04045 ? t : 1.0);
    return v > 0.04045 ? t * t * (root * root) : v / 12.92;
}

#define EPSILON (216.0 / 24389)
#define KAPPA (24389.0 / 27)

/* Fixed. */
HELPER double double_compress(double t)
{
    double line = (KAPPA * t + 16) / 116, root = double_cube_root(t > EPSILON ? t : 1.0);
    return t > EPSILON ? root : line;
}

/* Fixed. Lab of values of which `max_value` stands for 1. */
HELPER float4 lab_of_floats(float first, float second, float third, double max_value)
{
    double red = decoded((double)first / max_value), green = decoded((double)second / max_value),
           blue = decoded((double)third / max_value);
    double x = double_compress(0.43394994055572506 * red + 0.37620976990331101 * green +
                               0.18984028954096394 * blue);
    double y = double_compress(0.21267287873271212 * red + 0.71515212848478715 * green +
                               0.072174992782500724 * blue);
    double z = double_compress(0.017756582753965269 * red + 0.10946796102238184 * green +
                               0.87277545622365293 * blue);
    return LANES(nearest_float(116 * y - 16), nearest_float(500 * (x - y)),
                 nearest_float(200 * (y - z)), 0.0f);
}

/* Fixed. Lab of a pixel that begins with sample `at`; `linear` holds the linear light of each value
 * of 16 bits. */
HELPER float4 wide_lab(GLOBAL const uchar *samples, int is_float, size_t at,
                       GLOBAL const float *linear)
{
    if (is_float)
        return lab_of_floats(wide_sample(samples, 1, at), wide_sample(samples, 1, at + 1),
                             wide_sample(samples, 1, at + 2), 1.0);
    GLOBAL const ushort *pixel = (GLOBAL const ushort *)samples + at;
    return lab_of_light(linear[pixel[0]], linear[pixel[1]], linear[pixel[2]]);
}

/* The working value of a pixel. */
HELPER float4 wide_value(GLOBAL const uchar *samples, int is_float, size_t at, int bands, int lab,
                         GLOBAL const float *linear)
{
    if (lab)
        return wide_lab(samples, is_float, at, linear);
    float4 value = LANES(wide_sample(samples, is_float, at), 0.0f, 0.0f, 0.0f);
    if (bands == 3) {
        LANE(value, 1) = wide_sample(samples, is_float, at + 1);
        LANE(value, 2) = wide_sample(samples, is_float, at + 2);
    }
    return value;
}

/* As load_values(). */
KERNEL(ITEMS)
void load_wide(GLOBAL const uchar *samples, int is_float, GLOBAL const float *linear, int channels,
               int bands, int lab, int n, GLOBAL float4 *values, GLOBAL uchar *changed)
{
    int i = (int)get_global_id(0);
    if (i >= n)
        return;
    values[i] = wide_value(samples, is_float, (size_t)i * channels, bands, lab, linear);
    changed[i] = 0;
}

/* As label_bytes(). */
KERNEL(ITEMS)
void label_wide(GLOBAL const uchar *samples, int is_float, GLOBAL const float *linear, int channels,
                CONSTANT const float *centres, int k, int n, GLOBAL uchar *labels)
{
    int i = (int)get_global_id(0);
    if (i < n)
        labels[i] = nearest_label(wide_lab(samples, is_float, (size_t)i * channels, linear),
                                  centres, k);
}

/* Fixed. Labels of grey: k equal bins of [low, high]. */
KERNEL(ITEMS)
void label_bins(GLOBAL const uchar *samples, int is_float, int channels, double low, double high,
                int k, int n, GLOBAL uchar *labels)
{
    int i = (int)get_global_id(0);
    if (i >= n)
        return;
    double value = (double)wide_sample(samples, is_float, (size_t)i * channels);
    double bin = (value - low) * k / (high - low), last = (double)(k - 1);
    labels[i] = (uchar)(k > 1 && bin > 0 ? bin < last ? bin : last : 0.0);
}

/* Fixed. Labels of working values that are not Lab: of grey as above or, if is_exact, by rounding to
 * 0..255; and of RGB by the nearest centre in Lab. */
KERNEL(ITEMS)
void label_grey_values(GLOBAL const float4 *values, int is_exact, double low, double high, int k,
                       int n, GLOBAL uchar *labels)
{
    int i = (int)get_global_id(0);
    if (i >= n)
        return;
    double value = (double)LANE(values[i], 0), last = is_exact ? 255.0 : (double)(k - 1);
    double bin = is_exact ? value : (value - low) * k / (high - low);
    double clamped = k > 1 && bin > 0 ? bin < last ? bin : last : 0.0;
    labels[i] = (uchar)(is_exact ? clamped + 0.5 : clamped);
}

KERNEL(ITEMS)
void label_rgb_values(GLOBAL const float4 *values, double max_value, CONSTANT const float *centres,
                      int k, int n, GLOBAL uchar *labels)
{
    int i = (int)get_global_id(0);
    if (i >= n)
        return;
    float4 value = values[i];
    labels[i] = nearest_label(
        lab_of_floats(LANE(value, 0), LANE(value, 1), LANE(value, 2), max_value), centres, k);
}

/* log2(1 + r) / r; see log2_over() of libcof. */
HELPER float log2_ratio(float r)
{
    float p = FUSED(r, 0.170633007f, -0.272697766f);
    p = FUSED(r, p, 0.297262938f);
    p = FUSED(r, p, -0.358961871f);
    p = FUSED(r, p, 0.480465011f);
    p = FUSED(r, p, -0.721375871f);
    return FUSED(r, p, 1.442699727f);
}

/* 2^x for x in -1/2..1/2. */
HELPER float small_power_of_2(float x)
{
    float p = FUSED(x, 0.00132764672f, 0.00967554168f);
    p = FUSED(x, p, 0.0555071329f);
    p = FUSED(x, p, 0.240221197f);
    p = FUSED(x, p, 0.693146967f);
    return FUSED(x, p, 1.0f);
}

/* sRGB of linear light: v^(1/2.4) by its logarithm, or a line. */
HELPER float encoded_light(float v)
{
    int bits = as_int(v > 0.0031308f ? v : 1.0f), exponent = (bits - 0x3f3504f3) >> 23;
    float r = as_float(bits - exponent * (1 << 23)) - 1.0f;
    float log = FUSED(r, log2_ratio(r), (float)exponent) * 0x1.aaaaaap-2f;
    float shifted = log + 0x1.8p23f, power = small_power_of_2(log - (shifted - 0x1.8p23f));
    power = as_float((int)((uint)as_int(power) + ((uint)as_int(shifted) << 23)));
    return v > 0.0031308f ? FUSED(1.055f, power, -0.055f) : 12.92f * v;
}

HELPER double double_expand(double f)
{
    return f > 6.0 / 29 ? f * f * f : (116 * f - 16) / KAPPA;
}

HELPER float encoded_double(double v)
{
    double root = double_cube_root(v > 0.0031308 ? v : 1.0);
    return nearest_float(v > 0.0031308 ? 1.055 * (root * sqrt(sqrt(root))) - 0.055 : 12.92 * v);
}

/* Lab from here on is converted in double precision. */
#define LARGE_LAB 1e4f

HELPER float absolute(float value)
{
    return value < 0.0f ? -value : value;
}

/* sRGB of Lab, of which 1 is white. */
HELPER float4 rgb_of_lab(float4 lab)
{
    float first = LANE(lab, 0), second = LANE(lab, 1), third = LANE(lab, 2);
    if (!(absolute(first) + absolute(second) + absolute(third) < LARGE_LAB)) {
        double f = ((double)first + 16) / 116;
        double x = double_expand(f + (double)second / 500), y = double_expand(f),
               z = double_expand(f - (double)third / 200);
        return LANES(encoded_double(3.0799551079932685 * x - 1.5371390038164603 * y -
                                    0.54281610417680803 * z),
                     encoded_double(-0.92125862558511262 * x + 1.8760111164435842 * y +
                                    0.045247509141528502 * z),
                     encoded_double(0.052887401031216946 * x - 0.20402587467028357 * y +
                                    1.1511384736390666 * z),
                     0.0f);
    }
    float4 light = light_of_lab(lab);
    return LANES(encoded_light(LANE(light, 0)), encoded_light(LANE(light, 1)),
                 encoded_light(LANE(light, 2)), 0.0f);
}

HELPER ushort rounded_word(float value)
{
    float above = value > 0.0f ? value : 0.0f, clamped = above < 65535.0f ? above : 65535.0f;
    return (ushort)(int)(clamped + 0.5f);
}

HELPER void store_sample(GLOBAL uchar *samples, int is_float, size_t at, float value)
{
    if (is_float)
        ((GLOBAL float *)samples)[at] = value;
    else
        ((GLOBAL ushort *)samples)[at] = rounded_word(value);
}

/* As store_values(). */
KERNEL(ITEMS)
void store_wide(GLOBAL const float4 *values, GLOBAL const uchar *changed, int is_float,
                GLOBAL const float *linear, float detail, int channels, int bands, int lab, int n,
                GLOBAL uchar *samples)
{
    int i = (int)get_global_id(0);
    if (i >= n || !changed[i])
        return;
    size_t at = (size_t)i * channels;
    float4 value = values[i];
    if (detail != 0.0f)
        value = mixed(value, wide_value(samples, is_float, at, bands, lab, linear), detail);
    value = all_finite(value);
    if (lab)
        value = rgb_of_lab(value) * SAME_LANES(is_float ? 1.0f : 65535.0f);
    store_sample(samples, is_float, at, LANE(value, 0));
    if (bands == 3) {
        store_sample(samples, is_float, at + 1, LANE(value, 1));
        store_sample(samples, is_float, at + 2, LANE(value, 2));
    }
}

#endif
