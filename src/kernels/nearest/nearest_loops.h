/* SPDX-License-Identifier: BSD-2-Clause */
/* The nearest centre of each pixel. Single precision finds the nearest and the second nearest
 * centre. Where the two are too close to be told apart, double precision decides, so the labels are
 * those of the C kernel. Each level includes this file after its vectors and after it has defined
 *
 *     LEVEL(name)              the name of a kernel at this level
 *     Four, load_four(p)       four consecutive floats
 *     fma_sub_of(v, f, i, c)   c - v f[i]
 *     fold_least(v), fold_most(v)   the smallest and the largest lane
 *     load_repeated(p)         a vector of the value that fills COFI_REPEATS floats
 */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "cof/cof.h"
#include "kernels/inline.h"
#include "kernels/kernels.h"

/* The number of independent vectors that are compared with each centre, to hide latencies: as many
 * as the registers hold. */
#define SIDE_BY_SIDE (LANES == 8 ? 2 : 4)
#define BLOCK (SIDE_BY_SIDE * LANES)

/* A row of fewer than BLOCK pixels is copied if it has at most so many bands. */
#define MAX_COPIED 16

/* The squares of larger values exceed the range of single precision. */
#define MAX_VALUE 1e15f

typedef CofiCentres Centres;

typedef int32_t Integers __attribute__((vector_size(4 * LANES)));
typedef uint8_t Bytes __attribute__((vector_size(LANES)));

/* The score of a centre is |x - c|^2 / 2 - |x|^2 / 2 = |c|^2 / 2 - x c: the nearest centre has the
 * smallest score. The last bits of a score hold the label of the centre. */
typedef struct Scores {
    Vector best[SIDE_BY_SIDE], second[SIDE_BY_SIDE];
} Scores;

