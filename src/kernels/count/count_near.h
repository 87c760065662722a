/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts the labels around reference pixels with AVX-512, for more than 32 labels. Labels near a
 * reference pixel are usually near its own. The most common 64 are added as bits, like all labels
 * of small palettes (count_loops.h); the others are collected and counted one by one. */
#include <stdbool.h>
#include <string.h>

#include "kernels/inline.h"
#include "kernels/kernels.h"

#define NEAR 64 /* labels that are bits: two sets of 32 */
#define NEAR_ROWS 16
#define NEAR_PLANES 16
#define NEAR_MAX_PLACES 65520 /* a multiple of NEAR_ROWS below 2^NEAR_PLANES */

/* One bit of each label and column. */
typedef struct NearBits {
    Bits of[2];
} NearBits;

typedef struct NearCounting {
    const uint8_t *labels;
    const uint32_t *places; /* of the rows that are added next */
    int rows;               /* their number, at most NEAR_ROWS */
    __m512i first;          /* the first of the labels that are bits */
    __m512i k;
    __m512i tables; /* where the table of each column begins */
    __mmask16 columns;
    uint32_t *rest; /* where the other labels are counted */
} NearCounting;

/* Labels that are not below k have no table; of 256, there are none. */
INLINE NearBits load_near(NearCounting *c, int row, bool all_below)
{
    __mmask16 columns = row < c->rows ? c->columns : 0;
    const uint8_t *at = c->labels + c->places[row < c->rows ? row : 0];
    __m512i labels = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)at));
    __m512i near = _mm512_sub_epi32(labels, c->first);
    __mmask16 far = _mm512_mask_cmpge_epu32_mask(columns, near, _mm512_set1_epi32(NEAR));
    if (!all_below)
        far = _mm512_mask_cmplt_epu32_mask(far, labels, c->k);
    __m512i places = _mm512_add_epi32(labels, c->tables);
    _mm512_storeu_si512(c->rest, _mm512_maskz_compress_epi32(far, places));
    c->rest += __builtin_popcount(far);
    /* Shifts by more than 31 bits leave nothing. */
    __m512i one = _mm512_set1_epi32(1), upper = _mm512_sub_epi32(near, _mm512_set1_epi32(32));
    return (NearBits){{(Bits)_mm512_maskz_sllv_epi32(columns, one, near),
                       (Bits)_mm512_maskz_sllv_epi32(columns, one, upper)}};
}

INLINE NearBits add_near(NearBits *low, NearBits a, NearBits b)
{
    return (NearBits){
        {add_bits(&low->of[0], a.of[0], b.of[0]), add_bits(&low->of[1], a.of[1], b.of[1])}};
}

/* These functions add 2, 4, 8 and 16 rows, as those of count_loops.h. */
INLINE NearBits near_2(NearCounting *c, NearBits planes[4], int row, bool all_below)
{
    NearBits a = load_near(c, row, all_below), b = load_near(c, row + 1, all_below);
    return add_near(&planes[0], a, b);
}

INLINE NearBits near_4(NearCounting *c, NearBits planes[4], int row, bool all_below)
{
    NearBits a = near_2(c, planes, row, all_below), b = near_2(c, planes, row + 2, all_below);
    return add_near(&planes[1], a, b);
}

INLINE NearBits near_8(NearCounting *c, NearBits planes[4], int row, bool all_below)
{
    NearBits a = near_4(c, planes, row, all_below), b = near_4(c, planes, row + 4, all_below);
    return add_near(&planes[2], a, b);
}

INLINE NearBits near_16(NearCounting *c, NearBits planes[4], bool all_below)
{
    NearBits a = near_8(c, planes, 0, all_below), b = near_8(c, planes, 8, all_below);
    return add_near(&planes[3], a, b);
}

INLINE void carry_near(NearBits *planes, int used, NearBits carry)
{
    for (int plane = 4; plane < used; plane++) {
        NearBits *at = &planes[plane], before = *at;
        for (int set = 0; set < 2; set++) {
            at->of[set] ^= carry.of[set];
            carry.of[set] &= before.of[set];
        }
    }
}

