/* SPDX-License-Identifier: BSD-2-Clause */
/* The operating system: POSIX or Windows. */
#include "base/system.h"

#include <locale.h>
#include <stdlib.h>

#if defined(_WIN32)

#include <malloc.h>
/* malloc.h comes first: it declares what windows.h would define as macros. */
#include <windows.h>

long cofi_processors(void)
{
    return (long)GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
}

void *cofi_system_malloc(size_t alignment, size_t bytes)
{
    return _aligned_malloc(bytes, alignment);
}

void cofi_system_free(void *block)
{
    _aligned_free(block);
}

bool cofi_system_strtod(const char *text, const char **end, double *value)
{
    _locale_t plain = _create_locale(LC_NUMERIC, "C");
    if (!plain)
        return false;
    char *stop;
    *value = _strtod_l(text, &stop, plain);
    *end = stop;
    _free_locale(plain);
    return true;
}

#else

#if defined(__APPLE__)
#include <xlocale.h>
#endif
#include <unistd.h>

long cofi_processors(void)
{
    return sysconf(_SC_NPROCESSORS_ONLN);
}

void *cofi_system_malloc(size_t alignment, size_t bytes)
{
    return aligned_alloc(alignment, bytes);
}

void cofi_system_free(void *block)
{
    free(block);
}

bool cofi_system_strtod(const char *text, const char **end, double *value)
{
    locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    if (plain == (locale_t)0)
        return false;
    locale_t callers = uselocale(plain);
    char *stop;
    *value = strtod(text, &stop);
    *end = stop;
    uselocale(callers);
    freelocale(plain);
    return true;
}

#endif
