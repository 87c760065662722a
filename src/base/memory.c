/* SPDX-License-Identifier: BSD-2-Clause */
/* Checked, aligned memory. */
#if defined(__linux__) && !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE /* madvise() */
#endif
#include "base/memory.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "base/system.h"

typedef struct CofiChunk {
    struct CofiChunk *next;
    size_t size, used; /* bytes after this header */
} CofiChunk;

/* The header takes one alignment unit, so that the bytes after it are aligned. */
#define HEADER_SIZE ((size_t)COFI_ALIGNMENT)
#define MIN_CHUNK ((size_t)64 << 10)
#define MAX_ROOM ((size_t)4 << 20) /* of a chunk, for pieces after the first */
#define HUGE_PAGE ((size_t)2 << 20)

bool cofi_mul(size_t a, size_t b, size_t *product)
{
    if (b != 0 && a > SIZE_MAX / b)
        return false;
    *product = a * b;
    return true;
}

/* Rounds up to whole alignment units, at least one; false on overflow. */
static bool aligned_size(size_t count, size_t size, size_t *bytes)
{
    if (!cofi_mul(count, size, bytes) || *bytes > SIZE_MAX / 2)
        return false;
    *bytes = (*bytes + COFI_ALIGNMENT - 1) / COFI_ALIGNMENT * COFI_ALIGNMENT;
    if (*bytes == 0)
        *bytes = COFI_ALIGNMENT;
    return true;
}

/* Large blocks are aligned to huge pages, and those are asked for: the first access to each small
 * page would take longer than what is done with its pixels. */
static void *take_block(size_t bytes)
{
#if defined(MADV_HUGEPAGE)
    if (bytes >= 2 * HUGE_PAGE) {
        size_t rounded = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
        void *memory = cofi_system_malloc(HUGE_PAGE, rounded);
        if (memory)
            madvise(memory, bytes, MADV_HUGEPAGE); /* only a hint: a failure does not matter */
        return memory;
    }
#endif
    return cofi_system_malloc(COFI_ALIGNMENT, bytes);
}

void *cofi_malloc(size_t count, size_t size)
{
    size_t bytes;
    return aligned_size(count, size, &bytes) ? take_block(bytes) : NULL;
}

void *cofi_calloc(size_t count, size_t size)
{
    void *block = cofi_malloc(count, size);
    if (block)
        memset(block, 0, count * size);
    return block;
}

void cofi_free(void *block)
{
    cofi_system_free(block);
}

void *cofi_copy(const void *from, size_t count, size_t size)
{
    assert(from || count * size == 0);
    void *copy = cofi_calloc(count, size);
    if (copy && count * size > 0)
        memcpy(copy, from, count * size);
    return copy;
}

static CofiChunk *new_chunk(size_t bytes)
{
    if (bytes > SIZE_MAX / 2)
        return NULL;
    CofiChunk *chunk = take_block(HEADER_SIZE + bytes);
    if (chunk)
        *chunk = (CofiChunk){.size = bytes};
    return chunk;
}

void *cofi_arena_take_raw(CofiArena *arena, size_t count, size_t size)
{
    assert(arena);
    size_t bytes;
    if (!aligned_size(count, size, &bytes))
        return NULL;
    CofiChunk *chunk = arena->chunks;
    if (!chunk || chunk->size - chunk->used < bytes) {
        size_t room = arena->total < MAX_ROOM ? arena->total : MAX_ROOM;
        room = room > MIN_CHUNK ? room : MIN_CHUNK;
        chunk = new_chunk(bytes > room ? bytes : room);
        if (!chunk)
            return NULL;
        chunk->next = arena->chunks;
        arena->chunks = chunk;
    }
    void *piece = (unsigned char *)chunk + HEADER_SIZE + chunk->used;
    chunk->used += bytes;
    arena->total += bytes;
    if (arena->total > arena->peak)
        arena->peak = arena->total;
    return piece;
}

void *cofi_arena_take(CofiArena *arena, size_t count, size_t size)
{
    void *piece = cofi_arena_take_raw(arena, count, size);
    return piece ? memset(piece, 0, count * size) : NULL;
}

CofiMark cofi_arena_mark(const CofiArena *arena)
{
    return (CofiMark){.chunk = arena->chunks,
                      .used = arena->chunks ? arena->chunks->used : 0,
                      .total = arena->total};
}

void cofi_arena_release(CofiArena *arena, CofiMark mark)
{
    assert(mark.total <= arena->total);
    while (arena->chunks != mark.chunk) {
        CofiChunk *next = arena->chunks->next;
        cofi_system_free(arena->chunks);
        arena->chunks = next;
    }
    if (arena->chunks)
        arena->chunks->used = mark.used;
    arena->total = mark.total;
}

void cofi_arena_clear(CofiArena *arena)
{
    cofi_arena_release(arena, (CofiMark){0});
    arena->peak = 0;
}

void cofi_arena_reset(CofiArena *arena)
{
    size_t peak = arena->peak;
    CofiChunk *chunk = arena->chunks;
    bool fits = chunk && !chunk->next && chunk->size >= peak;
    if (fits) {
        chunk->used = 0;
    } else {
        cofi_arena_clear(arena);
        arena->chunks =
            peak > 0 ? new_chunk(peak) : NULL; /* if this fails, the next call allocates */
    }
    arena->total = arena->peak = 0;
}
