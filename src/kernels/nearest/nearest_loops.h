/* SPDX-License-Identifier: BSD-2-Clause */
/* The nearest centre of each pixel. Single precision finds the nearest and the second nearest
 * centre. Where the two are too close to be told apart, double precision decides, so the labels are
 * those of the C kernel. Each level includes this file after its vectors and after it has defined
 *
 *     LEVEL(name)              the name of a kernel at this level
 *     Four, load_four(p)       four consecutive floats
 *     fma_sub_of(v, f, i, c)   c - v f[i]
 *     fold_least(v)            the smallest lane
 *     fold_each_least(v, n, p), fold_each_most(v, n, p)
 *                              p[i] is the smallest or the largest lane of v[i], for i < n, 3 or 4
 *     lanes_not_above(v, limit)  a bit for each lane that is not above the limit
 *     store_bytes(v, p)        stores the lowest bytes of LANES integers
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
#define SIDE_BY_SIDE 4
#define BLOCK (SIDE_BY_SIDE * LANES)

/* A row of fewer than BLOCK pixels is copied if it has at most so many bands. */
#define MAX_COPIED 16

/* The squares of larger values exceed the range of single precision. */
#define MAX_VALUE 1e15f

typedef CofiCentres Centres;

typedef int32_t Integers __attribute__((vector_size(4 * LANES)));

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

/* BLOCK pixels: vectors that are `pitch` apart, from pixel `first` on. They follow each other in a
 * row, or lie below each other in rows. */
typedef struct Block {
    const float *const *planes;
    ptrdiff_t first, pitch;
} Block;

static inline Vector centred_at(const Block *block, int band, int i, const Centres *c)
{
    const float *values = block->planes[band] + block->first + i * block->pitch;
    return fma_sub(set1(c->middle[band]), set1(1), load(values));
}

/* The difference from which on two scores can be told apart, or infinity. Each of the bands + 1
 * terms is at most `sum` and is rounded to 2^-24 of it, as are the partial sums. The last bits are
 * lost to the label. */
static inline float gap_of_sum(float sum, const Centres *c)
{
    float ulps = 2 * (float)(c->bands + 2) + (float)(c->label_bits + 1);
    /* Subnormal numbers have no bits to spare for the label. */
    return sum < FLT_MAX / 4 ? sum * ulps * 0x1p-22f + FLT_MIN : INFINITY;
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
INLINE void score_block(const Block *block, const Centres *c, Scores *s)
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
            scores[i] = fma_sub(centred_at(block, band, i, c), set1(row[band]), scores[i]);
        keep_best(s, scores, load_repeated(end + COFI_REPEATS), label_bits);
    }
}

static bool has_few_bands(const Centres *c)
{
    return c->bands == 3 || c->bands == 4;
}

#include "kernels/nearest/nearest_few.h"

_Static_assert(BLOCK <= 64, "the pixels of a block must have a bit each");

