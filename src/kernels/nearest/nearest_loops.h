/* SPDX-License-Identifier: BSD-2-Clause */
/* The nearest centre of each pixel. Single precision finds the nearest and the second nearest
 * centre. Where the two are too close to be told apart, double precision decides, so the labels are
 * those of the C kernel. Each level includes this file after its vectors and after it has defined
 *
 *     LEVEL(name)    the name of a kernel at this level
 */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "cof/cof.h"
#include "kernels/kernels.h"

/* The number of independent vectors that are compared with each centre, to hide latencies. */
#define SIDE_BY_SIDE (LANES > 8 ? 4 : 2)
#define BLOCK (SIDE_BY_SIDE * LANES)

/* A row of fewer than BLOCK pixels is copied if it has at most so many bands. */
#define MAX_COPIED 16

/* The squares of larger values exceed the range of single precision. */
#define MAX_VALUE 1e15f

/* The score of a centre is |x - c|^2 / 2 - |x|^2 / 2 = |c|^2 / 2 - x c: the nearest centre has the
 * smallest score. The last bits of a score hold the label of the centre. */
typedef struct Scores {
    float best[BLOCK], second[BLOCK];
} Scores;

typedef CofiCentres Centres;

static inline float float_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint32_t bits_of_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* The number of bands whose values stay in registers. */
#define AT_HAND 3

static inline Vector centred_at(const float *const *planes, int band, int i, const Centres *c)
{
    return fma_sub(set1(c->middle[band]), set1(1), load(planes[band] + i));
}

/* Computes the two best scores of BLOCK pixels. */
static inline __attribute__((always_inline)) void
score_block(const float *const *planes, int bands, int first, const Centres *c, Scores *s)
{
    Vector best[SIDE_BY_SIDE], second[SIDE_BY_SIDE], mask = set1(float_of_bits(c->label_bits));
    Vector values[AT_HAND][SIDE_BY_SIDE];
    for (int i = 0; i < SIDE_BY_SIDE; i++) {
        best[i] = second[i] = set1(FLT_MAX);
        for (int band = 0; band < bands && band < AT_HAND; band++)
            values[band][i] = centred_at(planes, band, first + i * LANES, c);
    }
    for (int label = 0; label < c->k; label++) {
        const float *centre = c->centred + (ptrdiff_t)label * bands;
        Vector scores[SIDE_BY_SIDE], name = set1(c->names[label]);
        for (int i = 0; i < SIDE_BY_SIDE; i++)
            scores[i] = set1(c->half_squares[label]);
        for (int band = 0; band < bands; band++)
            for (int i = 0; i < SIDE_BY_SIDE; i++) {
                Vector value = band < AT_HAND ? values[band][i]
                                              : centred_at(planes, band, first + i * LANES, c);
                scores[i] = fma_sub(value, set1(centre[band]), scores[i]);
            }
        for (int i = 0; i < SIDE_BY_SIDE; i++) {
            Vector score = merge_bits(scores[i], name, mask);
            second[i] = least(second[i], most(best[i], score));
            best[i] = least(best[i], score);
        }
    }
    for (int i = 0; i < SIDE_BY_SIDE; i++) {
        store(s->best + i * LANES, best[i]);
        store(s->second + i * LANES, second[i]);
    }
}

static float largest_of(const float *values, int n, float middle)
{
    Vector sign = set1(-0.0f), largest = set1(0), zero = set1(0);
    int i = 0;
    for (; i + LANES <= n; i += LANES) {
        Vector distance = fma_sub(set1(middle), set1(1), load(values + i));
        largest = most(largest, merge_bits(distance, zero, sign));
    }
    float lanes[LANES], result = 0;
    store(lanes, largest);
    for (int lane = 0; lane < LANES; lane++)
        result = lanes[lane] > result ? lanes[lane] : result;
    for (; i < n; i++) {
        float distance = fabsf(values[i] - middle);
        result = distance > result ? distance : result;
    }
    return result;
}

/* The difference from which on two scores can be told apart, or infinity. Each of the bands + 1
 * terms is at most `sum` and is rounded to 2^-24 of it, as are the partial sums. The last bits are
 * lost to the label. */
