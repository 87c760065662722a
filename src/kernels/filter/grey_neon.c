/* SPDX-License-Identifier: BSD-2-Clause */
/* 8-bit grey with NEON. The low and the high bytes of entries are looked up in up to
 * four tables of 64 entries, and joined. */
#if defined(__aarch64__)
#include <arm_neon.h>
#include <stdint.h>

#include "kernels/inline.h"

#define LEVEL(name) name##_neon

typedef uint8_t Label;
#define PIXELS 1

#include "kernels/filter/grey_window.h"

typedef struct Sums {
    float32x4_t weights, products;
} Sums;

INLINE void join_rows(const uint8_t *a, const uint8_t *b, Label *to)
{
    uint8x16_t upper = vld1q_u8(a), lower = vld1q_u8(b);
    vst1q_u8(to, vzip1q_u8(upper, lower));
    vst1q_u8(to + 16, vzip2q_u8(upper, lower));
}

INLINE int place_of(int column)
{
    return column;
}

/* The bytes of 64 entries. */
typedef struct Table {
    uint8x16x4_t low, high;
} Table;

/* A label that is not in a table leaves the bytes as they are. */
INLINE void look_up(const Table *tables, int n, uint8x16_t index, uint8x16_t *low, uint8x16_t *high)
{
    *low = vqtbl4q_u8(tables[0].low, index);
    *high = vqtbl4q_u8(tables[0].high, index);
    UNROLL
    for (int i = 1; i < n; i++) {
        index = vsubq_u8(index, vdupq_n_u8(64));
        *low = vqtbx4q_u8(*low, tables[i].low, index);
        *high = vqtbx4q_u8(*high, tables[i].high, index);
    }
}

/* Adds four columns of two rows. */
INLINE void add_columns(uint8x16_t entries, uint8x8_t labels, float gauss, Sums *sums)
{
    int16x8_t words = vreinterpretq_s16_u8(entries);
    int16x8_t values = vreinterpretq_s16_u16(vmovl_u8(labels));
    int32x4_t low = vmull_s16(vget_low_s16(words), vget_low_s16(values));
    int32x4_t products = vpaddq_s32(low, vmull_high_s16(words, values));
    sums->weights = vfmaq_n_f32(sums->weights, vcvtq_f32_s32(vpaddlq_s16(words)), gauss);
    sums->products = vfmaq_n_f32(sums->products, vcvtq_f32_s32(products), gauss);
}

/* Adds eight columns of a pair of rows. */
INLINE void add_pair(const Table *tables, int n, uint8x16_t first, const Label *at, float gauss,
                     Sums sums[2])
{
    uint8x16_t labels = vld1q_u8(at), low, high;
    look_up(tables, n, vsubq_u8(labels, first), &low, &high);
    add_columns(vzip1q_u8(low, high), vget_low_u8(labels), gauss, &sums[0]);
    add_columns(vzip2q_u8(low, high), vget_high_u8(labels), gauss, &sums[1]);
}

INLINE void weigh_columns(const Sums columns[4], const float *gauss, Sums *to)
{
    for (int i = 0; i < 4; i++) {
        float32x4_t weights = vld1q_f32(gauss + 4 * i);
        to->weights = vfmaq_f32(to->weights, columns[i].weights, weights);
        to->products = vfmaq_f32(to->products, columns[i].products, weights);
    }
}

/* Sums all vectors, with n tables, which begin at the least label or earlier. */
INLINE void sum_with(const CofiGreyEntries *row, int n, const Window *w, Labels l, Sums *to)
{
    const Sums none = {vdupq_n_f32(0), vdupq_n_f32(0)};
    int least = l.least < 256 - 64 * n ? l.least : 256 - 64 * n;
    uint8x16_t first = vdupq_n_u8((uint8_t)least);
    Sums sums = none;
    Table tables[4];
    for (int i = 0; i < n; i++) {
        tables[i].low = vld1q_u8_x4(row->low + least + 64 * i);
        tables[i].high = vld1q_u8_x4(row->high + least + 64 * i);
    }
    for (int vector = 0; vector < w->vectors; vector++) {
        Sums columns[4] = {none, none, none, none};
        for (int pair = 0; pair < w->pairs; pair++) {
            const Label *at = l.at + pair * w->stride + vector * VECTOR_LABELS;
            add_pair(tables, n, first, at, w->rows[pair], columns);
            add_pair(tables, n, first, at + 16, w->rows[pair], columns + 2);
        }
        weigh_columns(columns, w->columns[0] + vector * VECTOR_COLUMNS, &sums);
    }
    *to = sums;
}

/* One function for each number of tables: the compiler keeps them in registers. */
#define SUM_WITH(N) \
    SEPARATE void sum_with_##N(const CofiGreyEntries *row, const Window *w, Labels labels, \
                               Sums *sums) \
    { \
        sum_with(row, N, w, labels, sums); \
    }
SUM_WITH(1)
SUM_WITH(2)
SUM_WITH(4)
#undef SUM_WITH

INLINE void sum_window(const CofiGreyEntries *const rows[1], const Window *window, Labels labels,
                       Sums *sums)
{
    int range = labels.most - labels.least;
    (range < 64    ? sum_with_1
     : range < 128 ? sum_with_2
                   : sum_with_4)(rows[0], window, labels, sums);
}

static void add_lanes(const Sums sums[16], float weights[16], float products[16])
{
    for (int i = 0; i < 16; i++) {
        weights[i] = vaddvq_f32(sums[i].weights);
        products[i] = vaddvq_f32(sums[i].products);
    }
}

#include "kernels/filter/grey_rows.h"
#endif