/* Adds the numbers in the planes to the counts of n labels from the first one on. */
static void read_near(const NearBits *planes, int used, int set, int width, const int *tables,
                      int k, int n, uint16_t *counts)
{
    uint32_t lanes[NEAR_PLANES][LANES];
    for (int plane = 0; plane < used; plane++)
        memcpy(lanes[plane], &planes[plane].of[set], sizeof lanes[plane]);
    __mmask32 all = n >= 32 ? 0xffffffff : (1u << n) - 1;
    for (int dx = 0; dx < width; dx++) {
        uint16_t *to = counts + (ptrdiff_t)tables[dx] * k;
        __m512i numbers = _mm512_maskz_loadu_epi16(all, to);
        for (int plane = 0; plane < used; plane++)
            numbers = _mm512_mask_add_epi16(numbers, lanes[plane][dx], numbers,
                                            _mm512_set1_epi16((short)(1 << plane)));
        _mm512_mask_storeu_epi16(to, all, numbers);
    }
}

/* The first of the labels that are bits: around the mean of some labels in the middle column. */
static int first_near(const uint8_t *labels, const uint32_t *places, int n, int width, int k)
{
    int sum = 0, step = n / NEAR_ROWS;
    for (int i = 0; i < NEAR_ROWS; i++)
        sum += labels[places[i * step] + (uint32_t)width / 2];
    int first = sum / NEAR_ROWS - NEAR / 2, last = k - NEAR;
    first = first < last ? first : last;
    return first > 0 ? first : 0;
}

/* Counts at most LANES columns and NEAR_MAX_PLACES places. */
INLINE void count_near(const uint8_t *labels, const uint32_t *places, int n, int width,
                       const int *tables, int k, bool all_below, uint16_t *counts)
{
    NearBits planes[NEAR_PLANES];
    uint32_t rest[(NEAR_ROWS + 1) * LANES];
    int first = first_near(labels, places, n, width, k), used = 4;
    while (used < NEAR_PLANES && n >> used > 0)
        used++;
    memset(planes, 0, (size_t)used * sizeof *planes);
    __mmask16 columns = (__mmask16)((1u << width) - 1);
    NearCounting c = {.labels = labels,
                      .first = _mm512_set1_epi32(first),
                      .k = _mm512_set1_epi32(k),
                      .tables = _mm512_mullo_epi32(_mm512_maskz_loadu_epi32(columns, tables),
                                                   _mm512_set1_epi32(k)),
                      .columns = columns};
    for (int i = 0; i < n; i += NEAR_ROWS) {
        c.places = places + i;
        c.rest = rest;
        NearBits carry;
        if (n - i >= NEAR_ROWS) {
            c.rows = NEAR_ROWS;
            carry = near_16(&c, planes, all_below);
        } else {
            c.rows = n - i;
            carry = near_16(&c, planes, all_below);
        }
        carry_near(planes, used, carry);
        for (const uint32_t *one = rest; one < c.rest; one++)
            counts[*one]++;
    }
    for (int set = 0; set < 2 && k - first > 32 * set; set++)
        read_near(planes, used, set, width, tables, k, k - first - 32 * set,
                  counts + first + 32 * set);
}

SEPARATE void count_256_near(const uint8_t *labels, const uint32_t *places, int n, int width,
                             const int *tables, uint16_t *counts)
{
    count_near(labels, places, n, width, tables, 256, true, counts);
}

SEPARATE void count_some_near(const uint8_t *labels, const uint32_t *places, int n, int width,
                              const int *tables, int k, uint16_t *counts)
{
    count_near(labels, places, n, width, tables, k, false, counts);
}

/* From so many places on, this takes less time than to count all labels one by one. */
#define MANY_PLACES 24

static void count_many(const uint8_t *labels, const uint32_t *places, int n, int width,
                       const int *tables, int k, uint16_t *counts)
{
    for (; n > 0; places += NEAR_MAX_PLACES, n -= NEAR_MAX_PLACES)
        for (int dx = 0; dx < width; dx += LANES) {
            int some = n < NEAR_MAX_PLACES ? n : NEAR_MAX_PLACES,
                columns = width - dx < LANES ? width - dx : LANES;
            if (k == 256)
                count_256_near(labels + dx, places, some, columns, tables + dx, counts);
            else
                count_some_near(labels + dx, places, some, columns, tables + dx, k, counts);
        }
}
