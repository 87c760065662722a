/* SPDX-License-Identifier: BSD-2-Clause */
/* What this machine's processor can do. */
#include "base/cpu.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
/* Not every compiler knows this feature by name. */
static bool has_fp16(void)
{
    unsigned a, b, c, d;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (d >> 23 & 1);
}
#endif

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
    if (!__builtin_cpu_supports("avx512vbmi"))
        return flags;
    flags |= COFI_CPU_VBMI;
    return has_fp16() ? flags | COFI_CPU_FP16 : flags;
#elif defined(__aarch64__)
    return COFI_CPU_NEON;
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
        {"fp16", COFI_CPU_AVX2 | COFI_CPU_AVX512 | COFI_CPU_VBMI | COFI_CPU_FP16},
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
