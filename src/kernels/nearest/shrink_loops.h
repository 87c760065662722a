/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums of squared distances, to a new centre or between two rows, in loops that compilers
 * vectorise. Each level includes this file after it has defined
 *
 *     LEVEL(name)    the name of a kernel at this level
 */
#include "kernels/kernels.h"

/* The number of partial sums, which form a vector. They are added in a fixed order. */
#define SUMS 8
#define SHRINK_BLOCK 128

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

double LEVEL(cofi_shrink)(const float *const *planes, int bands, int n, const float *centre,
                          const double *distances, double *shrunk)
{
    double sums[SUMS] = {0}, block[SHRINK_BLOCK];
    for (int first = 0; first < n; first += SHRINK_BLOCK) {
        int count = n - first < SHRINK_BLOCK ? n - first : SHRINK_BLOCK;
        distances_to_centre(planes, bands, first, count, centre, block);
        const double *old = distances + first;
        for (int i = 0; i < count; i++)
            block[i] = block[i] < old[i] ? block[i] : old[i];
        for (int i = count; i < SHRINK_BLOCK; i++)
            block[i] = 0;
        for (int i = 0; i < SHRINK_BLOCK; i += SUMS)
            for (int sum = 0; sum < SUMS; sum++)
                sums[sum] += block[i + sum];
        for (int i = 0; shrunk && i < count; i++)
            shrunk[first + i] = block[i];
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
