/* SPDX-License-Identifier: BSD-2-Clause */
/* memchr() with vectors, in place of that of the C library. The filter searches each row of its
 * marks, most of which are not set. */
#if defined(__wasm_simd128__)
#include <stdint.h>
#include <string.h>
#include <wasm_simd128.h>

#define VECTOR ((size_t)16)

void *memchr(const void *bytes, int value, size_t n)
{
    const uint8_t *at = bytes;
    v128_t wanted = wasm_i8x16_splat((int8_t)value);
    for (; n >= VECTOR; n -= VECTOR, at += VECTOR)
        if (wasm_v128_any_true(wasm_i8x16_eq(wasm_v128_load(at), wanted)))
            break;
    for (; n > 0; n--, at++)
        if (*at == (uint8_t)value)
            return (void *)(uintptr_t)at;
    return NULL;
}
#endif
