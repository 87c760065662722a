/* SPDX-License-Identifier: BSD-2-Clause */
/* The heavy loops, one row each: no allocation, no threads, no options. */
#ifndef COF_KERNELS_H
#define COF_KERNELS_H

#include <stddef.h>
#include <stdint.h>

/* The fixed kernels give the same bits at every level and on every machine: all that leads to
 * labels and counts is made of them. */

/* Fixed. CIE Lab (D65) of linear sRGB. */
typedef void CofiLabFromLinear(const double *red, const double *green, const double *blue, int n,
                               float *lightness, float *a, float *b);

/* Fixed. The same, in single precision, for light of 0..1. */
typedef void CofiLabFromSamples(const float *red, const float *green, const float *blue, int n,
                                float *lightness, float *a, float *b);

/* Fixed. The same for pixels of bytes, `step` apart, whose light is table[byte]. */
typedef void CofiLabFromBytes(const uint8_t *bytes, ptrdiff_t step, const float table[256], int n,
                              float *lightness, float *a, float *b);

/* Fixed. Linear light of sRGB-encoded values; `max` means 1. */
typedef void CofiDecodeRow(const float *values, int n, double max, double *linear);

/* sRGB-encoded values, 0..1 inside the gamut, of CIE Lab. */
typedef void CofiRgbFromLab(const float *lightness, const float *a, const float *b, int n,
                            float *red, float *green, float *blue);

/* Lab of the sRGB gamut in 16 bits, and back: off by so little that all colours of bytes survive,
 * and none is off by more than 0.14 of a byte's step. */
typedef void CofiPackLab(const float *const *lab, int n, int16_t *const *packed);
typedef void CofiUnpackLab(const int16_t *const *packed, int n, float *const *lab);

/* Encoded values of 0..1 as packed bytes, clamped and rounded to nearest. */
typedef void CofiBytesFromRgb(const float *red, const float *green, const float *blue, int n,
                              uint8_t *bytes);

/* Fixed. The nearest of k centres (rows of `bands` values), the lowest index on a tie. Pixel i is
 * planes[0][i], planes[1][i] ... Writes the squared distance too, unless that is NULL. */
typedef void CofiNearest(const float *const *planes, int bands, int n, const float *centres, int k,
                         uint8_t *labels, double *distances);

/* Fixed. The sum of min(distances[i], squared distance of pixel i to the centre), which are also
 * written to `shrunk`, unless that is NULL; it may be `distances`. */
typedef double CofiShrink(const float *const *planes, int bands, int n, const float *centre,
                          const double *distances, double *shrunk);

/* Fixed. The sum of (a[i] - b[i])^2, in single precision; not finite where that is too small. */
typedef double CofiDifference(const float *a, const float *b, int n);

/* Fixed. small[i] = 1 if the hash of place (x + i, y) is at most that large, else 0. */
typedef void CofiHashRow(int x, int y, int n, uint64_t ceiling, uint8_t *small);

/* Fixed. For each of n places and dx = 0..width-1: counts[tables[dx] * k + labels[place + dx]]++,
 * if that label is below k and is a member (bit 0 of members; NULL: all are). COFI_OVERREAD bytes
 * beyond the last one needed must be readable. */
typedef void CofiCountRow(const uint8_t *labels, const uint8_t *members, const uint32_t *places,
                          int n, int width, const int *tables, int k, uint16_t *counts);

/* Kernels may read this many elements beyond the ends of rows, and ignore them. */
#define COFI_OVERREAD 32

/* So many labels fit into the tables that kernels look up in registers. */
#define COFI_FEW_LABELS 32

/* Rows of `matrix` are this long, with zeros beyond k. */
static inline int cofi_matrix_stride(int k)
{
    return (k + 31) / 32 * 32;
}

/* Rows of `bytes` and of `halves` are this long. */
#define COFI_MATRIX_BYTES (4 * 256)
#define COFI_MATRIX_HALVES (2 * 256)

