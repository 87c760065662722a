/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernels: the inner loops of the library. A kernel processes one row. It does not allocate memory,
 * start threads or read options. */
#ifndef COF_KERNELS_H
#define COF_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/fast_kernels.h"
#include "kernels/refine_kernels.h"

/* Kernels marked "Fixed" give the same bits at every level and on every machine; labels and counts
 * are computed with them alone. */

/* Fixed. Converts linear sRGB to CIE Lab (D65). */
typedef void CofiLabFromLinear(const double *red, const double *green, const double *blue, int n,
                               float *lightness, float *a, float *b);

/* Fixed. Converts linear sRGB in 0..1 to CIE Lab, in single precision. */
typedef void CofiLabFromSamples(const float *red, const float *green, const float *blue, int n,
                                float *lightness, float *a, float *b);

/* Fixed. Converts 8-bit pixels, `step` bytes apart, to CIE Lab. table[byte] is the linear light. */
typedef void CofiLabFromBytes(const uint8_t *bytes, ptrdiff_t step, const float table[256], int n,
                              float *lightness, float *a, float *b);

/* Fixed. Decodes sRGB-encoded values in 0..max to linear light in 0..1. */
typedef void CofiDecodeRow(const float *values, int n, double max, double *linear);

/* Converts CIE Lab to sRGB-encoded values, which are in 0..1 inside the gamut. */
typedef void CofiRgbFromLab(const float *lightness, const float *a, const float *b, int n,
                            float *red, float *green, float *blue);

/* Lab of the sRGB gamut in 24 bits: the upper 16 and the lower 8 of each band. */
typedef struct CofiPackedLab {
    int16_t *high[3];
    uint8_t *low[3];
} CofiPackedLab;

/* These planes, beginning at element i. */
static inline CofiPackedLab cofi_packed_from(const CofiPackedLab *packed, ptrdiff_t i)
{
    CofiPackedLab from;
    for (int band = 0; band < 3; band++) {
        from.high[band] = packed->high[band] + i;
        from.low[band] = packed->low[band] + i;
    }
    return from;
}

/* Fixed. Packs Lab, and unpacks it. No error exceeds 0.002 of an 8-bit step. */
typedef void CofiPackLab(const float *const *lab, int n, const CofiPackedLab *packed);
typedef void CofiUnpackLab(const CofiPackedLab *packed, int n, float *const *lab);

/* The number of bits of linear light that select an entry of the table of encoded bytes. */
#define COFI_ENCODING_BITS 12

/* Converts CIE Lab to sRGB-encoded pixels of three bytes, `step` bytes apart, clamped and rounded
 * to nearest. The table has an entry for each of 2^COFI_ENCODING_BITS equal intervals of linear
 * light: in its lower 8 bits the byte at the beginning of the interval, in its upper 24 bits the
 * light, in units of 2^-24, from which on the next byte is nearer; all ones if that is beyond. */
typedef void CofiBytesFromLab(const float *lightness, const float *a, const float *b, int n,
                              const uint32_t *table, ptrdiff_t step, uint8_t *bytes);

#define COFI_REPEATS 4
#define COFI_PLACES 64

/* The number of rows that are near a place. */
#define COFI_NEARBY 8

/* The most bands whose values stay in registers. */
#define COFI_FEW_BANDS 4

/* Centres in the forms that the kernels read, all in one block of memory. */
typedef struct CofiCentres {
    const float *rows; /* the caller's: k rows of `bands` values */
    int bands, k;
    uint32_t label_bits; /* the bits that hold a label */
    float *middle;       /* of each band: subtracted from all values, for more exact sums */
    float *largest;      /* of each band: the largest distance from the middle */
    float largest_square;
    float *columns; /* of each band: k values of `rows` */
    /* For each row in the order of its value of one band, the axis: the row less the middle, padded
     * with zeros to a multiple of COFI_REPEATS, half the squared length of that row, and its label
     * as the bits of a float; the last two COFI_REPEATS times each. */
    float *scoring;
    int row_size;
    int axis;      /* the band whose values differ most */
    float *places; /* the sorted values of the axis, less the middle */
    float place_scale;
    uint8_t nearby[COFI_PLACES]; /* where to begin: rows near (i + 0.5) / place_scale + places[0] */
    uint16_t before[COFI_PLACES + 1]; /* the number of rows whose interval is before this one */
    float *sorted; /* of each of the first COFI_FEW_BANDS bands: sorted rows less the middle */
    int sorted_stride;
} CofiCentres;

