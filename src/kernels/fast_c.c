/* SPDX-License-Identifier: BSD-2-Clause */
/* The fast filter's rows, in C. */
#include "kernels.h"

#define LEVEL(name) name##_c
#define LANES 1
#define load(p) (*(p))
#define store(p, v) (*(p) = (v))
#define set1(v) (v)
#define mul(a, b) ((a) * (b))
#define divide(a, b) ((a) / (b))
#define fma_add(a, b, c) ((a) * (b) + (c))

typedef float Vector;

typedef struct Table {
    const float *entries;
} Table;

static inline Table load_table(const float *entries)
{
    return (Table){entries};
}

static inline float look_up(const Table *table, const uint8_t *labels)
{
    return table->entries[*labels];
}

#include "fast_loops.h"
