/* SPDX-License-Identifier: BSD-2-Clause */
/* Vectors of floats with SIMD128 of WebAssembly, under the names that the shared loops use. */
#ifndef COF_VECTORS_WASM_H
#define COF_VECTORS_WASM_H

#include <stdint.h>
#include <wasm_simd128.h>

#define LANES 4
#define mul(a, b) ((a) * (b))
#define fma_add(a, b, c) ((c) + (a) * (b)) /* rounded twice: there is no FMA */
#define fma_sub(a, b, c) ((c) - (a) * (b))

typedef float Vector __attribute__((vector_size(4 * LANES)));

static inline Vector load(const float *p)
{
    return (Vector)wasm_v128_load(p);
}

static inline void store(float *p, Vector v)
{
    wasm_v128_store(p, (v128_t)v);
}

static inline Vector set1(float value)
{
    return (Vector)wasm_f32x4_splat(value);
}

/* One instruction each on most processors, unlike f32x4.min and f32x4.max. */
static inline Vector least(Vector a, Vector b)
{
    return (Vector)wasm_f32x4_pmin((v128_t)a, (v128_t)b);
}

static inline Vector most(Vector a, Vector b)
{
    return (Vector)wasm_f32x4_pmax((v128_t)a, (v128_t)b);
}

/* Replaces the bits of a that the mask has by those of b, which has no others. */
static inline Vector replace_bits(Vector a, Vector b, Vector mask)
{
    return (Vector)wasm_v128_or(wasm_v128_andnot((v128_t)a, (v128_t)mask), (v128_t)b);
}

/* Repeats two values in all lanes. */
static inline Vector load_spread(const float *values, int spread)
{
    (void)spread; /* is 2 */
    return (Vector)wasm_v128_load64_splat(values);
}

/* Sums lanes that are `spread` apart. If `fresh`, stores the sums; otherwise adds them to `to`. */
static inline void add_folded(Vector v, int spread, int fresh, float *to)
{
    if (spread >= 4) {
        store(to, fresh ? v : load(to) + v);
        return;
    }
    Vector two = v + (Vector)wasm_i32x4_shuffle((v128_t)v, (v128_t)v, 2, 3, 0, 1);
    if (!fresh)
        two += (Vector)wasm_v128_load64_zero(to);
    wasm_v128_store64_lane(to, (v128_t)two, 0);
}

#endif
