/* SPDX-License-Identifier: BSD-2-Clause */
/* How the loops of the kernels are compiled. */
#ifndef COF_INLINE_H
#define COF_INLINE_H

#define INLINE static inline __attribute__((always_inline))
#define SEPARATE static __attribute__((noinline))

/* Arrays of vectors are in registers only if all loops over them are unrolled. */
#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

#endif
