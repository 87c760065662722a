/* SPDX-License-Identifier: BSD-2-Clause */
/* Checked, aligned memory: single blocks, and an arena for the scratch of one call. */
#ifndef COF_MEMORY_H
#define COF_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* The size of a cache line, and of the largest vector register. */
#define COFI_ALIGNMENT 64

/* Asks for memory that will be read soon. WebAssembly can only read it. */
static inline void cofi_prefetch(const void *memory, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += COFI_ALIGNMENT)
#if defined(__wasm__)
        (void)*((const volatile char *)memory + i);
#else
        __builtin_prefetch((const char *)memory + i);
#endif
}

/* *product = a * b; false on overflow. */
bool cofi_mul(size_t a, size_t b, size_t *product);

/* Allocates count * size bytes, aligned and zeroed; NULL on failure. A count of 0 gives a valid
 * block. Free with cofi_free(). */
void *cofi_calloc(size_t count, size_t size);
void *cofi_malloc(size_t count, size_t size); /* not zeroed */
void cofi_free(void *block);

/* A copy of count * size bytes. */
void *cofi_copy(const void *from, size_t count, size_t size);

/* Scratch memory that is taken piece by piece, released at once and kept for the next call. */
typedef struct CofiArena {
    struct CofiChunk *chunks; /* newest first */
    size_t total, peak;       /* bytes in use, and their maximum since the last reset */
} CofiArena;

/* Like cofi_calloc(), from the arena. */
void *cofi_arena_take(CofiArena *arena, size_t count, size_t size);
void *cofi_arena_take_raw(CofiArena *arena, size_t count, size_t size); /* not zeroed */

/* Releasing a mark frees what was taken after it. */
typedef struct CofiMark {
    struct CofiChunk *chunk;
    size_t used, total;
} CofiMark;

CofiMark cofi_arena_mark(const CofiArena *arena);
void cofi_arena_release(CofiArena *arena, CofiMark mark);

/* Frees everything, but keeps one chunk that is large enough for the peak. */
void cofi_arena_reset(CofiArena *arena);

void cofi_arena_clear(CofiArena *arena);

#endif
