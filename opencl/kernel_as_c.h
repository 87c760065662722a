/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes C of the kernels: what they need of OpenCL C, for one thread. The program that includes
 * this file, then kernels/all.h, sets `place` for each work-group, or each item of a kernel without
 * groups. */
#ifndef COF_KERNEL_AS_C_H
#define COF_KERNEL_AS_C_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define COF_FP64
#ifndef PIXELS
#define PIXELS 8
#endif

typedef uint8_t uchar;
typedef uint16_t ushort16;
#define ushort ushort16
typedef unsigned uint;
typedef unsigned long long ulong64;
#define ulong ulong64
typedef float float4 __attribute__((vector_size(16)));

#define KERNEL(items) static
#define HELPER static
#define GLOBAL
#define CONSTANT
#define LOCAL
#define LOCAL_ARRAY(type, name, n) static type name[n]
#define PRIVATE(type, name, n) static type name[ITEMS][n]
#define MY(name) name[item]
#define EACH_ITEM(n) for (int item = 0; item < (n); item++)
#define BARRIER (void)0
#define UNROLL
#define UNROLL_3
#define FUSED(a, b, c) ((a) * (b) + (c))
#define RECIPROCAL(a) (1.0f / (a))
#define LANE(v, i) ((v)[i])
#define LANES(a, b, c, d) ((float4){a, b, c, d})
#define SAME_LANES(a) ((float4){a, a, a, a})
#define LOCAL_ADD(p, n) (*(p) += (n))
#define LOCAL_OR(p, bits) (*(p) |= (bits))
#define COUNT_BITS(bits) __builtin_popcount(bits)
#define GLOBAL_ADD(p, n) (*(p) += (n))
#define ATOMIC

/* Where the item, or the group, is. */
typedef struct KernelPlace {
    size_t global_id[2], group[2], groups[2];
} KernelPlace;

static KernelPlace place;

/* A program may use only some of the kernels. */
#pragma GCC diagnostic ignored "-Wunused-function"

static inline size_t get_global_id(int axis)
{
    return place.global_id[axis];
}

static inline size_t get_group_id(int axis)
{
    return place.group[axis];
}

static inline size_t get_num_groups(int axis)
{
    return place.groups[axis];
}

static inline int as_int(float value)
{
    int bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float as_float(int bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline ulong as_ulong(double value)
{
    ulong bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double as_double(ulong bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Runs a kernel without groups for n items. */
#define FOR_ITEMS(n, call) \
    for (place.global_id[0] = 0; place.global_id[0] < (size_t)(n) + 3; place.global_id[0]++) \
    call

/* Runs a kernel for all groups. */
#define FOR_GROUPS(wide, high, call) \
    do { \
        place.groups[0] = (size_t)(wide); \
        place.groups[1] = (size_t)(high); \
        for (place.group[1] = 0; place.group[1] < place.groups[1]; place.group[1]++) \
            for (place.group[0] = 0; place.group[0] < place.groups[0]; place.group[0]++) \
                call; \
    } while (0)

#endif
