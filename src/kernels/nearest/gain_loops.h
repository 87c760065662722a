/* SPDX-License-Identifier: BSD-2-Clause */
/* By how much a centre would shrink a sum of squared distances. Each level includes this file after
 * its vectors and after it has defined
 *
 *     LEVEL(name)    the name of a kernel at this level
 */
#include "kernels/inline.h"
#include "kernels/kernels.h"

/* Independent sums, to hide latencies. Programs for browsers had better be small. */
#if defined(__wasm__)
#define GAIN_SUMS 1
#else
#define GAIN_SUMS 4
#endif

/* Chunks whose gains are summed in single precision, with COFI_SHRINK_CHUNK additions to each lane.
 */
#define GAIN_CHUNKS (GAIN_SUMS * LANES)

_Static_assert(COFI_SHRINK_CHUNK % (GAIN_SUMS * LANES) == 0, "a chunk must consist of vectors");

/* For the pixels of a chunk from `first` on. */
INLINE void add_gains(const float *const *planes, int bands, int first, const float *centre,
                      const float *distances, Vector sums[GAIN_SUMS])
{
    for (int at = first; at < first + COFI_SHRINK_CHUNK; at += GAIN_SUMS * LANES)
        UNROLL
    for (int i = 0; i < GAIN_SUMS; i++) {
        Vector square = set1(0);
        for (int band = 0; band < bands; band++) {
            Vector d = load(planes[band] + at + i * LANES) - set1(centre[band]);
            square = fma_add(d, d, square);
        }
        sums[i] = sums[i] + most(load(distances + at + i * LANES) - square, set1(0));
    }
}

static double sum_of_lanes(const Vector sums[GAIN_SUMS])
{
    enum { SIDE_BY_SIDE_SUMS = 4 };
    float lanes[GAIN_SUMS * LANES];
    double totals[SIDE_BY_SIDE_SUMS] = {0};
    for (int i = 0; i < GAIN_SUMS; i++)
        store(lanes + i * LANES, sums[i]);
    for (int i = 0; i < GAIN_SUMS * LANES; i += SIDE_BY_SIDE_SUMS)
        for (int j = 0; j < SIDE_BY_SIDE_SUMS; j++)
            totals[j] += (double)lanes[i + j];
    return (totals[0] + totals[1]) + (totals[2] + totals[3]);
}

double LEVEL(cofi_gain)(const float *const *planes, int bands, const float *centre,
                        const float *distances, const int *chunks, int n)
{
    double total = 0;
    for (int i = 0; i < n;) {
        Vector sums[GAIN_SUMS];
        for (int sum = 0; sum < GAIN_SUMS; sum++)
            sums[sum] = set1(0);
        for (int end = n - i < GAIN_CHUNKS ? n : i + GAIN_CHUNKS; i < end; i++) {
            int first = chunks[i] * COFI_SHRINK_CHUNK;
            if (bands == 3)
                add_gains(planes, 3, first, centre, distances, sums);
            else
                add_gains(planes, bands, first, centre, distances, sums);
        }
        total += sum_of_lanes(sums);
    }
    return total;
}
