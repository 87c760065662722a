/* SPDX-License-Identifier: BSD-2-Clause */
/* Nearest centres, sums of distances and hashes, with AVX-512. */
#if defined(__x86_64__)
#include "kernels/vectors_avx512.h"

#define LEVEL(name) name##_avx512

/* Loads that repeat one float take no longer than other loads. */
typedef const float *Four;
#define load_four(p) (p)
#define fma_sub_of(v, four, i, c) fma_sub(v, set1((four)[i]), c)
#define load_repeated(p) set1(*(p))
#define fold_least(v) _mm512_reduce_min_ps(v)
#define fold_most(v) _mm512_reduce_max_ps(v)

#include "kernels/nearest/hash_loops.h"
#include "kernels/nearest/nearest_loops.h"
#include "kernels/nearest/shrink_loops.h"
#endif
