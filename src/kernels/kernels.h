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

/* sRGB-encoded values, 0..1 inside the gamut, of CIE Lab. */
typedef void CofiRgbFromLab(const float *lightness, const float *a, const float *b, int n,
                            double *red, double *green, double *blue);

/* Fixed. The nearest of k centres (rows of `bands` values), the lowest index on a tie. Pixel i is
 * planes[0][i], planes[1][i] ... Writes the squared distance too, unless that is NULL. */
typedef void CofiNearest(const float *const *planes, int bands, int n, const float *centres, int k,
                         uint8_t *labels, double *distances);

/* Fixed. table[p[i] * k + q[i]]++ for all i where both have a vote (1, else 0). */
typedef void CofiCountPairs(uint32_t *table, int k, const uint8_t *p, const uint8_t *p_votes,
                            const uint8_t *q, const uint8_t *q_votes, int n);

/* Fixed. The same for the pixels at places[0..n-1], which all have a vote as p. */
typedef void CofiCountPlaces(uint32_t *table, int k, const uint32_t *places, int n,
                             const uint8_t *p, const uint8_t *q, const uint8_t *q_votes);

/* What the filter reads: planes with a border of at least `radius` pixels around them. */
typedef struct CofiTaps {
    const float *matrix; /* k x k: how strongly a row's label takes a column's */
    int k;
    const float *gauss; /* 2 radius + 1 weights along one axis */
    int radius;
    const uint8_t *labels;
    const float *votes;        /* 0 for pixels that have none */
    const float *const *bands; /* finite everywhere */
    int n_bands;
    ptrdiff_t stride; /* of labels, votes and bands, in pixels */
} CofiTaps;

/* n pixels from index `at` on: mixed[i] tells if any tap had a weight, and then values[band][i] is
 * the weighted mean. Sums run in an order that is the same for every pixel. */
typedef void CofiFilterRow(const CofiTaps *taps, ptrdiff_t at, int n, float *const *values,
                           uint8_t *mixed);

typedef struct CofiKernels {
    CofiLabFromLinear *lab_from_linear;
    CofiRgbFromLab *rgb_from_lab;
    CofiNearest *nearest;
    CofiCountPairs *count_pairs;
    CofiCountPlaces *count_places;
    CofiFilterRow *filter_row;
} CofiKernels;

/* The best kernels for this machine. */
CofiKernels cofi_kernels(void);

CofiLabFromLinear cofi_lab_from_linear_c;
CofiRgbFromLab cofi_rgb_from_lab_c;
CofiNearest cofi_nearest_c;
CofiCountPairs cofi_count_pairs_c;
CofiCountPlaces cofi_count_places_c;
CofiFilterRow cofi_filter_row_c;

#endif