static inline float float_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline Integers bits_of(Vector v)
{
    Integers bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static inline Vector centred_at(const float *const *planes, int band, int i, const Centres *c)
{
    return fma_sub(set1(c->middle[band]), set1(1), load(planes[band] + i));
}

INLINE void keep_best(Scores *s, const Vector *scores, Vector label, Vector label_bits)
{
    UNROLL
    for (int i = 0; i < SIDE_BY_SIDE; i++) {
        Vector score = replace_bits(scores[i], label, label_bits);
        s->second[i] = least(s->second[i], most(s->best[i], score));
        s->best[i] = least(s->best[i], score);
    }
}

INLINE void start_scores(Scores *s)
{
    UNROLL
    for (int i = 0; i < SIDE_BY_SIDE; i++)
        s->best[i] = s->second[i] = set1(FLT_MAX);
}

/* Computes the two best scores of BLOCK pixels. */
INLINE void score_block(const float *const *planes, int first, const Centres *c, Scores *s)
{
    Vector label_bits = set1(float_of_bits(c->label_bits));
    start_scores(s);
    for (int label = 0; label < c->k; label++) {
        const float *row = c->scoring + (ptrdiff_t)label * c->row_size;
        const float *end = row + c->row_size - 2 * COFI_REPEATS;
        Vector scores[SIDE_BY_SIDE];
        UNROLL
        for (int i = 0; i < SIDE_BY_SIDE; i++)
            scores[i] = load_repeated(end);
        for (int band = 0; band < c->bands; band++)
            UNROLL
        for (int i = 0; i < SIDE_BY_SIDE; i++)
            scores[i] =
                fma_sub(centred_at(planes, band, first + i * LANES, c), set1(row[band]), scores[i]);
        keep_best(s, scores, load_repeated(end + COFI_REPEATS), label_bits);
    }
}

/* The bands of pixels whose values stay in registers, and their rows of `scoring`. */
#define FEW_BANDS 4
#define FEW_ROW_SIZE (3 * COFI_REPEATS)

/* Scores one centre for pixels of few bands. */
INLINE void score_row(const float *row, int bands, Vector values[FEW_BANDS][SIDE_BY_SIDE],
                      Vector label_bits, Scores *s)
{
    Four centre = load_four(row);
    Vector scores[SIDE_BY_SIDE];
    UNROLL
    for (int i = 0; i < SIDE_BY_SIDE; i++)
        scores[i] = fma_sub_of(values[0][i], centre, 0, load_repeated(row + COFI_REPEATS));
    UNROLL
    for (int i = 0; i < SIDE_BY_SIDE; i++)
        scores[i] = fma_sub_of(values[1][i], centre, 1, scores[i]);
    UNROLL
    for (int i = 0; i < SIDE_BY_SIDE; i++)
        scores[i] = fma_sub_of(values[2][i], centre, 2, scores[i]);
    UNROLL
    for (int i = 0; i < SIDE_BY_SIDE && bands == FEW_BANDS; i++)
        scores[i] = fma_sub_of(values[3][i], centre, 3, scores[i]);
    keep_best(s, scores, load_repeated(row + 2 * COFI_REPEATS), label_bits);
}

/* The rows to begin with for pixels between two places of the axis. */
static inline int nearby_row(const Centres *c, float low, float high)
{
    float at = ((low + high) * 0.5f - c->places[0]) * c->place_scale;
    return c->nearby[!(at > 0) ? 0 : at < COFI_PLACES - 1 ? (int)at : COFI_PLACES - 1];
}

/* More than the largest squared distance of a pixel to the nearest centre so far. */
INLINE float largest_square(int bands, Vector values[FEW_BANDS][SIDE_BY_SIDE], const Scores *s,
                            float gap)
{
    Vector largest = set1(0);
    UNROLL
    for (int i = 0; i < SIDE_BY_SIDE; i++) {
        Vector square = s->best[i] + s->best[i];
        for (int band = 0; band < bands; band++)
            square = fma_add(values[band][i], values[band][i], square);
        largest = most(largest, square);
    }
    return fold_most(largest) * 1.001f + 4 * gap;
}

/* Whether a centre so far beyond the range of the pixels, along the axis, can be left out. */
static inline bool is_beyond(float distance, float square)
{
    return distance > 0 && distance * distance > square;
}

/* As score_block(), for three or four bands. Centres that are too far along one axis are left out:
 * neither can one be the nearest, nor its score be within the gap of the best. */
INLINE void score_block_of_few(const float *const *planes, int bands, int first, const Centres *c,
                               float gap, Scores *s)
{
    Vector label_bits = set1(float_of_bits(c->label_bits)), values[FEW_BANDS][SIDE_BY_SIDE];
    for (int band = 0; band < bands; band++)
        UNROLL
    for (int i = 0; i < SIDE_BY_SIDE; i++)
        values[band][i] = centred_at(planes, band, first + i * LANES, c);
    Vector lowest = centred_at(planes, c->axis, first, c), highest = lowest;
    UNROLL
    for (int i = 1; i < SIDE_BY_SIDE; i++) {
        Vector places = centred_at(planes, c->axis, first + i * LANES, c);
        lowest = least(lowest, places);
        highest = most(highest, places);
    }
    float low = fold_least(lowest), high = fold_most(highest);
    int begin = nearby_row(c, low, high);
    int end = begin + COFI_NEARBY < c->k ? begin + COFI_NEARBY : c->k;
    start_scores(s);
    for (int i = begin; i < end; i++)
        score_row(c->scoring + (ptrdiff_t)i * FEW_ROW_SIZE, bands, values, label_bits, s);
    float square = largest_square(bands, values, s, gap);
    for (; begin > 0 && !is_beyond(low - c->places[begin - 1], square); begin--)
        score_row(c->scoring + (ptrdiff_t)(begin - 1) * FEW_ROW_SIZE, bands, values, label_bits, s);
    for (; end < c->k && !is_beyond(c->places[end] - high, square); end++)
        score_row(c->scoring + (ptrdiff_t)end * FEW_ROW_SIZE, bands, values, label_bits, s);
}

/* Stores the labels; returns whether a difference of scores is not above the gap. */
INLINE bool store_labels(const Scores *s, const Centres *c, float gap, uint8_t *labels)
{
    Integers unsure = {0};
    UNROLL
    for (int i = 0; i < SIDE_BY_SIDE; i++) {
        unsure |= ~(Integers)(s->second[i] - s->best[i] > set1(gap));
        Integers best = bits_of(s->best[i]) & (int32_t)c->label_bits;
        Bytes bytes = __builtin_convertvector(best, Bytes);
        memcpy(labels + i * LANES, &bytes, sizeof bytes);
    }
    uint64_t words[sizeof unsure / 8], any = 0;
    memcpy(words, &unsure, sizeof words);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        any |= words[i];
    return any != 0;
}

static float largest_of(const float *values, int n, float middle)
{
    Vector sign = set1(-0.0f), largest = set1(0), zero = set1(0);
    int i = 0;
    for (; i + LANES <= n; i += LANES) {
        Vector distance = fma_sub(set1(middle), set1(1), load(values + i));
        largest = most(largest, replace_bits(distance, zero, sign));
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

static void label_unsure(const float *const *planes, int first, const Centres *c, const float *gaps,
                         float gap, uint8_t *labels)
{
    for (int i = 0; i < BLOCK; i++)
        if (!(gaps[i] > gap))
            labels[i] = sure_label(planes, first + i, c);
}

static void label_block(const float *const *planes, int first, const Centres *c, float gap,
                        uint8_t *labels)
{
    Scores scores;
    if (c->bands == 3)
        score_block_of_few(planes, 3, first, c, gap, &scores);
    else if (c->bands == 4)
        score_block_of_few(planes, 4, first, c, gap, &scores);
    else
        score_block(planes, first, c, &scores);
    if (store_labels(&scores, c, gap, labels)) {
        float gaps[BLOCK];
        UNROLL
        for (int i = 0; i < SIDE_BY_SIDE; i++)
            store(gaps + i * LANES, scores.second[i] - scores.best[i]);
        label_unsure(planes, first, c, gaps, gap, labels);
    }
}

/* Labels fewer than BLOCK pixels, in copies that are BLOCK long. */
static void label_few(const float *const *planes, int n, const Centres *c, float gap,
                      uint8_t *labels)
{
    float copies[MAX_COPIED][BLOCK] = {{0}};
    const float *read[MAX_COPIED];
    for (int band = 0; band < c->bands; band++) {
        memcpy(copies[band], planes[band], (size_t)n * sizeof copies[band][0]);
        read[band] = copies[band];
    }
    uint8_t block[BLOCK];
    label_block(read, 0, c, gap, block);
    memcpy(labels, block, (size_t)n);
}

/* The last block overlaps the one before it, if n is not a multiple of BLOCK. */
static void label_many(const float *const *planes, int n, const Centres *c, float gap,
                       uint8_t *labels)
{
    for (int first = 0; first < n; first += BLOCK) {
        int at = n - first < BLOCK ? n - BLOCK : first;
        label_block(planes, at, c, gap, labels + at);
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
