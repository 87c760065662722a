/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums of squared distances, to a new centre or between two rows, in loops that compilers
 * vectorise. Each level includes this file after it has defined
 *
 *     LEVEL(name)    the name of a kernel at this level
 */
#include <stdbool.h>
#include <string.h>

#include "kernels/kernels.h"

/* The number of partial sums, which form a vector. They are added in a fixed order. */
#define SUMS 8

static void distances_to_centre(const float *const *planes, int bands, int first, int n,
                                const float *centre, double *restrict distances)
{
    for (int i = 0; i < n; i++) {
        double d = (double)planes[0][first + i] - (double)centre[0];
        distances[i] = d * d;
    }
    for (int band = 1; band < bands; band++)
        for (int i = 0; i < n; i++) {
            double d = (double)planes[band][first + i] - (double)centre[band];
            distances[i] += d * d;
        }
}

/* The same minima for three bands, in one loop. */
static void minima_of_three(const float *const *planes, int first, const float *centre,
                            const double *distances, double *restrict minima)
{
    const float *x = planes[0] + first, *y = planes[1] + first, *z = planes[2] + first;
    double centre_x = (double)centre[0], centre_y = (double)centre[1], centre_z = (double)centre[2];
    for (int i = 0; i < COFI_SHRINK_CHUNK; i++) {
        double dx = (double)x[i] - centre_x, dy = (double)y[i] - centre_y,
               dz = (double)z[i] - centre_z;
        double square = dx * dx + dy * dy + dz * dz;
        minima[i] = square < distances[i] ? square : distances[i];
    }
}

/* Of count pixels from `first` on; beyond them zeros. */
static void minima_of_some(const float *const *planes, int bands, int first, int count,
                           const float *centre, const double *distances, double *restrict minima)
{
    distances_to_centre(planes, bands, first, count, centre, minima);
    for (int i = 0; i < count; i++)
        minima[i] = minima[i] < distances[i] ? minima[i] : distances[i];
    for (int i = count; i < COFI_SHRINK_CHUNK; i++)
        minima[i] = 0;
}

static void add_chunk(const double *chunk, double sums[SUMS])
{
    for (int i = 0; i < COFI_SHRINK_CHUNK; i += SUMS)
        for (int sum = 0; sum < SUMS; sum++)
            sums[sum] += chunk[i + sum];
}

double LEVEL(cofi_shrink)(const float *const *planes, int bands, int n, const float *centre,
                          const uint8_t *far, const double *distances, double *shrunk)
{
    double sums[SUMS] = {0}, minima[COFI_SHRINK_CHUNK];
    for (int first = 0; first < n; first += COFI_SHRINK_CHUNK) {
        bool whole = n - first >= COFI_SHRINK_CHUNK;
        int count = whole ? COFI_SHRINK_CHUNK : n - first;
        const double *old = distances + first;
        bool same = far && far[first / COFI_SHRINK_CHUNK] && whole;
        if (!same && whole && bands == 3)
            minima_of_three(planes, first, centre, old, minima);
        else if (!same)
            minima_of_some(planes, bands, first, count, centre, old, minima);
        add_chunk(same ? old : minima, sums);
        if (shrunk && (!same || shrunk != distances))
            memcpy(shrunk + first, same ? old : minima, (size_t)count * sizeof *shrunk);
    }
    double total = 0;
    for (int sum = 0; sum < SUMS; sum++)
        total += sums[sum];
    return total;
}

/* Partial sums of floats are short, so that rounding errors stay small. */
#define DIFFERENCE_SUMS 16
#define DIFFERENCE_BLOCK 256

double LEVEL(cofi_difference)(const float *a, const float *b, int n)
{
    double total = 0;
    for (int first = 0; first < n; first += DIFFERENCE_BLOCK) {
        float sums[DIFFERENCE_SUMS] = {0};
        int last = n - first < DIFFERENCE_BLOCK ? n : first + DIFFERENCE_BLOCK, i = first;
        for (; i + DIFFERENCE_SUMS <= last; i += DIFFERENCE_SUMS)
            for (int j = 0; j < DIFFERENCE_SUMS; j++)
                sums[j] += (a[i + j] - b[i + j]) * (a[i + j] - b[i + j]);
        for (int j = 0; i < last; i++, j++)
            sums[j] += (a[i] - b[i]) * (a[i] - b[i]);
        for (int j = 0; j < DIFFERENCE_SUMS; j++)
            total += (double)sums[j];
    }
    return total;
}