/* The interval of the axis in which a value is, less the middle; it never decreases with the value.
 */
static inline int cofi_place_of(const CofiCentres *centres, float value)
{
    float at = (value - centres->places[0]) * centres->place_scale;
    at = at > 0 ? at : 0; /* also if it is not a number */
    return (int)(at < COFI_PLACES - 1 ? at : COFI_PLACES - 1);
}

/* The size of that block in bytes; and filling it in. */
size_t cofi_centres_size(int bands, int k);
CofiCentres *cofi_centres_fill(void *memory, const float *rows, int bands, int k);

/* Fixed. Finds the nearest centre, the lowest index on a tie. Pixel i is planes[0][i],
 * planes[1][i], and so on. Writes the squared distances too, unless `distances` is NULL. */
typedef void CofiNearest(const float *const *planes, int n, const CofiCentres *centres,
                         uint8_t *labels, double *distances);

/* Fixed. The same for rows of n pixels, which are `stride` apart in the planes. This takes less
 * time where pixels below each other are similar. COFI_TOGETHER rows and multiples are best. */
#define COFI_TOGETHER 4
typedef void CofiNearestRows(const float *const *planes, ptrdiff_t stride, int rows, int n,
                             const CofiCentres *centres, uint8_t *labels, ptrdiff_t label_stride);

/* Pixels of a chunk, all of which are readable. */
#define COFI_SHRINK_CHUNK 64

/* Distances that one more centre may have shrunk. */
typedef struct CofiShrunk {
    double *sums, *largest; /* of each chunk; only those of the listed ones are written */
    double *distances;      /* of each pixel; NULL if only sums are wanted */
    float *rounded;         /* the same in single precision; NULL if `distances` is */
} CofiShrunk;

/* Fixed. Finds min(distances[i], squared distance of pixel i to the centre) for the pixels of n
 * chunks, chunks[0] and so on. They may be written to where they are read. */
typedef void CofiShrink(const float *const *planes, int bands, const float *centre,
                        const int *chunks, int n, const double *distances, const CofiShrunk *to);

/* Not fixed. Returns about by how much a centre would shrink the sum of the distances in these
 * chunks. The error is at most COFI_GAIN_ERROR of that sum, if it is within 1e-25 and 1e30. */
#define COFI_GAIN_ERROR 0x1p-16
typedef double CofiGain(const float *const *planes, int bands, const float *centre,
                        const float *distances, const int *chunks, int n);

/* Fixed. Returns the sum of (a[i] - b[i])^2, in single precision; infinity if it overflows. */
typedef double CofiDifference(const float *a, const float *b, int n);

/* Fixed. small[i] = 1 if the hash of coordinates (x + i, y) is at most `ceiling`, else 0. */
typedef void CofiHashRow(int x, int y, int n, uint64_t ceiling, uint8_t *small);

/* Fixed. For each of n places and dx = 0..width-1: counts[tables[dx] * k + labels[place + dx]]++,
 * if that label is below k and the pixel is a member (bit 0 of `members`; NULL: all pixels are).
 * COFI_OVERREAD bytes after the last label must be readable. */
typedef void CofiCountRow(const uint8_t *labels, const uint8_t *members, const uint32_t *places,
                          int n, int width, const int *tables, int k, uint16_t *counts);

/* Kernels may read this many elements beyond the end of a row, and ignore them. */
#define COFI_OVERREAD 32

