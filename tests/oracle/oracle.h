/* SPDX-License-Identifier: BSD-2-Clause */
/* A naive reference implementation: the definitions evaluated term by term in double precision. It
 * shares no code with the library, only the enums of its header. */
#ifndef COF_ORACLE_H
#define COF_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

#include "cof/cof.h"

/* Values that are compared or averaged: [y][x][band]. */
typedef struct Field {
    int width, height, bands;
    double *values;
    double *weights;      /* filter weights: alpha, 0 if invalid */
    unsigned char *valid; /* has data */
} Field;

Field field_new(int width, int height, int bands);
void field_free(Field *field);
double *field_at(const Field *field, int x, int y);

/* sRGB-encoded 0..1 to CIE Lab under D65, and back. */
void oracle_lab(const double rgb[3], double lab[3]);
void oracle_rgb(const double lab[3], double rgb[3]);

/* counts[square * k * k + a * k + b], a <= b: ordered pairs in either order, weighted by 2^rate.
 * Room for 2 r^2 + 1 squares. histogram: k. learn[y * width + x]: may be counted. */
void oracle_count(const uint8_t *labels, const unsigned char *learn, int width, int height, int r,
                  int k, int rate, uint64_t *counts, uint64_t *histogram);

/* C and h, term by term from the pixels; with `rate`, as sampled. */
void oracle_pairs(const uint8_t *labels, const unsigned char *learn, int width, int height, int r,
                  int k, double sigma, int rate, double *pairs, double *histogram);

/* C_soft = K C K^T and h_soft as the paper's four nested sums; in place. sigma_r 0: nothing. */
void oracle_soften(const float *centres, int k, int bands, double sigma_r, double *pairs,
                   double *histogram);

/* The exact soft C and h: every pixel by its own distance to the centres. */
void oracle_exact_soft(const Field *field, const unsigned char *learn, const float *centres, int k,
                       double sigma_r, int r, double sigma, double *pairs, double *histogram);

/* softness x the mean distance of a centre to its nearest. */
double oracle_sigma_r(const float *centres, int k, int bands, double softness);

/* M and pi. */
void oracle_matrix(const double *pairs, const double *histogram, int k, CofNormalise normalise,
                   double *matrix, double *pi);

/* Keeps labels apart that rarely occur together, and gives rare labels less weight. */
void oracle_separate(const double *pi, int k, double separation, double *matrix);

/* One filter pass into out->values. has_weight[i] is 0 where the denominator is 0, 2 where it is so
 * small that single precision may lose it, else 1. */
void oracle_filter(const Field *in, const uint8_t *labels, const double *matrix, int k, int r,
                   double sigma, CofBorder border, Field *out, unsigned char *has_weight);

/* Passes over a field, in place; `context` is the caller's. */
typedef void OraclePasses(void *context, int passes, Field *now);

/* Residual correction: `rounds` times, now += what the passes leave of in - G now, where G is
 * `further` passes more. */
void oracle_correct(const double *in, int rounds, int passes, int further, OraclePasses *run,
                    void *context, Field *now);

#endif