/* Rows of `weights` have this many zeros before and after them. */
#define COFI_WEIGHT_MARGIN 32

/* What the filter reads: the rows that the window covers, each from `radius` pixels left of the
 * first pixel to `radius` right of the last, and COFI_OVERREAD more. All numbers are finite. */
typedef struct CofiTaps {
    const float *matrix;   /* of k rows: how strongly a row's label takes a column's */
    const uint8_t *bytes;  /* the same, COFI_MATRIX_BYTES a row: the lowest bytes of all entries of
                            * little-endian floats, then the next ... Only if k > COFI_FEW_LABELS */
    const uint8_t *halves; /* the same in half precision, COFI_MATRIX_HALVES a row, times 16; NULL:
                            * single precision is needed, or values are not of 0..255 */
    int k;
    int radius;
    const float *gauss;   /* 2 radius + 1 weights along one axis */
    const float *weights; /* 2 radius + 1 rows: gauss x gauss */
    ptrdiff_t weight_stride;
    const uint8_t *const *labels; /* 2 radius + 1 rows; all below k */
    int n_bands;
    const float *const
        *alphas; /* 2 radius + 1 rows; band b, times alpha, is 1 + b strides further */
    ptrdiff_t stride;
    int plain; /* alphas are 1 wherever the window of these pixels has a weight */
} CofiTaps;

/* Pixels x..x+n-1: mixed[i] tells if any tap had a weight, and then values[band][i] is the weighted
 * mean. Without bands, values[0][i] is the sum of the weights. Sums run in an order that is the
 * same for every pixel. */
typedef void CofiFilterRow(const CofiTaps *taps, int x, int n, float *const *values,
                           uint8_t *has_weight);

/* The fast filter's cells: `size` sums each, a multiple of COFI_CELL. Sum e is of entries e of the
 * factors that belong to labels, times value e % spread of pixels; a pixel has `spread` values, 2,
 * 4, 8, 16 or 32, of which the first `planes` may differ from 0. */
#define COFI_CELL 16

/* A row of cells: sums over their pixels of factors times values. */
typedef struct CofiSplat {
    const float *factors; /* of each label: size */
    int size, spread, planes;
    int step, n;                  /* pixels of a cell along each axis; cells */
    const uint8_t *const *labels; /* step rows of step x n pixels */
    const float *const *values;   /* the same: planes, a stride apart */
    ptrdiff_t stride;
    float *pixels; /* room for step rows of step x n pixels */
    float *sums;   /* n cells */
} CofiSplat;
typedef void CofiSplatRow(const CofiSplat *splat);

/* COFI_BLURS rows at once: blurred[j][x] = sum_i taps[i] * rows[i + j][x]. n is a multiple of
 * COFI_CELL. */
#define COFI_BLURS 4
typedef void CofiBlurRows(const float *const *rows, const float *taps, int n_taps, int n,
                          float *const *blurred);

/* A row of pixels between two rows of cells: of each value the sum over factors times what the four
 * cells around a pixel have, in their shares. The first is the weight, the others are divided by
 * it. */
typedef struct CofiSlice {
    const float *factors; /* of each label: size */
    int size, spread, planes;
    int step, n;         /* pixels from a cell to the next; pixels */
    int first;           /* how many of `step` lie between the first cell and the first pixel */
    const float *shares; /* of `step` pixels: what the right cells have */
    float lower_share;   /* what the lower row has */
    const float *upper, *lower;
    const uint8_t *labels;
    float *pixels; /* room for n pixels */
    float *weights;
    float *const *means; /* planes - 1 */
} CofiSlice;
typedef void CofiSliceRow(const CofiSlice *slice);

