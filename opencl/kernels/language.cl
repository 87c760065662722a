/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernels of the OpenCL backend are written in the common subset of OpenCL C 1.2 and C11: the
 * tests also compile them as C, after kernel_as_c.h. This file comes first; the order is that of
 * opencl/meson.build.
 *
 * A kernel whose items share local memory is a sequence of phases: EACH_ITEM(n) runs the next
 * statement for each of the n items of the work-group, and BARRIER separates two phases. MY(array)
 * is the item's own part of a PRIVATE array, which outlasts a phase. As C, a group is a function
 * call and EACH_ITEM a loop.
 *
 * Functions marked "Fixed" compute what the kernels of libcof of the same name compute, bit by bit:
 * the same operations in the same order, without contraction. */
#ifdef __OPENCL_VERSION__
#pragma OPENCL FP_CONTRACT OFF
#ifdef COF_FP64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#define KERNEL(items) __kernel __attribute__((reqd_work_group_size(items, 1, 1)))
#define HELPER
#define GLOBAL __global
#define CONSTANT __constant
#define LOCAL __local
#define LOCAL_ARRAY(type, name, n) __local type name[n]
#define PRIVATE(type, name, n) type name[n]
#define MY(name) name
#define EACH_ITEM(n) for (int item = (int)get_local_id(0), once = 1; once; once = 0)
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)
#define UNROLL _Pragma("unroll")
#define UNROLL_3 _Pragma("unroll 3")
#define FUSED(a, b, c) fma(a, b, c)
#define RECIPROCAL(a) native_recip(a)
#define LANE(v, i) ((v).s##i)
#define LANES(a, b, c, d) ((float4)(a, b, c, d))
#define SAME_LANES(a) ((float4)(a))
#define LOCAL_ADD(p, n) atomic_add(p, n)
#define LOCAL_OR(p, bits) atomic_or(p, bits)
#define COUNT_BITS(bits) ((int)popcount(bits))
#define GLOBAL_ADD(p, n) atomic_add(p, n)
#define ATOMIC volatile
#endif
