/* SPDX-License-Identifier: BSD-2-Clause */
/* Nearest centres, sums of distances and hashes, in C. */
#include <assert.h>
#include <string.h>

#define LEVEL(name) name##_c
#include "cof/cof.h"
#include "kernels/kernels.h"
#include "kernels/vectors_c.h"

static inline Vector most(Vector a, Vector b)
{
    for (int lane = 0; lane < LANES; lane++)
        a[lane] = a[lane] > b[lane] ? a[lane] : b[lane];
    return a;
}

#include "kernels/nearest/gain_loops.h"
#include "kernels/nearest/hash_loops.h"
#include "kernels/nearest/shrink_loops.h"

/* The distances of so many pixels fit in the first-level cache. */
#define BLOCK 128

void cofi_nearest_c(const float *const *planes, int n, const CofiCentres *c, uint8_t *labels,
                    double *distances)
{
    assert(n >= 0);
    const float *centres = c->rows;
    int bands = c->bands, k = c->k;
    double best[BLOCK], tried[BLOCK];
    for (int first = 0; first < n; first += BLOCK) {
        int count = n - first < BLOCK ? n - first : BLOCK;
        memset(labels + first, 0, (size_t)count);
        distances_to_centre(planes, bands, first, count, centres, best);
        for (int label = 1; label < k; label++) {
            distances_to_centre(planes, bands, first, count, centres + (ptrdiff_t)label * bands,
                                tried);
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

void cofi_nearest_rows_c(const float *const *planes, ptrdiff_t stride, int rows, int n,
                         const CofiCentres *centres, uint8_t *labels, ptrdiff_t label_stride)
{
    for (int row = 0; row < rows; row++) {
        const float *read[COF_MAX_BANDS];
        for (int band = 0; band < centres->bands; band++)
            read[band] = planes[band] + row * stride;
        cofi_nearest_c(read, n, centres, labels + row * label_stride, NULL);
    }
}