/* The number of labels that fit into lookup tables in registers. */
#define COFI_FEW_LABELS 32

/* Rows of `matrix` are this long, with zeros beyond k. */
static inline int cofi_matrix_stride(int k)
{
    return (k + 31) / 32 * 32;
}

/* The length of a plane of `bytes`, with zeros beyond k; a row has four of them. */
static inline int cofi_byte_plane(int k)
{
    return k <= COFI_FEW_LABELS ? COFI_FEW_LABELS : 256;
}

/* Rows of `bytes` have at most this length. */
#define COFI_MATRIX_BYTES (4 * 256)

/* Rows of `weights` have this many zeros before and after them; `gauss` has them at its end. */
#define COFI_WEIGHT_MARGIN 32

/* The input of the filter: the rows that the window covers, each from `radius` pixels left of the
 * first pixel to `radius` right of the last, and COFI_OVERREAD more. All numbers are finite, and
 * all labels below k, also those that are only overread.
 *
 * Row a of `matrix` holds the weight of each label for a pixel of label a. `bytes` holds the same
 * floats in four planes of bytes, the lowest bytes first. */
typedef struct CofiTaps {
    const float *matrix;
    const uint8_t *bytes; /* 4 * cofi_byte_plane(k) a row */
    int k;
    int radius;
    const float *gauss;   /* 2 radius + 1 weights along one axis, then COFI_WEIGHT_MARGIN zeros */
    const float *weights; /* 2 radius + 1 rows: gauss x gauss */
    ptrdiff_t weight_stride;
    const uint8_t *const *labels; /* 2 radius + 1 rows */
    int n_bands;
    const float *const *alphas; /* 2 radius + 1 rows; alpha x band b is (1 + b) strides further */
    ptrdiff_t stride;
    int plain;      /* all alphas in the windows of these pixels are 1 */
    float *columns; /* scratch: COFI_COLUMN_ROWS rows, all finite; NULL: sum all taps */
    ptrdiff_t column_stride;
} CofiTaps;

/* The scratch for sums of columns, for rows of n pixels: a row for each label and plane, and five
 * for totals. */
#define COFI_COLUMN_PIXELS 512
#define COFI_COLUMN_PLANES 4
#define COFI_COLUMN_ROWS ((COFI_FEW_LABELS + 1) * COFI_COLUMN_PLANES + 1)
static inline ptrdiff_t cofi_column_stride(int n, int radius)
{
    int pixels = n < COFI_COLUMN_PIXELS ? n : COFI_COLUMN_PIXELS;
    return (pixels + 2 * radius + 15 + 15) / 16 * 16; /* columns are summed 16 at a time */
}

/* Filters pixels x..x+n-1. has_weight[i] is 1 if the sum of the weights is positive;
 * values[band][i] is then the weighted mean. With n_bands 0, values[0][i] is the sum of the
 * weights. The order of summation depends on the window of a pixel alone, not on x or n. */
typedef void CofiFilterRow(const CofiTaps *taps, int x, int n, float *const *values,
                           uint8_t *has_weight);

/* A row of the matrix of 8-bit grey, relative to its largest entry, in units of 1/32767: the
 * numbers, and their low and high bytes. */
typedef struct CofiGreyEntries {
    int16_t words[256];
    uint8_t low[256], high[256];
} CofiGreyEntries;

/* The widest window of the filter of 8-bit grey, and the bytes of its scratch. */
#define COFI_GREY_SIDE 31
#define COFI_GREY_SCRATCH 20480

/* The input of the filter of 8-bit grey: gauss and rows of labels as in CofiTaps. Labels are the
 * values. */
typedef struct CofiGreyTaps {
    const CofiGreyEntries *matrix; /* 256 rows */
    int radius;
    const float *gauss; /* 2 radius + 1 weights */
    const uint8_t *const *labels;
    int top, bottom; /* rows of the window inside the image: from `top` on, before `bottom` */
    int left, right; /* columns inside the image */
    float error;     /* the largest error of a sum of weights, divided by that of a mean */
    void *scratch;
} CofiGreyTaps;