typedef struct CofiKernels {
    CofiLabFromLinear *lab_from_linear;
    CofiLabFromSamples *lab_from_samples;
    CofiLabFromBytes *lab_from_bytes;
    CofiDecodeRow *decode_row;
    CofiRgbFromLab *rgb_from_lab;
    CofiBytesFromRgb *bytes_from_rgb;
    CofiPackLab *pack_lab;
    CofiUnpackLab *unpack_lab;
    CofiNearest *nearest;
    CofiShrink *shrink;
    CofiDifference *difference;
    CofiHashRow *hash_row;
    CofiCountRow *count_row;
    CofiFilterRow *filter_row;
    CofiSplatRow *splat_row;
    CofiBlurRows *blur_rows;
    CofiSliceRow *slice_row;
} CofiKernels;

/* The best kernels for a processor with these CofiCpu flags. */
CofiKernels cofi_kernels(unsigned flags);

CofiLabFromLinear cofi_lab_from_linear_c;
CofiLabFromSamples cofi_lab_from_samples_c;
CofiLabFromBytes cofi_lab_from_bytes_c;
CofiDecodeRow cofi_decode_row_c;
CofiRgbFromLab cofi_rgb_from_lab_c;
CofiBytesFromRgb cofi_bytes_from_rgb_c;
CofiPackLab cofi_pack_lab_c;
CofiUnpackLab cofi_unpack_lab_c;
CofiNearest cofi_nearest_c;
CofiShrink cofi_shrink_c;
CofiDifference cofi_difference_c;
CofiHashRow cofi_hash_row_c;
CofiCountRow cofi_count_row_c;
CofiFilterRow cofi_filter_row_c;
CofiSplatRow cofi_splat_row_c;
CofiBlurRows cofi_blur_rows_c;
CofiSliceRow cofi_slice_row_c;

#if defined(__x86_64__)
CofiSplatRow cofi_splat_row_avx2, cofi_splat_row_avx512;
CofiBlurRows cofi_blur_rows_avx2, cofi_blur_rows_avx512;
CofiSliceRow cofi_slice_row_avx2, cofi_slice_row_avx512;
CofiLabFromLinear cofi_lab_from_linear_avx2, cofi_lab_from_linear_avx512;
CofiLabFromSamples cofi_lab_from_samples_avx2, cofi_lab_from_samples_avx512;
CofiLabFromBytes cofi_lab_from_bytes_avx2, cofi_lab_from_bytes_avx512;
CofiDecodeRow cofi_decode_row_avx2, cofi_decode_row_avx512;
CofiRgbFromLab cofi_rgb_from_lab_avx2, cofi_rgb_from_lab_avx512;
CofiBytesFromRgb cofi_bytes_from_rgb_avx2, cofi_bytes_from_rgb_avx512;
CofiPackLab cofi_pack_lab_avx2, cofi_pack_lab_avx512;
CofiUnpackLab cofi_unpack_lab_avx2, cofi_unpack_lab_avx512;
CofiNearest cofi_nearest_avx2, cofi_nearest_avx512;
CofiShrink cofi_shrink_avx2, cofi_shrink_avx512;
CofiDifference cofi_difference_avx2, cofi_difference_avx512;
CofiHashRow cofi_hash_row_avx2, cofi_hash_row_avx512;
CofiCountRow cofi_count_row_avx2, cofi_count_row_avx512;
CofiFilterRow cofi_filter_row_avx2, cofi_filter_row_avx512, cofi_filter_row_vbmi,
    cofi_filter_row_fp16;
#elif defined(__aarch64__)
CofiNearest cofi_nearest_neon;
CofiShrink cofi_shrink_neon;
CofiDifference cofi_difference_neon;
CofiHashRow cofi_hash_row_neon;
CofiCountRow cofi_count_row_neon;
CofiFilterRow cofi_filter_row_neon;
CofiSplatRow cofi_splat_row_neon;
CofiBlurRows cofi_blur_rows_neon;
CofiSliceRow cofi_slice_row_neon;
#endif

#endif
