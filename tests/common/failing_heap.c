/* SPDX-License-Identifier: BSD-2-Clause */
/* Allocations and thread creations that fail on purpose. */
#include "failing_heap.h"

#include <pthread.h>

void *__real_cofi_system_malloc(size_t alignment, size_t size);
void __real_cofi_system_free(void *block);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument);
void *__wrap_cofi_system_malloc(size_t alignment, size_t size);
void __wrap_cofi_system_free(void *block);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument);

/* The library may allocate on any of its threads. */
static pthread_mutex_t heap_lock = PTHREAD_MUTEX_INITIALIZER;

FailingHeap heap = {.refuse_at = -1, .refuse_threads_from = -1};

void *__wrap_cofi_system_malloc(size_t alignment, size_t size)
{
    void *block = NULL;
    pthread_mutex_lock(&heap_lock);
    if (heap.allocations++ != heap.refuse_at && heap.n_blocks < MAX_BLOCKS) {
        block = __real_cofi_system_malloc(alignment, size);
        heap.sizes[heap.n_blocks] = size;
        heap.blocks[heap.n_blocks++] = block;
        heap.bytes += size;
        heap.peak = heap.bytes > heap.peak ? heap.bytes : heap.peak;
    }
    pthread_mutex_unlock(&heap_lock);
    return block;
}

void __wrap_cofi_system_free(void *block)
{
    pthread_mutex_lock(&heap_lock);
    for (int i = heap.n_blocks - 1; i >= 0 && block; i--)
        if (heap.blocks[i] == block) {
            heap.bytes -= heap.sizes[i];
            heap.blocks[i] = heap.blocks[--heap.n_blocks];
            heap.sizes[i] = heap.sizes[heap.n_blocks];
            break;
        }
    pthread_mutex_unlock(&heap_lock);
    __real_cofi_system_free(block);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument)
{
    long created = heap.threads++;
    if (heap.refuse_threads_from >= 0 && created >= heap.refuse_threads_from)
        return 11; /* EAGAIN */
    return __real_pthread_create(thread, attributes, start, argument);
}