/* Labels that differ by this much in a window may be left to filter_row. */
#define COFI_GREY_RANGE 128

/* Filters pixels x..x+n-1 of 8-bit grey. If exact[i] is 1, means[i] is the weighted mean, and exact
 * enough: the sum of the weights is positive and at least `error` times the difference between the
 * extremes of the window. Results do not depend on x or n. */
typedef void CofiGreyRow(const CofiGreyTaps *taps, int x, int n, float *means, uint8_t *exact);

typedef struct CofiKernels {
    CofiLabFromLinear *lab_from_linear;
    CofiLabFromSamples *lab_from_samples;
    CofiLabFromBytes *lab_from_bytes;
    CofiDecodeRow *decode_row;
    CofiRgbFromLab *rgb_from_lab;
    CofiBytesFromLab *bytes_from_lab;
    CofiPackLab *pack_lab;
    CofiUnpackLab *unpack_lab;
    CofiNearest *nearest;
    CofiNearestRows *nearest_rows;
    CofiShrink *shrink;
    CofiGain *gain;
    CofiDifference *difference;
    CofiHashRow *hash_row;
    CofiCountRow *count_row;
    CofiFilterRow *filter_row;
    CofiGreyRow *grey_row; /* NULL: filter_row is faster */
    CofiSplatRow *splat_row;
    CofiBlurRows *blur_rows;
    CofiSliceRows *slice_rows;
    CofiDivideRow *divide_row;
    CofiFitRow *fit_row;
    CofiMixRows *mix_rows;
    CofiApplyRow *apply_row;
    int cell; /* of which the size of the fast filter's cells is a multiple */
} CofiKernels;

/* The best kernels for a processor with these CofiCpu flags. */
CofiKernels cofi_kernels(unsigned flags);

CofiLabFromLinear cofi_lab_from_linear_c;
CofiLabFromSamples cofi_lab_from_samples_c;
CofiLabFromBytes cofi_lab_from_bytes_c;
CofiDecodeRow cofi_decode_row_c;
CofiRgbFromLab cofi_rgb_from_lab_c;
CofiBytesFromLab cofi_bytes_from_lab_c;
CofiPackLab cofi_pack_lab_c;
CofiUnpackLab cofi_unpack_lab_c;
CofiNearest cofi_nearest_c;
CofiNearestRows cofi_nearest_rows_c;
CofiShrink cofi_shrink_c;
CofiGain cofi_gain_c;
CofiDifference cofi_difference_c;
CofiHashRow cofi_hash_row_c;
CofiCountRow cofi_count_row_c;
CofiFilterRow cofi_filter_row_c;
CofiSplatRow cofi_splat_row_c;
CofiBlurRows cofi_blur_rows_c;
CofiSliceRows cofi_slice_rows_c;
CofiDivideRow cofi_divide_row_c;
CofiFitRow cofi_fit_row_c;
CofiMixRows cofi_mix_rows_c;
CofiApplyRow cofi_apply_row_c;

