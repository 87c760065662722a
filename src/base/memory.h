/* SPDX-License-Identifier: BSD-2-Clause */
/* Checked, aligned memory: single blocks, and an arena for the scratch of one call. */
#ifndef COF_MEMORY_H
#define COF_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* Enough for any vector register, and a cache line. */
#define COFI_ALIGNMENT 64

/* *product = a * b; false if that does not fit. */
bool cofi_mul(size_t a, size_t b, size_t *product);

/* count * size bytes, aligned and zeroed; NULL if they do not fit in memory. count 0 gives a
 * block all the same. Given back with cofi_free(). */
void *cofi_calloc(size_t count, size_t size);
void *cofi_malloc(size_t count, size_t size); /* not zeroed */
void cofi_free(void *block);

/* A copy of count * size bytes. */
void *cofi_copy(const void *from, size_t count, size_t size);

/* Scratch that is taken piece by piece, given back all at once and kept for the next call. */
typedef struct CofiArena {
    struct CofiChunk *chunks; /* newest first */
    size_t total, peak;       /* bytes handed out now, and at most since the last reset */
} CofiArena;

/* Like cofi_calloc(), from the arena. */
void *cofi_arena_take(CofiArena *arena, size_t count, size_t size);
void *cofi_arena_take_raw(CofiArena *arena, size_t count, size_t size); /* not zeroed */

/* What was taken since a mark is free again. */
typedef struct CofiMark {
    struct CofiChunk *chunk;
    size_t used, total;
} CofiMark;

CofiMark cofi_arena_mark(const CofiArena *arena);
void cofi_arena_release(CofiArena *arena, CofiMark mark);

/* Everything taken is free again. What is kept is one chunk large enough for all of it, if the last
 * use had needed several. */
void cofi_arena_reset(CofiArena *arena);

void cofi_arena_clear(CofiArena *arena);

#endif
