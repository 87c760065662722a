/* SPDX-License-Identifier: BSD-2-Clause */
/* Splats, blurs and slices a row of the fast filter, in C. */
#include <string.h>

#include "kernels/kernels.h"

#define LEVEL(name) name##_c
#define LANES 4
#define load(p) load_four(p)
#define store(p, v) store_four(p, v)
#define set1(v) ((Vector){v, v, v, v})
#define mul(a, b) ((a) * (b))
#define fma_add(a, b, c) ((a) * (b) + (c))

/* gcc and clang support vectors of this size on every processor, with or without vector registers.
 */
typedef float Vector __attribute__((vector_size(16)));

static inline Vector load_four(const float *from)
{
    Vector vector;
    memcpy(&vector, from, sizeof vector);
    return vector;
}

static inline void store_four(float *to, Vector vector)
{
    memcpy(to, &vector, sizeof vector);
}

static inline Vector load_spread(const float *values, int spread)
{
    (void)spread; /* is 2 */
    return (Vector){values[0], values[1], values[0], values[1]};
}

static inline void add_folded(Vector v, int spread, int fresh, float *to)
{
    if (spread >= LANES) {
        store_four(to, fresh ? v : load_four(to) + v);
    } else {
        to[0] = v[0] + v[2] + (fresh ? 0 : to[0]);
        to[1] = v[1] + v[3] + (fresh ? 0 : to[1]);
    }
}

#include "kernels/lowrank/lowrank_loops.h"
