/* SPDX-License-Identifier: BSD-2-Clause */
/* Fits local linear models of images, and applies them, in vectors that gcc and clang compile for
 * any processor. Each level includes this file after it has defined
 *
 *     LEVEL(name)    the name of a kernel at this level
 *     LANES          the number of floats in a vector
 */
#include <float.h>
#include <stdint.h>
#include <string.h>

#include "kernels/inline.h"
#include "kernels/kernels.h"

/* clang 14 cannot unroll every loop for WebAssembly, and warns if it was told to. */
#if defined(__wasm_simd128__)
#undef UNROLL
#define UNROLL _Pragma("clang loop unroll(enable)")
#endif

typedef float Vector __attribute__((vector_size(4 * LANES)));
typedef int32_t Bits __attribute__((vector_size(4 * LANES)));

INLINE Vector load(const float *p)
{
    Vector v;
    memcpy(&v, p, sizeof v);
    return v;
}

INLINE void store(float *p, Vector v)
{
    memcpy(p, &v, sizeof v);
}

/* Adds the weights, the guides and their products in the rows of the window. */
INLINE void add_guides(const CofiFit *f, int guides, int x, float *sums)
{
    enum { MAX = 1 + COFI_MAX_GUIDES + COFI_MAX_GUIDES * (COFI_MAX_GUIDES + 1) / 2 };
    Vector totals[MAX] = {0}, g[COFI_MAX_GUIDES];
    int n = 1 + guides + guides * (guides + 1) / 2;
    for (int row = 0; row < f->n_rows; row++) {
        const float *at = f->rows[row] + x;
        int next = 0;
        totals[next++] += load(at);
        UNROLL
        for (int i = 0; i < guides; i++) {
            g[i] = load(at + (f->guide + i) * f->stride);
            totals[next++] += g[i];
        }
        UNROLL
        for (int i = 0; i < guides; i++)
            UNROLL
        for (int j = i; j < guides; j++)
            totals[next++] += g[i] * g[j];
    }
    UNROLL
    for (int i = 0; i < n; i++)
        store(sums + i * COFI_FIT_STRIDE, totals[i]);
}

/* The same for a value and its products with the guides. */
INLINE void add_value(const CofiFit *f, int guides, int value, int x, float *sums)
{
    Vector totals[1 + COFI_MAX_GUIDES] = {0};
    for (int row = 0; row < f->n_rows; row++) {
        const float *at = f->rows[row] + x;
        Vector v = load(at + (f->value + value) * f->stride);
        totals[0] += v;
        UNROLL
        for (int i = 0; i < guides; i++)
            totals[1 + i] += load(at + (f->guide + i) * f->stride) * v;
    }
    UNROLL
    for (int i = 0; i <= guides; i++)
        store(sums + i * COFI_FIT_STRIDE, totals[i]);
}

/* Always in the same order, so that results do not depend on parts. */
INLINE Vector add_columns(const float *sums, int taps)
{
    Vector total = load(sums);
    for (int tap = 1; tap < taps; tap++)
        total += load(sums + tap);
    return total;
}

/* What the models of a window share: means of the guides, and their covariances V in
 * V + ridge = L D L^T. */
typedef struct Factors {
    Vector scale; /* of sums: means */
    Vector means[COFI_MAX_GUIDES];
    Vector lower[COFI_MAX_GUIDES][COFI_MAX_GUIDES]; /* [i][j]: row j, column i of L */
    Vector inverse[COFI_MAX_GUIDES];                /* of D */
} Factors;

INLINE Factors factorise(int guides, const float *sums, int taps)
{
    Factors f;
    Vector v[COFI_MAX_GUIDES][COFI_MAX_GUIDES];
    const float *at = sums + (1 + guides) * COFI_FIT_STRIDE;
    f.scale = 1 / add_columns(sums, taps);
    UNROLL
    for (int i = 0; i < guides; i++)
        f.means[i] = add_columns(sums + (1 + i) * COFI_FIT_STRIDE, taps) * f.scale;
    UNROLL
    for (int i = 0; i < guides; i++) {
        UNROLL
        for (int j = i; j < guides; j++, at += COFI_FIT_STRIDE) {
            v[i][j] = add_columns(at, taps) * f.scale - f.means[i] * f.means[j];
            if (i == j)
                v[i][j] += COFI_RIDGE;
            UNROLL
            for (int k = 0; k < i; k++)
                v[i][j] -= f.lower[k][i] * v[k][j];
        }
        f.inverse[i] = 1 / v[i][i];
        UNROLL
        for (int j = i + 1; j < guides; j++)
            f.lower[i][j] = v[i][j] * f.inverse[i];
    }
    return f;
}

