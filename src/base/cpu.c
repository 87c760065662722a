/* SPDX-License-Identifier: BSD-2-Clause */
/* Detects the instruction sets of this processor. */
#include "base/cpu.h"

#include <stdlib.h>
#include <string.h>

#include "cof/cof.h"

static unsigned detected(void)
{
#if defined(__x86_64__)
    unsigned flags = COFI_CPU_C;
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
        return flags;
    flags |= COFI_CPU_AVX2;
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
        !__builtin_cpu_supports("avx512dq") || !__builtin_cpu_supports("avx512vl"))
        return flags;
    flags |= COFI_CPU_AVX512;
    return __builtin_cpu_supports("avx512vbmi") ? flags | COFI_CPU_VBMI : flags;
#elif defined(__aarch64__)
    return COFI_CPU_NEON;
#elif defined(__wasm_simd128__)
    return COFI_CPU_WASM;
#else
    return COFI_CPU_C;
#endif
}

/* The named level and all below it. */
static unsigned allowed(const char *name)
{
    static const struct {
        const char *name;
        unsigned flags;
    } levels[] = {
        {"c", COFI_CPU_C},
        {"neon", COFI_CPU_NEON},
        {"avx2", COFI_CPU_AVX2},
        {"avx512", COFI_CPU_AVX2 | COFI_CPU_AVX512},
        {"vbmi", COFI_CPU_AVX2 | COFI_CPU_AVX512 | COFI_CPU_VBMI},
        {"wasm", COFI_CPU_WASM},
    };
    for (size_t i = 0; name && i < sizeof levels / sizeof levels[0]; i++)
        if (strcmp(name, levels[i].name) == 0)
            return levels[i].flags;
    return ~0u;
}

unsigned cofi_cpu_flags(void)
{
    return detected() & allowed(getenv("COF_CPU"));
}

const char *cof_cpu_level(void)
{
    unsigned flags = cofi_cpu_flags();
    return flags & COFI_CPU_VBMI     ? "vbmi"
           : flags & COFI_CPU_AVX512 ? "avx512"
           : flags & COFI_CPU_AVX2   ? "avx2"
           : flags & COFI_CPU_NEON   ? "neon"
           : flags & COFI_CPU_WASM   ? "wasm"
                                     : "c";
}