/* Stores the labels; returns the bits of pixels whose difference of scores is not above the gap. */
INLINE uint64_t store_labels(const Scores *s, const Centres *c, float gap, uint8_t *labels,
                             ptrdiff_t pitch)
{
    uint64_t unsure = 0;
    UNROLL
    for (int i = 0; i < SIDE_BY_SIDE; i++) {
        uint64_t bits = lanes_not_above(s->second[i] - s->best[i], gap);
        unsure |= bits << (i * LANES);
        store_bytes(bits_of(s->best[i]) & (int32_t)c->label_bits, labels + i * pitch);
    }
    return unsure;
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

/* The gap of all pixels of a row. */
static float needed_gap(const float *const *planes, int n, const Centres *c)
{
    float sum = c->largest_square;
    for (int band = 0; band < c->bands; band++) {
        float largest = largest_of(planes[band], n, c->middle[band]);
        if (!(largest < MAX_VALUE))
            return INFINITY;
        sum += largest * c->largest[band];
    }
    return gap_of_sum(sum, c);
}

/* The label of one pixel, from distances in double precision that equal those of the C kernel. */
static uint8_t sure_label(const float *const *planes, ptrdiff_t i, const Centres *c)
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

static void label_unsure(const Block *block, const Centres *c, uint64_t unsure, float gap,
                         uint8_t *labels, ptrdiff_t pitch)
{
    for (; unsure; unsure &= unsure - 1) {
        int i = __builtin_ctzll(unsure);
        uint8_t *label = labels + i / LANES * pitch + i % LANES;
        ptrdiff_t at = block->first + i / LANES * block->pitch + i % LANES;
        *label = has_few_bands(c) ? sure_label_of_few(block->planes, at, c, gap, *label)
                                  : sure_label(block->planes, at, c);
    }
}

/* Stores the labels of a block; vectors of labels are `pitch` apart. */
INLINE void finish_block(const Block *block, const Centres *c, const Scores *scores, float gap,
                         uint8_t *labels, ptrdiff_t pitch)
{
    uint64_t unsure = store_labels(scores, c, gap, labels, pitch);
    if (unsure)
        label_unsure(block, c, unsure, gap, labels, pitch);
}

/* Pixels that are divided into blocks, `step` apart. `n` is at least `step`. */
typedef struct Strip {
    const float *const *planes;
    int n, step;
    ptrdiff_t pitch;
} Strip;

/* The last block overlaps the one before it, if n is not a multiple of the step. */
static inline Block block_at(const Strip *s, int x)
{
    return (Block){s->planes, s->n - x < s->step ? s->n - s->step : x, s->pitch};
}

/* Blocks whose centres are chosen before any of them is scored: choosing takes long, but has no
 * branches that depend on pixels, so that blocks overlap in time. */
#define CHOSEN 4

INLINE void label_strip_of_few(const Strip *s, int bands, const Centres *c, uint8_t *labels,
                               ptrdiff_t pitch)
{
    Chosen chosen[CHOSEN];
    for (int first = 0; first < s->n; first += CHOSEN * s->step) {
        int end = s->n - first < CHOSEN * s->step ? s->n : first + CHOSEN * s->step;
        for (int x = first, i = 0; x < end; x += s->step, i++) {
            Block block = block_at(s, x);
            choose_centres(&block, bands, c, &chosen[i]);
        }
        for (int x = first, i = 0; x < end; x += s->step, i++) {
            Block block = block_at(s, x);
            Scores scores;
            score_chosen(&block, bands, c, &chosen[i], &scores);
            finish_block(&block, c, &scores, chosen[i].gap, labels + block.first, pitch);
        }
    }
}

/* `gap` is that of all pixels, unless there are few bands. */
SEPARATE void label_strip(const Strip *s, const Centres *c, float gap, uint8_t *labels,
                          ptrdiff_t pitch)
{
    if (c->bands == 3)
        label_strip_of_few(s, 3, c, labels, pitch);
    else if (c->bands == 4)
        label_strip_of_few(s, 4, c, labels, pitch);
    else
        for (int x = 0; x < s->n; x += s->step) {
            Block block = block_at(s, x);
            Scores scores;
            score_block(&block, c, &scores);
            finish_block(&block, c, &scores, gap, labels + block.first, pitch);
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
    label_strip(&(Strip){read, BLOCK, BLOCK, LANES}, c, gap, block, LANES);
    memcpy(labels, block, (size_t)n);
}

void LEVEL(cofi_nearest)(const float *const *planes, int n, const CofiCentres *centres,
                         uint8_t *labels, double *distances)
{
    assert(n >= 0);
    float gap = has_few_bands(centres) ? 0 : needed_gap(planes, n, centres);
    if (!(gap < INFINITY) || centres->k == 1 || (n < BLOCK && centres->bands > MAX_COPIED))
        cofi_nearest_c(planes, n, centres, labels, NULL);
    else if (n < BLOCK)
        label_few(planes, n, centres, gap, labels);
    else
        label_strip(&(Strip){planes, n, BLOCK, LANES}, centres, gap, labels, LANES);
    if (distances)
        distances_of(planes, n, centres, labels, distances);
}

/* Blocks that are as high as SIDE_BY_SIDE rows have more similar pixels than parts of one row. */
void LEVEL(cofi_nearest_rows)(const float *const *planes, ptrdiff_t stride, int rows, int n,
                              const CofiCentres *centres, uint8_t *labels, ptrdiff_t label_stride)
{
    assert(rows >= 0 && n >= 0);
    bool together = has_few_bands(centres) && centres->k > 1 && n >= LANES;
    for (int row = 0; row < rows;) {
        const float *read[COF_MAX_BANDS];
        for (int band = 0; band < centres->bands; band++)
            read[band] = planes[band] + row * stride;
        uint8_t *to = labels + row * label_stride;
        if (together && row + SIDE_BY_SIDE <= rows) {
            label_strip(&(Strip){read, n, LANES, stride}, centres, 0, to, label_stride);
            row += SIDE_BY_SIDE;
        } else {
            LEVEL(cofi_nearest)(read, n, centres, to, NULL);
            row++;
        }
    }
}