/* Solves for one value; returns where the model is known. */
INLINE Bits solve(const Factors *f, int guides, const float *sums, int taps, float *model,
                  ptrdiff_t stride)
{
    Vector mean = add_columns(sums, taps) * f->scale, y[COFI_MAX_GUIDES], constant = mean;
    UNROLL
    for (int i = 0; i < guides; i++) {
        y[i] = add_columns(sums + (1 + i) * COFI_FIT_STRIDE, taps) * f->scale - f->means[i] * mean;
        UNROLL
        for (int k = 0; k < i; k++)
            y[i] -= f->lower[k][i] * y[k];
    }
    UNROLL
    for (int i = guides - 1; i >= 0; i--) {
        y[i] *= f->inverse[i];
        UNROLL
        for (int k = i + 1; k < guides; k++)
            y[i] -= f->lower[i][k] * y[k];
    }
    UNROLL
    for (int i = 0; i < guides; i++)
        constant -= y[i] * f->means[i];
    Bits known = (constant >= -FLT_MAX) & (constant <= FLT_MAX);
    UNROLL
    for (int i = 0; i < guides; i++)
        store(model + i * stride, (Vector)((Bits)y[i] & known));
    store(model + guides * stride, (Vector)((Bits)constant & known));
    return known;
}

/* Fits n columns from x on. */
INLINE void fit_block(const CofiFit *f, int guides, int taps, int x, int n)
{
    float *of_values = f->sums + (1 + guides + guides * (guides + 1) / 2) * COFI_FIT_STRIDE;
    int planes = 1 + guides;
    for (int i = 0; i < n + taps - 1; i += LANES) {
        add_guides(f, guides, x + i, f->sums + i);
        for (int value = 0; value < f->values; value++)
            add_value(f, guides, value, x + i, of_values + value * planes * COFI_FIT_STRIDE + i);
    }
    for (int i = 0; i < n; i += LANES) {
        Factors factors = factorise(guides, f->sums + i, taps);
        Bits known = (Bits)load(f->known + x + i);
        for (int value = 0; value < f->values; value++)
            known &= solve(&factors, guides, of_values + value * planes * COFI_FIT_STRIDE + i, taps,
                           f->models + value * planes * f->model_stride + x + i, f->model_stride);
        store(f->known + x + i, (Vector)known);
    }
}

INLINE void fit_blocks(const CofiFit *f, int guides, int taps)
{
    for (int x = 0; x < f->n; x += COFI_FIT_BLOCK)
        fit_block(f, guides, taps, x, f->n - x < COFI_FIT_BLOCK ? f->n - x : COFI_FIT_BLOCK);
}

/* Programs for WebAssembly had better be small: they have one function for windows of all sizes,
 * and without SIMD, where nothing is unrolled, one for all numbers of guides. */
#if defined(__wasm__)

void LEVEL(cofi_fit_row)(const CofiFit *f)
{
    int taps = 2 * f->radius + 1;
#if defined(__wasm_simd128__)
    if (f->guides == 1)
        fit_blocks(f, 1, taps);
    else
        fit_blocks(f, 3, taps);
#else
    fit_blocks(f, f->guides, taps);
#endif
}

#else

SEPARATE void fit_three(const CofiFit *f)
{
    fit_blocks(f, 3, 2 * f->radius + 1);
}

SEPARATE void fit_three_of_radius_two(const CofiFit *f)
{
    fit_blocks(f, 3, 5);
}

void LEVEL(cofi_fit_row)(const CofiFit *f)
{
    if (f->guides == 1)
        fit_blocks(f, 1, 2 * f->radius + 1);
    else if (f->radius == 2)
        fit_three_of_radius_two(f);
    else
        fit_three(f);
}

#endif

INLINE Vector mix(const float *first, const float *second, float share)
{
    return (1 - share) * load(first) + share * load(second);
}

void LEVEL(cofi_mix_rows)(const float *above, const float *below, float share, ptrdiff_t stride,
                          int planes, int n, float *mixed, ptrdiff_t mixed_stride)
{
    for (int i = 0; i < planes; i++, above += stride, below += stride, mixed += mixed_stride)
        for (int x = 0; x < n; x += LANES)
            store(mixed + x, mix(above + x, below + x, share));
}

INLINE void apply(const CofiApply *a, int guides)
{
    ptrdiff_t stride = a->model_stride;
    for (int x = 0; x < a->n; x += LANES) {
        const float *at = a->models + guides * stride + x;
        Vector total = mix(at, at + 1, a->share);
        at = a->models + x;
        UNROLL
        for (int i = 0; i < guides; i++, at += stride)
            total += mix(at, at + 1, a->share) * load(a->guide + i * a->stride + x);
        store(a->values + x, a->middle + a->range * total);
    }
}

void LEVEL(cofi_apply_row)(const CofiApply *a)
{
#if defined(__wasm__)
    apply(a, a->guides);
#else
    if (a->guides == 1)
        apply(a, 1);
    else
        apply(a, 3);
#endif
}
