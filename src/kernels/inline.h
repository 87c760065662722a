/* SPDX-License-Identifier: BSD-2-Clause */
/* How the loops of the kernels are compiled. */
#ifndef COF_INLINE_H
#define COF_INLINE_H

#define INLINE static inline __attribute__((always_inline))
#define SEPARATE static __attribute__((noinline))

/* Arrays of vectors are in registers only if all loops over them are unrolled. WebAssembly without
 * SIMD has no such registers, and programs had better be small. */
#if defined(__wasm__) && !defined(__wasm_simd128__)
#define UNROLL _Pragma("clang loop unroll(disable)")
#elif defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

/* Hides from the compiler how an address was computed. WebAssembly has no addresses of the form
 * base + index: clang would compute each one again, or keep a counter for each. */
#if defined(__wasm__)
#define OPAQUE(address) __asm__("" : "+r"(address))
#else
#define OPAQUE(address) (void)(address)
#endif

#endif
