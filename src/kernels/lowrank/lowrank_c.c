/* SPDX-License-Identifier: BSD-2-Clause */
/* Splats, blurs and slices a row of the fast filter, in C. */
#include "kernels/kernels.h"
#include "kernels/vectors_c.h"

#define LEVEL(name) name##_c

static inline Vector load_spread(const float *values, int spread)
{
    (void)spread; /* is 2 */
    return (Vector){values[0], values[1], values[0], values[1]};
}

static inline void add_folded(Vector v, int spread, int fresh, float *to)
{
    if (spread >= LANES) {
        store(to, fresh ? v : load(to) + v);
    } else {
        to[0] = v[0] + v[2] + (fresh ? 0 : to[0]);
        to[1] = v[1] + v[3] + (fresh ? 0 : to[1]);
    }
}

#include "kernels/lowrank/lowrank_loops.h"
