/* SPDX-License-Identifier: BSD-2-Clause */
/* Centres in the forms that the kernels read: computed once, not for each row of pixels. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "cof/cof.h"
#include "kernels/kernels.h"

size_t cofi_centres_size(int bands, int k)
{
    assert(bands >= 1 && bands <= COF_MAX_BANDS && k >= 1 && k <= COF_MAX_COLOURS);
    size_t floats = 2 * (size_t)bands + 2 * (size_t)bands * (size_t)k + 2 * (size_t)k;
    return sizeof(CofiCentres) + floats * sizeof(float);
}

static void lay_out(CofiCentres *c)
{
    float *memory = (float *)(c + 1);
    ptrdiff_t bands = c->bands, k = c->k;
    c->middle = memory;
    c->largest = c->middle + bands;
    c->centred = c->largest + bands;
    c->columns = c->centred + bands * k;
    c->half_squares = c->columns + bands * k;
    c->names = c->half_squares + k;
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

static void fill_row(CofiCentres *c, int label)
{
    double sum = 0;
    for (int band = 0; band < c->bands; band++) {
        ptrdiff_t i = (ptrdiff_t)label * c->bands + band;
        float value = c->rows[i] - c->middle[band];
        c->centred[i] = value;
        c->columns[band * c->k + label] = c->rows[i];
        c->largest[band] = fmaxf(c->largest[band], fabsf(value));
        sum += (double)value * (double)value;
    }
    uint32_t name = (uint32_t)label;
    c->half_squares[label] = sum < (double)FLT_MAX ? (float)(sum / 2) : FLT_MAX;
    memcpy(&c->names[label], &name, sizeof name);
    c->largest_square = fmaxf(c->largest_square, c->half_squares[label]);
}

CofiCentres *cofi_centres_fill(void *memory, const float *rows, int bands, int k)
{
    CofiCentres *c = memory;
    *c = (CofiCentres){.rows = rows, .bands = bands, .k = k};
    while ((int)c->label_bits < k - 1)
        c->label_bits = 2 * c->label_bits + 1;
    lay_out(c);
    find_middle(c);
    for (int label = 0; label < k; label++)
        fill_row(c, label);
    return c;
}
