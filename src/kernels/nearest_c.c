/* SPDX-License-Identifier: BSD-2-Clause */
/* The nearest centre of each pixel, and its kin, in C. */
#include <string.h>

#define LEVEL(name) name##_c
#include "kernels.h"
#include "hash_loops.h"
#include "shrink_loops.h"

/* Pixels whose best distances stay in the first-level cache while all centres pass by. */
#define BLOCK 128

static void distances_to(const float *const *planes, int bands, int first, int n,
                         const float *centre, double *distances)
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

void cofi_nearest_c(const float *const *planes, int bands, int n, const float *centres, int k,
                    uint8_t *labels, double *distances)
{
    double best[BLOCK], tried[BLOCK];
    for (int first = 0; first < n; first += BLOCK) {
        int count = n - first < BLOCK ? n - first : BLOCK;
        memset(labels + first, 0, (size_t)count);
        distances_to(planes, bands, first, count, centres, best);
        for (int label = 1; label < k; label++) {
            distances_to(planes, bands, first, count, centres + (ptrdiff_t)label * bands, tried);
            for (int i = 0; i < count; i++) {
                if (tried[i] < best[i]) {
                    best[i] = tried[i];
                    labels[first + i] = (uint8_t)label;
                }
            }
        }
        if (distances)
            memcpy(distances + first, best, (size_t)count * sizeof *best);
    }
}
