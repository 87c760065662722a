/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts the labels around reference pixels, for up to 32 labels. A label is one bit of a lane, and
 * each lane is one dx. Bits are added with carry-save adders: 16 rows of labels are added to the
 * planes of weight 1, 2, 4 and 8, and the carry is added to the planes above. Each level includes
 * this file after it has defined
 *
 *     LEVEL(name)      the name of a kernel at this level
 *     LANES, Bits      the number of lanes, and a vector type with operators
 *     Lane             the type of a lane, uint32_t or a shorter one; in this case the labels are
 *                      counted in several turns
 *     bits_at(labels, first)
 *                      1 << (label - first) in each lane, 0 for labels that have no bit
 *     ADD_BITS         if the level has its own add_bits()
 *     ADD_PLANE        if the level has its own add_plane()
 *     COUNT_MANY       if the level has a count_many() for more than 32 labels, and at least
 *                      MANY_PLACES places
 */
#include <assert.h>
#include <string.h>

#include "kernels/kernels.h"

#define FEW_PLACES 8     /* fewer places than this are counted one by one */
#define PLANES 16        /* one per bit of a count below 2^16 */
#define MAX_PLACES 65520 /* a multiple of 16 below 2^16 */
#define LANE_BITS ((int)(8 * sizeof(Lane)))

/* *low + a + b = *low + 2 * carry, bit by bit: where a and b differ, low decides. */
#if !defined(ADD_BITS)
static inline Bits add_bits(Bits *low, Bits a, Bits b)
{
    Bits differ = a ^ b, carry = (differ & *low) | (~differ & a);
    *low ^= differ;
    return carry;
}
#endif

/* These functions add 2, 4, 8 and 16 rows. The carry has twice the weight of the plane. */
static inline Bits add_2(Bits planes[4], const uint8_t *labels, const uint32_t *places, int first)
{
    return add_bits(&planes[0], bits_at(labels + places[0], first),
                    bits_at(labels + places[1], first));
}

static inline Bits add_4(Bits planes[4], const uint8_t *labels, const uint32_t *places, int first)
{
    Bits a = add_2(planes, labels, places, first);
    Bits b = add_2(planes, labels, places + 2, first);
    return add_bits(&planes[1], a, b);
}

static inline Bits add_8(Bits planes[4], const uint8_t *labels, const uint32_t *places, int first)
{
    Bits a = add_4(planes, labels, places, first);
    Bits b = add_4(planes, labels, places + 4, first);
    return add_bits(&planes[2], a, b);
}

static inline Bits add_16(Bits planes[4], const uint8_t *labels, const uint32_t *places, int first)
{
    Bits a = add_8(planes, labels, places, first);
    Bits b = add_8(planes, labels, places + 8, first);
    return add_bits(&planes[3], a, b);
}

static inline void carry_up(Bits *planes, int plane, int last, Bits carry)
{
    for (; plane < last; plane++) {
        Bits sum = planes[plane] ^ carry;
        carry &= planes[plane];
        planes[plane] = sum;
    }
}

/* Adds a plane to the numbers of the labels. */
#if !defined(ADD_PLANE)
static inline void add_plane(Lane bits, int plane, uint16_t numbers[LANE_BITS])
{
    for (int label = 0; label < LANE_BITS; label++)
        numbers[label] |= (uint16_t)((bits >> label & 1) << plane);
}
#endif

/* Adds the numbers in the planes to the counts of n labels. */
static void read_planes(const Bits *planes, int used, int width, const int *tables, int k, int n,
                        uint16_t *counts)
{
    Lane lanes[PLANES][LANES];
    memcpy(lanes, planes, sizeof lanes);
    for (int dx = 0; dx < width; dx++) {
        uint16_t numbers[LANE_BITS] = {0};
        for (int plane = 0; plane < used; plane++)
            add_plane(lanes[plane][dx], plane, numbers);
        uint16_t *to = counts + (ptrdiff_t)tables[dx] * k;
        for (int label = 0; label < n; label++)
            to[label] = (uint16_t)(to[label] + numbers[label]);
    }
}

/* Counts at most LANES columns, MAX_PLACES places and LANE_BITS labels. */
static void count_columns(const uint8_t *labels, const uint32_t *places, int n, int width,
                          const int *tables, int k, int first, uint16_t *counts)
{
    Bits planes[PLANES];
    memset(planes, 0, sizeof planes);
    int used = 4;
    while (used < PLANES && n >> used > 0)
        used++;
    int i = 0;
    for (; i + 16 <= n; i += 16)
        carry_up(planes, 4, used, add_16(planes, labels, places + i, first));
    for (; i < n; i++)
        carry_up(planes, 0, used, bits_at(labels + places[i], first));
    read_planes(planes, used, width, tables, k, k - first < LANE_BITS ? k - first : LANE_BITS,
                counts + first);
}

void LEVEL(cofi_count_row)(const uint8_t *labels, const uint8_t *members, const uint32_t *places,
                           int n, int width, const int *tables, int k, uint16_t *counts)
{
    assert(k >= 1 && k <= 256 && n >= 0 && width >= 0);
#if defined(COUNT_MANY)
    if (k > 32 && !members && n >= MANY_PLACES) {
        count_many(labels, places, n, width, tables, k, counts);
        return;
    }
#endif
    if (k > 32 || members || n < FEW_PLACES) {
        cofi_count_row_c(labels, members, places, n, width, tables, k, counts);
        return;
    }
    for (int place = 0; place < n; place += MAX_PLACES)
        for (int dx = 0; dx < width; dx += LANES)
            for (int first = 0; first < k; first += LANE_BITS)
                count_columns(
                    labels + dx, places + place, n - place < MAX_PLACES ? n - place : MAX_PLACES,
                    width - dx < LANES ? width - dx : LANES, tables + dx, k, first, counts);
}