static float needed_gap(const float *const *planes, int n, const Centres *c)
{
    float sum = c->largest_square;
    for (int band = 0; band < c->bands; band++) {
        float largest = largest_of(planes[band], n, c->middle[band]);
        if (!(largest < MAX_VALUE))
            return INFINITY;
        sum += largest * c->largest[band];
    }
    float ulps = 2 * (float)(c->bands + 2) + (float)(c->label_bits + 1);
    /* Subnormal numbers have no bits to spare for the label. */
    return sum < FLT_MAX / 4 ? sum * ulps * 0x1p-22f + FLT_MIN : INFINITY;
}

/* The label of one pixel, from distances in double precision that equal those of the C kernel. */
static uint8_t sure_label(const float *const *planes, int i, const Centres *c)
{
    double distances[COF_MAX_COLOURS];
    for (int band = 0; band < c->bands; band++) {
        const float *column = c->columns + (ptrdiff_t)band * c->k;
        double value = (double)planes[band][i];
        for (int label = 0; label < c->k; label++) {
            double d = value - (double)column[label];
            distances[label] = band == 0 ? d * d : distances[label] + d * d;
        }
    }
    int best = 0;
    for (int label = 1; label < c->k; label++)
        best = distances[label] < distances[best] ? label : best;
    return (uint8_t)best;
}

static void distances_of(const float *const *planes, int n, const Centres *c, const uint8_t *labels,
                         double *distances)
{
    int bands = c->bands;
    for (int i = 0; i < n; i++) {
        const float *centre = c->rows + (ptrdiff_t)labels[i] * bands;
        double sum = 0;
        for (int band = 0; band < bands; band++) {
            double d = (double)planes[band][i] - (double)centre[band];
            sum += d * d;
        }
        distances[i] = sum;
    }
}

/* Labels pixels first..first+n-1, at most BLOCK. BLOCK pixels are read. */
static void label_block(const float *const *planes, int first, int n, const Centres *c, float gap,
                        uint8_t *labels)
{
    Scores scores;
    if (c->bands == 3)
        score_block(planes, 3, first, c, &scores);
    else
        score_block(planes, c->bands, first, c, &scores);
    for (int i = 0; i < n; i++)
        labels[i] = (uint8_t)(bits_of_float(scores.best[i]) & c->label_bits);
    int unsure = 0;
    for (int i = 0; i < BLOCK; i++)
        unsure |= !(scores.second[i] - scores.best[i] > gap);
    for (int i = 0; unsure && i < n; i++)
        if (!(scores.second[i] - scores.best[i] > gap))
            labels[i] = sure_label(planes, first + i, c);
}

/* Labels fewer than BLOCK pixels, from a copy that is BLOCK long. */
static void label_few(const float *const *planes, int n, const Centres *c, float gap,
                      uint8_t *labels)
{
    float copies[MAX_COPIED][BLOCK] = {{0}};
    const float *read[MAX_COPIED];
    for (int band = 0; band < c->bands; band++) {
        memcpy(copies[band], planes[band], (size_t)n * sizeof copies[band][0]);
        read[band] = copies[band];
    }
    label_block(read, 0, n, c, gap, labels);
}

/* The last block overlaps the one before it, if n is not a multiple of BLOCK. */
static void label_many(const float *const *planes, int n, const Centres *c, float gap,
                       uint8_t *labels)
{
    for (int first = 0; first < n; first += BLOCK) {
        int at = n - first < BLOCK ? n - BLOCK : first;
        label_block(planes, at, BLOCK, c, gap, labels + at);
    }
}

void LEVEL(cofi_nearest)(const float *const *planes, int n, const CofiCentres *centres,
                         uint8_t *labels, double *distances)
{
    assert(n >= 0);
    float gap = needed_gap(planes, n, centres);
    if (!(gap < INFINITY) || centres->k == 1 || (n < BLOCK && centres->bands > MAX_COPIED))
        cofi_nearest_c(planes, n, centres, labels, NULL);
    else if (n < BLOCK)
        label_few(planes, n, centres, gap, labels);
    else
        label_many(planes, n, centres, gap, labels);
    if (distances)
        distances_of(planes, n, centres, labels, distances);
}
