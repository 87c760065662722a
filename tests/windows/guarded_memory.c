/* SPDX-License-Identifier: BSD-2-Clause */
/* Stands in for guard_pages.c on Windows: memory between pages that cannot be touched. */
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

#include "kernel_data.h"

#define PAGE ((size_t)4096)
#define MAX_TAKEN 4096

static void *taken[MAX_TAKEN];
static int n_taken;
static const char *doing = "";

static LONG CALLBACK report_crash(EXCEPTION_POINTERS *what)
{
    if (what->ExceptionRecord->ExceptionCode != EXCEPTION_ACCESS_VIOLATION)
        return EXCEPTION_CONTINUE_SEARCH;
    fprintf(stderr, "touches memory that is not its own: %s\n", doing);
    fflush(stderr);
    _exit(1);
}

void explain_crashes(const char *activity)
{
    doing = activity;
    SetUnhandledExceptionFilter(report_crash);
}

/* A wall, whole pages, a wall. */
void *guarded(size_t bytes, Wall wall)
{
    size_t inner = (bytes / PAGE + 1) * PAGE;
    DWORD before;
    unsigned char *start =
        VirtualAlloc(NULL, inner + 2 * PAGE, MEM_COMMIT | MEM_RESERVE, PAGE_READWRITE);
    if (!start || n_taken == MAX_TAKEN || !VirtualProtect(start, PAGE, PAGE_NOACCESS, &before) ||
        !VirtualProtect(start + PAGE + inner, PAGE, PAGE_NOACCESS, &before)) {
        fprintf(stderr, "there is no guarded memory\n");
        exit(1);
    }
    taken[n_taken++] = start;
    return start + PAGE + (wall == WALL_AFTER ? inner - bytes : 0);
}

void release(void)
{
    while (n_taken > 0)
        VirtualFree(taken[--n_taken], 0, MEM_RELEASE);
}

bool masked_loads_fault(void)
{
    return false;
}
