/* SPDX-License-Identifier: BSD-2-Clause */
/* Allocations and thread creations that fail on purpose. The linker puts these functions between
 * the library and the system: -Wl,--wrap=cofi_system_malloc, --wrap=cofi_system_free and
 * --wrap=pthread_create. */
#ifndef COF_FAILING_HEAP_H
#define COF_FAILING_HEAP_H

#include <stddef.h>

enum { MAX_BLOCKS = 4096 };

typedef struct FailingHeap {
    long allocations, refuse_at;       /* the one to refuse; -1: none */
    long threads, refuse_threads_from; /* the first thread to refuse; -1: none */
    void *blocks[MAX_BLOCKS];          /* not freed yet */
    size_t sizes[MAX_BLOCKS];
    int n_blocks;
    size_t bytes, peak; /* of those */
} FailingHeap;

extern FailingHeap heap;

#endif
