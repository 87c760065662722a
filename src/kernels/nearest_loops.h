/* SPDX-License-Identifier: BSD-2-Clause */
/* The nearest centre of each pixel: loops that compilers turn into vectors. Single precision finds
 * the nearest centre and how far the second is; where they are too close to be sure, the fixed
 * kernel decides. So the labels are its labels, bit for bit. Each level includes this with
 *
 *     LEVEL(name)    the name of a kernel at this level
 */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "cof/cof.h"
#include "kernels.h"

/* Pixels whose scores stay in the first-level cache while all centres pass by. */
#define BLOCK 128

/* Beyond this, squares leave the range of single precision. */
#define LARGEST_VALUE 1e15f

/* |x - c|^2 / 2 - |x|^2 / 2 = |c|^2 / 2 - x c: the smaller, the nearer. */
typedef struct Scores {
    float best[BLOCK], second[BLOCK];
    int32_t labels[BLOCK];
} Scores;

static void add_centre_3(const float *const *planes, int first, int n, const float *centre,
                         float half_square, int32_t label, Scores *s)
{
    const float *x = planes[0] + first, *y = planes[1] + first, *z = planes[2] + first;
    for (int i = 0; i < n; i++) {
        float score =
            fmaf(-x[i], centre[0], fmaf(-y[i], centre[1], fmaf(-z[i], centre[2], half_square)));
        float best = s->best[i], worse = score > best ? score : best;
        s->second[i] = s->second[i] < worse ? s->second[i] : worse;
        s->labels[i] = score < best ? label : s->labels[i];
        s->best[i] = score < best ? score : best;
    }
}

static void add_centre(const float *const *planes, int bands, int first, int n, const float *centre,
                       float half_square, int32_t label, Scores *s)
{
    if (bands == 3) {
        add_centre_3(planes, first, n, centre, half_square, label, s);
        return;
    }
    float scores[BLOCK];
    for (int i = 0; i < n; i++)
        scores[i] = half_square;
    for (int band = 0; band < bands; band++)
        for (int i = 0; i < n; i++)
            scores[i] = fmaf(-planes[band][first + i], centre[band], scores[i]);
    for (int i = 0; i < n; i++) {
        float score = scores[i], best = s->best[i], worse = score > best ? score : best;
        s->second[i] = s->second[i] < worse ? s->second[i] : worse;
        s->labels[i] = score < best ? label : s->labels[i];
        s->best[i] = score < best ? score : best;
    }
}

static float largest_of(const float *values, int n, int step)
{
    float largest = 0;
    for (int i = 0; i < n; i++) {
        float size = fabsf(values[i * step]);
        largest = size > largest ? size : largest;
    }
    return largest;
}

/* By how much two scores must differ to be told apart, or infinity. Each of the bands + 1 terms is
 * at most `sum` and is rounded to 2^-24 of that, as are the partial sums. */
static float needed_gap(const float *const *planes, int bands, int first, int n,
                        const float *largest_centre, float largest_square)
{
    float sum = largest_square;
    for (int band = 0; band < bands; band++) {
        float largest = largest_of(planes[band] + first, n, 1);
        if (!(largest < LARGEST_VALUE))
            return INFINITY;
        sum += largest * largest_centre[band];
    }
    return sum < FLT_MAX ? sum * (float)(bands + 2) * 0x1p-21f : INFINITY;
}

static void label_block(const float *const *planes, int bands, int first, int n,
                        const float *centres, const float *half_squares, int k, Scores *s)
{
    for (int i = 0; i < BLOCK; i++) {
        s->best[i] = s->second[i] = INFINITY;
        s->labels[i] = 0;
    }
    for (int label = 0; label < k; label++)
        add_centre(planes, bands, first, n, centres + (ptrdiff_t)label * bands, half_squares[label],
                   label, s);
}

static void label_surely(const float *const *planes, int bands, int first, int n,
                         const float *centres, int k, uint8_t *labels)
{
    const float *at[COF_MAX_BANDS];
    for (int band = 0; band < bands; band++)
        at[band] = planes[band] + first;
    cofi_nearest_c(at, bands, n, centres, k, labels, NULL);
}

static void distances_of(const float *const *planes, int bands, int n, const float *centres,
                         const uint8_t *labels, double *distances)
{
    for (int i = 0; i < n; i++) {
        const float *centre = centres + (ptrdiff_t)labels[i] * bands;
        double sum = 0;
        for (int band = 0; band < bands; band++) {
            double d = (double)planes[band][i] - (double)centre[band];
            sum += d * d;
        }
        distances[i] = sum;
    }
}

static float fill_half_squares(const float *centres, int bands, int k, float *half_squares)
{
    float largest = 0;
    for (int label = 0; label < k; label++) {
        double sum = 0;
        for (int band = 0; band < bands; band++) {
            double value = (double)centres[(ptrdiff_t)label * bands + band];
            sum += value * value;
        }
        half_squares[label] = sum < (double)FLT_MAX ? (float)(sum / 2) : FLT_MAX;
        largest = half_squares[label] > largest ? half_squares[label] : largest;
    }
    return largest;
}

void LEVEL(cofi_nearest)(const float *const *planes, int bands, int n, const float *centres, int k,
                         uint8_t *labels, double *distances)
{
    float half_squares[COF_MAX_COLOURS], largest_centre[COF_MAX_BANDS];
    float largest_square = fill_half_squares(centres, bands, k, half_squares);
    for (int band = 0; band < bands; band++)
        largest_centre[band] = largest_of(centres + band, k, bands);
    Scores scores;
    for (int first = 0; first < n; first += BLOCK) {
        int count = n - first < BLOCK ? n - first : BLOCK;
        float gap = needed_gap(planes, bands, first, count, largest_centre, largest_square);
        if (!(gap < INFINITY)) {
            label_surely(planes, bands, first, count, centres, k, labels + first);
            continue;
        }
        label_block(planes, bands, first, count, centres, half_squares, k, &scores);
        for (int i = 0; i < count; i++) {
            labels[first + i] = (uint8_t)scores.labels[i];
            if (!(scores.second[i] - scores.best[i] > gap))
                label_surely(planes, bands, first + i, 1, centres, k, labels + first + i);
        }
    }
    if (distances)
        distances_of(planes, bands, n, centres, labels, distances);
}
