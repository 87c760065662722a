/* SPDX-License-Identifier: BSD-2-Clause */
/* Nearest centres, sums of distances and hashes, with SIMD128 of WebAssembly. */
#if defined(__wasm_simd128__)
#include <string.h>

#include "kernels/vectors_wasm.h"

#define LEVEL(name) name##_wasm

/* Loads that repeat one float take no longer than other loads. */
typedef const float *Four;
#define load_four(p) (p)
#define fma_sub_of(v, four, i, c) fma_sub(v, set1((four)[i]), c)
#define load_repeated(p) set1(*(p))

/* Swaps pairs of lanes, or the lanes of pairs. */
#define pairs_swapped(v) ((Vector)wasm_i32x4_shuffle((v128_t)(v), (v128_t)(v), 2, 3, 0, 1))
#define lanes_swapped(v) ((Vector)wasm_i32x4_shuffle((v128_t)(v), (v128_t)(v), 1, 0, 3, 2))

static inline float fold_least(Vector v)
{
    Vector two = least(v, pairs_swapped(v));
    return least(two, lanes_swapped(two))[0];
}

static inline float fold_most(Vector v)
{
    Vector two = most(v, pairs_swapped(v));
    return most(two, lanes_swapped(two))[0];
}

#define lanes_not_above(v, limit) \
    (uint32_t) wasm_i32x4_bitmask(wasm_v128_not(wasm_f32x4_gt((v128_t)(v), (v128_t)set1(limit))))

#define store_bytes(v, p) store_four_bytes(v, p)
typedef uint8_t Bytes __attribute__((vector_size(LANES)));
typedef int32_t FourIntegers __attribute__((vector_size(4 * LANES)));

static inline void store_four_bytes(FourIntegers v, uint8_t *p)
{
    Bytes bytes = __builtin_convertvector(v, Bytes);
    memcpy(p, &bytes, sizeof bytes);
}

static inline void fold_each_least(const Vector *v, int n, float *folded)
{
    for (int i = 0; i < n; i++)
        folded[i] = fold_least(v[i]);
}

static inline void fold_each_most(const Vector *v, int n, float *folded)
{
    for (int i = 0; i < n; i++)
        folded[i] = fold_most(v[i]);
}

/* Most processors multiply vectors of 64-bit integers more slowly than single ones. */
#define HASH_LOOP _Pragma("clang loop vectorize(disable)")

#include "kernels/nearest/gain_loops.h"
#include "kernels/nearest/hash_loops.h"
#include "kernels/nearest/nearest_loops.h"
#include "kernels/nearest/shrink_loops.h"
#endif
