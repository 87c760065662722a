/* SPDX-License-Identifier: BSD-2-Clause */
/* Stands in for guard_pages.c where memory has no pages that can be protected: a write outside is
 * found afterwards. Reads outside are left to the other processors, which run the same loops. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel_data.h"

#define MARGIN 4096
#define MARGIN_BYTE 0x5a

/* A header, a margin, `bytes` bytes, a margin. */
typedef struct Block {
    struct Block *next;
    size_t bytes, before; /* from the start of the block */
} Block;

static Block *taken;
static const char *doing = "";

/* As guard_pages.c, it aligns memory to its end if the wall is there. */
void *guarded(size_t bytes, Wall wall)
{
    size_t odd = wall == WALL_AFTER ? MARGIN - bytes % MARGIN : 0;
    size_t before = MARGIN + odd, total = before + bytes + MARGIN;
    unsigned char *start = aligned_alloc(MARGIN, (total + MARGIN - 1) / MARGIN * MARGIN);
    if (!start) {
        fprintf(stderr, "not enough memory\n");
        exit(1);
    }
    memset(start, MARGIN_BYTE, total);
    Block *block = (Block *)start;
    *block = (Block){.next = taken, .bytes = bytes, .before = before};
    taken = block;
    return start + before;
}

static bool is_margin(const unsigned char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (bytes[i] != MARGIN_BYTE)
            return false;
    return true;
}

void release(void)
{
    while (taken) {
        Block *block = taken;
        const unsigned char *start = (unsigned char *)block;
        if (!is_margin(start + sizeof *block, block->before - sizeof *block) ||
            !is_margin(start + block->before + block->bytes, MARGIN)) {
            fprintf(stderr, "writes to memory that is not its own: %s\n", doing);
            exit(1);
        }
        taken = block->next;
        free(block);
    }
}

void explain_crashes(const char *activity)
{
    doing = activity;
}

bool masked_loads_fault(void)
{
    return false;
}
