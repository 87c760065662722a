/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums of squared distances, to a new centre or between two rows, in loops that compilers
 * vectorise. Each level includes this file after it has defined
 *
 *     LEVEL(name)    the name of a kernel at this level
 */
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

/* The distances of a chunk. */
static void chunk_distances(const float *const *planes, int bands, int first, const float *centre,
                            double *restrict distances)
{
    if (bands != 3) {
        distances_to_centre(planes, bands, first, COFI_SHRINK_CHUNK, centre, distances);
        return;
    }
    const float *x = planes[0] + first, *y = planes[1] + first, *z = planes[2] + first;
    double centre_x = (double)centre[0], centre_y = (double)centre[1], centre_z = (double)centre[2];
    for (int i = 0; i < COFI_SHRINK_CHUNK; i++) {
        double dx = (double)x[i] - centre_x, dy = (double)y[i] - centre_y,
               dz = (double)z[i] - centre_z;
        distances[i] = dx * dx + dy * dy + dz * dz;
    }
}

static double sum_of_chunk(const double *distances)
{
    double sums[SUMS] = {0}, sum = 0;
    for (int i = 0; i < COFI_SHRINK_CHUNK; i += SUMS)
        for (int j = 0; j < SUMS; j++)
            sums[j] += distances[i + j];
    for (int j = 0; j < SUMS; j++)
        sum += sums[j];
    return sum;
}

/* The largest of the distances, by comparing halves with each other. */
static double largest_of_chunk(const double *distances)
{
    double halves[COFI_SHRINK_CHUNK / 2], largest = 0;
    for (int i = 0; i < COFI_SHRINK_CHUNK / 2; i++) {
        double other = distances[COFI_SHRINK_CHUNK / 2 + i];
        halves[i] = distances[i] > other ? distances[i] : other;
    }
    for (int n = COFI_SHRINK_CHUNK / 4; n >= SUMS; n /= 2)
        for (int i = 0; i < n; i++)
            halves[i] = halves[i] > halves[n + i] ? halves[i] : halves[n + i];
    for (int i = 0; i < SUMS; i++)
        largest = halves[i] > largest ? halves[i] : largest;
    return largest;
}

void LEVEL(cofi_shrink)(const float *const *planes, int bands, const float *centre,
                        const int *chunks, int n, const double *distances, const CofiShrunk *to)
{
    for (int c = 0; c < n; c++) {
        int first = chunks[c] * COFI_SHRINK_CHUNK;
        double minima[COFI_SHRINK_CHUNK];
        chunk_distances(planes, bands, first, centre, minima);
        for (int i = 0; i < COFI_SHRINK_CHUNK; i++)
            minima[i] = minima[i] < distances[first + i] ? minima[i] : distances[first + i];
        to->sums[chunks[c]] = sum_of_chunk(minima);
        to->largest[chunks[c]] = largest_of_chunk(minima);
        if (!to->distances)
            continue;
        memcpy(to->distances + first, minima, sizeof minima);
        for (int i = 0; i < COFI_SHRINK_CHUNK; i++)
            to->rounded[first + i] = (float)minima[i];
    }
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
