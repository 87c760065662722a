/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory between guard pages, for the checks of the kernels. */
#define _DEFAULT_SOURCE /* anonymous mmap() */
#include "kernel_data.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cpu.h"

static const char *doing = "";

static void report_crash(int signal)
{
    (void)signal;
    static const char what[] = "touches memory that is not its own: ";
    ssize_t written = write(2, what, sizeof what - 1);
    written += write(2, doing, strlen(doing));
    written += write(2, "\n", 1);
    _exit(written > 0 ? 1 : 2);
}

void explain_crashes(const char *activity)
{
    doing = activity;
    signal(SIGSEGV, report_crash);
    signal(SIGBUS, report_crash);
}

/* What guarded() has mapped: a page of its own, a wall, `inner` bytes, a wall. */
typedef struct Mapping {
    struct Mapping *next;
    size_t inner;
} Mapping;

static Mapping *taken, *idle;

static Mapping *map(size_t inner, size_t page)
{
    unsigned char *start =
        mmap(NULL, inner + 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED || mprotect(start + page, page, PROT_NONE) != 0 ||
        mprotect(start + 2 * page + inner, page, PROT_NONE) != 0) {
        perror("mmap");
        exit(1);
    }
    Mapping *mapping = (Mapping *)start;
    mapping->inner = inner;
    return mapping;
}

/* An idle one of that size, or NULL. */
static Mapping *find_idle(size_t inner)
{
    Mapping **link = &idle;
    while (*link && (*link)->inner != inner)
        link = &(*link)->next;
    Mapping *found = *link;
    if (found)
        *link = found->next;
    return found;
}

void *guarded(size_t bytes, Wall wall)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), inner = (bytes / page + 1) * page;
    Mapping *mapping = find_idle(inner);
    if (!mapping)
        mapping = map(inner, page);
    mapping->next = taken;
    taken = mapping;
    return (unsigned char *)mapping + 2 * page + (wall == WALL_AFTER ? inner - bytes : 0);
}

void release(void)
{
    while (taken) {
        Mapping *mapping = taken;
        taken = mapping->next;
        mapping->next = idle;
        idle = mapping;
    }
}

#if defined(__x86_64__)
static sigjmp_buf before_load;

static void leave_load(int signal)
{
    (void)signal;
    siglongjmp(before_load, 1);
}

/* Loads one float; the other lanes lie beyond the end of memory. */
__attribute__((target("avx2"))) static void load_masked(const float *last)
{
    __m256 loaded = _mm256_maskload_ps(last, _mm256_setr_epi32(-1, 0, 0, 0, 0, 0, 0, 0));
    volatile float first = _mm256_cvtss_f32(loaded);
    (void)first;
}

static bool try_masked_load(void)
{
    if (!(cofi_cpu_flags() & COFI_CPU_AVX2))
        return false;
    float *last = guarded(sizeof *last, WALL_AFTER);
    signal(SIGSEGV, leave_load);
    bool faults = sigsetjmp(before_load, 1) != 0;
    if (!faults)
        load_masked(last);
    signal(SIGSEGV, report_crash);
    return faults;
}

bool masked_loads_fault(void)
{
    static enum { UNKNOWN, YES, NO } answer = UNKNOWN;
    if (answer == UNKNOWN)
        answer = try_masked_load() ? YES : NO;
    return answer == YES;
}
#else
bool masked_loads_fault(void)
{
    return false;
}
#endif
