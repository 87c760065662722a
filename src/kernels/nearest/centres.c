/* SPDX-License-Identifier: BSD-2-Clause */
/* Centres in the forms that the kernels read: computed once, not for each row of pixels. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "cof/cof.h"
#include "kernels/kernels.h"

/* Farther from any value that kernels compare, but with a square in the range of floats. */
#define FAR_AWAY 1e18f

static int row_size(int bands)
{
    return (bands + COFI_REPEATS - 1) / COFI_REPEATS * COFI_REPEATS + 2 * COFI_REPEATS;
}

/* Kernels read whole vectors. */
static int sorted_stride(int k)
{
    return k + COFI_OVERREAD;
}

size_t cofi_centres_size(int bands, int k)
{
    assert(bands >= 1 && bands <= COF_MAX_BANDS && k >= 1 && k <= COF_MAX_COLOURS);
    size_t floats = 2 * (size_t)bands + ((size_t)bands + 1 + (size_t)row_size(bands)) * (size_t)k +
                    (size_t)(COFI_FEW_BANDS * sorted_stride(k));
    return sizeof(CofiCentres) + floats * sizeof(float);
}

static void lay_out(CofiCentres *c)
{
    float *memory = (float *)(c + 1);
    ptrdiff_t bands = c->bands, k = c->k;
    c->middle = memory;
    c->largest = c->middle + bands;
    c->columns = c->largest + bands;
    c->places = c->columns + bands * k;
    c->scoring = c->places + k;
    c->sorted = c->scoring + k * c->row_size;
    c->sorted_stride = sorted_stride(c->k);
}

static void find_middle(CofiCentres *c)
{
    for (int band = 0; band < c->bands; band++) {
        double sum = 0;
        for (int label = 0; label < c->k; label++)
            sum += (double)c->rows[(ptrdiff_t)label * c->bands + band];
        c->middle[band] = (float)(sum / c->k);
        c->largest[band] = 0;
    }
}

/* Chooses the axis along which the centres are farthest apart. */
static void find_axis(CofiCentres *c)
{
    double widest = -1;
    for (int band = 0; band < c->bands; band++) {
        double squares = 0;
        for (int label = 0; label < c->k; label++) {
            float value = c->rows[(ptrdiff_t)label * c->bands + band];
            double d = (double)value - (double)c->middle[band];
            c->columns[band * c->k + label] = value;
            squares += d * d;
        }
        c->axis = squares > widest ? band : c->axis;
        widest = squares > widest ? squares : widest;
    }
}

static void fill_row(CofiCentres *c, int label, int at)
{
    double sum = 0;
    float *row = c->scoring + (ptrdiff_t)at * c->row_size;
    float *end = row + c->row_size - 2 * COFI_REPEATS;
    memset(row, 0, (size_t)c->row_size * sizeof *row);
    for (int band = 0; band < c->bands; band++) {
        row[band] = c->columns[band * c->k + label] - c->middle[band];
        float size = fabsf(row[band]);
        c->largest[band] = size > c->largest[band] ? size : c->largest[band];
        sum += (double)row[band] * (double)row[band];
    }
    float half_square = sum < (double)FLT_MAX ? (float)(sum / 2) : FLT_MAX;
    c->largest_square = half_square > c->largest_square ? half_square : c->largest_square;
    c->places[at] = row[c->axis];
    for (int band = 0; band < c->bands && band < COFI_FEW_BANDS; band++)
        c->sorted[band * c->sorted_stride + at] = row[band];
    for (int i = 0; i < COFI_REPEATS; i++) {
        uint32_t bits = (uint32_t)label;
        end[i] = half_square;
        memcpy(&end[COFI_REPEATS + i], &bits, sizeof bits);
    }
}

/* By insertion: a palette has few colours, and often is nearly sorted. */
static void sort_labels(const CofiCentres *c, uint8_t *order)
{
    const float *values = c->columns + (ptrdiff_t)c->axis * c->k;
    for (int label = 0; label < c->k; label++) {
        int at = label;
        for (; at > 0 && values[order[at - 1]] > values[label]; at--)
            order[at] = order[at - 1];
        order[at] = (uint8_t)label;
    }
}

/* Beyond the last row, centres are far from everything. */
static void fill_beyond(CofiCentres *c)
{
    for (int band = 0; band < COFI_FEW_BANDS; band++)
        for (int at = c->k; at < c->sorted_stride; at++)
            c->sorted[band * c->sorted_stride + at] = FAR_AWAY;
}

/* The rows before each of COFI_PLACES intervals of the axis. */
static void fill_before(CofiCentres *c)
{
    for (int i = 0, at = 0; i <= COFI_PLACES; i++) {
        while (at < c->k && cofi_place_of(c, c->places[at]) < i)
            at++;
        c->before[i] = (uint16_t)at;
    }
}

/* For each of these intervals, COFI_NEARBY rows around it. */
static void fill_nearby(CofiCentres *c)
{
    float range = c->places[c->k - 1] - c->places[0];
    c->place_scale = range > 0 && range < FLT_MAX ? COFI_PLACES / range : 0;
    int last = c->k > COFI_NEARBY ? c->k - COFI_NEARBY : 0;
    for (int i = 0, at = 0; i < COFI_PLACES; i++) {
        float place = c->places[0] + range * ((float)i + 0.5f) / COFI_PLACES;
        while (at < c->k && c->places[at] < place)
            at++;
        int first = at - COFI_NEARBY / 2;
        c->nearby[i] = (uint8_t)(first < 0 ? 0 : first > last ? last : first);
    }
}

CofiCentres *cofi_centres_fill(void *memory, const float *rows, int bands, int k)
{
    CofiCentres *c = memory;
    *c = (CofiCentres){.rows = rows, .bands = bands, .k = k, .row_size = row_size(bands)};
    while ((int)c->label_bits < k - 1)
        c->label_bits = 2 * c->label_bits + 1;
    lay_out(c);
    find_middle(c);
    find_axis(c);
    uint8_t order[COF_MAX_COLOURS];
    sort_labels(c, order);
    for (int at = 0; at < k; at++)
        fill_row(c, order[at], at);
    fill_nearby(c);
    fill_before(c);
    fill_beyond(c);
    return c;
}
