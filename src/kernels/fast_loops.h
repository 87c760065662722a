/* SPDX-License-Identifier: BSD-2-Clause */
/* The fast filter's rows: sums of cells, blurs, and what a pixel takes of them. Each level includes
 * this after its vectors, with
 *
 *     LEVEL(name)    the name of a kernel at this level
 */
#include "kernels.h"

#define INLINE static inline __attribute__((always_inline))

/* Planes that are summed at once. */
#define MOST_PLANES 4

INLINE void gather_planes(const CofiGather *g, const float *table, int first_plane, int planes,
                          float *sums)
{
    Table in = load_table(table);
    for (int x = 0; x < g->n; x += LANES) {
        Vector sum[MOST_PLANES];
        for (int plane = 0; plane < planes; plane++)
            sum[plane] = set1(0);
        for (int part = 0; part < g->parts; part++) {
            Vector weights = look_up(&in, g->labels[part] + x);
            const float *values = g->values[part] + first_plane * g->value_stride + x;
            for (int plane = 0; plane < planes; plane++) {
                Vector value = load(values + plane * g->value_stride);
                sum[plane] = fma_add(weights, value, sum[plane]);
            }
        }
        for (int plane = 0; plane < planes; plane++)
            store(sums + plane * g->stride + x, sum[plane]);
    }
}

void LEVEL(cofi_gather_row)(const CofiGather *g)
{
    for (int rank = 0; rank < g->ranks; rank++)
        for (int first = 0; first < g->planes; first += MOST_PLANES) {
            const float *table = g->tables + (ptrdiff_t)rank * COFI_FEW_LABELS;
            float *sums = g->sums + ((ptrdiff_t)rank * g->planes + first) * g->stride;
            int left = g->planes - first;
            if (left == 1)
                gather_planes(g, table, first, 1, sums);
            else if (left == 2)
                gather_planes(g, table, first, 2, sums);
            else if (left == 3)
                gather_planes(g, table, first, 3, sums);
            else
                gather_planes(g, table, first, 4, sums);
        }
}

/* Vectors that share the loads of taps and rows. */
#define AT_ONCE 4

INLINE void blur_some(const float *const *rows, const float *taps, int n_taps, int x, int vectors,
                      float *blurred)
{
    Vector sum[AT_ONCE], tap = set1(taps[0]);
    for (int i = 0; i < vectors; i++)
        sum[i] = mul(tap, load(rows[0] + x + i * LANES));
    for (int row = 1; row < n_taps; row++) {
        tap = set1(taps[row]);
        const float *values = rows[row] + x;
        for (int i = 0; i < vectors; i++)
            sum[i] = fma_add(tap, load(values + i * LANES), sum[i]);
    }
    for (int i = 0; i < vectors; i++)
        store(blurred + x + i * LANES, sum[i]);
}

void LEVEL(cofi_blur_row)(const float *const *rows, const float *taps, int n_taps, int n,
                          float *blurred)
{
    int x = 0;
    for (; x + (AT_ONCE - 1) * LANES < n; x += AT_ONCE * LANES)
        blur_some(rows, taps, n_taps, x, AT_ONCE, blurred);
    for (; x < n; x += LANES)
        blur_some(rows, taps, n_taps, x, 1, blurred);
}

/* Each row is loaded once for all the sums that it is part of. */
void LEVEL(cofi_blur_rows)(const float *const *rows, const float *taps, int n_taps, int n,
                           float *const *blurred)
{
    for (int x = 0; x < n; x += LANES) {
        Vector sum[COFI_BLURS];
        for (int i = 0; i < COFI_BLURS; i++)
            sum[i] = set1(0);
        for (int row = 0; row < n_taps + COFI_BLURS - 1; row++) {
            Vector value = load(rows[row] + x);
            for (int i = 0; i < COFI_BLURS; i++)
                sum[i] = fma_add(set1(taps[row - i]), value, sum[i]);
        }
        for (int i = 0; i < COFI_BLURS; i++)
            store(blurred[i] + x, sum[i]);
    }
}

INLINE void slice_planes(const CofiSlice *s, int first_plane, int planes)
{
    Vector left = set1(s->left), right = set1(s->right);
    for (int x = 0; x < s->n; x += LANES) {
        Vector sum[MOST_PLANES];
        for (int plane = 0; plane < planes; plane++)
            sum[plane] = set1(0);
        for (int rank = 0; rank < s->ranks; rank++) {
            Table out = load_table(s->tables + (ptrdiff_t)rank * COFI_FEW_LABELS);
            Vector weights = look_up(&out, s->labels + x);
            const float *values =
                s->values + ((ptrdiff_t)rank * s->planes + first_plane) * s->stride + x;
            for (int plane = 0; plane < planes; plane++, values += s->stride) {
                Vector value = fma_add(right, load(values + 1), mul(left, load(values)));
                sum[plane] = fma_add(weights, value, sum[plane]);
            }
        }
        for (int plane = 0; plane < planes; plane++)
            store(s->sums + (first_plane + plane) * s->sum_stride + x, sum[plane]);
    }
}

void LEVEL(cofi_slice_row)(const CofiSlice *s)
{
    for (int first = 0; first < s->planes; first += MOST_PLANES) {
        int left = s->planes - first;
        if (left == 1)
            slice_planes(s, first, 1);
        else if (left == 2)
            slice_planes(s, first, 2);
        else if (left == 3)
            slice_planes(s, first, 3);
        else
            slice_planes(s, first, 4);
    }
    for (int x = 0; x < s->n; x += LANES)
        for (int plane = 1; plane < s->planes; plane++) {
            float *sum = s->sums + plane * s->sum_stride + x;
            store(sum, divide(load(sum), load(s->sums + x)));
        }
}