#if defined(__x86_64__)
CofiSplatRow cofi_splat_row_avx2, cofi_splat_row_avx512;
CofiBlurRows cofi_blur_rows_avx2, cofi_blur_rows_avx512;
CofiSliceRows cofi_slice_rows_avx2, cofi_slice_rows_avx512;
CofiDivideRow cofi_divide_row_avx2, cofi_divide_row_avx512;
CofiLabFromLinear cofi_lab_from_linear_avx2, cofi_lab_from_linear_avx512;
CofiLabFromSamples cofi_lab_from_samples_avx2, cofi_lab_from_samples_avx512;
CofiLabFromBytes cofi_lab_from_bytes_avx2, cofi_lab_from_bytes_avx512;
CofiDecodeRow cofi_decode_row_avx2, cofi_decode_row_avx512;
CofiRgbFromLab cofi_rgb_from_lab_avx2, cofi_rgb_from_lab_avx512;
CofiBytesFromLab cofi_bytes_from_lab_avx2, cofi_bytes_from_lab_avx512;
CofiPackLab cofi_pack_lab_avx2, cofi_pack_lab_avx512;
CofiUnpackLab cofi_unpack_lab_avx2, cofi_unpack_lab_avx512;
CofiNearest cofi_nearest_avx2, cofi_nearest_avx512;
CofiNearestRows cofi_nearest_rows_avx2, cofi_nearest_rows_avx512;
CofiShrink cofi_shrink_avx2, cofi_shrink_avx512;
CofiGain cofi_gain_avx2, cofi_gain_avx512;
CofiDifference cofi_difference_avx2, cofi_difference_avx512;
CofiHashRow cofi_hash_row_avx2, cofi_hash_row_avx512;
CofiCountRow cofi_count_row_avx2, cofi_count_row_avx512;
CofiFilterRow cofi_filter_row_avx2, cofi_filter_row_avx512, cofi_filter_row_vbmi;
CofiGreyRow cofi_grey_row_avx2, cofi_grey_row_avx512, cofi_grey_row_vbmi;
CofiFitRow cofi_fit_row_avx2, cofi_fit_row_avx512;
CofiMixRows cofi_mix_rows_avx2, cofi_mix_rows_avx512;
CofiApplyRow cofi_apply_row_avx2, cofi_apply_row_avx512;
#elif defined(__aarch64__)
CofiLabFromLinear cofi_lab_from_linear_neon;
CofiLabFromSamples cofi_lab_from_samples_neon;
CofiLabFromBytes cofi_lab_from_bytes_neon;
CofiDecodeRow cofi_decode_row_neon;
CofiRgbFromLab cofi_rgb_from_lab_neon;
CofiBytesFromLab cofi_bytes_from_lab_neon;
CofiPackLab cofi_pack_lab_neon;
CofiUnpackLab cofi_unpack_lab_neon;
CofiNearest cofi_nearest_neon;
CofiNearestRows cofi_nearest_rows_neon;
CofiShrink cofi_shrink_neon;
CofiGain cofi_gain_neon;
CofiDifference cofi_difference_neon;
CofiHashRow cofi_hash_row_neon;
CofiCountRow cofi_count_row_neon;
CofiFilterRow cofi_filter_row_neon;
CofiGreyRow cofi_grey_row_neon;
CofiSplatRow cofi_splat_row_neon;
CofiBlurRows cofi_blur_rows_neon;
CofiSliceRows cofi_slice_rows_neon;
CofiDivideRow cofi_divide_row_neon;
#elif defined(__wasm_simd128__)
CofiLabFromLinear cofi_lab_from_linear_wasm;
CofiLabFromSamples cofi_lab_from_samples_wasm;
CofiLabFromBytes cofi_lab_from_bytes_wasm;
CofiDecodeRow cofi_decode_row_wasm;
CofiRgbFromLab cofi_rgb_from_lab_wasm;
CofiBytesFromLab cofi_bytes_from_lab_wasm;
CofiPackLab cofi_pack_lab_wasm;
CofiUnpackLab cofi_unpack_lab_wasm;
CofiNearest cofi_nearest_wasm;
CofiNearestRows cofi_nearest_rows_wasm;
CofiShrink cofi_shrink_wasm;
CofiGain cofi_gain_wasm;
CofiDifference cofi_difference_wasm;
CofiHashRow cofi_hash_row_wasm;
CofiCountRow cofi_count_row_wasm;
CofiFilterRow cofi_filter_row_wasm;
CofiSplatRow cofi_splat_row_wasm;
CofiBlurRows cofi_blur_rows_wasm;
CofiSliceRows cofi_slice_rows_wasm;
CofiDivideRow cofi_divide_row_wasm;
#endif

#endif
